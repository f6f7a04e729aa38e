import Timebase

/// The purposes that a tracker may wait for: one slot each, so that nothing is ever armed twice.
public enum Purpose: Int, CaseIterable, Sendable {
  /// Reports: the timer of move mode, the ping, the window of the best fix, and a location that is owed.
  case periodicReport, ping, window, owedLocation
  /// The queue: a transaction, a disk or a client that refused, a topic that is held, a batch, and what a broker may
  /// have lost.
  case groupCommit, storeRetry, sendAgain, askAgain, batch, brokerMemory
  /// The disk: points, and what changes with every fix.
  case history, housekeeping
  /// The receiver: its rest, and whether it is still there.
  case receiverWake, receiverRest, settling, fixLoss, receiverSilence
  /// Regions and beacons.
  case holdDown, beaconSilence, scanWake
  /// The vehicle: its wires, its trip, and the end of the board's day.
  case vehicle, lines, tripSilence, halt, checkIn, batteryStep
  /// A call for help: its button, and when it is told again.
  case sos
  /// Settings, the mode by the network, and the words about the board.
  case configurationTrial, settingsNews, networkMode, announcement
}

/// The alarm clock: one wake-up slot per purpose, and the earliest of them for the loop's timer.
struct Deadlines {
  private var slots = [Instant?](repeating: nil, count: Purpose.allCases.count)

  subscript(_ purpose: Purpose) -> Instant? {
    get { slots[purpose.rawValue] }
    set { slots[purpose.rawValue] = newValue }
  }

  /// Keeps an earlier deadline where one is set already.
  mutating func arm(_ purpose: Purpose, by instant: Instant) {
    self[purpose] = self[purpose].map { min($0, instant) } ?? instant
    releaseAssert(self[purpose].map { $0 <= instant } ?? false, "armed for later than was asked")
  }

  @discardableResult
  mutating func takeIfDue(_ purpose: Purpose, at now: Instant) -> Bool {
    guard let due = self[purpose], due <= now else { return false }
    self[purpose] = nil
    return true
  }

  /// Purposes whose time has come, in the order of the slots.
  func due(at now: Instant) -> [Purpose] {
    Purpose.allCases.filter { purpose in self[purpose].map { $0 <= now } ?? false }
  }

  var next: Instant? {
    var earliest: Instant?
    for slot in slots {
      if let slot { earliest = earliest.map { min($0, slot) } ?? slot }
    }
    return earliest
  }
}
