import Core
import Model
import Storage
import Timebase

/// A store that could not be opened at the start is there: what `homewardd` does in `LateStore.swift`.
extension World {
  /// The tracker as it was, should the disk not take it, and what the store held.
  typealias TakingUp = (before: Tracker, earlier: Snapshot)

  func handOver(to earlier: Snapshot) {
    guard let before = tracker, let desk else { return }
    tell("the tracker is written down")
    retireClient()
    takingUp = (before, earlier)
    noteDropped()
    let moment = clock.moment(at: now)
    let written = batches.count
    let effects = tracker?.handOver(to: earlier, at: moment) ?? []
    judging.decided(effects, tracker)
    for effect in effects { perform(effect) }
    if isRunning, self.desk === desk, batches.count == written { takeUp() }
  }

  /// The answer of the disk to what was written down.
  func handedOver(_ event: Event) {
    guard let (before, earlier) = takingUp, !isStopping else { return }
    switch event {
    case .stored: takeUp()
    case .storeFailed:
      tell("the disk does not take it")
      takingUp = nil
      tracker = before
      attempt()
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
    takingUp = nil
    ledger.takenUp.insert(life)
    judging = Reasons()
    (droppedBefore, overflowed) = (snapshot.dropped, snapshot.dropped)
    let effects = tracker?.takeUp(snapshot, at: clock.moment(at: now)) ?? []
    judging.decided(effects, tracker)
    for effect in effects { perform(effect) }
    receiver.isAwake = true
    if isRunning, let tracker { adopt(tracker.settings) }
    attempt()
  }

  private func retireClient() {
    if client.connection != nil {
      server.close()
      client.ended()
    }
    _ = client.dropInFlight()
    client.enter(.idle)
  }
}
