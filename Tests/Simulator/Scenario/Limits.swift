import Core
import Model
import Timebase

/// Looked at every minute: what may grow, and how far.
struct Limits {
  /// Minutes in a row that the queue was too long while the disk worked.
  private var late = 0
  private(set) var longestQueue = 0

  static let mostLate = 3
  /// What the store may take up without any message, and with each; bytes.
  static let store = 6 << 20
  static let storeByMessage = 3000
  /// Of the history, which keeps days; SQLite's pages and their copies in the journal with it.
  static let storeByPoint = 250

  mutating func look(at queue: QueueStatus, limit: Int, events: Int, isDiskWell: Bool) -> String? {
    longestQueue = max(longestQueue, queue.count)
    // Events are never dropped, nor is what is under way; a sweep takes a moment.
    let most = limit + events + queue.inFlight + limit / 8 + 8
    late = queue.count > most && isDiskWell ? late + 1 : 0
    return late >= Self.mostLate ? "\(queue.count) messages wait, \(limit) may (and \(events) events)" : nil
  }

  func look(atStore bytes: Int, points: Int) -> String? {
    let most = Self.store + Self.storeByMessage * longestQueue + Self.storeByPoint * points
    return bytes > most ? "the store has \(bytes / 1024) kB" : nil
  }
}

extension World {
  func lookAtLimits() {
    guard isRunning, !isStopping, let tracker else { return }
    let status = tracker.status(at: clock.moment(at: now))
    let queue = status.queue
    var events = 0
    if queue.count > configuration.queue.limit {
      events = eventsThatMayWait()
    }
    if queue.refused != refusedHere, !ledger.blindLives.contains(life) {
      ledger.complain(.agreement, "\(queue.refused) refused, \(refusedHere) were", at: now)
    }
    let isDiskWell = desk?.isSettled == true && !queue.isStoreFailing
    if let text = limits.look(
      at: queue, limit: configuration.queue.limit, events: events, isDiskWell: isDiskWell)
    {
      ledger.complain(.limits, text, at: now)
    }
    let isKept =
      ledger.calmSince.map { now - $0 > .seconds(180) } ?? false
      && configuration.history.days > 0 && isDiskWell
    let told = isKept ? ledger.made.count { if case .location = $0.report { true } else { false } } : 0
    if let text = keeping.look(points: status.historyCount, made: told, isKept: isKept) {
      ledger.complain(.window, text, at: now)
    }
    let wanted = configuration.history.days < 0 ? configuration.history.positions : nil
    if isDiskWell, ledger.counts[Fault.bitFlipped.rawValue] == 0, !ledger.blindLives.contains(life),
      let points = desk?.file?.points,
      let text = fullness.look(points: points, wanted: wanted)
    {
      ledger.complain(.window, text, at: now)
    }
    let bytes = disk.files.values.reduce(0) { $0 + $1.count }
    if let text = limits.look(atStore: bytes, points: status.historyCount) {
      ledger.complain(.limits, text, at: now)
    }
  }

  /// Events that the broker has not, and those that a crash may have brought back: nothing has arrived of them
  /// since.
  private func eventsThatMayWait() -> Int {
    let crash = ledger.crashes.last ?? .zero
    var arrived: [Ledger.Content: Instant] = [:]
    for delivery in ledger.deliveries {
      arrived[.init(topic: delivery.topic, payload: delivery.payload)] = delivery.at
    }
    return ledger.made.count {
      $0.isEvent && arrived[.init(topic: $0.topic, payload: $0.payload)].map { $0 <= crash } ?? true
    }
  }
}
