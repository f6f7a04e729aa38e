/// Of a queue that is too long as many go as are too many, and some that make it worth the while.
struct ThinnedQueue: Judge {
  /// How many were dropped after the last event of this life.
  private var before: Int?

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .begun, .tookUp: before = nil
    case .handled(let event):
      guard let queue = world.queue else { return }
      defer { before = queue.dropped }
      guard !event.isOfOrder, let before, world.process.takingUp == nil, queue.dropped > before,
        !queue.isStoreFailing
      else { return }
      let (gone, limit) = (queue.dropped - before, world.configuration.queue.limit)
      let most = max(queue.count + gone - limit, 1) + limit / 32
      guard gone > most else { return }
      world.complain(
        .window, "\(gone) of \(queue.count + gone) messages go, \(most) may where \(limit) have room")
    default: break
    }
  }
}
