import Adapters
import Loop
import Model
import OwnTracks

/// Where the battery's level comes from, and the news that the power is going.
extension Daemon {
  func configurePowerFail() {
    powerFail?.close()
    powerFail = PowerFailSource(configuration.powerFailInput).map { source in
      PowerFailInput(loop: loop, source: source) { [unowned self] event in
        switch event {
        case .failing:
          post(.powerFailing)
          say(.warning, "the power is failing: everything goes to the disk")
        case .back: say(.info, "the power is back")
        case .trouble(let why): say(.error, "powerFailInput: \(why)")
        }
      }
    }
  }

  /// At the start, and where its keys have changed.
  func configureBattery() throws(LoopError) {
    power?.close()
    gauge?.close()
    (power, gauge) = (nil, nil)
    let source = BatterySource(configuration.batterySource) ?? .auto
    guard source != .auto, let table = VoltageTable(configuration.batteryVoltages) else {
      power = try PowerSupply(loop: loop) { [unowned self] event in
        switch event {
        case .batteryChanged(let battery): post(.batteryChanged(battery))
        }
      }
      return
    }
    gauge = BatteryGauge(loop: loop, worker: network, source: source, table: table) { [unowned self] event in
      switch event {
      case .batteryChanged(let battery): post(.batteryChanged(battery))
      case .trouble(let why): say(.warning, "battery unknown: \(why)")
      case .well: say(.info, "the battery's level is known again")
      }
    }
  }
}
