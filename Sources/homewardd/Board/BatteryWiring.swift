import Core
import Host
import Loop
import Model
import OwnTracks
import Timebase

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

  func configureIgnition() {
    ignition?.close()
    ignition = nil
    // What another wire said is not what this one says.
    post(.ignition(nil))
    guard let source = PowerFailSource(configuration.ignitionInput) else { return }
    ignition = InputLine(loop: loop, source: source, key: "ignitionInput") { [unowned self] event in
      switch event {
      case .level(let isOn):
        post(.ignition(isOn))
        say(.info, "the ignition is \(isOn ? "on" : "off")")
      case .trouble(let why):
        post(.ignition(nil))
        say(.error, "ignitionInput: \(why)")
      }
    }
  }

  func configureVehicleBattery() {
    voltage?.close()
    voltage = nil
    guard let source = VoltageSource(configuration.vehicleBattery) else { return post(.vehicleVolts(nil)) }
    voltage = VoltageGauge(loop: loop, worker: network, source: source) { [unowned self] event in
      switch event {
      case .measured(let volts): post(.vehicleVolts(volts))
      case .trouble(let why): say(.warning, "vehicleBattery: \(why)")
      case .well: say(.info, "the voltage of the vehicle's battery is known again")
      }
    }
  }

  /// Only root may switch a board off: homeward-halt.path waits for this file.
  func halt(_ cause: HaltCause?) {
    let path = runtimeDirectory + "/halt"
    guard let cause else {
      halting?.set(at: nil)
      return HaltRequest.withdraw(path)
    }
    say(.warning, "asks for the board to be switched off, \(cause)")
    if let why = HaltRequest.write("\(cause)", to: path) { return say(.error, "\(path): \(why)") }
    halting =
      halting
      ?? loop.makeTimer { [unowned self] in
        say(.error, "the board was not switched off: systemctl start homeward-halt.path")
      }
    halting?.set(at: loop.now.instant + .seconds(60))
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
