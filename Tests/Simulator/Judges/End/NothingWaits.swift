import Timebase

/// When the faults are over everything arrives, and the store works.
struct NothingWaits: Judge {
  func saw(_ what: Seen, in world: World) {
    guard case .finished = what, let queue = world.queue else { return }
    let young = world.ledger.made.count { $0.at + .seconds(30) > world.now }
    let putOff = world.line.neverTaken.count + world.ledger.losses.putOff
    if queue.count > young + queue.waitingOld + putOff {
      world.complain(.calm, "\(queue.count) messages still wait")
    }
    if !world.ledger.old.isTold(queue.droppedOld) {
      world.complain(.old, "\(queue.droppedOld) were dropped, and the journal does not say so")
    }
    if world.process.desk == nil || queue.isStoreFailing { world.complain(.calm, "the store does not work") }
  }
}
