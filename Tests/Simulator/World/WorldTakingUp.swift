import Core
import Model
import Storage
import Timebase

/// A store that could not be opened at the start is there: what `homewardd` does in `LateStore.swift`.
extension World {
  /// The tracker as it was, should the disk not take it, and what the store held.
  typealias TakingUp = (before: Tracker, earlier: Snapshot)

  func handOver(to earlier: Snapshot) {
    guard let opened = desk else { return }
    tell("the tracker is written down")
    // What is under way would be acknowledged to a tracker that has not read it yet: it is sent again.
    let thisLife = life
    desk = nil
    retireClient()
    drain()
    guard life == thisLife, isRunning else { return opened.abandon() }
    desk = opened
    renewClient()
    guard let before = tracker?.tracker else { return }
    takingUp = (before, earlier)
    noteDropped()
    let moment = clock.moment(at: now)
    let written = batches.count
    let effects = tracker?.handOver(to: earlier, at: moment) ?? []
    judging.decided(effects, tracker)
    for effect in effects { perform(effect) }
    if isRunning, desk === opened, batches.count == written { takeUp() }
  }

  /// The answer of the disk to what was written down.
  func handedOver(_ event: Event) {
    guard let (before, earlier) = takingUp, !isStopping else { return }
    switch event {
    case .stored: takeUp()
    case .storeFailed:
      tell("the disk does not take it")
      takingUp = nil
      tracker = LivingTracker(before)
      configureClient()
      schedule.add(.storeTakesUp(earlier, life: life), at: now + .seconds(60))
    default: break
    }
  }

  private func takeUp() {
    guard let snapshot = try? desk?.file?.snapshot() else {
      // Nothing may go on beside what is written.
      tell("it cannot be read back")
      takingUp = nil
      return stop()
    }
    tell("taken up: \(snapshot.queued) from \(snapshot.firstSequence) to \(snapshot.lastSequence)")
    // What there was no room for as it was written down.
    noteDropped()
    takingUp = nil
    ledger.takenUp.insert(life)
    judging = Reasons()
    (droppedBefore, overflowed, thinned, resendable) = (snapshot.dropped, snapshot.dropped, nil, 0)
    ledger.old.tookUp()
    rulesWatch.tookUp()
    upkeep.tookUp()
    let effects = tracker?.takeUp(snapshot, at: clock.moment(at: now)) ?? []
    judging.decided(effects, tracker)
    for effect in effects { perform(effect) }
    receiver.isAwake = true
    if isRunning, let tracker { adopt(tracker.settings) }
    configureClient()
  }

  /// What overflow has cost, by the tracker's own count. One that is written down goes on where the store was.
  func noteDropped() {
    guard let tracker else { return }
    let queue = tracker.status(at: clock.moment(at: now)).queue
    let dropped = queue.dropped - (takingUp?.earlier.dropped ?? 0)
    ledger.dropped += max(0, dropped - droppedBefore)
    droppedBefore = dropped
    ledger.old.counted(queue)
  }
}
