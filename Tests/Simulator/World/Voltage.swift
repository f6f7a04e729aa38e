import Model
import Timebase

/// The battery that starts the vehicle: it sags for a moment or for long, recovers, and its gauge may fail.
struct Voltage {
  private enum Phase {
    case well, low, empty, between, cranked, unknown
  }

  private var dice: Dice
  private var phase = Phase.well
  private var until = Instant.zero
  /// The board has no battery of its own.
  let isOnly: Bool
  /// As it is measured; nil: the gauge says nothing.
  private(set) var volts: Double? = 12.7

  init(dice: Dice) {
    self.dice = dice
    isOnly = self.dice.chance(0.4)
  }

  /// Every 20 s. Of thresholds that nobody has set others are taken.
  mutating func measure(_ power: Configuration.Power, at now: Instant) -> Double? {
    if now >= until {
      phase = dice.pick([.well, .well, .low, .low, .empty, .between, .cranked, .unknown])
      until = now + (phase == .cranked ? .seconds(25) : dice.span(20, 1500))
    }
    let low = power.vehicleBatteryLow > 0 ? power.vehicleBatteryLow : 11.9
    let empty = power.vehicleBatteryOff > 0 ? power.vehicleBatteryOff : 11.2
    volts =
      switch phase {
      case .well: dice.between(low * 1.06, 14.3)
      case .between: dice.between(low + 0.02, low * 1.045)
      case .low: dice.between(empty + 0.05, low - 0.05)
      case .empty: dice.between(empty - 0.8, empty - 0.05)
      case .cranked: dice.between(8, 10.5)
      case .unknown: nil
      }
    return volts
  }

  /// It is charged, for good.
  mutating func recover() {
    (phase, until) = (.well, .zero + .seconds(1e8))
  }
}

extension World {
  var isMeasured: Bool { configuration.power.vehicleBattery.value != nil }

  /// The board's own; nil: it has none.
  var boardBattery: Battery? { isMeasured && board.voltage.isOnly ? nil : board.battery }

  func measureVoltage() {
    guard isMeasured, now.nanoseconds / 1_000_000_000 % 20 == 0 else { return }
    let volts = board.voltage.measure(configuration.power, at: now)
    wake(.vehicleVolts(volts))
  }
}
