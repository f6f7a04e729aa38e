import Model

/// The level of a battery.
public enum BatteryLevel: Hashable, Sendable {
  /// Of the board's own.
  case percent(Int)
  /// Of the vehicle's.
  case volts(Double)

  /// For people.
  var sentence: String {
    switch self {
    case .percent(let level): "the board's battery is at \(level) %"
    case .volts(let volts): "the vehicle's battery is at \(tenths(volts)) V"
    }
  }

  /// For the reason that carries it.
  var details: Reason.Details {
    switch self {
    case .percent(let level): [("level", .number(Double(level)))]
    case .volts(let volts): [("volts", .number(volts))]
    }
  }
}

/// The board steps down to spare a battery, or up again.
public struct BatteryStepNews: Hashable, Sendable {
  /// The reason for it.
  public enum Cause: Hashable, Sendable {
    /// Of the board's own battery.
    case percent(Int, isCharged: Bool)
    /// Of the vehicle's battery.
    case volts(Double)
    /// It is on, and the vehicle's battery charged.
    case ignition
    /// `batterySteps` has other limits.
    case settings
  }

  /// The step before; nil: none.
  public var before: BatteryStep?
  /// The step from now on; nil: none.
  public var step: BatteryStep?
  /// Why.
  public var cause: Cause

  /// Further down.
  var isDown: Bool { (step?.rawValue ?? 0) > (before?.rawValue ?? 0) }

  /// For people.
  var sentence: String {
    let what =
      switch step {
      case nil: "no battery step any more"
      case .receiver?: "battery step receiver, the receiver rests between looks"
      case .beacons?: "battery step beacons, the receiver is off"
      case .checkins?:
        "battery step checkins, the board is switched off once it stands, and wakes to check in"
      case .off?: "battery step off, the board is switched off"
      }
    return "\(what): \(cause.sentence) (batterySteps)"
  }

  /// For the reason that carries it.
  var details: Reason.Details {
    [("from", .text(before?.word ?? "none")), ("step", .text(step?.word ?? "none"))] + cause.details
  }
}

extension BatteryStepNews.Cause {
  fileprivate var sentence: String {
    switch self {
    case .percent(let level, isCharged: false): BatteryLevel.percent(level).sentence
    case .percent(let level, isCharged: true): "the board's battery is charged, and at \(level) %"
    case .volts(let volts): BatteryLevel.volts(volts).sentence
    case .ignition: "the ignition is on"
    case .settings: "the limits are others"
    }
  }

  fileprivate var details: Reason.Details {
    switch self {
    case .percent(let level, let isCharged):
      BatteryLevel.percent(level).details + (isCharged ? [("cause", .text("charged"))] : [])
    case .volts(let volts): BatteryLevel.volts(volts).details
    case .ignition: [("cause", .text("ignition"))]
    case .settings: [("cause", .text("settings"))]
    }
  }
}
