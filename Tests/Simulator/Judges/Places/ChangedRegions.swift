import Model

/// Who changes the name of a region, or whether it is told, changes nothing of where the board is.
struct ChangedRegions: Judge {
  /// As they were before somebody changed some of them.
  private var before: [Snapshot.KnownRegion] = []

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .event(let event): before = event.isOfOrder ? world.tracker?.knownRegions ?? [] : []
    case .handled where !before.isEmpty:
      if let tracker = world.tracker, let lie = Self.lie(before, tracker.knownRegions) {
        world.complain(.agreement, lie)
      }
    default: break
    }
  }

  static func lie(_ before: [Snapshot.KnownRegion], _ after: [Snapshot.KnownRegion]) -> String? {
    let now = Dictionary(after.map { ($0.region.rid, $0) }) { first, _ in first }
    for one in before {
      guard let other = now[one.region.rid] else { continue }
      var renamed = other.region
      (renamed.name, renamed.isShared) = (one.region.name, one.region.isShared)
      if renamed == one.region, !renamed.isFollow, other.presence != one.presence {
        return "\(one.region.name) was \(one.presence), and as \(other.region.name) it is \(other.presence)"
      }
    }
    return nil
  }
}
