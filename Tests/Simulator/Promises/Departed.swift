import Core
import Model
import Timebase

/// What the broker has taken leaves the card soon: nothing of it is sent again after the next power cut. Kept by the
/// world, one for each connection's client.
struct Departed {
  /// Seconds: removals wait a moment for company, and for the disk.
  fileprivate static let soon = 20.0

  private var taken: [UInt64: Instant] = [:]

  mutating func told(_ sequences: [UInt64], at now: Instant) {
    for sequence in sequences { taken[sequence] = now }
  }

  /// Those that have to be gone by now; they are not looked at again.
  fileprivate mutating func due(at now: Instant) -> Set<UInt64> {
    let due = taken.filter { (now - $0.value).seconds > Self.soon }
    for sequence in due.keys { taken[sequence] = nil }
    return Set(due.keys)
  }
}

extension World {
  /// Once a minute.
  func judgeDeparted() {
    guard let tracker, isRunning, !isStopping, takingUp == nil, desk?.isSettled == true, ledger.isSettled,
      inbox.isEmpty, !tracker.status(at: clock.moment(at: now)).queue.isStoreFailing
    else { return }
    // Of a write that failed nobody knows what the card has.
    let left = departed.due(at: now).intersection(twin.queued.now).filter { doubtful[$0] == nil }
    if let first = left.min() {
      ledger.complain(
        .limits, "\(left.count) messages that the broker has taken stay on the card, \(first) for one",
        at: now)
    }
  }
}
