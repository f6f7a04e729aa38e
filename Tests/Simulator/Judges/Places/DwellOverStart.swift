import Model
import Timebase

/// An enter that waits for a dwell as a process begins goes on waiting where the one before it was, and not anew.
struct DwellOverStart: Judge {
  private struct Wait {
    var region: Region
    /// Seconds of the world.
    var since: Double
  }

  /// Metres within the edge where every fix is inside, and beyond it where one at the very edge says when it began.
  private static let (within, edge) = (25.0, -15.0)
  /// Seconds after the dwell, or after the first fixes of a process, in which it is told.
  private static let patience = 15.0

  private var waits: [Wait] = []
  /// When this process had its store, seconds of the world: fixes wait for it, however slow the card is.
  private var openedAt = 0.0
  private var startedAt = 0.0

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .started: startedAt = world.second
    case .opened(_, let snapshot): note(snapshot, world)
    case .told(.transition(let told), because: _): waits.removeAll { $0.region.rid == told.region.rid }
    case .withheld(let reason): if reason.isNobodysToBeTold { waits = [] }
    case .second(let truth): if !waits.isEmpty { look(truth.point, world) }
    default: break
    }
  }

  /// Where the vehicle was all the time it has been waiting, whichever process was running.
  private mutating func note(_ snapshot: Snapshot, _ world: World) {
    let last = world.second
    openedAt = last
    waits = snapshot.regions.compactMap { known -> Wait? in
      guard case .dwelling(let since) = known.presence, !known.region.hidesReports else { return nil }
      let first = since.seconds - BoardClock.epoch
      guard first > 0, first < last else { return nil }
      let hasStayed = stride(from: first, through: last, by: 1).allSatisfy {
        isInside(known.region, world.road.position(at: $0).point, by: Self.edge)
      }
      return hasStayed ? Wait(region: known.region, since: first) : nil
    }
  }

  private func isInside(_ region: Region, _ truth: Point, by margin: Double) -> Bool {
    region.coordinate.distance(to: truth.coordinate) < region.radius - margin
  }

  private mutating func look(_ truth: Point, _ world: World) {
    waits = waits.filter { isInside($0.region, truth, by: Self.within + world.noise) }
    guard world.process.isRunning, let tracker = world.tracker, world.process.takingUp == nil else { return }
    guard !world.process.isStopping, !world.isVeiled, tracker.mode.mode != .quiet,
      world.board.clock.isSynchronised, world.isReceiverOn, !world.isBlind
    else {
      waits = []
      return
    }
    waits = waits.filter { wait in
      tracker.knownRegions.contains { $0.region == wait.region && $0.presence.isWithin }
    }
    guard world.silence < 2, !world.receiver.haze.isNear(world.now),
      !world.receiver.hasMisplaced(since: world.now - .seconds(Self.patience))
    else { return }
    waits = waits.filter { wait in
      let dwell = wait.region.dwell ?? 0
      // The first fix may have waited for the store as long as that: it counts from when it is looked at.
      let late = openedAt - startedAt
      let due = max(wait.since + Double(dwell) + late, world.second - world.heard, openedAt)
      guard world.second > due + Self.patience else { return true }
      let waited = "is not entered after \(Int(world.second - wait.since)) s over a start"
      world.complain(.prompt, "\(wait.region.name) \(waited), its dwell is \(dwell) s")
      return false
    }
  }
}
