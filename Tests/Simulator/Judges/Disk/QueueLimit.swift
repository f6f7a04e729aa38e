import Timebase

/// No more waits than people let wait, but for a moment and for events, which are never dropped.
struct QueueLimit: Judge {
  /// Minutes in a row that the queue may be too long while the disk works.
  private static let mostLate = 3
  private var late = 0

  mutating func saw(_ what: Seen, in world: World) {
    guard case .minute = what, world.living != nil, let queue = world.queue else { return }
    let limit = world.configuration.queue.limit
    let events = queue.count > limit ? eventsThatMayWait(world.ledger) : 0
    // Nor is what is under way; a sweep takes a moment.
    let most = limit + events + queue.inFlight + limit / 8 + 8
    late = queue.count > most && world.isDiskWell ? late + 1 : 0
    if late >= Self.mostLate {
      world.complain(.limits, "\(queue.count) messages wait, \(limit) may (and \(events) events)")
    }
  }

  /// Events that the broker has not, and those that a crash may have brought back: nothing has arrived of them
  /// since.
  private func eventsThatMayWait(_ ledger: Ledger) -> Int {
    let crash = ledger.lives.crashes.last ?? .zero
    var arrived: [Ledger.Content: Instant] = [:]
    for delivery in ledger.deliveries { arrived[delivery.content] = delivery.at }
    return ledger.made.count { $0.isEvent && arrived[$0.content].map { $0 <= crash } ?? true }
  }
}
