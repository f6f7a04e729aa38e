import Glibc
import Model
import TestSupport
import Testing

@testable import Storage

/// How much the store writes and keeps, by its own count: what the kernel makes of that is measured elsewhere.
struct StoreSpaceTests {
  private let directory = StoreDirectory(isInMemory: true)

  // behaviour: A disk that fails, fills or lies
  @Test func anOfflineLocationCostsAtMostAKilobyte() throws {
    let bytes = try directory.bytesWritten(count: 1000) { [.insert(Sample.message(UInt64($0)))] }
    #expect(bytes.own <= 1024)
  }

  @Test func aLocationWithItsHistoryAndPositionsCostsAtMostAKilobyte() throws {
    #expect(try directory.bytesWritten(count: 1000, Sample.locationAndAll).own <= 1024)
  }

  @Test func aPresenceCostsAtMostTwoKilobytes() throws {
    try directory.fill(regions: 10_000)
    let bytes = try directory.bytesWritten(count: 300) { [.region(Sample.region($0 % 50), .inside)] }
    #expect(bytes.own <= 2048)
  }

  // behaviour: The window and the limits
  @Test func aLongQueueIsReadPageByPageToItsEnd() throws {
    var file = try StoreFile(directory: directory.path)
    for start in stride(from: 1, to: 10_000, by: 1000) {
      try file.apply((start..<(start + 1000)).map { .insert(Sample.message(UInt64($0))) })
    }
    file.close()
    file = try StoreFile(directory: directory.path)
    #expect(try file.snapshot().queued == 10_000)
    #expect(try file.drain() == 10_000)
    #expect(try file.snapshot().queued == 0)
    file.close()
  }

  @Test func spaceOfRemovedMessagesIsGivenBack() throws {
    let file = try StoreFile(directory: directory.path)
    try file.apply((1...40_000).map { .insert(Sample.message($0)) })
    let full = readFile(directory.tables).count
    try file.apply([.remove(Array(1...40_000))])
    for number in 1...4000 { try file.apply([.insert(Sample.message(UInt64(40_000 + number)))]) }
    for _ in 0..<60 {
      try file.apply([.insert(Sample.message(1_000_000, payload: 40_000)), .remove([1_000_000])])
    }
    file.close()
    #expect(readFile(directory.tables).count < full * 2 / 3)
  }
}

extension StoreDirectory {
  func fill(regions count: Int) throws {
    let file = try StoreFile(directory: path)
    try file.apply((0..<count).map { .region(Sample.region($0), .outside) })
    file.close()
  }

  /// Bytes written for each of `count` batches, each its own commit: what the kernel was made to write, and what the
  /// store counts itself.
  func bytesWritten(
    count: Int, _ batch: (Int) -> [StoreWrite]
  ) throws -> (kernels: Int, own: Int) {
    let file = try StoreFile(directory: path)
    try file.apply([.insert(Sample.message(1))])
    let before = threadWriteBytes()
    let counted = file.bytesWritten
    for number in 2...(count + 1) { try file.apply(batch(number)) }
    file.close()
    return ((threadWriteBytes() - before) / count, (file.bytesWritten - counted) / count)
  }
}

extension StoreFile {
  /// Loads and removes page by page; the sequence of the last message.
  func drain() throws -> UInt64 {
    var after: UInt64 = 0
    while case let page = try load(after: after, limit: 200, maxBytes: 256 * 1024), let last = page.last {
      try apply([.remove(page.map(\.sequence))])
      after = last.sequence
    }
    return after
  }
}

extension Sample {
  static func locationAndAll(_ number: Int) -> [StoreWrite] {
    [
      .insert(message(UInt64(number))), .history(location(number)), .pruneHistory(keep: 50, since: nil),
      .position(fix(number)), .reference(fix(number)),
    ]
  }
}
