/// What can go wrong in the world, and what people do in the middle of it.
public enum Fault: Int, CaseIterable, Sendable {
  // The receiver
  case fixLost, fixLate, fixRepeated, fixJumped, dateRolledOver, receiverBlind, gpsdLost
  // The clock
  case wallStepped, bornIn1970
  // The way to the broker, and the broker
  case networkCut, halfOpen, networkSlow, acknowledgementsReordered
  case brokerRestarted, sessionLost, credentialsRefused, messageRefused, messagePostponed
  // The process and the power
  case killed, killedInWrite, powerCut, powerCutInWrite, writesDropped, writeTorn
  // The disk
  case diskFull, diskFailing, diskSlow, bitFlipped
  // The rest of the board, and people
  case batteryFlapped, configured, commanded
  // Beacons
  case radioHung, advertLost
  // The vehicle, and people who are elsewhere. A board that was switched off was asked to be.
  case ignitionTurned, switchedOff, ordered
  // The way to being subscribed: cuts before each packet of it, and a broker that refuses, or has forgotten
  case connectCut, greetingCut, subscribeCut, subackCut, filterRefused, filterForbidden, sessionExpired
  // In the middle of sending: resets, a broker that takes no more for a while, one that ends the connection over a message
  case connectionReset, quotaReached, messageForbidden
  // The receiver's clock: one fix from the future, leap seconds that it does not know, a date of its own
  case fixAhead, leapSecondsLost, dateWrong
  // What it says of a vehicle that stands, and a line to it that falls behind
  case parkedNoise, placeDrifted, placeJumped, fixesLate
  // Fixes that may be far off by their own word, though they are not
  case fixVague
  // A broker that takes nothing of one topic for a while, and a client that takes nothing at all for a moment
  case topicHeld, sendingFailed
  // A broker that takes what comes on a connection and says nothing of it any more, and one that reads nothing for a while
  case brokerMute, brokerPaused

  /// Whether the rate is a probability (of each fix, message, advertisement) and not a number an hour.
  var isProbability: Bool { rates.high <= 1 }

  /// Where its rate is drawn from, in a run that has this fault at all.
  var rates: (low: Double, high: Double) {
    switch self {
    case .fixLost: (0.002, 0.3)
    case .fixLate, .fixRepeated, .fixAhead: (0.001, 0.05)
    case .fixJumped: (0.0005, 0.01)
    case .dateRolledOver, .leapSecondsLost, .dateWrong: (0.0002, 0.002)
    case .messageRefused, .messagePostponed: (0.001, 0.02)
    case .messageForbidden: (0.0001, 0.003)
    case .advertLost: (0.05, 0.9)
    case .bitFlipped: (0.05, 0.5)
    case .connectCut, .subscribeCut, .filterRefused: (0.02, 0.3)
    case .greetingCut, .subackCut, .sessionExpired: (0.02, 0.5)
    case .bornIn1970, .sessionLost, .writesDropped, .writeTorn: (0.3, 1)
    case .switchedOff: (1, 1)
    case .credentialsRefused: (0.2, 2)
    case .topicHeld: (0.2, 3)
    case .brokerRestarted, .killed, .killedInWrite, .powerCut, .powerCutInWrite, .diskFull, .diskFailing,
      .diskSlow, .configured, .radioHung, .filterForbidden, .quotaReached, .brokerMute, .brokerPaused:
      (0.3, 6)
    case .receiverBlind, .gpsdLost, .wallStepped, .halfOpen, .networkSlow, .acknowledgementsReordered,
      .parkedNoise, .fixesLate:
      (0.5, 6)
    case .networkCut, .fixVague, .sendingFailed: (0.5, 20)
    case .placeDrifted, .placeJumped: (1, 30)
    case .commanded, .ignitionTurned, .ordered, .connectionReset: (1, 60)
    case .batteryFlapped: (1, 200)
    }
  }
}

/// How often each kind of fault strikes in one run. Four of ten kinds are absent from a run: what two
/// faults do together shows best where the others keep still.
struct Rates {
  private var rates: [Double]

  /// `later`: for what came into the world after seeds had been kept, which should stay what they are.
  init(dice: inout Dice, later: inout Dice) {
    rates = Fault.allCases.map { fault in
      let isLater = fault.rawValue >= Fault.ignitionTurned.rawValue
      return isLater ? Self.rate(of: fault, &later) : Self.rate(of: fault, &dice)
    }
  }

  private static func rate(of fault: Fault, _ dice: inout Dice) -> Double {
    let isPresent = dice.chance(0.6)
    let rate = dice.spread(fault.rates.low, fault.rates.high)
    return isPresent ? rate : 0
  }

  mutating func begin(_ fault: Fault, _ rate: Double) { rates[fault.rawValue] = rate }
  mutating func end(_ fault: Fault) { rates[fault.rawValue] = 0 }

  init() { rates = [Double](repeating: 0, count: Fault.allCases.count) }

  subscript(_ fault: Fault) -> Double { rates[fault.rawValue] }
}
