import Core
import Model
import Timebase

/// What the tracker knew of its regions when a process ended in which nothing waited for the disk: the next one knows
/// it, too. Kept by the world.
struct Remembered {
  private var sides: [Snapshot.KnownRegion] = []

  /// `regions`: nil, where something may have been under way.
  mutating func ended(with regions: [Snapshot.KnownRegion]?) { sides = regions ?? [] }

  /// What is said of the first that was forgotten. A circle that goes along is somewhere else by now; where a beacon
  /// that goes along was crossed last is known.
  func lie(in snapshot: Snapshot) -> String? { Self.lie(in: snapshot, about: sides) }

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

extension World {
  /// Before the process is gone, however it ends.
  func remember() {
    guard let tracker, takingUp == nil, desk?.isSettled == true, ledger.isSettled, inbox.isEmpty,
      !ledger.blindLives.contains(life),
      !tracker.status(at: clock.moment(at: now)).queue.isStoreFailing
    else { return remembered.ended(with: nil) }
    remembered.ended(with: tracker.knownRegions)
  }

  func judge(remembered snapshot: Snapshot) {
    defer { remembered.ended(with: nil) }
    noteDwells(in: snapshot)
    guard ledger.counts[Fault.bitFlipped.rawValue] == 0, breakage == nil || breakage == .sidesAreForgotten,
      let lie = remembered.lie(in: snapshot)
    else { return }
    ledger.complain(.agreement, "forgotten over a start: \(lie)", at: now)
  }
}
