import Glibc

@testable import Storage

/// The redo log as any bytes leave it. The first byte says whether its sums are made right, the next two
/// which revisions the tables have and were reported. What comes out is in order, and what is written
/// behind it is found again.
enum LogTarget {
  /// The log in memory.
  private final class Device: StoreLogDevice {
    var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func readAll(_ count: Int) -> (bytes: [UInt8], unreadablePieces: Int) { (bytes, 0) }
    func write(_ fresh: UnsafeRawBufferPointer, at offset: Int) {
      bytes.replaceSubrange(offset..<(offset + fresh.count), with: fresh)
    }
    func sync() {}
    func close() {}
  }

  @Sendable static func feed(_ input: UnsafeRawBufferPointer) {
    guard input.count > 3 else { return }
    // A sixteenth of a real one is enough for every turn and saves the time to read zeros.
    var bytes = Array(input.dropFirst(3).prefix(StoreLog.length / 16))
    bytes += [UInt8](repeating: 0, count: StoreLog.length / 16 - bytes.count)
    if input[0] & 1 == 1 { repairSums(&bytes) }
    let device = Device(bytes)
    let log = StoreLog(device: device)
    let checkpointed = input[1] == 0 ? nil : UInt32(input[1])
    let last = input[2] == 0 ? nil : UInt32(input[2])
    let contents = log.contents(after: checkpointed, through: last)
    isInOrder(contents, checkpointed, last, size: bytes.count)
    let newest = max(contents.newestRevision, checkpointed ?? 0)
    guard last == nil, newest < .max, log.offset + 512 <= bytes.count else { return }
    let record = StoreRecord(.tag, revision: newest + 1) { $0.optional("new") }
    guard (try? log.append([record], revision: newest + 1, first: 1, sync: true)) != nil
    else {
      return claim(false, "memory refuses")
    }
    let again = StoreLog(device: device).contents(after: checkpointed, through: nil)
    // Not always the last: headers that no life of a store would leave may hide newer ones behind them.
    let isFound = again.batches.contains { $0.records.map(\.bytes) == [record.bytes] }
    claim(isFound, "what was written is not found again")
    claim(again.batches.count > contents.batches.count, "what was there is lost")
  }

  private static func isInOrder(
    _ contents: StoreLog.Contents, _ checkpointed: UInt32?, _ last: UInt32?, size: Int
  ) {
    var before = checkpointed ?? 0
    var end = 0
    for batch in contents.batches {
      claim(batch.revision > before, "\(batch.revision) comes after \(before)")
      claim(batch.revision <= last ?? .max, "\(batch.revision) was never reported")
      claim(batch.range.lowerBound >= end && batch.range.upperBound <= size, "lies at \(batch.range)")
      for record in batch.records {
        claim(StoreRecord(checking: record.bytes) != nil, "a broken record")
        claim(record.revision == batch.revision, "a record of batch \(record.revision) in \(batch.revision)")
      }
      (before, end) = (batch.revision, batch.range.upperBound)
    }
    claim(contents.missing >= 0, "\(contents.missing) are missing")
  }

  /// Of every batch that begins like one: body first, then header.
  private static func repairSums(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { raw in
      for place in stride(from: 0, to: raw.count - 32, by: 512) {
        guard raw[place..<(place + 4)].elementsEqual("HWL1".utf8) else { continue }
        let length = Int(raw.loadUnaligned(fromByteOffset: place + 8, as: UInt32.self))
        if length >= 32, place + length <= raw.count {
          let body = UnsafeRawBufferPointer(rebasing: raw[(place + 32)..<(place + length)])
          raw.storeBytes(of: Checksum.crc32(body), toByteOffset: place + 24, as: UInt32.self)
        }
        let head = UnsafeRawBufferPointer(rebasing: raw[place..<(place + 28)])
        raw.storeBytes(of: Checksum.crc32(head), toByteOffset: place + 28, as: UInt32.self)
      }
    }
  }
}
