import Timebase

/// A receiver that is well is believed, whatever it said before, and one that is off by the leap seconds is put right.
struct BelievedReceiver: Judge {
  /// So long after the last wrong fix the place is known again, seconds: half a minute of contradiction at most, a
  /// jump that was believed, and a start. The same where nothing but the time was wrong.
  private static let patience = (withPlace: 60.0, withTime: 35.0)

  func saw(_ what: Seen, in world: World) {
    let most = Self.patience
    guard case .second = what, world.process.isRunning, let tracker = world.tracker,
      let sound = world.receiver.soundSince ?? world.receiver.leapSince?.at, world.age > most.withPlace
    else { return }
    let isMisplaced = world.receiver.hasMisplaced(since: sound - .seconds(most.withPlace))
    guard world.seconds(since: sound) > (isMisplaced ? most.withPlace : most.withTime) else { return }
    let age = tracker.status(at: world.moment).fixAge?.seconds
    // White noise beyond every claim is a jump with each fix, and has to last.
    if age.map({ $0 > 20 + world.noise }) ?? true {
      world.complain(.times, "a receiver that is well is not believed: age \(age ?? -1) s")
    }
  }
}
