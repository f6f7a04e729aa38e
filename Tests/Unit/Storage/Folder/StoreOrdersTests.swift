import Glibc
import Model
import TestSupport
import Testing

@testable import Storage

/// Opening, closing and asking on a real loop: what is answered, in which order, and what no longer is.
struct StoreOrdersTests {
  @Test func beforeItIsOpenItHasAnsweredNothing() throws {
    let world = try StoreWorld(isOpen: false)
    let status = world.store.status
    #expect(status.bytesWritten == 0 && status.size == 0 && status.quarantined == 0 && status.points == 0)
    #expect(status.failure == nil && world.store.failedOpenings == 0)
    var answers: [String] = []
    world.store.history(limit: nil) { answers.append("\((try? $0.get())?.count ?? -1)") }
    world.store.history(HistoryQuery()) { answers.append("\((try? $0.get())?.count ?? -1)") }
    world.store.close { answers.append("closed") }
    #expect(answers == ["0", "0", "closed"])
    world.worker.finish()
  }

  @Test func theStatusIsThatOfTheLastAnswer() throws {
    let world = try StoreWorld()
    let size = world.store.status.size
    #expect(size >= StoreLog.length + 4096)
    let written = world.store.status.bytesWritten
    world.store.write(batch: 1, [.history(Sample.location(1)), .history(Sample.location(2))])
    world.run { !world.posted.isEmpty }
    #expect(world.store.status.points == 2 && world.store.status.bytesWritten >= written + 512)
    #expect(world.store.status.size == size && world.store.status.quarantined == 0)
    world.worker.finish()
  }

  @Test func repairAtOpeningPostsANotice() throws {
    let world = try StoreWorld(isOpen: false)
    writeFile(Array("not a database, and long enough to be looked at".utf8), to: world.directory.tables)
    world.open()
    world.run { !world.posted.isEmpty }
    #expect(world.opened == .success(Snapshot()) && world.posted == ["noticed"])
    world.worker.finish()
  }

  @Test func snapshotAndHistoryQueriesAreAnswered() throws {
    let world = try StoreWorld()
    world.store.write(batch: 1, (1...3).map { .history(Sample.location($0)) } + [.tag("x")])
    world.run { !world.posted.isEmpty }
    var snapshot: Snapshot?
    world.store.snapshot { snapshot = try? $0.get() }
    var numbers: [Int64] = []
    world.store.history(HistoryQuery()) { numbers = ((try? $0.get()) ?? []).map(\.number) }
    var since: [LocationReport] = []
    world.store.history(since: Sample.location(2).time.seconds) { since = (try? $0.get()) ?? [] }
    world.run { !since.isEmpty && !numbers.isEmpty && snapshot != nil }
    #expect(snapshot?.tag == "x" && numbers == [1, 2, 3])
    #expect(since == [Sample.location(2), Sample.location(3)])
    world.worker.finish()
  }

  // MARK: Closing

  @Test func closingLeavesReadingsUnansweredAndNoWriteUndone() throws {
    let world = try StoreWorld()
    world.store.write(batch: 1, [.insert(Sample.message(1))])
    world.store.load(after: 0, limit: 9)
    world.store.write(batch: 2, [.insert(Sample.message(2))])
    world.store.loadIndex(after: 0, limit: 9)
    var isClosed = false
    world.store.close { isClosed = true }
    world.run { isClosed }
    #expect(isClosed && world.posted == ["stored 1", "stored 2"])
    #expect(StoreFolder.open(at: world.directory.path) == [])
    // It may be opened again, and has both.
    world.opened = nil
    world.open()
    #expect((try? world.opened?.get())?.queued == 2)
    world.worker.finish()
  }

  @Test func aReadingUnderWayDoesNotCostTheWriteBehindIt() throws {
    let world = try StoreWorld()
    world.store.load(after: 0, limit: 9)
    world.store.write(batch: 1, [.insert(Sample.message(1))])
    var isClosed = false
    world.store.close { isClosed = true }
    world.run { isClosed }
    #expect(isClosed && world.posted.last == "stored 1")
    #expect(try StoreFile(directory: world.directory.path).snapshot().queued == 1)
    world.worker.finish()
  }

  // MARK: Opening

