import Model

/// What the tracker knew of its regions when a process ended in which nothing waited for the disk the next one knows, too;
/// and while it runs, what nothing waits for is on the disk.
struct RegionsOverStarts: Judge {
  private var sides: [Snapshot.KnownRegion] = []

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .gone: sides = known(in: world) ?? []
    case .opened(_, let snapshot):
      defer { sides = [] }
      guard !world.hasFlipped, world.breakage == nil || world.breakage == .sidesAreForgotten,
        let lie = Self.lie(in: snapshot, about: sides)
      else { return }
      world.complain(.agreement, "forgotten over a start: \(lie)")
    case .minute where world.working != nil:
      guard let regions = known(in: world), !world.hasFlipped,
        let snapshot = world.asking({ try? world.process.desk?.file?.snapshot() }),
        let lie = Self.lie(in: snapshot, about: regions)
      else { return }
      world.complain(.agreement, "nothing waits for the disk, and it does not know: \(lie)")
    default: break
    }
  }

  /// Nil: something may be under way.
  private func known(in world: World) -> [Snapshot.KnownRegion]? {
    world.isSettled && !world.isBlind ? world.tracker?.knownRegions : nil
  }

  /// What is said of the first that was forgotten. A circle that goes along is somewhere else by now; where a beacon
  /// that goes along was crossed last is known.
  static func lie(in snapshot: Snapshot, about sides: [Snapshot.KnownRegion]) -> String? {
    let stored = Dictionary(snapshot.regions.map { ($0.region.rid, $0) }) { first, _ in first }
    for known in sides where !known.region.isFollow {
      guard let kept = stored[known.region.rid] else { return "\(known.region.name) is gone" }
      if kept.region != known.region { return "\(known.region.name) is \(kept.region) now" }
      if kept.presence != known.presence {
        return "\(known.region.name): \(known.presence) is \(kept.presence) now"
      }
    }
    return nil
  }
}
