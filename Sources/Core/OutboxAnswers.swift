import Model

extension Outbox {
  /// Does it when everything urgent so far is on the disk, or the disk takes nothing: whoever is told
  /// "done" may pull the plug.
  /// `hasMore`: an event is being encoded and comes in a moment.
  mutating func whenDurable(_ effect: Effect, hasMore: Bool = false) {
    held.append((writes.horizon(hasEvents: hasMore || unwritten.events > 0) ?? 0, effect))
  }

  /// What need not wait any longer.
  mutating func release(into effects: inout [Effect], isStopping: Bool) {
    while let first = held.first, writes.isOver(first.after) || isStopping {
      effects.append(first.effect)
      held.removeFirst()
    }
  }

  var status: QueueStatus {
    QueueStatus(
      count: count, bytes: bytes, inFlight: inFlight, window: window, oldest: oldest, dropped: dropped,
      resent: resent, refused: refusedCount, isStoreFailing: isStoreFailing)
  }
}
