import Model
import Timebase

/// State that waits to be written beside new messages, and the one transaction that is under way. One at a
/// time: a batch that fails may then be given again without overtaking a newer state.
struct PendingWrites {
  /// Sequences of messages that may leave the disk.
  private(set) var removals: [UInt64] = []
  private var urgent: [StoreWrite] = []
  private var lazy: [StoreWrite] = []
  /// Newer than anything of their kind in the lists. They change with every fix and are written with the next
  /// batch: hence the separate properties.
  private var position: Fix?
  private var reference: Fix?
  private var history = PendingHistory()
  private var underway: [UInt64: [StoreWrite]] = [:]
  private var nextBatch: UInt64 = 1
  private(set) var isFailing = false
  /// The newest batch that the store has answered, stored or failed.
  private var answered: UInt64 = 0

  /// Points of the history that the disk does not have yet, without those under way.
  var waitingPoints: Int { history.points.count }
  var isUnderway: Bool { !underway.isEmpty }
  var isUrgent: Bool { !urgent.isEmpty || history.isOwed }
  /// The number that the next batch will have.
  var coming: UInt64 { nextBatch }

  /// Messages already removed, though the disk may still return them.
  var doomed: Set<UInt64> {
    var doomed = Set(removals)
    for case .remove(let sequences) in underway.values.joined() { doomed.formUnion(sequences) }
    return doomed
  }

  /// The same for ranges that were cleared.
  var doomedRanges: [ClosedRange<UInt64>] {
    (Array(underway.values.joined()) + urgent + lazy).compactMap { write in
      guard case .removeRange(let after, let through) = write, after < through else { return nil }
      return after + 1...through
    }
  }

  mutating func remember(_ write: StoreWrite, isUrgent: Bool) {
    // Only the newest of each kind is worth writing: an online board may collect for ten minutes.
    lazy.removeAll { Self.isSuperseded($0, by: write) }
    urgent.removeAll { Self.isSuperseded($0, by: write) }
    // Points that are not written yet would be written after it.
    if Self.isClearing(write) { history = PendingHistory() }
    switch write {
    case .position: position = nil
    case .reference: reference = nil
    default: break
    }
    if isUrgent { urgent.append(write) } else { lazy.append(write) }
  }

  /// A point of the own track, with the next batch.
  mutating func remember(point report: Report) { history.add(report) }

  /// Points have waited long enough for another write.
  mutating func oweHistory() { history.isOwed = !history.points.isEmpty }

  /// The last position, with the next batch.
  mutating func remember(position fix: Fix) {
    position = fix
    if !urgent.isEmpty { urgent.removeAll { if case .position = $0 { true } else { false } } }
  }

  /// The last published position, with the next batch.
  mutating func remember(reference fix: Fix) {
    reference = fix
    if !urgent.isEmpty { urgent.removeAll { if case .reference = $0 { true } else { false } } }
  }

  mutating func remove(_ sequences: [UInt64]) { removals += sequences }

  /// Writes that waited for another one go with the next batch.
  mutating func promote() {
    urgent = states
    (lazy, position, reference) = ([], nil, nil)
    oweHistory()
  }

  /// Everything but the removals and the history, in order.
  private var states: [StoreWrite] {
    var waiting = lazy
    if let reference { waiting.append(.reference(reference)) }
    if let position { waiting.append(.position(position)) }
    return waiting + urgent
  }

  /// One transaction of these inserts and everything that waits; nil: nothing is worth a write.
  mutating func take(inserts: [StoreWrite], evenLazy: Bool) -> (batch: UInt64, writes: [StoreWrite])? {
    var writes = inserts
    if !removals.isEmpty { writes.append(.remove(removals)) }
    if !writes.isEmpty || isUrgent || evenLazy {
      // Clearing the history comes before the points made since, and pruning it after them.
      let states = states
      writes += states.filter(Self.isClearing) + history.take() + states.filter { !Self.isClearing($0) }
    }
    guard !writes.isEmpty else { return nil }
    (removals, lazy, position, reference, urgent) = ([], [], nil, nil, [])
    underway[nextBatch] = writes
    nextBatch += 1
    return (nextBatch - 1, writes)
  }

  /// The batch with which everything urgent so far will have been written; nil: nothing is to be written.
  func horizon(hasEvents: Bool) -> UInt64? {
    if isUrgent || hasEvents { return coming }
    return isUnderway ? coming - 1 : nil
  }

  /// Whether there is no point any more in waiting for that batch.
  func isOver(_ batch: UInt64) -> Bool { answered >= batch || isFailing }

  mutating func stored(_ batch: UInt64) {
    releaseAssert(batch < nextBatch, "batch \(batch) was never given")
    answered = max(answered, batch)
    underway[batch] = nil
    isFailing = false
  }

  /// Nothing that failed is left to be tried again.
  mutating func forgiven() { isFailing = false }

  /// Nothing of the batch is on the disk: it waits again, ahead of later writes, unless they supersede it.
  mutating func failed(_ batch: UInt64) {
    releaseAssert(batch < nextBatch, "batch \(batch) was never given")
    isFailing = true
    answered = max(answered, batch)
    var again: [StoreWrite] = []
    var points: [Report] = []
    for write in underway.removeValue(forKey: batch) ?? [] {
      switch write {
      case .insert: break
      case .remove(let sequences): removals = sequences + removals
      case .history(let location): points.append(.location(location))
      default:
        let isOld = states.contains { Self.isSuperseded(write, by: $0) }
        if !isOld { again.append(write) }
      }
    }
    lazy = again + lazy
    // Cleared since: the points are not wanted any more.
    if !states.contains(where: Self.isClearing) { history.putBack(points) }
  }

  /// The write removes the whole history before it, whatever comes after it.
  private static func isClearing(_ write: StoreWrite) -> Bool {
    if case .pruneHistory(keep: 0, _) = write { true } else { false }
  }

  private static func isSuperseded(_ old: StoreWrite, by new: StoreWrite) -> Bool {
    if isClearing(old) { return isClearing(new) }
    return switch (old, new) {
    case (.position, .position), (.reference, .reference), (.tag, .tag), (.dropped, .dropped), (.mode, .mode):
      true
    case (.pruneHistory, .pruneHistory), (.remoteSettings, .remoteSettings), (.commandsSeen, .commandsSeen),
      (.journey, .journey), (.clientIDForm, .clientIDForm), (.entered, .entered), (.announced, .announced),
      (.volume, .volume), (.sleep, .sleep), (.batterySteps, .batterySteps):
      true
    case (.region(let old, _), .region(let new, _)): old.rid == new.rid
    case (.region(let old, _), .regionRemoved(let rid)): old.rid == rid
    case (.regionRemoved(let rid), .region(let new, _)): rid == new.rid
    default: false
    }
  }
}
