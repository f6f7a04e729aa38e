import Model
import Testing

@testable import Storage

/// The head of a record, the bytes that all of them are made of, and the store's own counts.
struct StoreRecordHeadTests {
  private let record = StoreRecord(.tag, revision: 0x0102_0304) { $0.raw([1, 0, 0, 0, 0]) }

  @Test func theSumIsTheOneOfZip() {
    let digits = Array("123456789".utf8)
    let whole = digits.withUnsafeBytes { Checksum.crc32($0) }
    #expect(whole == 0xCBF4_3926)
    let first = digits[..<4].withUnsafeBytes { Checksum.crc32($0) }
    #expect(digits[4...].withUnsafeBytes { Checksum.crc32($0, seed: first) } == whole)
    #expect([].withUnsafeBytes { Checksum.crc32($0) } == 0)
  }

  @Test func everyFlippedBitIsFound() {
    for bit in 0..<(record.bytes.count * 8) {
      var bytes = record.bytes
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(StoreRecord(checking: bytes) == nil, "bit \(bit)")
    }
  }

  @Test func bytesTooFewOrTooManyAreNoRecord() {
    for count in 0..<record.bytes.count {
      #expect(StoreRecord(checking: Array(record.bytes.prefix(count))) == nil)
    }
    #expect(StoreRecord(checking: record.bytes)?.bytes == record.bytes)
    #expect(StoreRecord(checking: record.bytes + [0]) == nil)
  }

  /// As in the log, and in what is left of a page.
  @Test func aRecordIsFoundInFrontOfOtherBytes() throws {
    let found = try #require((record.bytes + [1, 2, 3]).withUnsafeBytes { StoreRecord.recognise($0) })
    #expect(found.kind == .tag && found.revision == 0x0102_0304 && found.length == 21)
  }

  @Test func aHeadAloneIsARecord() throws {
    let empty = StoreRecord(.remove, revision: 7) { _ in }
    #expect(empty.bytes == DiskBytes.record(kind: 2, revision: 7, fields: []) && empty.bytes.count == 16)
    #expect(StoreRecord(checking: empty.bytes)?.revision == 7)
  }

  /// What a head says is not believed, and asked of sixteen bytes alone.
  @Test func headGivesKindAndLength() {
    var head = Array(record.bytes.prefix(16))
    let claim = head.withUnsafeBytes { StoreRecord.claim($0) }
    #expect(claim?.kind == .tag && claim?.length == 21)
    head.replaceSubrange(4..<8, with: [0, 0, 0, 0x80])
    #expect(head.withUnsafeBytes { StoreRecord.claim($0) }?.length == 16 + 0x8000_0000)
    #expect(head.prefix(15).withUnsafeBytes { StoreRecord.claim($0) } == nil)
    for (index, byte) in [(0, 0x49), (1, 0x48), (2, 0), (3, 2)] as [(Int, UInt8)] {
      var other = head
      other[index] = byte
      #expect(other.withUnsafeBytes { StoreRecord.claim($0) } == nil)
    }
  }

  @Test func messageHeadIsReadFromFirstBytes() throws {
    let message = Sample.message(0x0102_0304_0506_0708, isEvent: true)
    let bytes = StoreRecord.encoding(.insert(message), revision: 1).bytes
    let entry = QueueEntry(
      sequence: message.sequence, time: message.time, isEvent: true, size: message.size)
    func head(_ count: Int, of length: Int) -> QueueEntry? {
      bytes.prefix(count).withUnsafeBytes { StoreRecord.messageHead($0, length: length) }
    }
    #expect(head(33, of: bytes.count) == entry && head(32, of: bytes.count) == nil)
    #expect(head(33, of: 37)?.size == 0 && head(33, of: 36) == nil)
    for isEvent in [true, false] {
      let message = Sample.message(1, isEvent: isEvent)
      #expect(StoreRecord.encoding(.insert(message), revision: 1).messageHead?.isEvent == isEvent)
    }
  }

  /// The outbox counts topic and payload, and the store must come to the same.
  @Test func aMessageIsAsLargeAsTheOutboxSays() {
    for count in [100, 220, 1000] {
      let message = Sample.message(1, payload: count)
      let record = StoreRecord.encoding(.insert(message), revision: 1)
      #expect(record.messageHead?.size == message.size)
      #expect(record.bytes.count == message.size + 37)
    }
  }

  // MARK: Fields

  @Test func bytesThatEndTooEarlyGiveZerosAndAreShort() {
    for count in 0..<8 {
      var reader = ByteReader([UInt8](repeating: 0xFF, count: count))
      #expect(reader.left == count && !reader.isShort)
      #expect(reader.number(UInt64.self) == 0 && reader.isShort)
    }
    var reader = ByteReader([0xFF, 3, 0, 0, 0, 65, 66], from: 1)
    #expect(reader.left == 6 && reader.text().isEmpty && reader.isShort)
    #expect(reader.optionalText() == nil || reader.isShort)
  }

  @Test func aReaderStopsExactlyAtTheEnd() {
    var reader = ByteReader([2, 0, 0, 0, 65, 66, 1, 7])
    #expect(reader.text() == "AB" && reader.left == 2)
    #expect(reader.flag() && reader.rest() == [7] && reader.rest() == [])
    #expect(!reader.isShort && reader.left == 0)
    #expect(!reader.flag() && reader.isShort)
  }

  // MARK: Counts

  @Test func aNewStoreHasCountedNothing() {
    let fresh = StoreCounters()
    #expect(
      fresh.record().bytes
        == DiskBytes.record(kind: 12, revision: 0, fields: [UInt8](repeating: 0, count: 56)))
  }

  @Test func countsComeBack() throws {
    var counters = StoreCounters()
    (counters.revision, counters.queued, counters.queuedBytes) = (5, 3, 70_000)
    (counters.firstSequence, counters.lastSequence) = (11, .max)
    (counters.historyCount, counters.lastHistory, counters.quarantined) = (4, 9, 2)
    let fields = [3, 70_000, 11, -1, 4, 9, 2].flatMap(DiskBytes.i64)
    let record = counters.record()
    #expect(record.bytes == DiskBytes.record(kind: 12, revision: 5, fields: fields))
    #expect(StoreCounters(record) == counters)
    for count in 0..<fields.count {
      let short = StoreRecord(.counters, revision: 5) { $0.raw(Array(fields.prefix(count))) }
      #expect(StoreCounters(short) == nil)
    }
    #expect(StoreCounters(StoreRecord(.prune, revision: 5) { $0.raw(fields) }) == nil)
  }

  /// A petabyte is no board's: what says so is damaged, and sums of it could run over.
  @Test(arguments: 0..<3) func moreThanAPetabyteOnTheWireIsDamage(which: Int) {
    func read(_ count: Int) -> DataVolume? {
      let fields = DiskBytes.none + (0..<3).flatMap { DiskBytes.i64($0 == which ? count : 0) }
      return StoreRecord(.volume, revision: 5) { $0.raw(fields) }.volume
    }
    #expect(read(1 << 50) != nil && read(0) == DataVolume())
    #expect(read((1 << 50) + 1) == nil && read(-1) == nil && read(.max) == nil)
  }
}
