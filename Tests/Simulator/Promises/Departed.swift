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
    let due = departed.due(at: now)
    guard !due.isEmpty, let kept else { return }
    // Of a write that failed nobody knows what the card has.
    let left = due.intersection(kept).filter { doubtful[$0] == nil }
    if let first = left.min() {
      ledger.complain(
        .limits, "\(left.count) messages that the broker has taken stay on the card, \(first) for one",
        at: now)
    }
  }

  /// What is on the card; nil: that cannot be said. The disk's faults are not for this question, which no process asks.
  private var kept: Set<UInt64>? {
    guard let file = desk?.file, ledger.counts[Fault.bitFlipped.rawValue] == 0 else { return nil }
    let fault = disk.fault
    disk.fault = .none
    defer { disk.fault = fault }
    return (try? StoreTwin.messages(in: file)).map { Set($0.map(\.sequence)) }
  }
}
