import Glibc
import Model
import TestSupport
import Testing

@testable import Storage

/// Where a batch lies after each step: in the log, in the tables, in both or in neither.
struct StoreFileStepsTests {
  private let directory = StoreDirectory()

  private func opened() throws -> StoreFile { try StoreFile(directory: directory.path) }

  /// What a store has that consists of the tables alone.
  private func withoutLog() throws -> Snapshot {
    let copy = directory.copy()
    unlink(copy.path + "/store.log")
    return try withExtendedLifetime(copy) { try StoreFile(directory: $0.path).snapshot() }
  }

  @Test func aNewStoreHasNoBatch() throws {
    let file = try opened()
    #expect(file.revision == 0 && file.log?.offset == 0 && !file.isStale && !file.isSimulated)
    #expect(file.bytesWritten % 512 == 0 && file.quarantined == 0 && file.points == 0)
    let size = StoreFolder.size(directory.tables).map { $0 + StoreLog.length }
    #expect(file.size == size)
    file.close()
    #expect(file.quarantined == 0 && file.points == 0)
  }

  @Test func aBatchIsASectorOfTheLogAndNotYetInTheTables() throws {
    let file = try opened()
    let before = file.bytesWritten
    try file.apply([.tag("a")])
    #expect(file.revision == 1 && file.log?.offset == 512 && file.bytesWritten == before + 512)
    #expect(file.tables?.counters.revision == 0)
    try file.apply([])
    #expect(file.revision == 1 && file.log?.offset == 512)
    try file.apply([.tag("b")])
    #expect(file.revision == 2 && file.log?.offset == 1024)
    file.abandon()
    #expect(file.bytesWritten == before + 1024 && file.isStale)
    #expect(StoreFolder.open(at: directory.path) == [])
    #expect(try withoutLog().tag == nil)
    // Taken up from the log, and left there.
    let next = try opened()
    #expect(try next.snapshot().tag == "b" && next.revision == 2 && next.log?.offset == 1024)
    next.abandon()
  }

  @Test func aCheckpointPutsAllOfItIntoTheTables() throws {
    let file = try opened()
    try file.apply([.tag("a")])
    try file.checkpoint()
    #expect(file.log?.offset == 0 && file.tables?.counters.revision == 1 && file.tables?.changes == 0)
    file.abandon()
    #expect(try withoutLog().tag == "a")
  }

  @Test func closingTakesACheckpointWhereThereIsSomethingToTake() throws {
    let file = try opened()
    try file.apply([.tag("a")])
    file.close()
    #expect(StoreFolder.open(at: directory.path) == [])
    #expect(try withoutLog().tag == "a")
    let tables = readFile(directory.tables)
    let next = try opened()
    let before = next.bytesWritten
    next.close()
    #expect(next.bytesWritten == before)
    let isUntouched = readFile(directory.tables) == tables
    #expect(isUntouched, "who only looks writes nothing")
  }

