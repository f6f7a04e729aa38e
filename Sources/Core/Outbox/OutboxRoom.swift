import Model

/// Which messages go when there is no room (`Thinning`), or when a person clears the queue.
extension Outbox {
  /// While everything is in memory, or the disk takes nothing, victims are found here; otherwise
  /// messages that are not in flight go back to the disk alone, to be thinned with the rest.
  mutating func makeRoom() {
    guard size.isOver || writes.isFailing else { return }
    let waiting = head.count { !$0.isSent } + tail.count
    let isAllHere = backlog.isEmpty && setAside == nil
    let wanted = max(isAllHere ? size.excess : 0, writes.isFailing ? waiting - Self.memoryLimit : 0)
    if wanted > 0 {
      thinInMemory(wanted)
      settle()
    } else if size.isOver, !isAllHere, !thinning.isFutile, setAside == nil || !isStoreFailing {
      reload()
      while let last = head.last, last.mayLeave {
        head.removeLast()
        backlog.unload(last.message.sequence)
      }
    }
  }

  private mutating func thinInMemory(_ wanted: Int) {
    let queue = (head + tail).filter { !$0.isSent }.map(\.message).map {
      QueueEntry(sequence: $0.sequence, time: $0.time, isEvent: $0.isEvent, size: $0.size)
    }
    let victims = Set(Thinning.victims(in: queue, wanted: wanted))
    guard !victims.isEmpty else { return }
    record.drop(discard(victims))
    writes.remember(.dropped(record.dropped), isUrgent: false)
  }

  /// Takes the victims that are in memory out of the queue; returns their number.
  @discardableResult
  mutating func discard(_ victims: Set<UInt64>) -> Int {
    let doomed = (head + tail).filter { victims.contains($0.message.sequence) }
    head.removeAll { victims.contains($0.message.sequence) }
    tail.removeAll { victims.contains($0.message.sequence) }
    size.remove(doomed.count, bytes: doomed.reduce(0) { $0 + $1.message.size })
    recount()
    writes.remove(doomed.filter { $0.disk != .absent }.map(\.message.sequence))
    return doomed.count
  }

  /// Messages that the disk may still return and that do not count there: thinned out, cleared, refused, or kept in
  /// memory.
  var uncounted: (UInt64) -> Bool {
    let (doomed, ranges, outbox) = (writes.doomed, writes.doomedRanges, self)
    return { sequence in
      doomed.contains(sequence) || ranges.contains { $0.contains(sequence) }
        || outbox.index(of: sequence) != nil || outbox.letters.contains(sequence)
    }
  }

  /// Adds `before`, the messages dropped earlier in the life of the store that this total is written to.
  mutating func goOnCounting(from before: Int) {
    record.drop(before)
    if record.dropped > before { writes.remember(.dropped(record.dropped), isUrgent: false) }
  }

  private mutating func drop(_ victims: [UInt64]) {
    guard !victims.isEmpty else { return }
    record.drop(victims.count)
    writes.remove(victims)
    writes.remember(.dropped(record.dropped), isUrgent: true)
  }

  // MARK: What the store says

  mutating func indexed(_ page: [QueueEntry]) {
    let border = tail.first?.message.sequence ?? .max
    let uncounted = uncounted
    let usable = page.filter {
      $0.sequence > backlog.loadedThrough && $0.sequence < border && !uncounted($0.sequence)
    }
    let isEnd = page.count < DiskThinning.page
    let victims = thinning.victims(in: usable, wanted: size.excess, isEnd: isEnd)
    for entry in usable where victims.contains(entry.sequence) {
      size.remove(bytes: entry.size)
      backlog.lose(1)
    }
    drop(victims.sorted())
  }

  // MARK: What a person says

  /// At a person's explicit request: removes every message that is not in flight; returns how many.
  mutating func clear() -> Int {
    let before = size.count
    reload()
    let doomed = head.filter { !$0.isSent } + tail
    writes.remove(doomed.filter { $0.disk != .absent }.map(\.message.sequence))
    head.removeAll { !$0.isSent }
    tail = []
    // No message is left that would probe whether they are open again.
    holds = HeldTopics()
    recount()
    if !backlog.isEmpty { removeUnloaded() }
    // Cleared messages must not come back with the power.
    if !writes.removals.isEmpty { writes.remember(.dropped(record.dropped), isUrgent: true) }
    backlog.clear(through: nextSequence - 1)
    size.keep(head.count, bytes: head.reduce(0) { $0 + $1.message.size })
    return before - size.count
  }

  /// Removes all messages on the disk alone; those in flight may lie between.
  private mutating func removeUnloaded() {
    var after = backlog.loadedThrough
    for entry in head where entry.message.sequence > after {
      let through = entry.message.sequence - 1
      if through > after { writes.remember(.removeRange(after: after, through: through), isUrgent: true) }
      after = entry.message.sequence
    }
    if after < nextSequence - 1 {
      writes.remember(.removeRange(after: after, through: nextSequence - 1), isUrgent: true)
    }
  }
}
