import Model
import Timebase

/// Own published locations on their way to the history table, in batches: the flash is worth more than
/// the last points of a local track, which are in the queue as messages anyway.
struct PendingHistory {
  /// Points are flushed in lots of this size where all have to be kept (`days`).
  static let lot = 200

  var stored = 0
  /// Locations, kept as they were told: a message and its point share their memory.
  private(set) var points: [Report] = []
  /// The oldest of `points` once they are full and go round.
  private var oldest = 0

  /// True when the lot is full and has to be written.
  mutating func add(_ report: Report, _ settings: Configuration.History) -> Bool {
    assert(oldest < max(1, points.count), "point \(oldest) of \(points.count) is the oldest")
    // Where only the newest are kept, up to a number, older ones would be pruned on the disk, too.
    if settings.days < 0, points.count >= min(max(1, settings.positions), Self.lot) {
      points[oldest] = report
      oldest = (oldest + 1) % points.count
      return false
    }
    if oldest > 0 { straighten() }
    points.append(report)
    assert(points.count <= Self.lot + 1, "a full lot was not written")
    return settings.days >= 0 && points.count >= Self.lot
  }

  /// Inserts and the pruning that goes with them; empties the batch.
  mutating func writes(_ configuration: Configuration, wall: WallTime?) -> [StoreWrite] {
    guard !points.isEmpty else { return [] }
    straighten()
    var writes = points.compactMap { report -> StoreWrite? in
      if case .location(let location) = report { .history(location) } else { nil }
    }
    assert(writes.count == points.count && stored >= 0, "only locations are kept")
    stored += points.count
    if configuration.history.days < 0 { stored = min(stored, max(1, configuration.history.positions)) }
    points = []
    if configuration.history.days < 0 {
      writes.append(.pruneHistory(keep: max(1, configuration.history.positions), since: nil))
    } else if configuration.history.days == 0 {
      writes.append(.pruneHistory(keep: 1, since: nil))
    } else if let wall {
      writes.append(
        .pruneHistory(keep: nil, since: wall.seconds - Double(configuration.history.days + 1) * 86_400))
    }
    return writes
  }

  /// The oldest comes first again.
  private mutating func straighten() {
    points = Array(points[oldest...] + points[..<oldest])
    oldest = 0
  }
}
