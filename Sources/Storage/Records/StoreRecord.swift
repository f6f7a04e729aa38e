import Model

/// One thing that the store knows, as bytes that stand for themselves: the same record is a row of a
/// table and a line of the redo log, and can be found again in what is left of either.
///
///     "Hw"  kind  format  length of the fields  revision  CRC-32 of all but itself  fields …
///      2     1      1              4                4                4
struct StoreRecord {
  /// Permanent on the disk: no number is changed, or used again for something else.
  enum Kind: UInt8 {
    case message = 1
    case remove, region, regionRemoved, mode, position, reference, history, prune, tag, dropped
    /// The store's own counts.
    case counters
    case imported, remoteSettings, commandsSeen
    case journey = 32
    case clientIDForm = 40
    case entered = 48
    case announced = 56
    case pointsRemoved = 64
    case volume = 72
    case sleep = 80
    case batterySteps = 88
  }

  static let headerSize = 16
  static let format: UInt8 = 1

  let kind: Kind
  /// The batch it came with: of two records about one thing the later one counts.
  let revision: UInt32
  /// All of it, header included.
  let bytes: [UInt8]

  /// Sealed when it is made; `reserving`: bytes that the fields will take, roughly.
  init(_ kind: Kind, revision: UInt32, reserving count: Int = 64, fields write: (inout ByteWriter) -> Void) {
    var writer = ByteWriter(reserving: count + Self.headerSize)
    writer.raw([0x48, 0x77, kind.rawValue, Self.format])
    writer.number(UInt64(0))
    writer.number(UInt32(0))
    write(&writer)
    var bytes = writer.bytes
    let length = UInt32(bytes.count - Self.headerSize)
    bytes.withUnsafeMutableBytes { raw in
      raw.storeBytes(of: length.littleEndian, toByteOffset: 4, as: UInt32.self)
      raw.storeBytes(of: revision.littleEndian, toByteOffset: 8, as: UInt32.self)
      let sum = Self.checksum(UnsafeRawBufferPointer(raw))
      raw.storeBytes(of: sum.littleEndian, toByteOffset: 12, as: UInt32.self)
    }
    self.kind = kind
    self.revision = revision
    self.bytes = bytes
  }

  /// Nil when the bytes are not exactly one sound record.
  init?(checking bytes: [UInt8]) {
    let found = bytes.withUnsafeBytes { Self.recognise($0) }
    guard let found, found.length == bytes.count else { return nil }
    kind = found.kind
    revision = found.revision
    self.bytes = bytes
  }

  /// The sound record that `bytes` begin with, if they do.
  static func recognise(
    _ bytes: UnsafeRawBufferPointer
  ) -> (kind: Kind, revision: UInt32, length: Int)? {
    guard let claimed = claim(bytes), claimed.length <= bytes.count else { return nil }
    let whole = UnsafeRawBufferPointer(rebasing: bytes[..<claimed.length])
    guard checksum(whole) == UInt32(littleEndian: whole.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
    else { return nil }
    return (
      claimed.kind, whole.loadUnaligned(fromByteOffset: 8, as: UInt32.self).littleEndian, claimed.length
    )
  }

  /// Kind and length as a header states them, unchecked; the length includes the header.
  static func claim(_ bytes: UnsafeRawBufferPointer) -> (kind: Kind, length: Int)? {
    guard bytes.count >= headerSize, bytes[0] == 0x48, bytes[1] == 0x77, bytes[3] == format,
      let kind = Kind(rawValue: bytes[2])
    else { return nil }
    // Not believed before the sum was right: it may be any number.
    let length = bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self).littleEndian
    return (kind, headerSize + Int(length))
  }

  /// In two pieces: the sum itself lies between them.
  private static func checksum(_ whole: UnsafeRawBufferPointer) -> UInt32 {
    let head = Checksum.crc32(UnsafeRawBufferPointer(rebasing: whole[..<12]))
    return Checksum.crc32(UnsafeRawBufferPointer(rebasing: whole[headerSize...]), seed: head)
  }

  /// From the first field on, each time.
  var fields: ByteReader { ByteReader(bytes, from: Self.headerSize) }
}

/// Totals that the store keeps so that it never has to count: a million rows must not delay a start.
struct StoreCounters: Hashable, Sendable {
  /// The last batch of the redo log that the tables contain.
  var revision: UInt32 = 0
  /// Messages in the table.
  var queued = 0
  /// Topics and payloads of those, as the outbox counts.
  var queuedBytes = 0
  /// Below this no message can still be wanted; salvage leaves older ones lie.
  var firstSequence: UInt64 = 0
  /// Never goes back, not even when the queue is empty.
  var lastSequence: UInt64 = 0
  /// Points in the table.
  var historyCount = 0
  /// Of the newest point ever made: numbers are not used again, because the page of a person may go on behind
  /// one that was pruned.
  var lastHistory: Int64 = 0
  /// Records found damaged in the store's whole life.
  var quarantined = 0

  func record() -> StoreRecord {
    StoreRecord(.counters, revision: revision) { writer in
      writer.number(Int64(queued))
      writer.number(Int64(queuedBytes))
      writer.number(firstSequence)
      writer.number(lastSequence)
      writer.number(Int64(historyCount))
      writer.number(lastHistory)
      writer.number(Int64(quarantined))
    }
  }

  init() {}

  /// Nil for another kind of record, or a short one; then everything is counted.
  init?(_ record: StoreRecord) {
    guard record.kind == .counters else { return nil }
    var fields = record.fields
    revision = record.revision
    queued = Int(fields.number(Int64.self))
    queuedBytes = Int(fields.number(Int64.self))
    firstSequence = fields.number(UInt64.self)
    lastSequence = fields.number(UInt64.self)
    historyCount = Int(fields.number(Int64.self))
    lastHistory = fields.number(Int64.self)
    quarantined = Int(fields.number(Int64.self))
    guard !fields.isShort else { return nil }
  }
}
