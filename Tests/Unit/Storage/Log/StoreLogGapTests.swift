import Model
import Testing

@testable import Storage

/// Which batches a start finds, which it misses, and what it leaves on the disk for the next start. A batch that was
/// on the disk for certain is damage where it is missing; another is not.
struct StoreLogGapTests {
  private let bench = LogBench()
  private var log: StoreLog { bench.log }
  private var device: MemoryLog { bench.device }

  private func found(after checkpointed: UInt32? = nil) -> FoundLog {
    FoundLog(bench.next.contents(after: checkpointed, through: nil))
  }

  /// A start: reads and makes what it has read durable.
  private func started(after checkpointed: UInt32? = nil) throws -> StoreLog {
    let log = bench.next
    try log.confirm(log.contents(after: checkpointed, through: nil))
    return log
  }

  @Test func aSyncedBatchInTheMiddleIsMissed() throws {
    let ranges = try bench.append([true, true, true, true])
    bench.lose(ranges[1])
    #expect(found() == FoundLog([1, 3, 4], missing: 1))
    bench.lose(ranges[2])
    #expect(found() == FoundLog([1, 4], missing: 2))
  }

  @Test func eachGapIsCountedOnce() throws {
    let ranges = try bench.append([true, true, true, true, true, true])
    bench.lose(ranges[1])
    bench.lose(ranges[3])
    #expect(found() == FoundLog([1, 3, 5, 6], missing: 2))
  }

  @Test func batchesMissingAfterCheckpointAreCounted() throws {
    let ranges = try bench.append([true, true, true, true])
    bench.lose(ranges[1])
    #expect(found(after: 1) == FoundLog([3, 4], missing: 1))
  }

  /// Where it is not known what the tables have, nothing can be said of what was before.
  @Test func beforeTheFirstOfACycleThatIsNotKnownNothingIsMissed() throws {
    try bench.append([true, true], from: 7)
    #expect(found() == FoundLog([7, 8]))
    #expect(found(after: 0) == FoundLog([7, 8]))
    #expect(found(after: 5) == FoundLog([7, 8], missing: 1))
  }

  /// The last one that is there says how many before it nobody has synced.
  @Test func lossOfUnsyncedBatchesIsTolerated() throws {
    let ranges = try bench.append([true, false, false, true])
    bench.lose(ranges[1])
    #expect(found() == FoundLog([1, 3, 4], marked: [3]))
    bench.lose(ranges[2])
    #expect(found() == FoundLog([1, 4], marked: [4]))
    bench.lose(ranges[0])
    #expect(found(after: 0) == FoundLog([4]))
  }

  /// The second was synced; whether the third was, nobody says any more.
  @Test func onlySyncedBatchesOfAGapCountAsMissing() throws {
    let ranges = try bench.append([true, true, false, true])
    bench.lose(ranges[1].lowerBound..<ranges[2].upperBound)
    #expect(found() == FoundLog([1, 4], missing: 1))
  }

  @Test func lossInAnUnsyncedTailIsTolerated() throws {
    let ranges = try bench.append([true, false, false])
    bench.lose(ranges[1])
    #expect(found() == FoundLog([1, 3], marked: [3]))
  }

  @Test func aSyncPromisesAllBeforeIt() throws {
    let ranges = try bench.append([true, false, false, true, false])
    bench.lose(ranges[2])
    #expect(found() == FoundLog([1, 2, 4, 5], missing: 1))
  }

  /// By the next start more is promised, and what was forgiven stays so.
  @Test func aGapThatWasForgivenStaysForgiven() throws {
    let ranges = try bench.append([true, false, false])
    bench.lose(ranges[1])
    let next = try started()
    #expect(device.syncs(at: [ranges[2].lowerBound]) == [1 << 31])
    try bench.append([true, true], from: 4, to: next)
    #expect(found() == FoundLog([1, 3, 4, 5], marked: [3]))
  }

  // MARK: Torn batches

  @Test func tornUnsyncedBatchIsLeftOut() throws {
    let ranges = try bench.append([true, false, false])
    bench.tear(ranges[1])
    #expect(found() == FoundLog([1, 3], marked: [3]))
    let next = try started()
    try bench.append([true, true], from: 4, to: next)
    #expect(found() == FoundLog([1, 3, 4, 5], marked: [3]))
  }

  @Test func theVeryFirstMayBeTorn() throws {
    let ranges = try bench.append([false, false])
    bench.tear(ranges[0])
    #expect(found(after: 0) == FoundLog([2], marked: [2]))
  }

