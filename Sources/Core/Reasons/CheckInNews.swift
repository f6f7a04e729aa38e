import Model

/// Outcome of a check-in of a parked board, and of those before it.
public enum CheckInNews: Hashable, Sendable {
  /// The board has woken by itself, after `hours` of planned sleep.
  case began(hours: Double)
  /// It goes off again after `seconds`.
  case done(seconds: Double)
  /// It goes off again after `seconds`, and something of what it was for is missing.
  case missed(MissedCheckIn, seconds: Double)
  /// Those before this one, `count` in a row.
  case caughtUp(count: Int, MissedCheckIn)
  /// The board stays on.
  case kept(BoardKeptOn)

  /// For programs.
  var word: String {
    switch self {
    case .began: "checkInBegan"
    case .done: "checkInDone"
    case .missed: "checkInMissed"
    case .caughtUp: "checkInsMissed"
    case .kept: "boardKeptOn"
    }
  }

  /// For people.
  var sentence: String {
    switch self {
    case .began(let hours):
      "woken to check in, \(tenths(hours)) h after the parked board was switched off"
    case .done(let seconds): "checked in within \(whole(seconds)) s: the board is switched off again"
    case .missed(let cause, let seconds):
      "the check-in is over after \(whole(seconds)) s, and incomplete: \(cause.sentence)"
    case .caughtUp(let count, let cause):
      (count == 1 ? "the check-in before this one was" : "\(count) check-ins before this one were")
        + " incomplete: \(cause.sentence)"
    case .kept(let cause): "no check-in, the board stays on: \(cause.sentence)"
    }
  }

  /// For the reason that carries it.
  var details: Reason.Details {
    switch self {
    case .began(let hours): [("hours", .number(hours))]
    case .done(let seconds): [("seconds", .number(seconds))]
    case .missed(let cause, let seconds): [("cause", .text(cause.word)), ("seconds", .number(seconds))]
    case .caughtUp(let count, let cause):
      [("count", .number(Double(count))), ("cause", .text(cause.word))]
    case .kept(let cause): [("cause", .text(cause.word))]
    }
  }
}

/// Why a board that has woken to check in is not switched off again.
public enum BoardKeptOn: Hashable, Sendable {
  /// It is on.
  case ignition
  /// Five fixes in a row were fast.
  case moving
  /// `metres` from where it was switched off.
  case elsewhere(metres: Double)
  /// An order of a person, here or over the network.
  case order
  /// It was switched on long before its alarm.
  case early
  /// `parkedWake` is 0 by now.
  case settings
  /// Somebody calls for help.
  case sos
  /// The battery that it was switched off for is charged again.
  case batteryWell
}

extension BoardKeptOn {
  fileprivate var sentence: String {
    switch self {
    case .ignition: "the ignition is on"
    case .moving: "it moves"
    case .elsewhere(let metres): "it is \(whole(metres)) m from where it was switched off"
    case .order: "somebody has given it an order"
    case .early: "it was switched on before its alarm"
    case .settings: "parkedWake is 0"
    case .sos: "somebody calls for help"
    case .batteryWell: "the battery is no longer low"
    }
  }

  fileprivate var word: String {
    switch self {
    case .ignition: "ignition"
    case .moving: "moving"
    case .elsewhere: "elsewhere"
    case .order: "order"
    case .early: "early"
    case .settings: "settings"
    case .sos: "sos"
    case .batteryWell: "batteryWell"
    }
  }
}
