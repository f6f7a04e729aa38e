import Glibc
import Model
import TestSupport
import Testing

@testable import Storage

/// What the store costs the card, the memory and the start. The figures are printed as they are
/// measured; HOMEWARD_MILLION=1 measures with a million messages in place of a hundred thousand.
@Suite(.serialized) struct StoreCostTests {
  private let directory = StoreDirectory()

  /// Bytes that the kernel was made to write for each of `count` batches, each its own commit.
  private func bytesWritten(
    _ title: String, count: Int = 1000, _ batch: (Int) -> [StoreWrite]
  ) throws -> Int {
    let file = try StoreFile(directory: directory.path)
    try file.apply([.insert(Sample.message(1))])
    sync()
    let before = threadWriteBytes()
    let counted = file.bytesWritten
    for number in 2...(count + 1) { try file.apply(batch(number)) }
    file.close()
    sync()
    let each = (threadWriteBytes() - before) / count
    // On a file system in memory the kernel writes nothing: there only our own count says something.
    let own = (file.bytesWritten - counted) / count
    print("store: \(title): \(each) bytes written each by the kernel's count, \(own) by ours")
    return max(each, own)
  }

  @Test func anOfflineLocationCostsAtMostTwoKilobytes() throws {
    let each = try bytesWritten("location, one commit each") { [.insert(Sample.message(UInt64($0)))] }
    #expect(each <= 2048)
  }

  @Test func aLocationWithItsHistoryAndPositionsCostsAtMostTwoKilobytes() throws {
    let each = try bytesWritten("location, history, position, reference, one commit each") { number in
      [
        .insert(Sample.message(UInt64(number))), .history(Sample.location(number)),
        .pruneHistory(keep: 50, since: nil), .position(Sample.fix(number)), .reference(Sample.fix(number)),
      ]
    }
    #expect(each <= 2048)
  }

  @Test(.enabled(if: getenv("HOMEWARD_SANITIZED") == nil, "a sanitizer costs more than what is measured"))
  func aQueueOfManyCostsNoTimeAndNoMemory() throws {
    let isFull = getenv("HOMEWARD_MILLION") != nil
    let count = isFull ? 1_000_000 : 100_000
    var file = try StoreFile(directory: directory.path)
    let filling = secondsNow()
    for start in stride(from: 1, to: count, by: 1000) {
      try file.apply((start..<(start + 1000)).map { .insert(Sample.message(UInt64($0))) })
    }
    file.close()
    let filled = secondsNow() - filling
    _ = try StoreFile(directory: directory.path)  // whatever the first opening costs once

    let memory = residentBytes()
    let opening = secondsOfWork()
    file = try StoreFile(directory: directory.path)
    let snapshot = try file.snapshot()
    let opened = secondsOfWork() - opening
    #expect(snapshot.queued == count)
    #expect(opened < 1)

    let draining = secondsNow()
    var after: UInt64 = 0
    while case let page = try file.load(after: after, limit: 200, maxBytes: 256 * 1024), let last = page.last
    {
      try file.apply([.remove(page.map(\.sequence))])
      after = last.sequence
    }
    let drained = secondsNow() - draining
    let grown = residentBytes() - memory
    #expect(try file.snapshot().queued == 0)
    #expect(after == UInt64(count))
    #expect(!isAlone || grown < 8 << 20)
    print(
      """
      store: \(count) messages: filled in \(filled) s, opened in \(opened) s, loaded and removed at \
      \(Int(Double(count) / drained)) a second, memory grew by \(grown / 1024) kB
      """)
    file.close()
  }

  @Test(.enabled(if: getenv("HOMEWARD_SANITIZED") == nil, "a sanitizer costs more than what is measured"))
  func tenTimesTheRegionsLoadInAboutTenTimesTheTime() throws {
    // Not against a clock: how fast this machine is today says nothing. Regions that were looked for among
    // all others would cost a hundred times.
    let few = try secondsToLoad(regions: 10_000)
    let many = try secondsToLoad(regions: 100_000)
    print("store: 10,000 regions loaded in \(few) s, 100,000 in \(many) s")
    #expect(many < few * 25)
  }

  private func secondsToLoad(regions count: Int) throws -> Double {
    let directory = StoreDirectory()
    defer { withExtendedLifetime(directory) {} }
    var file = try StoreFile(directory: directory.path)
    try file.apply((0..<count).map { .region(Sample.region($0), .outside) })
    file.close()
    let opening = secondsOfWork()
    file = try StoreFile(directory: directory.path)
    #expect(try file.snapshot().regions.count == count)
    return secondsOfWork() - opening
  }

  @Test func aPresenceCostsAtMostTwoKilobytes() throws {
    let file = try StoreFile(directory: directory.path)
    try file.apply((0..<10_000).map { .region(Sample.region($0), .outside) })
    file.close()
    let each = try bytesWritten("presence among 10,000 regions", count: 300) {
      [.region(Sample.region($0 % 50), .inside)]
    }
    #expect(each <= 2048)
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