  @Test func aLogIsFilledToItsEnd() throws {
    let file = try opened()
    unlink(directory.path + "/store.reserve")
    var highest = 0
    while file.tables?.counters.revision == 0, file.revision < 1000 {
      highest = max(highest, file.log?.offset ?? 0)
      try file.apply([.insert(Sample.message(UInt64(file.revision) + 1, payload: 4000))])
    }
    // Eight sectors each: they fill it to its end.
    #expect(highest == StoreLog.length && file.log?.offset == 8 * 512)
    #expect(file.tables?.counters.revision == file.revision - 1)
    #expect(
      StoreFolder.size(directory.path + "/store.reserve") == 262_144, "there is room: it is held back again")
    file.abandon()
  }

  /// Rows are held in memory until the checkpoint.
  @Test func twoThousandRowsAreACheckpoint() throws {
    let file = try opened()
    for _ in 0..<19 { try file.apply((0..<100).map { .tag("\($0)") }) }
    try file.apply((0..<99).map { .tag("\($0)") })
    try file.apply([.tag("2000")])
    #expect(file.tables?.changes == 2000 && file.tables?.counters.revision == 0)
    try file.apply([.tag("2001")])
    #expect(file.tables?.changes == 1 && file.tables?.counters.revision == 21 && file.log?.offset == 512)
    file.abandon()
    #expect(try withoutLog().tag == "2000")
  }

  /// Head of the batch, of the record, its fields and the topic, and then the payload.
  @Test func aBatchLongerThanTheLogTakesGoesStraightToTheTables() throws {
    let fixed = 32 + 37 + "owntracks/board/van".utf8.count
    let file = try opened()
    try file.apply([.insert(Sample.message(1, payload: StoreLog.longest - fixed))])
    #expect(file.log?.offset == StoreLog.longest && file.tables?.counters.revision == 0)
    try file.apply([.insert(Sample.message(2, payload: StoreLog.longest - fixed + 1))])
    #expect(file.log?.offset == 0 && file.tables?.counters.revision == 2 && file.revision == 2)
    try file.apply([.tag("a")])
    #expect(file.log?.offset == 512 && file.revision == 3)
    file.abandon()
    #expect(try withoutLog().queued == 2)
    let next = try opened()
    #expect(try next.snapshot().tag == "a" && next.revision == 3)
    next.abandon()
  }

  // MARK: What is synced

  @Test func onlyDurableWritesAreMarkedAsSynced() throws {
    let report = Sample.location()
    let promised: [StoreWrite] = [
      .insert(Sample.message(1)), .region(Sample.region(1), .inside), .regionRemoved(rid: "rid1"),
      .mode(ModeState(mode: .move)), .tag(nil), .imported("a"), .remoteSettings(RemoteSettings()),
      .commandsSeen([]), .clientIDForm(.apart), .journey(JourneyState()), .entered([]), .announced([]),
      .sleep(nil), .batterySteps(BatterySteps()), .removeRange(after: 0, through: 5), .dropped(1),
      .removePoints(HistoryPart()),
      .pruneHistory(keep: 0, since: nil), .history(report),
    ]
    let other: [StoreWrite] = [
      .remove([1]), .position(Sample.fix()), .reference(Sample.fix()), .volume(DataVolume()),
      .pruneHistory(keep: 1, since: nil),
      .pruneHistory(keep: nil, since: 5),
    ]
    let file = try opened()
    for (writes, isPromised) in promised.map({ ([$0], true) }) + other.map({ ([$0], false) })
      + [(other, false), (other + [.tag("x")], true), (other + [.history(report)], true)]
    {
      let start = try #require(file.log?.offset)
      try file.apply(writes)
      let head = readFile(directory.path + "/store.log")[start..<(start + 32)]
      let word = (12..<16).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32(head[start + $1]) }
      #expect(StoreLog.Syncs(word).isSynced == isPromised, "\(writes)")
    }
    file.abandon()
  }

  // MARK: Reading again

  @Test func storeIsReopenedOnlyWhenStale() throws {
    let file = try opened()
    let (tables, log) = (file.tables, file.log)
    try file.apply([.insert(Sample.message(1))])
    #expect(try file.snapshot().queued == 1)
    #expect(file.tables === tables && file.log === log)
    let open = StoreFolder.open(at: directory.path)
    file.isStale = true
    #expect(try file.snapshot().queued == 1 && !file.isStale)
    #expect(file.tables !== tables && file.log !== log && file.revision == 1)
    #expect(StoreFolder.open(at: directory.path) == open)
    file.abandon()
    #expect(try file.load(after: 0, limit: 1).count == 1, "who lets go may come back")
    file.abandon()
  }

  @Test func aFolderThatHasGoneIsNamed() throws {
    let file = try opened()
    try file.apply([.tag("a")])
    let elsewhere = directory.path + "-gone"
    rename(directory.path, elsewhere)
    file.isStale = true
    #expect(throws: StoreError.noDirectory(path: directory.path, cause: "No such file or directory")) {
      try file.snapshot()
    }
    rename(elsewhere, directory.path)
    #expect(try file.snapshot().tag == "a")
    file.close()
  }

  /// It has gone for a removal on a full disk: to take it again at once would leave that no room.
  @Test func theReserveIsTakenAtTheStartAndNotInBetween() throws {
    let file = try opened()
    let reserve = directory.path + "/store.reserve"
    #expect(StoreFolder.size(reserve) == 262_144)
    unlink(reserve)
    file.isStale = true
    #expect(try file.snapshot() == Snapshot() && StoreFolder.status(reserve) == nil)
    file.close()
    try opened().close()
    #expect(StoreFolder.size(reserve) == 262_144)
    let simulated = StoreDirectory()
    let other = try StoreFile(directory: simulated.path, vfs: "unix-none")
    for _ in 0..<30 { try other.apply([.tag(String(repeating: "x", count: 16_000))]) }
    #expect(other.tables?.counters.revision ?? 0 > 0 && !simulated.names.contains("store.reserve"))
    other.close()
  }

  @Test(.enabled(if: StoreFolder.canMount, "mounting is not permitted here"))
  func onAFullDiskRemovalsDoNotWaitForPoints() throws {
    let disk = try #require(StoreFolder.Disk(kilobytes: 1000))
    let file = try StoreFile(directory: disk.scratch.path)
    var last: UInt64 = 0
    while last < 100_000, (try? file.apply([.insert(Sample.message(last + 1))])) != nil { last += 1 }
    for sequence in 1...last {
      try file.apply([
        .remove([sequence]), .history(Sample.location()), .pruneHistory(keep: 1, since: nil),
      ])
    }
    #expect(try file.snapshot().queued == 0)
    file.close()
  }
}
