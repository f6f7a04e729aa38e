import Timebase

/// The purposes that a tracker may wait for: one slot each, so that nothing is ever armed twice.
enum Purpose: Int, CaseIterable {
  case periodicReport, ping, holdDown, groupCommit, storeRetry, sendAgain, askAgain, housekeeping,
    receiverWake,
    receiverRest, beaconSilence, scanWake, tripSilence, configurationTrial, settingsNews,
    vehicle, lines, halt, owedLocation, history, settling, fixLoss, receiverSilence, window, networkMode,
    announcement, brokerMemory, batch, checkIn, sos
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

  var next: Instant? {
    var earliest: Instant?
    for slot in slots {
      if let slot { earliest = earliest.map { min($0, slot) } ?? slot }
    }
    return earliest
  }
}
