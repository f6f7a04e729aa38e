import Model
import Testing

@testable import Storage

/// A log in memory that remembers what it was asked to do.
final class MemoryLog: StoreLogDevice {
  enum Call: Equatable {
    case write(Range<Int>)
    case sync, close
  }

  var bytes = [UInt8](repeating: 0, count: StoreLog.length)
  var calls: [Call] = []
  /// Whether every write came from memory that `O_DIRECT` takes.
  private(set) var isAligned = true

  func readAll(_ count: Int) -> (bytes: [UInt8], unreadablePieces: Int) { (Array(bytes[..<count]), 0) }

  func write(_ new: UnsafeRawBufferPointer, at offset: Int) {
    if let start = new.baseAddress, Int(bitPattern: start) % 4096 != 0 { isAligned = false }
    bytes.replaceSubrange(offset..<(offset + new.count), with: new)
    calls.append(.write(offset..<(offset + new.count)))
  }

  func sync() { calls.append(.sync) }

  func close() { calls.append(.close) }

  /// The words about syncs of the batches that begin at these places.
  func syncs(at offsets: [Int]) -> [UInt32] { offsets.map { number(at: $0 + 12) } }

  private func number(at offset: Int) -> UInt32 {
    bytes[offset..<(offset + 4)].reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}

/// What the tests of the log write and look at.
struct LogBench {
  let device = MemoryLog()
  let log: StoreLog

  init() { log = StoreLog(device: device) }

  /// Another process's look at the same bytes.
  var next: StoreLog { StoreLog(device: device) }

  /// A tag whose record is `count` bytes long: header, a flag, the length of the text, the text.
  static func record(_ count: Int, revision: UInt32, letter: Character = "x") -> StoreRecord {
    let record = StoreRecord.encoding(
      .tag(String(repeating: letter, count: count - 21)), revision: revision)
    precondition(record.bytes.count == count)
    return record
  }

  /// A batch for each flag, which says whether it is synced, numbered from `first` on; each is two sectors long and
  /// has two records. Where they lie.
  @discardableResult
  func append(_ syncs: [Bool], from first: UInt32 = 1, to other: StoreLog? = nil) throws -> [Range<Int>] {
    let log = other ?? log
    return try syncs.enumerated().map { index, sync in
      let revision = first + UInt32(index)
      let start = log.offset
      let records = [Self.record(101, revision: revision), Self.record(600, revision: revision)]
      try log.append(records, revision: revision, first: UInt64(revision) * 10, sync: sync)
      return start..<log.offset
    }
  }

  /// The whole batch never came to the disk.
  func lose(_ range: Range<Int>) {
    for index in range { device.bytes[index] = 0 }
  }

  /// Its second sector did not.
  func tear(_ range: Range<Int>) { lose((range.lowerBound + 512)..<range.upperBound) }
}

/// What a start makes of a log, as far as most tests compare it.
struct FoundLog: Equatable {
  var revisions: [UInt32]
  var missing = 0
  /// Batches before which a gap is known.
  var marked: [UInt32] = []
  /// Batches that have lost something.
  var damaged: [UInt32] = []
  var newest: UInt32
  var cut: Range<Int>?

  init(
    _ revisions: [UInt32], missing: Int = 0, marked: [UInt32] = [], damaged: [UInt32] = [],
    newest: UInt32? = nil, cut: Range<Int>? = nil
  ) {
    self.revisions = revisions
    self.missing = missing
    self.marked = marked
    self.damaged = damaged
    self.newest = newest ?? revisions.last ?? 0
    self.cut = cut
  }

  init(_ contents: StoreLog.Contents) {
    let batches = contents.batches
    revisions = batches.map(\.revision)
    missing = contents.missing
    marked = batches.filter(\.syncs.isGapKnown).map(\.revision)
    damaged = batches.filter { !$0.damaged.isEmpty }.map(\.revision)
    newest = contents.newestRevision
    cut = contents.cut
  }
}
