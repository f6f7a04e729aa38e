import Core
import Model
import Timebase

/// Of a window in which the tracker looks for a better fix the most accurate one is told, at its end.
struct BestOfWindow: Judge {
  /// Seconds.
  private static let slack = 2.0

  func saw(_ what: Seen, in world: World) {
    guard let open = world.evidence.choosing.open else { return }
    switch what {
    case .told(.location(let told), because: let reason):
      world.evidence.choosing.end()
      judge(told, reason, open, world)
    case .second: look(open.since, world)
    default: break
    }
  }

  private func window(_ world: World) -> Double { Double(world.configuration.reports.significantWindow) }

  /// Every fix since it began has been right and in time.
  private func isSound(since: Instant, _ world: World) -> Bool {
    world.receiver.soundSince.map { $0 + .seconds(Self.slack) < since } ?? false
  }

  private func judge(
    _ told: LocationReport, _ reason: Reason?, _ open: (since: Instant, accuracies: [Double]), _ world: World
  ) {
    switch reason {
    case .movedAndWaited, .pingDue(false): break
    default: return
    }
    // Where the receiver has lost its fix since, the place grows old, and its doubt with it.
    guard world.evidence.telling.reading == nil, world.tracker?.mode.mode == .significant,
      isSound(since: open.since, world), world.receiver.ground.tellsAccuracy, world.noise == 0,
      world.seconds(since: open.since) >= window(world) - 0.1,
      let best = open.accuracies.min(), world.silence < Self.slack, told.fix.accuracy > best
    else { return }
    let count = open.accuracies.count
    world.complain(.best, "\(told.fix.accuracy) m is told, and \(best) m was heard of \(count)")
  }

  private func look(_ since: Instant, _ world: World) {
    guard world.working != nil, window(world) > 0 else { return world.evidence.choosing.end() }
    let seconds = world.seconds(since: since)
    guard seconds > window(world) + Self.slack else { return }
    world.evidence.choosing.end()
    guard isSound(since: since, world), world.mayTell, world.tracker?.mode.mode == .significant,
      !world.evidence.telling.hasSwitched, world.evidence.mode.isSo(since: since)
    else { return }
    world.complain(.best, "\(seconds) s ago a location was due, and none is told")
  }
}
