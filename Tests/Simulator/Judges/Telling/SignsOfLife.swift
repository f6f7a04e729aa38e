/// What is told by itself comes in time, when the faults are over and the receiver is well.
struct SignsOfLife: Judge {
  /// Seconds that a sign of life, or a location of the move timer, may come later than it is due.
  private static let slack = 40.0
  /// Somebody who has looked after everything is done with it, seconds.
  private static let settled = 180.0

  func saw(_ what: Seen, in world: World) {
    guard case .second = what, let (mode, _) = world.evidence.mode.mode,
      let pings = world.evidence.mode.pingsSince, let calm = world.ledger.calmSince,
      world.calm > Self.settled, world.board.clock.isSynchronised, world.configuration.broker.port != 0,
      world.now < world.phases.rest
    else { return }
    let (telling, reports) = (world.evidence.telling, world.configuration.reports)
    if reports.ping > 0 {
      // What was kept and not told, while there was no broker to tell it to, counted as well.
      let waited = world.seconds(since: max(telling.lastPublish ?? pings, pings, calm))
      if waited > Double(reports.ping * 60 + reports.significantWindow) + Self.slack {
        world.complain(.prompt, "no sign of life for \(Int(waited)) s, ping is \(reports.ping) min")
      }
    }
    guard mode == .move, let since = world.evidence.mode.intervalSince, reports.locatorInterval > 0,
      world.isReceiverOn,
      let sound = world.receiver.soundSince, world.noise == 0
    else { return }
    let waited = world.seconds(since: max(telling.reference?.at ?? since, since, sound, calm))
    if waited > Double(reports.locatorInterval) + Self.slack {
      world.complain(
        .prompt, "nothing told for \(Int(waited)) s, locatorInterval is \(reports.locatorInterval) s")
    }
  }
}
