import CSQLite
import Glibc

/// What lies in the files of a store, found by none of its code. The numbers of kinds are those of the disk.
enum StoreSight {
  static let page = 4096
  private static let headerSize = 16

  struct Record {
    var kind: UInt8
    var revision: UInt32
    /// The first of its fields, of a message or a point: what it is kept under.
    var number: UInt64
    /// Of a region.
    var rid: String
    /// Two that differ are two records.
    var sum: UInt32
    var offset: Int
  }

  /// What the store counts.
  struct Counters {
    var revision: UInt32
    var queued: Int
    var first, last: UInt64
    var lastPoint: Int64
    var quarantined: Int
  }

  /// A batch of the log.
  struct Batch {
    var revision: UInt32
    var isSynced: Bool
    /// Its body, too, is as it was written.
    var isWhole: Bool
    var first: UInt64
    /// With its header, without what fills up its last sector.
    var bytes: Range<Int>
    /// Up to the next.
    var end: Int { (bytes.upperBound + 511) / 512 * 512 }
  }

  // MARK: Records

  /// Whole ones, each within its page, in the order in which they lie. `page`: how many bytes hang together.
  static func records(in bytes: [UInt8], page: Int = page) -> [Record] {
    var found: [Record] = []
    bytes.withUnsafeBytes { raw in
      for start in stride(from: 0, to: raw.count, by: max(1, page)) {
        let piece = UnsafeRawBufferPointer(rebasing: raw[start..<min(start + page, raw.count)])
        var offset = 0
        while let length = next(in: piece, from: &offset) {
          let bytes = UnsafeRawBufferPointer(rebasing: piece[offset..<offset + length])
          found.append(record(bytes, at: start + offset))
          offset += length
        }
      }
    }
    return found
  }

  /// The length of the next sound one, which begins at `offset` then.
  private static func next(in piece: UnsafeRawBufferPointer, from offset: inout Int) -> Int? {
    while offset + headerSize < piece.count, let base = piece.baseAddress {
      guard let mark = memchr(base + offset, 0x48, piece.count - offset) else { return nil }
      offset = UnsafeRawPointer(mark) - base
      if offset + headerSize < piece.count, piece[offset + 1] == 0x77, piece[offset + 3] == 1 {
        let length = headerSize + Int(number(piece, offset + 4, UInt32.self))
        if offset + length <= piece.count, isSound(piece, offset, length) { return length }
      }
      offset += 1
    }
    return nil
  }

  private static func isSound(_ piece: UnsafeRawBufferPointer, _ offset: Int, _ length: Int) -> Bool {
    let head = sum(UnsafeRawBufferPointer(rebasing: piece[offset..<offset + 12]))
    let all = sum(UnsafeRawBufferPointer(rebasing: piece[offset + headerSize..<offset + length]), after: head)
    return all == number(piece, offset + 12, UInt32.self)
  }

