import Model
import Timebase

/// Who drives has crossed when as many fixes in a row as are wanted say so, and who waited whether the board comes back is
/// not left when the last fixes were inside. (Of what stands its mean place decides.)
struct ConfirmedCrossings: Judge {
  /// For so long every fix has been right and in time, seconds: what is heard is what counts.
  private static let sound = 20.0
  /// What was heard so long ago is not the last that was said, seconds.
  private static let fresh = 2.5

  func saw(_ what: Seen, in world: World) {
    guard case .told(.transition(let told), because: .crossed) = what, told.region.kind == .circular,
      world.receiver.ground.tellsAccuracy, world.sound > Self.sound
    else { return }
    if told.region.isHoldDown { judgeLeave(told, world) } else { judgeCrossing(told, world) }
  }

  private func judgeCrossing(_ told: TransitionReport, _ world: World) {
    let fixes = world.evidence.fixes
    guard told.region.dwell == nil, !told.region.isFollow,
      fixes.heard.last?.time.wholeSeconds == told.time.wholeSeconds, world.drives > PromptCrossings.drive,
      let seen = fixes.confirmations(of: told.crossing, told.region)
    else { return }
    let wanted = world.configuration.regions.confirm
    if seen < wanted {
      world.complain(
        .truth, "\(told.crossing) of \(told.region.name): \(seen) fixes in a row say so, not \(wanted)")
    }
  }

  /// The wait may end as the first of them arrives.
  private func judgeLeave(_ told: TransitionReport, _ world: World) {
    let fixes = world.evidence.fixes
    // A date of its own that was once too late leaves nothing that is newer.
    guard told.crossing == .leave, let last = fixes.heard.last,
      (BoardClock.truth(world.now) - last.arrived).seconds < Self.fresh, fixes.isTelling(of: told.region),
      fixes.confirmations(of: .enter, told.region).map({
        $0 > (world.drives > PromptCrossings.drive ? 1 : 5)
      }) ?? true
    else { return }
    world.complain(.truth, "\(told.region.name) is left, and the last fixes are inside")
  }
}
