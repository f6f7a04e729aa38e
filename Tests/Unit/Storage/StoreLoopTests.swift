import Glibc
import Loop
import Model
import TestSupport
import Testing
import Timebase

@testable import Storage

/// A store that is open, and what it has posted.
final class StoreWorld {
  let directory = StoreDirectory()
  let loop: EventLoop
  let worker: Worker
  private(set) lazy var store = Store(loop: loop, worker: worker) { [unowned self] event in
    posted.append(Self.words(event))
  }
  var posted: [String] = []
  var opened: Result<Snapshot, StoreError>?

  init(isOpen: Bool = true) throws {
    loop = try EventLoop()
    worker = try Worker(loop: loop, name: "store")
    if isOpen { open() }
  }

  func open() {
    store.open(directory: directory.path) { [unowned self] result in opened = result }
    run { self.opened != nil }
  }

  /// Lets the loop go until something holds, in the end.
  func run(until isDone: () -> Bool) {
    let deadline = secondsNow() + generous
    while !isDone(), secondsNow() < deadline { loop.runOnce(within: .milliseconds(20)) }
  }

  private static func words(_ event: Store.Event) -> String {
    switch event {
    case .stored(let batch, let points): "stored \(batch)" + (points > 0 ? ", \(points) points" : "")
    case .failed(let batch, _, _): "failed \(batch)"
    case .loaded(let messages): "loaded \(messages.map(\.sequence))"
    case .indexed(let entries): "indexed \(entries.map(\.sequence))"
    case .noticed: "noticed"
    }
  }
}

/// The store on a real loop and a real worker.
struct StoreLoopTests {
  @Test func openingHandsOverTheSnapshot() throws {
    let world = try StoreWorld()
    #expect(world.opened == .success(Snapshot()))
    world.worker.finish()
  }

  @Test func openingNowhereSaysSo() throws {
    let world = try StoreWorld(isOpen: false)
    world.store.open(directory: "/nowhere") { world.opened = $0 }
    world.run { world.opened != nil }
    #expect(world.opened == .failure(.noDirectory(path: "/nowhere", cause: "No such file or directory")))
    world.worker.finish()
  }

  @Test func everyBatchOfAGroupIsAnsweredInItsOrder() throws {
    let world = try StoreWorld()
    for batch in 1...200 as ClosedRange<UInt64> {
      world.store.write(batch: batch, [.insert(Sample.message(batch))])
    }
    world.run { world.posted.count == 200 }
    #expect(world.posted == (1...200).map { "stored \($0)" })
    world.worker.finish()
  }

  @Test func storedEventCountsRemainingPoints() throws {
    let world = try StoreWorld()
    world.store.write(batch: 1, (1...9).map { .history(Sample.location($0)) })
    world.run { world.posted.count == 1 }
    world.store.write(batch: 2, [.pruneHistory(keep: 100, since: Sample.location(6).time.seconds)])
    world.run { world.posted.count == 2 }
    #expect(world.posted == ["stored 1, 9 points", "stored 2, 4 points"])
    world.worker.finish()
  }

  @Test func batchesThatWaitGoInOneTransaction() throws {
    let world = try StoreWorld()
    let before = world.store.status.bytesWritten
    for batch in 1...65 as ClosedRange<UInt64> { world.store.write(batch: batch, [.tag("\(batch)")]) }
    world.run { world.posted.count == 65 }
    // Each alone would take a sector of its own.
    #expect(world.store.status.bytesWritten - before < 65 * 512 / 4)
    world.worker.finish()
  }

  @Test func aReadingSeesTheWritesOrderedBeforeIt() throws {
    let world = try StoreWorld()
    world.store.write(batch: 1, [.insert(Sample.message(1)), .insert(Sample.message(2))])
    world.store.load(after: 0, limit: 10)
    world.store.write(batch: 2, [.remove([1])])
    world.store.loadIndex(after: 0, limit: 10)
    world.run { world.posted.count == 4 }
    #expect(world.posted == ["stored 1", "loaded [1, 2]", "stored 2", "indexed [2]"])
    world.worker.finish()
  }

  @Test func ordersGivenBeforeItIsOpenWaitForIt() throws {
    let world = try StoreWorld(isOpen: false)
    world.store.write(batch: 1, [.insert(Sample.message(1))])
    world.open()
    world.run { !world.posted.isEmpty }
    #expect(world.posted == ["stored 1"])
    world.worker.finish()
  }

  @Test func closingCompletesPendingWrites() throws {
    let world = try StoreWorld()
    for batch in 1...150 as ClosedRange<UInt64> {
      world.store.write(batch: batch, [.insert(Sample.message(batch))])
    }
    world.store.close()
    world.worker.finish()
    #expect(try StoreFile(directory: world.directory.path).snapshot().queued == 150)
  }

  @Test func historyIsAskedForPastTheQueueOfOrders() throws {
    let world = try StoreWorld()
    world.store.write(batch: 1, [.history(Sample.location(1)), .history(Sample.location(2))])
    world.run { !world.posted.isEmpty }
    var points: [LocationReport] = []
    world.store.history(limit: 1) { points = (try? $0.get()) ?? [] }
    world.run { !points.isEmpty }
    #expect(points == [Sample.location(2)])
    world.worker.finish()
  }
}

extension StoreDiskTests {
  @Test func aFailureIsReportedAndShownUntilItIsOver() throws {
    FailingVFS.register()
    let world = try StoreWorld(isOpen: false)
    world.store.open(directory: world.directory.path, vfs: FailingVFS.name) { world.opened = $0 }
    world.run { world.opened != nil }
    FailingVFS.arm(at: 1)
    world.store.write(batch: 7, [.insert(Sample.message(1))])
    world.run { !world.posted.isEmpty }
    #expect(world.posted == ["failed 7"])
    #expect(world.store.status.failure?.contains("store.log") == true)
    world.store.write(batch: 7, [.insert(Sample.message(1))])
    world.run { world.posted.count == 2 }
    #expect(world.posted.last == "stored 7")
    #expect(world.store.status.failure == nil)
    world.worker.finish()
  }
  @Test func aDiskThatFailsForAMomentAtTheOpeningCostsAMoment() throws {
    FailingVFS.register()
    let world = try StoreWorld(isOpen: false)
    FailingVFS.arm(at: 1)
    world.store.open(directory: world.directory.path, vfs: FailingVFS.name) { world.opened = $0 }
    world.run { world.opened != nil }
    #expect(world.opened == .success(Snapshot()))
    world.worker.finish()
  }
}
