import Core
import Glibc
import Model
import Storage
import TestSupport
import Testing

@testable import homewardd

/// The store from its opening to the end, also where it can only be opened late.
final class StoreAccessTests {
  private let scene: DaemonScene
  private lazy var storage = StoreAccess(
    loop: scene.loop, worker: scene.worker, directory: scene.directory.path, friends: scene.friends,
    host: scene.host, log: scene.log
  ) { [unowned self] event in heard(event) }
  private var events: [String] = []

  init() throws { scene = try DaemonScene() }

  private func heard(_ event: StoreAccess.Event) {
    switch event {
    case .opened: events.append("opened")
    case .missing: events.append("missing")
    case .failed: events.append("failed")
    case .isBack: events.append("back")
    case .notTaken: events.append("not taken")
    case .resumed(let snapshot): events.append("resumed tag \(snapshot.tag ?? "none")")
    case .unreadable: events.append("unreadable")
    case .ended: events.append("ended")
    }
  }

  private func turn(until events: [String]) {
    scene.loop.turn { self.events == events }
    #expect(self.events == events)
  }

  private var isInUse: Bool { if case .inUse = storage.condition { true } else { false } }

  /// A folder where the tables should be: no store, until somebody takes it away.
  private func beginWithout() {
    mkdir(scene.directory.path + "/store.sqlite", 0o700)
    storage.open()
    #expect(storage.condition == nil)
    turn(until: ["missing"])
    guard case .missing = storage.condition else {
      Issue.record("the store is in use")
      return
    }
    rmdir(scene.directory.path + "/store.sqlite")
  }

  @Test func storedBatchIsAcknowledged() {
    storage.open()
    turn(until: ["opened"])
    storage.write(7, [.tag("van")])
    scene.loop.turn { !scene.host.inbox.isEmpty }
    #expect(scene.host.waiting == ["stored 7"] && isInUse)
    storage.close()
    scene.worker.finish()
  }

  @Test func withoutAStoreEveryWriteFailsAtOnce() {
    beginWithout()
    storage.write(7, [.tag("van")])
    #expect(scene.host.waiting == ["failed 7"])
    #expect(!storage.history(HistoryQuery()) { _ in })
  }

  @Test func aDirectoryThatIsNotThereIsNoMatterOfWaiting() {
    let storage = StoreAccess(
      loop: scene.loop, worker: scene.worker, directory: scene.directory.path + "/none",
      friends: scene.friends, host: scene.host, log: scene.log
    ) { [unowned self] event in heard(event) }
    storage.open()
    turn(until: ["failed"])
  }

  @Test func theEndGivesALateStoreALastChance() {
    beginWithout()
    storage.end()
    turn(until: ["missing", "ended"])
    storage.write(7, [.tag("van")])
    storage.close()
    scene.worker.finish()
    #expect(scene.host.waiting == ["stored 7"])
  }

  @Test func lateStoreTakesHandOverAndIsReadAgain() {
    beginWithout()
    storage.tryNow()
    turn(until: ["missing", "back"])
    storage.handOver(from: scene.tracker(), over: Snapshot())
    storage.write(7, [.tag("van")])
    storage.handedOver()
    turn(until: ["missing", "back", "resumed tag van"])
    // The batch was the hand-over's own: no tracker waits for it.
    #expect(scene.host.waiting == [] && isInUse)
    storage.close()
    scene.worker.finish()
  }

  @Test func aHandOverWithNothingToWriteIsReadAtOnce() {
    beginWithout()
    storage.tryNow()
    turn(until: ["missing", "back"])
    storage.handOver(from: scene.tracker(), over: Snapshot())
    storage.handedOver()
    turn(until: ["missing", "back", "resumed tag none"])
  }
}