  /// Four tries, half a second apart, are one opening.
  @Test func blockedOpeningIsTriedFourTimes() throws {
    let world = try StoreWorld(isOpen: false)
    let tables = world.directory.tables
    mkfifo(tables, 0o600)
    let watch = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    defer { close(watch) }
    inotify_add_watch(watch, world.directory.path, UInt32(IN_OPEN | IN_CLOSE_WRITE))
    let began = secondsNow()
    world.open()
    #expect(world.opened == .failure(.inTheWay(path: tables, what: "a pipe")))
    #expect(secondsNow() - began > 1.4 && world.store.failedOpenings == 1)
    // Each try has opened the pipe once to look at it.
    var events = [UInt8](repeating: 0, count: 4096)
    let count = read(watch, &events, events.count)
    var opened = 0
    var offset = 0
    while offset + 16 <= count {
      let mask = events.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self) }
      let length = events.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self) }
      if mask == UInt32(IN_OPEN) { opened += 1 }
      offset += 16 + Int(length)
    }
    #expect(opened == 4)
    unlink(tables)
    world.opened = nil
    world.open()
    #expect(world.opened == .success(Snapshot()) && world.store.failedOpenings == 1)
    world.worker.finish()
  }

  @Test func permanentFaultIsNotRetried() throws {
    let world = try StoreWorld(isOpen: false)
    let owner = try StoreFile(directory: world.directory.path)
    world.store.open(directory: world.directory.path) { world.opened = $0 }
    // The loop never turns, so that no later try could bring the answer: this is the first one's.
    world.worker.finish()
    #expect(world.opened == .failure(.inUse(path: world.directory.tables)))
    #expect(world.store.failedOpenings == 1)
    owner.close()
    world.worker.finish()
  }
}

/// A disk whose log cannot be read for a while: on the failing VFS, one test after the other.
extension StoreDiskTests {
  /// Message 1 is stored; the write of batch 2 has failed, and nothing can be read until the log can.
  private func unreadable() throws -> StoreWorld {
    FailingVFS.register()
    let world = try StoreWorld(isOpen: false)
    world.store.open(directory: world.directory.path, vfs: FailingVFS.name) { world.opened = $0 }
    world.run { world.opened != nil }
    world.store.write(batch: 1, [.insert(Sample.message(1))])
    world.run { world.posted == ["stored 1"] }
    FailingVFS.arm(at: 1)
    world.store.write(batch: 2, [.insert(Sample.message(2))])
    world.run { world.posted == ["stored 1", "failed 2"] }
    FailingVFS.logIsUnreadable = true
    return world
  }

  @Test func aReadingThatFailsIsTriedAgainInItsPlace() throws {
    let world = try unreadable()
    defer { FailingVFS.logIsUnreadable = false }
    world.store.load(after: 0, limit: 9)
    world.store.write(batch: 3, [.insert(Sample.message(3))])
    world.run { world.store.status.failure?.contains("reading failed") == true }
    #expect(world.store.status.failure?.contains("store.log: reading failed") == true)
    FailingVFS.logIsUnreadable = false
    world.run { world.posted.count == 4 }
    #expect(world.posted == ["stored 1", "failed 2", "loaded [1]", "stored 3"])
    #expect(world.store.status.failure == nil)
    world.worker.finish()
  }

  @Test func closingDoesNotWaitForABetterDisk() throws {
    let world = try unreadable()
    defer { FailingVFS.logIsUnreadable = false }
    world.store.load(after: 0, limit: 9)
    world.run { world.store.status.failure?.contains("reading failed") == true }
    world.store.write(batch: 3, [.insert(Sample.message(3))])
    world.store.load(after: 0, limit: 9)
    FailingVFS.logIsUnreadable = false
    var isClosed = false
    world.store.close { isClosed = true }
    // The write behind that reading is under way now, not when the reading would be tried again.
    #expect(world.worker.pending == 1)
    world.run { isClosed }
    #expect(isClosed)
    #expect(world.posted == ["stored 1", "failed 2", "stored 3"])
    world.worker.finish()
  }

  @Test func aReadingThatFailsDuringTheCloseIsLetGo() throws {
    let world = try unreadable()
    defer { FailingVFS.logIsUnreadable = false }
    world.store.load(after: 0, limit: 9)
    var isClosed = false
    world.store.close { isClosed = true }
    world.run { isClosed }
    #expect(isClosed && world.posted == ["stored 1", "failed 2"])
    world.worker.finish()
  }
}
