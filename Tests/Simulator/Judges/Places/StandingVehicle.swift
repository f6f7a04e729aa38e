import Timebase

/// What stands crosses nothing, whatever its receiver says.
struct StandingVehicle: Judge {
  /// A vehicle that comes to rest is where it is known to be after this, seconds, with speeds and without: it has to be seen
  /// to rest, and its mean place decides after 20 s and after 60.
  private static let arrival = (speaking: 95.0, silent: 125.0)
  /// Greater noise than this, metres, may be 50 m off after a gap.
  private static let loud = 36.0

  func saw(_ what: Seen, in world: World) {
    guard case .told(.transition(let told), because: let reason) = what, told.region.kind == .circular,
      !told.region.isFollow
    else { return }
    // Its region was changed or removed, or it was left long before.
    if case .leftSince = reason { return }
    guard !world.ledger.isMisled(about: told.region.rid), let stands = world.evidence.motion.standsSince,
      world.isReceiverOn, !world.isBlind, let heard = world.receiver.heard?.since, world.silence <= 5,
      !world.receiver.haze.isSeen(since: stands - .seconds(30))
    else { return }
    let wait = PromptCrossings.wait(of: told.region, told.crossing, world)
    // Not seen for a while: what is far off then is believed, and noise may be.
    let isUnseen = heard > stands - .seconds(30)
    if isUnseen, world.evidence.motion.loudest > Self.loud || world.heard <= PromptCrossings.start + wait {
      return
    }
    let ground = world.receiver.ground
    guard world.stands > (ground.tellsSpeed ? Self.arrival.speaking : Self.arrival.silent) + wait else {
      return
    }
    let story = "\(ground.story) \(ground.tellsSpeed ? "with speeds" : "without speeds")"
    world.complain(
      .standing,
      "\(told.crossing) of \(told.region.name), \(story), \(Int(world.stands)) s after it came to rest")
  }
}
