/// A receiver rests between looks where people want it, and never in move mode or while somebody calls for help.
struct RestingReceiver: Judge {
  func saw(_ what: Seen, in world: World) {
    guard case .second = what, let tracker = world.working, !world.receiver.isAwake,
      world.isReceiverOn || tracker.mode.mode == .move
        || tracker.status(at: world.moment).journey.sos != nil
    else { return }
    world.complain(.points, "the receiver rests in \(tracker.mode.mode) mode")
  }
}
