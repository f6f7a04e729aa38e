import Model
import Testing
import Timebase

@testable import Storage

/// The log's bytes: how a batch lies on the disk, where the next one goes, and what is read back.
struct StoreLogTests {
  private let bench = LogBench()
  private var log: StoreLog { bench.log }
  private var device: MemoryLog { bench.device }

  private func littleEndian(_ number: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  private func sum(_ bytes: [UInt8]) -> [UInt8] {
    bytes.withUnsafeBytes { littleEndian(UInt64(Checksum.crc32($0)), 4) }
  }

  /// Boards have logs of the version before on their cards: every byte is in its place for good.
  @Test func aBatchLiesAsItIsDescribed() throws {
    // What it is put together in is full of something else.
    try log.append([LogBench.record(2000, revision: 1)], revision: 1, first: 1, sync: false)
    log.restart()
    device.bytes = [UInt8](repeating: 0xEE, count: StoreLog.length)
    let revision: UInt32 = 0x0102_0304
    let records = [LogBench.record(41, revision: revision), LogBench.record(52, revision: revision)]
    try log.append(records, revision: revision, first: 0x1112_1314_1516_1718, sync: true)
    let body = records[0].bytes + records[1].bytes
    var batch = Array("HWL1".utf8) + [4, 3, 2, 1] + [125, 0, 0, 0] + [1, 0, 0, 0]
    batch += littleEndian(0x1112_1314_1516_1718, 8) + sum(body)
    batch += sum(batch) + body
    batch += [UInt8](repeating: 0, count: 512 - batch.count)
    #expect(Array(device.bytes[..<512]) == batch)
    #expect(device.bytes[512] == 0xEE)
  }

  @Test func onlyDurableBatchesAreSynced() throws {
    try bench.append([true, false])
    #expect(device.calls == [.write(0..<1024), .sync, .write(1024..<2048)])
    #expect(device.isAligned)
    #expect(log.bytesWritten == 2048)
    log.close()
    #expect(device.calls.last == .close)
  }

  /// With 32 bytes of header the body of one sector has room for 480.
  @Test(arguments: [(0, 512), (480, 512), (481, 1024), (992, 1024), (993, 1536)])
  func aBatchTakesWholeSectors(_ count: Int, _ length: Int) throws {
    let records = count == 0 ? [] : [LogBench.record(count, revision: 1)]
    #expect(StoreLog.length(of: records) == length)
    try log.append(records, revision: 1, first: 1, sync: true)
    #expect(log.offset == length)
    let next = bench.next
    let contents = next.contents(after: nil, through: nil)
    #expect(contents.batches.map(\.range) == [0..<length])
    #expect(contents.batches.first?.records.map(\.bytes) == records.map(\.bytes))
    #expect(next.offset == length)
  }

  @Test func batchMayEndExactlyAtTheLogEnd() throws {
    #expect(log.offset == 0)
    #expect(log.hasRoom(for: 192 * 1024))
    #expect(!log.hasRoom(for: 192 * 1024 + 1))
    try log.append([LogBench.record(480, revision: 1)], revision: 1, first: 1, sync: true)
    #expect(log.hasRoom(for: 192 * 1024 - 512))
    #expect(!log.hasRoom(for: 192 * 1024 - 511))
    log.restart()
    #expect(log.hasRoom(for: 192 * 1024))
  }

  /// The last batch ends with the file, to the byte; one whose header says that it goes on is none.
  @Test func aBatchAtTheEndOfTheLogIsRead() throws {
    for revision in 1...6 as ClosedRange<UInt32> {
      let record = LogBench.record(32 * 1024 - 32, revision: revision)
      try log.append([record], revision: revision, first: 1, sync: true)
    }
    #expect(log.offset == StoreLog.length)
    #expect(FoundLog(bench.next.contents(after: nil, through: nil)) == FoundLog([1, 2, 3, 4, 5, 6]))
    let head = Array(device.bytes[..<512])
    device.bytes = [UInt8](repeating: 0, count: StoreLog.length - 512) + head
    #expect(FoundLog(bench.next.contents(after: nil, through: nil)) == FoundLog([]))
  }

  @Test func everyFieldOfABatchIsReadBack() throws {
    let ranges = try bench.append([true, false, false, true])
    let next = bench.next
    let contents = next.contents(after: nil, through: nil)
    #expect(FoundLog(contents) == FoundLog([1, 2, 3, 4]))
    #expect(contents.batches.map(\.range) == ranges)
    #expect(contents.batches.map(\.first) == [10, 20, 30, 40])
    #expect(contents.batches.map(\.syncs.isSynced) == [true, false, false, true])
    #expect(contents.batches.map(\.syncs.unsynced) == [0, 0, 0, 2])
    for batch in contents.batches {
      let written = [101, 600].map { LogBench.record($0, revision: batch.revision).bytes }
      #expect(batch.records.map(\.bytes) == written)
    }
    #expect(contents.firstSequence == 40)
    #expect(contents.unreadablePieces == 0)
    #expect(next.offset == 4096)
    #expect(next.bytesWritten == 0)
  }

  @Test func anEmptyLogSaysNothing() {
    let contents = log.contents(after: nil, through: nil)
    #expect(FoundLog(contents) == FoundLog([]))
    #expect(contents.firstSequence == 0)
    #expect(log.offset == 0)
  }

  @Test func checkpointedBatchesAreSkipped() throws {
    try bench.append([true, true, true, true])
    #expect(FoundLog(log.contents(after: 2, through: nil)) == FoundLog([3, 4]))
    let contents = log.contents(after: 4, through: nil)
    #expect(FoundLog(contents) == FoundLog([], newest: 4))
    #expect(contents.firstSequence == 40)
    #expect(log.offset == 0, "all of it may be written over")
  }

  /// A batch whose sync failed was reported as not stored, and must not come back.
  @Test func batchesNeverReportedStoredAreSkipped() throws {
    let ranges = try bench.append([true, true, true])
    #expect(FoundLog(log.contents(after: nil, through: 2)) == FoundLog([1, 2], newest: 3))
    #expect(log.offset == ranges[1].upperBound)
    #expect(FoundLog(log.contents(after: 1, through: 1)) == FoundLog([], newest: 3))
  }

  @Test func remainsOfTheEarlierCycleAreSkipped() throws {
    try bench.append([true, true, true, true, true])
    log.restart()
    try bench.append([true, true], from: 6)
    let next = bench.next
    #expect(FoundLog(next.contents(after: 5, through: nil)) == FoundLog([6, 7]))
    #expect(next.offset == 2048)
    let unknown = bench.next.contents(after: nil, through: nil)
    #expect(FoundLog(unknown) == FoundLog([6, 7]))
    #expect(unknown.firstSequence == 70)
  }

  /// Behind it lies what was cut short in an earlier cycle: the next one took its number.
  @Test func firstOfTwoBatchesOfOneRevisionWins() throws {
    try log.append([LogBench.record(101, revision: 4)], revision: 4, first: 3, sync: true)
    let cut = log.offset
    try log.append([LogBench.record(101, revision: 5)], revision: 5, first: 3, sync: true)
    log.restart()
    try log.append([LogBench.record(101, revision: 5)], revision: 5, first: 9, sync: true)
    #expect(cut == 512 && log.offset == 512)
    let contents = bench.next.contents(after: nil, through: nil)
    #expect(FoundLog(contents) == FoundLog([5]))
    #expect(contents.firstSequence == 9)
  }

  /// A payload is anything, and may be a piece of a log.
  @Test func batchImageInsideAPayloadIsIgnored() throws {
    try log.append([LogBench.record(480, revision: 9)], revision: 9, first: 9, sync: true)
    let image = Array(device.bytes[..<512])
    log.restart()
    // Header of the batch, what a message's record has besides, a topic of one byte: then up to the sector's end.
    let before = 32 + StoreRecord.messageOverhead + 1
    let message = Message(
      sequence: 1, topic: "t", payload: [UInt8](repeating: 0, count: 512 - before) + image, qos: 1,
      isRetained: false, isEvent: false, time: 1)
    try log.append([.encoding(.insert(message), revision: 1)], revision: 1, first: 1, sync: true)
    #expect(Array(device.bytes[512..<1024]) == image)
    #expect(FoundLog(log.contents(after: nil, through: nil)) == FoundLog([1]))
  }

  /// Versions before this one have written 0 or 1.
  @Test(
    arguments: [
      (0, false, 0, false), (1, true, 0, false), (2, false, 1, false), (7, true, 3, false),
      (0x7FFF_FFFF, true, 0x3FFF_FFFF, false), (0x8000_0000, false, 0, true), (0x8000_0001, true, 0, true),
      (0xFFFF_FFFF, true, 0x3FFF_FFFF, true),
    ] as [(UInt32, Bool, UInt32, Bool)])
  func syncsFieldIsDecodedAndEncoded(_ word: UInt32, _ isSynced: Bool, _ unsynced: UInt32, _ isGapKnown: Bool)
  {
    let syncs = StoreLog.Syncs(word)
    #expect(syncs.isSynced == isSynced && syncs.unsynced == unsynced && syncs.isGapKnown == isGapKnown)
    #expect(StoreLog.Syncs(isSynced: isSynced, unsynced: unsynced, isGapKnown: isGapKnown).word == word)
  }

  @Test func aCountThatHasNoRoomDoesNotSayThatAGapIsKnown() {
    #expect(StoreLog.Syncs(isSynced: true, unsynced: 1 << 30 | 5, isGapKnown: false).word == 11)
  }

  @Test func theBatchesThatWereNotSyncedAreCounted() throws {
    let ranges = try bench.append([true, false, false, true, true, false, true])
    #expect(device.syncs(at: ranges.map(\.lowerBound)) == [1, 0, 0, 5, 1, 0, 3])
    try bench.append([false], from: 8)
    log.restart()
    let anew = try bench.append([true], from: 9)
    #expect(device.syncs(at: anew.map(\.lowerBound)) == [1])
  }
}
