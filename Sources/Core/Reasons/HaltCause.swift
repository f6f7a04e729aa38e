import Model

/// Why the board asks to be switched off.
public enum HaltCause: Hashable, Sendable {
  /// The ignition has been off for this long, seconds.
  case parked(seconds: Double)
  /// The vehicle's battery, volts.
  case batteryLow(volts: Double)
  /// Somebody has ordered it.
  case ordered
  /// A step of `batterySteps`, and the battery that it is for.
  case batteryStep(BatteryStep, BatteryLevel)
  /// The board had woken to check in; nil: and has done so.
  case checkedIn(MissedCheckIn?)

  var isBatteryLow: Bool {
    switch self {
    case .batteryLow, .batteryStep: true
    case .parked, .ordered, .checkedIn: false
    }
  }
}

extension HaltCause: CustomStringConvertible {
  public var description: String {
    switch self {
    case .parked(let seconds): "because the ignition has been off for \(whole(seconds)) s"
    case .ordered: "as it was ordered to park"
    case .checkedIn(nil): "because its check-in is done"
    case .checkedIn(let missed?): "because its check-in is over, and \(missed.sentence)"
    case .batteryLow(let volts): "because the vehicle's battery is at \(tenths(volts)) V"
    case .batteryStep(let step, let level): "because \(level.sentence) (batterySteps, \(step.word))"
    }
  }
}

extension HaltCause {
  /// For the reason that carries it.
  var details: Reason.Details {
    switch self {
    case .parked(let seconds): [("cause", .text("parked")), ("seconds", .number(seconds))]
    case .ordered: [("cause", .text("ordered"))]
    case .checkedIn(let missed):
      [("cause", .text("checkedIn"))] + (missed.map { [("missed", .text($0.word))] } ?? [])
    case .batteryLow(let volts): [("cause", .text("batteryLow")), ("volts", .number(volts))]
    case .batteryStep(let step, let level):
      [("cause", .text("batteryStep")), ("step", .text(step.word))] + level.details
    }
  }
}
