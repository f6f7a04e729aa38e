import Timebase

/// No more waits than people let wait, but for a moment and for events, which are never dropped.
struct QueueLimit: Judge {
  /// Minutes in a row that the queue may be too long while the disk works.
  private static let mostLate = 3
  private var late = 0

  mutating func saw(_ what: Seen, in world: World) {
    guard case .minute = what, world.living != nil, let queue = world.queue else { return }
    let limit = world.configuration.queue.limit
    let events = queue.count > limit ? Self.eventsThatMayWait(world.ledger) : 0
    // Nor is what is under way; a sweep takes a moment.
    let most = limit + events + queue.inFlight + limit / 8 + 8
    late = queue.count > most && world.isDiskWell ? late + 1 : 0
    if late >= Self.mostLate {
      world.complain(.limits, "\(queue.count) messages wait, \(limit) may (and \(events) events)")
    }
  }

  /// Events that the broker has not, and those that a crash may have brought back: nothing has arrived of them
  /// since. One that is told anew, byte for byte, waits until it has arrived as often.
  static func eventsThatMayWait(_ ledger: Ledger) -> Int {
    let crash = ledger.lives.crashes.last ?? .zero
    var arrived: [Ledger.Content: Instant] = [:]
    var waiting: [Ledger.Content: Int] = [:]
    var deliveries = ledger.deliveries[...]
    func deliver(before: Instant?) {
      while let next = deliveries.first, before.map({ next.at < $0 }) ?? true {
        arrived[next.content] = next.at
        if let count = waiting[next.content], count > 0 { waiting[next.content] = count - 1 }
        deliveries.removeFirst()
      }
    }
    for made in ledger.made where made.isEvent && made.excuse == nil {
      deliver(before: made.at)
      waiting[made.content, default: 0] += 1
    }
    deliver(before: nil)
    let all = ledger.made.count { $0.isEvent && arrived[$0.content].map { $0 <= crash } ?? true }
    return all + waiting.reduce(0) { $0 + (arrived[$1.key].map { $0 > crash } ?? false ? $1.value : 0) }
  }
}
