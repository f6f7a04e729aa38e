import Glibc
import Model
import TestSupport
import Testing

@testable import Storage

/// What the store costs the card, the memory and the start: figures for people, not limits. HOMEWARD_MILLION=1 measures
/// with a million messages in place of a hundred thousand.
@Suite(.serialized) struct StoreCostTests {
  private let directory = StoreDirectory()

  /// On a file system in memory the kernel writes nothing: there only our own count says something.
  private func printBytes(_ title: String, _ bytes: (kernels: Int, own: Int)) {
    print("measure: store: \(title): \(bytes.kernels) B by the kernel's count, \(bytes.own) B by ours")
  }

  @Test func locations() throws {
    let bytes = try directory.bytesWritten(count: 1000) { [.insert(Sample.message(UInt64($0)))] }
    printBytes("a location, one commit each", bytes)
    #expect(try StoreFile(directory: directory.path).snapshot().queued == 1001)
  }

  @Test func locationsWithHistoryAndPositions() throws {
    printBytes(
      "a location with history, position and reference, one commit each",
      try directory.bytesWritten(count: 1000, Sample.locationAndAll))
    #expect(try StoreFile(directory: directory.path).snapshot().queued == 1001)
  }

  @Test func presences() throws {
    try directory.fill(regions: 10_000)
    let bytes = try directory.bytesWritten(count: 300) { [.region(Sample.region($0 % 50), .inside)] }
    printBytes("a presence among 10,000 regions", bytes)
    #expect(try StoreFile(directory: directory.path).snapshot().regions.count == 10_000)
  }

  @Test func aQueueOfMany() throws {
    let count = getenv("HOMEWARD_MILLION") != nil ? 1_000_000 : 100_000
    var file = try StoreFile(directory: directory.path)
    let filling = secondsNow()
    for start in stride(from: 1, to: count, by: 1000) {
      try file.apply((start..<(start + 1000)).map { .insert(Sample.message(UInt64($0))) })
    }
    file.close()
    print("measure: store: \(count) messages filled in: \(secondsNow() - filling) s")
    _ = try StoreFile(directory: directory.path)  // whatever the first opening costs once

    let memory = residentBytes()
    let opening = secondsOfWork()
    file = try StoreFile(directory: directory.path)
    let snapshot = try file.snapshot()
    print("measure: store: \(count) messages opened: \(secondsOfWork() - opening) s of processor time")
    #expect(snapshot.queued == count)

    let draining = secondsNow()
    let last = try file.drain()
    let drained = secondsNow() - draining
    print("measure: store: \(count) messages loaded and removed: \(Int(Double(count) / drained)) a second")
    print("measure: store: \(count) messages: memory grew by \((residentBytes() - memory) / 1024) kB")
    #expect(try file.snapshot().queued == 0)
    #expect(last == UInt64(count))
    file.close()
  }

  /// Regions that were looked for among all others would take a hundred times as long for ten times as many.
  @Test func tenTimesTheRegions() throws {
    let few = try secondsToLoad(regions: 10_000)
    let many = try secondsToLoad(regions: 100_000)
    print("measure: store: 10,000 regions loaded: \(few) s of processor time")
    print("measure: store: 100,000 regions loaded: \(many) s of processor time, \(many / few) times that")
  }

  private func secondsToLoad(regions count: Int) throws -> Double {
    let directory = StoreDirectory()
    defer { withExtendedLifetime(directory) {} }
    try directory.fill(regions: count)
    let opening = secondsOfWork()
    let file = try StoreFile(directory: directory.path)
    #expect(try file.snapshot().regions.count == count)
    return secondsOfWork() - opening
  }
}
