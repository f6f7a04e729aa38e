import Glibc
import Model
import Timebase

/// The redo log in front of the tables. A batch is durable once it lies here: one write and one sync
/// of a sector or two, where a commit of SQLite costs at least five pages and four syncs. The tables
/// follow some hundred batches later, in one commit (`StoreFile.checkpoint`), and the log begins again.
///
///     batch: "HWL1"  revision  length  syncs  first sequence  sum of the body  sum of this header
///            4       4         4       4      8               4                4        = 32 bytes
///     body:  records, each with its own sum; zeros up to the next sector
///
/// Revisions grow by one. What remains of the cycle before has lower ones and is passed over. `syncs` is 0 in a batch
/// that was not synced; see `Syncs`.
final class StoreLog {
  /// Bytes: the least that a card writes, and what `O_DIRECT` asks for.
  static let sector = 512
  /// Room for about 150 locations. Rarer checkpoints would write less, but hold more memory back.
  static let length = 192 * 1024
  /// A longer batch goes straight to the tables.
  static let longest = 32 * 1024
  private static let headerSize = 32
  /// "HWL1" as its first four bytes.
  private static let magic: UInt32 = 0x314C_5748

  private let device: any StoreLogDevice
  /// Where the next batch goes: bytes from the beginning of the log.
  private(set) var offset = 0
  /// Batches since the last that was synced.
  private var unsynced: UInt32 = 0
  /// The next batch comes behind some that a power cut took.
  private var isBehindGap = false
  /// Since the opening, with what fills up the sectors.
  private(set) var bytesWritten = 0
  /// Aligned to a page, as `O_DIRECT` wants it; one for all batches, because only one is written at a time.
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: longest, alignment: 4096)

  init(device: any StoreLogDevice) { self.device = device }

  deinit { buffer.deallocate() }

  func close() { device.close() }

  /// From now on over the old ones: the tables have them all.
  func restart() {
    offset = 0
    unsynced = 0
    isBehindGap = false
  }

  /// Of a batch that takes `length` bytes with its header and its last sector.
  func hasRoom(for length: Int) -> Bool { offset + length <= Self.length }

  /// Bytes that a batch takes up, in whole sectors.
  static func length(of records: [StoreRecord]) -> Int {
    let bytes = records.reduce(headerSize) { $0 + $1.bytes.count }
    return (bytes + sector - 1) / sector * sector
  }

  /// Adds a batch; with `sync` it is durable afterwards. After a failure it may be tried again: it goes
  /// to the same offset.
  func append(
    _ records: [StoreRecord], revision: UInt32, first: UInt64, sync: Bool
  ) throws(StoreError) {
    let length = Self.length(of: records)
    releaseAssert(
      records.allSatisfy { $0.revision == revision }, "a record of another batch would not be read back")
    releaseAssert(length <= Self.longest && hasRoom(for: length), "the caller makes room first")
    let batch = UnsafeMutableRawBufferPointer(rebasing: buffer[..<length])
    var end = Self.headerSize
    for record in records {
      UnsafeMutableRawBufferPointer(rebasing: batch[end...]).copyBytes(from: record.bytes)
      end += record.bytes.count
    }
    UnsafeMutableRawBufferPointer(rebasing: batch[end...]).initializeMemory(as: UInt8.self, repeating: 0)
    // The header comes last, because its sums are over all the rest.
    batch.storeBytes(of: Self.magic.littleEndian, as: UInt32.self)
    batch.storeBytes(of: revision.littleEndian, toByteOffset: 4, as: UInt32.self)
    batch.storeBytes(of: UInt32(end).littleEndian, toByteOffset: 8, as: UInt32.self)
    let syncs = Syncs(isSynced: sync, unsynced: sync ? unsynced : 0, isGapKnown: isBehindGap)
    batch.storeBytes(of: syncs.word.littleEndian, toByteOffset: 12, as: UInt32.self)
    batch.storeBytes(of: first.littleEndian, toByteOffset: 16, as: UInt64.self)
    let body = Checksum.crc32(UnsafeRawBufferPointer(rebasing: batch[Self.headerSize..<end]))
    batch.storeBytes(of: body.littleEndian, toByteOffset: 24, as: UInt32.self)
    let head = Checksum.crc32(UnsafeRawBufferPointer(rebasing: batch[..<28]))
    batch.storeBytes(of: head.littleEndian, toByteOffset: 28, as: UInt32.self)
    try device.write(UnsafeRawBufferPointer(batch), at: offset)
    if sync { try device.sync() }
    offset += length
    bytesWritten += length
    unsynced = sync ? 0 : unsynced + 1
    isBehindGap = false
  }

  /// The sync state in a header. A power cut takes any of the batches that were not synced, each for itself, even
  /// during the sync of the next one: only a synced batch is damage where it is missing.
  struct Syncs {
    var isSynced: Bool
    /// Of a batch that was synced: as many directly before it were not.
    var unsynced: UInt32 = 0
    /// A start has looked at the gap directly before it: a power cut made it.
    var isGapKnown = false

    init(isSynced: Bool, unsynced: UInt32, isGapKnown: Bool) {
      self.isSynced = isSynced
      self.unsynced = unsynced
      self.isGapKnown = isGapKnown
    }

    /// Versions before this one have written 0 or 1.
    init(_ word: UInt32) {
      isGapKnown = word >> 31 == 1
      isSynced = word & 1 == 1
      unsynced = (word & ~(1 << 31)) >> 1
    }

    var word: UInt32 { (isGapKnown ? 1 << 31 : 0) | (unsynced << 1 & ~(1 << 31)) | (isSynced ? 1 : 0) }
  }

  // MARK: Reading back

  /// As it lies in the log.
  struct Batch {
    var revision: UInt32
    var syncs: Syncs
    /// The oldest message that was still wanted when it was written: what salvage must not bring back is
    /// older.
    var first: UInt64
    /// The sound ones.
    var records: [StoreRecord]
    /// The bytes of those that are not.
    var damaged: [[UInt8]]
    /// Where it lies in the log: whole sectors.
    var range: Range<Int>
  }

  /// The contents of the log at a start.
  struct Contents {
    /// Younger than what the tables have, oldest first.
    var batches: [Batch] = []
    /// Batches that must have been there and are not: their header is damaged.
    var missing = 0
    /// Pieces that the device would not give: what lies in them may be whole.
    var unreadablePieces = 0
    /// The highest ever met, of any cycle.
    var newestRevision: UInt32 = 0
    /// The first wanted message as the newest batch of any cycle knew it.
    var firstSequence: UInt64 = 0
    /// Where one lay at the very end that was cut short.
    var cut: Range<Int>?
    /// All that was read.
    var bytes: [UInt8] = []

    /// Makes the bytes of a batch say what `syncs` says by now: `confirm` writes them.
    fileprivate mutating func seal(_ batch: Batch) {
      let start = batch.range.lowerBound
      bytes.withUnsafeMutableBytes { raw in
        raw.storeBytes(of: batch.syncs.word.littleEndian, toByteOffset: start + 12, as: UInt32.self)
        let head = Checksum.crc32(UnsafeRawBufferPointer(rebasing: raw[start..<(start + 28)]))
        raw.storeBytes(of: head.littleEndian, toByteOffset: start + 28, as: UInt32.self)
      }
    }
  }

  /// Everything that the tables do not contain. `checkpointed` is the last revision that they do; nil: not
  /// known, take the whole cycle. What lies above `last` was never reported stored.
  func contents(after checkpointed: UInt32?, through last: UInt32?) -> Contents {
    let (bytes, unreadablePieces) = device.readAll(Self.length)
    var contents = Contents(unreadablePieces: unreadablePieces, bytes: bytes)
    offset = 0
    var previous = checkpointed ?? 0
    var cursor = 0
    while cursor < bytes.count {
      guard let batch = bytes.withUnsafeBytes({ Self.batch(in: $0, at: cursor) }) else {
        cursor += Self.sector
        continue
      }
      // Of two with one number the first: the other was cut short before, and its number went to the next.
      if batch.revision > contents.newestRevision {
        contents.newestRevision = batch.revision
        contents.firstSequence = batch.first
      }
      if batch.revision > previous, last.map({ batch.revision <= $0 }) ?? true {
        previous = batch.revision
        contents.batches.append(batch)
        offset = batch.range.upperBound
        cursor = offset
      } else {
        // One of a cycle before: it may reach over the beginning of one of this, where the batch between them
        // never came to the disk.
        cursor += Self.sector
      }
    }
    let promised = Self.promised(contents.batches)
    // A batch at the very end that is not whole was cut short before its write was confirmed: the next
    // one takes its place and number.
    if let cut = contents.batches.last, !cut.damaged.isEmpty {
      contents.batches.removeLast()
      contents.newestRevision = min(contents.newestRevision, cut.revision - 1)
      offset = cut.range.lowerBound
      contents.cut = cut.range
    }
    Self.passOverGaps(&contents, after: checkpointed ?? 0, promised: promised)
    isBehindGap = contents.newestRevision > contents.batches.last?.revision ?? checkpointed ?? .max
    return contents
  }

  /// Batches up to this one were on the disk: a younger one was begun when the last sync before it had returned.
  private static func promised(_ batches: [Batch]) -> UInt32 {
    let before = batches.dropLast().last { $0.syncs.isSynced }?.revision ?? 0
    guard let last = batches.last, last.syncs.isSynced else { return before }
    return max(before, last.revision - 1 - min(last.syncs.unsynced, last.revision - 1))
  }

  /// Counts what damage has taken, and leaves out what a power cut has torn: such a batch is there whole or not at
  /// all. What was written behind it is marked, for the next start: by then more is promised.
  private static func passOverGaps(_ contents: inout Contents, after checkpointed: UInt32, promised: UInt32) {
    var kept: [Batch] = []
    var next: UInt32?
    // Of those looked at since the last that is kept.
    var isForgiven = false
    var lost = 0

    func endGap(before revision: UInt32) {
      guard let next, revision > 0 else { return }
      let missing = max(0, Int(next - 1) - Int(revision))
      guard missing > 0, kept.last?.syncs.isGapKnown != true else { return }
      lost += max(0, Int(min(next - 1, promised)) - Int(revision))
      isForgiven = true
    }
    func settle() {
      if isForgiven, lost == 0, let last = kept.indices.last, !kept[last].syncs.isGapKnown {
        kept[last].syncs.isGapKnown = true
        contents.seal(kept[last])
      }
      contents.missing += lost
      (isForgiven, lost) = (false, 0)
    }

    for batch in contents.batches.reversed() {
      endGap(before: batch.revision)
      next = batch.revision
      let isExcused = batch.revision > promised || kept.last?.syncs.isGapKnown == true
      if !batch.damaged.isEmpty, !batch.syncs.isSynced, isExcused {
        isForgiven = true
        continue
      }
      settle()
      kept.append(batch)
    }
    endGap(before: checkpointed)
    settle()
    contents.batches = kept.reversed()
  }

  /// Writes what was read of these batches once more, and syncs it. A process that was killed before its sync,
  /// or whose sync failed, leaves bytes that can be read and are on no disk: kernels forget what they
  /// could not write.
  func confirm(_ contents: Contents) throws(StoreError) {
    for run in Self.runs(of: contents.batches.map(\.range)) {
      for start in stride(from: run.lowerBound, to: run.upperBound, by: Self.longest) {
        let piece = contents.bytes[start..<min(start + Self.longest, run.upperBound)]
        buffer.copyBytes(from: piece)
        try device.write(UnsafeRawBufferPointer(rebasing: buffer[..<piece.count]), at: start)
        bytesWritten += piece.count
      }
    }
    // Another gets its place and number. Should a power cut take that one, this header would be read again, and hide
    // what lies behind: that would come to light at the start after, over what is newer.
    if let cut = contents.cut {
      let header = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Self.sector])
      header.initializeMemory(as: UInt8.self, repeating: 0)
      try device.write(UnsafeRawBufferPointer(header), at: cut.lowerBound)
      bytesWritten += Self.sector
    }
    if !contents.batches.isEmpty || contents.cut != nil { try device.sync() }
    unsynced = 0
  }

  /// Ranges that follow each other, as one.
  private static func runs(of ranges: [Range<Int>]) -> [Range<Int>] {
    ranges.reduce(into: []) { runs, range in
      if let last = runs.last, last.upperBound == range.lowerBound {
        runs[runs.count - 1] = last.lowerBound..<range.upperBound
      } else {
        runs.append(range)
      }
    }
  }

  /// Nil where no header is sound there, or one that reaches beyond the end.
  private static func batch(in bytes: UnsafeRawBufferPointer, at offset: Int) -> Batch? {
    func number(_ field: Int) -> UInt32 {
      bytes.loadUnaligned(fromByteOffset: offset + field, as: UInt32.self).littleEndian
    }
    guard offset + headerSize <= bytes.count, number(0) == magic else { return nil }
    let head = UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + 28)])
    let length = Int(number(8))
    guard Checksum.crc32(head) == number(28), length >= headerSize, offset + length <= bytes.count
    else { return nil }
    let body = UnsafeRawBufferPointer(rebasing: bytes[(offset + headerSize)..<(offset + length)])
    let revision = number(4)
    let (records, damaged) = split(body, of: revision, isSound: Checksum.crc32(body) == number(24))
    return Batch(
      revision: revision, syncs: Syncs(number(12)),
      first: bytes.loadUnaligned(fromByteOffset: offset + 16, as: UInt64.self).littleEndian,
      records: records, damaged: damaged,
      range: offset..<(offset + (length + sector - 1) / sector * sector))
  }

  /// The records of a body; in a damaged one those that are sound, wherever they begin. A sector of it that
  /// never came to the disk still holds what an earlier cycle wrote there: sound records of another batch,
  /// which would put an old state over a newer one.
  private static func split(
    _ body: UnsafeRawBufferPointer, of revision: UInt32, isSound: Bool
  ) -> (records: [StoreRecord], damaged: [[UInt8]]) {
    var records: [StoreRecord] = []
    var offset = 0
    while offset < body.count {
      let rest = UnsafeRawBufferPointer(rebasing: body[offset...])
      if let found = StoreRecord.recognise(rest),
        let record = StoreRecord(checking: Array(rest[..<found.length]))
      {
        if found.revision == revision { records.append(record) }
        offset += found.length
      } else {
        offset += 1
      }
    }
    return (records, isSound ? [] : [Array(body)])
  }
}