  private static func record(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Record {
    let kind = bytes[2]
    let number = bytes.count >= 24 ? number(bytes, 16, UInt64.self) : 0
    var rid = ""
    if kind == 3 {
      let length = Int(truncatingIfNeeded: number & 0xFFFF_FFFF)
      rid = String(decoding: bytes[20..<min(20 + length, bytes.count)], as: UTF8.self)
    }
    return Record(
      kind: kind, revision: self.number(bytes, 8, UInt32.self), number: number, rid: rid,
      sum: self.number(bytes, 12, UInt32.self), offset: offset)
  }

  /// The newest that are there; nil: none.
  static func counters(in bytes: [UInt8], _ records: [Record]) -> Counters? {
    var newest: Record?
    for record in records where record.kind == 12 && record.revision >= newest?.revision ?? 0 {
      newest = record
    }
    guard let newest else { return nil }
    return bytes.withUnsafeBytes { raw in
      func field(_ index: Int) -> Int64 { number(raw, newest.offset + headerSize + index * 8, Int64.self) }
      return Counters(
        revision: newest.revision, queued: Int(field(0)), first: UInt64(bitPattern: field(2)),
        last: UInt64(bitPattern: field(3)), lastPoint: field(5), quarantined: Int(field(6)))
    }
  }

  static func lies(_ mark: [UInt8], in bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { raw in
      var offset = 0
      while offset + mark.count <= raw.count, let base = raw.baseAddress,
        let begin = memchr(base + offset, Int32(mark[0]), raw.count - mark.count + 1 - offset)
      {
        if memcmp(begin, mark, mark.count) == 0 { return true }
        offset = UnsafeRawPointer(begin) - base + 1
      }
      return false
    }
  }

  // MARK: The log

  /// All whose head is sound, of every cycle, as they lie.
  static func batches(in log: [UInt8]) -> [Batch] {
    log.withUnsafeBytes { raw in
      stride(from: 0, to: raw.count - 31, by: 512).compactMap { start in
        let head = UnsafeRawBufferPointer(rebasing: raw[start..<start + 28])
        guard number(raw, start, UInt32.self) == 0x314C_5748,
          sum(head) == number(raw, start + 28, UInt32.self)
        else { return nil }
        let end = start + Int(number(raw, start + 8, UInt32.self))
        guard end <= raw.count else { return nil }
        let body = UnsafeRawBufferPointer(rebasing: raw[start + 32..<end])
        return Batch(
          revision: number(raw, start + 4, UInt32.self),
          isSynced: number(raw, start + 12, UInt32.self) & 1 == 1,
          isWhole: sum(body) == number(raw, start + 24, UInt32.self),
          first: number(raw, start + 16, UInt64.self),
          bytes: start..<end)
      }
    }
  }

  /// Those that a start takes up which has all up to this one.
  static func cycle(_ batches: [Batch], after revision: UInt32) -> [Batch] {
    var (taken, end, last): ([Batch], Int, UInt32) = ([], 0, revision)
    for batch in batches where batch.bytes.lowerBound >= end && batch.revision > last {
      (end, last) = (batch.end, batch.revision)
      taken.append(batch)
    }
    return taken
  }

  // MARK: Pages

  enum PageKind { case head, map, tree, overflow, free }

  /// By the file's own map, which knows all pages of so small a file.
  static func kind(of index: Int, in tables: [UInt8]) -> PageKind {
    if index < 2 { return index == 0 ? .head : .map }
    return switch tables[page + (index - 2) * 5] {
    case 1, 5: .tree
    case 2: .free
    default: .overflow
    }
  }

  // MARK: Numbers

  private static func number<Number: FixedWidthInteger>(
    _ bytes: UnsafeRawBufferPointer, _ offset: Int, _: Number.Type
  ) -> Number {
    guard offset + MemoryLayout<Number>.size <= bytes.count else { return 0 }
    return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
  }

  private static let steps: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
  }

  /// CRC-32.
  private static func sum(_ bytes: UnsafeRawBufferPointer, after seed: UInt32 = 0) -> UInt32 {
    steps.withUnsafeBufferPointer { steps in
      ~bytes.reduce(~seed) { steps[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ $0 >> 8 }
    }
  }
}

/// SQLite as any program may use it.
enum OtherProgram {
  /// False: one of them failed.
  @discardableResult
  static func run(_ statements: String, on path: String) -> Bool {
    var database: OpaquePointer?
    defer { sqlite3_close(database) }
    guard sqlite3_open(path, &database) == SQLITE_OK else { return false }
    // It leaves nothing behind that was not there.
    let text = "PRAGMA journal_mode=MEMORY;PRAGMA secure_delete=ON;PRAGMA synchronous=OFF;" + statements
    return sqlite3_exec(database, text, nil, nil, nil) == SQLITE_OK
  }

  static func number(_ query: String, on path: String) -> Int {
    var (database, statement): (OpaquePointer?, OpaquePointer?)
    defer { sqlite3_close(database) }
    sqlite3_open(path, &database)
    defer { sqlite3_finalize(statement) }
    sqlite3_prepare_v2(database, query, -1, &statement, nil)
    return sqlite3_step(statement) == SQLITE_ROW ? Int(sqlite3_column_int64(statement, 0)) : 0
  }

  /// Which of these messages a damaged store still gives in full. Nothing is locked or repaired.
  static func whole(_ sequences: [UInt64], in path: String) -> Set<UInt64> {
    var (database, statement): (OpaquePointer?, OpaquePointer?)
    defer { sqlite3_close(database) }
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
    guard sqlite3_open_v2("file:\(path)?immutable=1", &database, flags, nil) == SQLITE_OK else { return [] }
    defer { sqlite3_finalize(statement) }
    let query = "SELECT record FROM message WHERE sequence=?"
    guard sqlite3_prepare_v2(database, query, -1, &statement, nil) == SQLITE_OK else { return [] }
    return Set(
      sequences.filter { sequence in
        sqlite3_reset(statement)
        sqlite3_bind_int64(statement, 1, Int64(sequence))
        guard sqlite3_step(statement) == SQLITE_ROW, let start = sqlite3_column_blob(statement, 0) else {
          return false
        }
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, 0)))
        return StoreSight.records(in: Array(bytes), page: bytes.count).first?.number == sequence
      })
  }
}
