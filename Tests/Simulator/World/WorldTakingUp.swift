import Core
import Model
import Storage
import Timebase

/// A store that could not be opened at the start is there: what `homewardd` does in `LateStore.swift`.
extension World {
  func handOver(to earlier: Snapshot) {
    guard let opened = process.desk else { return }
    tell("the tracker is written down")
    // What is under way would be acknowledged to a tracker that has not read it yet: it is sent again.
    let thisLife = life
    process.desk = nil
    retireClient()
    drain()
    guard life == thisLife, process.isRunning else { return opened.abandon() }
    process.desk = opened
    renewClient()
    guard let before = tracker?.tracker else { return }
    process.takingUp = Process.TakingUp(before: before, earlier: earlier)
    noteDropped()
    let written = process.writing.batches.count
    let effects = tracker?.handOver(to: earlier, at: moment) ?? []
    evidence.telling.decided(effects, tracker)
    for effect in effects { perform(effect) }
    if process.isRunning, process.desk === opened, process.writing.batches.count == written { takeUp() }
  }

  /// The answer of the disk to what was written down.
  func handedOver(_ event: Event) {
    guard let takingUp = process.takingUp, !process.isStopping else { return }
    switch event {
    case .stored: takeUp()
    case .storeFailed:
      tell("the disk does not take it")
      process.takingUp = nil
      process.tracker = LivingTracker(takingUp.before)
      configureClient()
      schedule.add(.storeTakesUp(takingUp.earlier, life: life), at: now + .seconds(60))
    default: break
    }
  }

  private func takeUp() {
    guard let snapshot = try? process.desk?.file?.snapshot() else {
      // Nothing may go on beside what is written.
      tell("it cannot be read back")
      process.takingUp = nil
      return stop()
    }
    tell("taken up: \(snapshot.queued) from \(snapshot.firstSequence) to \(snapshot.lastSequence)")
    // What there was no room for as it was written down.
    noteDropped()
    process.takingUp = nil
    ledger.lives.takenUp.insert(life)
    evidence.overflow.begin(snapshot.dropped)
    show(.tookUp)
    let effects = tracker?.takeUp(woken(snapshot), at: moment) ?? []
    evidence.telling.decided(effects, tracker)
    receiver.isAwake = true
    for effect in effects { perform(effect) }
    if process.isRunning, let tracker { adopt(tracker.settings) }
    configureClient()
  }

  /// What overflow has cost, by the tracker's own count. One that is written down goes on where the store was.
  func noteDropped() {
    guard let queue else { return }
    ledger.losses.dropped += evidence.overflow.count(
      queue.dropped - (process.takingUp?.earlier.dropped ?? 0))
    ledger.old.counted(queue)
  }
}
