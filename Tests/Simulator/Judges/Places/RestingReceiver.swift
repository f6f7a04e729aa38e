/// A receiver rests between looks where people want it; in move mode only to spare a battery, and never while somebody
/// calls for help.
struct RestingReceiver: Judge {
  func saw(_ what: Seen, in world: World) {
    guard case .second = what, let tracker = world.working, !world.receiver.isAwake else { return }
    let status = tracker.status(at: world.moment)
    guard
      status.journey.sos != nil
        || (status.vehicle.step?.step == nil && (world.isReceiverOn || tracker.mode.mode == .move))
    else { return }
    world.complain(.points, "the receiver rests in \(tracker.mode.mode) mode")
  }
}