  @Test func aTornBatchThatWasSyncedIsDamage() throws {
    let ranges = try bench.append([true, true, true])
    bench.tear(ranges[1])
    let batch = log.contents(after: nil, through: nil).batches[1]
    #expect(found() == FoundLog([1, 2, 3], damaged: [2]))
    #expect(batch.records.map(\.bytes) == [LogBench.record(101, revision: 2).bytes])
    #expect(
      batch.damaged == [Array(device.bytes[(ranges[1].lowerBound + 32)..<(ranges[1].lowerBound + 733)])])
  }

  /// A start has written it again and synced it, which its header does not say.
  @Test func aTornBatchThatAStartHasConfirmedIsDamage() throws {
    let ranges = try bench.append([true, false])
    let next = try started()
    try bench.append([true], from: 3, to: next)
    #expect(device.syncs(at: [ranges[1].upperBound]) == [1])
    bench.tear(ranges[1])
    #expect(found() == FoundLog([1, 2, 3], damaged: [2]))
  }

  /// Its records may begin anywhere, and each is found behind those that are not sound.
  @Test(arguments: [101, 102])
  func theSoundRecordsOfADamagedBatchAreKept(_ count: Int) throws {
    let records = "abc".map { LogBench.record(count, revision: 1, letter: $0) }
    try log.append(records, revision: 1, first: 1, sync: true)
    try bench.append([true], from: 2)
    device.bytes[32 + 40] ^= 1
    let batch = log.contents(after: nil, through: nil).batches[0]
    #expect(batch.records.map(\.bytes) == records[1...].map(\.bytes))
    #expect(batch.damaged.map(\.count) == [3 * count])
  }

  /// A sector that never came to the disk holds what the cycle before wrote there: sound, and too old.
  @Test func aRecordOfAnotherBatchIsNotTaken() throws {
    let ranges = try bench.append([true, true])
    let old = LogBench.record(101, revision: 9).bytes
    device.bytes.replaceSubrange((ranges[0].lowerBound + 32)..<(ranges[0].lowerBound + 133), with: old)
    let batch = log.contents(after: nil, through: nil).batches[0]
    #expect(batch.records.map(\.bytes) == [LogBench.record(600, revision: 1).bytes])
  }

  @Test(arguments: Array(0..<32))
  func aHeaderWithAFlippedBitIsNone(_ byte: Int) throws {
    let ranges = try bench.append([true, true, true])
    device.bytes[ranges[1].lowerBound + byte] ^= 0x10
    #expect(found() == FoundLog([1, 3], missing: 1))
  }

  // MARK: The end

  @Test func tornLastBatchIsOverwritten() throws {
    let ranges = try bench.append([true, true])
    bench.tear(ranges[1])
    let next = bench.next
    let contents = next.contents(after: nil, through: nil)
    #expect(FoundLog(contents) == FoundLog([1], cut: ranges[1]))
    #expect(next.offset == ranges[1].lowerBound)
    device.calls = []
    try next.confirm(contents)
    #expect(device.calls == [.write(ranges[0]), .write(1024..<1536), .sync])
    #expect(device.bytes[ranges[1]].allSatisfy { $0 == 0 })
    #expect(next.bytesWritten == 1536)
    try bench.append([true], from: 2, to: next)
    #expect(device.syncs(at: [ranges[1].lowerBound]) == [1])
    #expect(found() == FoundLog([1, 2]))
  }

  @Test func theOnlyBatchMayBeCutShort() throws {
    let ranges = try bench.append([true])
    bench.tear(ranges[0])
    let next = bench.next
    let contents = next.contents(after: 0, through: nil)
    #expect(FoundLog(contents) == FoundLog([], cut: ranges[0]))
    device.calls = []
    try next.confirm(contents)
    #expect(device.calls == [.write(0..<512), .sync])
  }

  /// The one before the cut is torn too: the number goes on, and the next batch says that a gap is known.
  @Test func theNextBatchBehindATornOneSaysSo() throws {
    let ranges = try bench.append([true, false, false])
    bench.tear(ranges[1])
    bench.tear(ranges[2])
    #expect(found() == FoundLog([1], newest: 2, cut: ranges[2]))
    let next = try started()
    try bench.append([true, true], from: 3, to: next)
    #expect(device.syncs(at: [2048, 3072]) == [1 << 31 | 1, 1])
    #expect(found() == FoundLog([1, 3, 4], marked: [3]))
  }

  @Test func aLogThatBeginsAgainKnowsOfNoGap() throws {
    let ranges = try bench.append([true, false, false])
    bench.tear(ranges[1])
    bench.tear(ranges[2])
    let next = try started()
    next.restart()
    try bench.append([true], from: 3, to: next)
    #expect(device.syncs(at: [0]) == [1])
  }

  @Test(arguments: [nil, 2] as [UInt32?])
  func withoutAGapNoneIsKnown(_ checkpointed: UInt32?) throws {
    try bench.append([true, true])
    let next = try started(after: checkpointed)
    let ranges = try bench.append([true], from: 3, to: next)
    #expect(device.syncs(at: ranges.map(\.lowerBound)) == [1])
  }

  // MARK: Confirming

  /// A process that was killed before its sync leaves what can be read and is on no disk.
  @Test func confirmRewritesTheBatchesRead() throws {
    let ranges = try bench.append([true, true, false, true])
    bench.lose(ranges[2])
    let next = bench.next
    let contents = next.contents(after: nil, through: nil)
    let before = contents.bytes
    device.bytes = [UInt8](repeating: 0, count: StoreLog.length)
    device.calls = []
    try next.confirm(contents)
    #expect(device.bytes == before)
    #expect(device.calls == [.write(0..<2048), .write(3072..<4096), .sync])
    #expect(next.bytesWritten == 3072)
  }

  @Test func itIsWrittenInPieces() throws {
    for revision in 1...3 as ClosedRange<UInt32> {
      let record = LogBench.record(20_000, revision: revision)
      try log.append([record], revision: revision, first: 1, sync: true)
    }
    let next = bench.next
    let contents = next.contents(after: nil, through: nil)
    device.bytes = [UInt8](repeating: 0, count: StoreLog.length)
    device.calls = []
    try next.confirm(contents)
    #expect(device.calls == [.write(0..<32768), .write(32768..<61440), .sync])
    #expect(FoundLog(bench.next.contents(after: nil, through: nil)) == FoundLog([1, 2, 3]))
  }

  @Test func nothingToConfirmCostsNothing() throws {
    _ = try started()
    #expect(device.calls == [])
  }

  /// What was confirmed is synced: the next batch does not count it.
  @Test func confirmedBatchesCountAsSynced() throws {
    try bench.append([true, false, false])
    try log.confirm(log.contents(after: nil, through: nil))
    try bench.append([true], from: 4)
    #expect(device.syncs(at: [3072]) == [1])
  }
}
