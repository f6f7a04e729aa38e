import Model
import Testing
import Timebase

@testable import Storage

/// The check of what must agree in the store notices each thing that does not.
struct StoreCheckTests {
  private let directory = StoreDirectory()

  /// Three messages, two points, one record in quarantine, before a checkpoint.
  private func filled(in directory: StoreDirectory) throws -> StoreFile {
    let file = try StoreFile(directory: directory.path)
    try file.apply((1...3).map { .insert(Sample.message($0)) })
    try file.apply((1...3).map { .history(Sample.location($0)) } + [.pruneHistory(keep: 2, since: nil)])
    try file.tables?.quarantine([1, 2], from: "test")
    return file
  }

  @Test func consistentStorePassesTheCheck() throws {
    let file = try filled(in: directory)
    #expect(file.inconsistency() == nil && !file.isInDoubt)
    try file.checkpoint()
    #expect(file.inconsistency() == nil)
    try file.apply([.remove([1, 2, 3]), .pruneHistory(keep: 0, since: nil)])
    #expect(file.inconsistency() == nil)
  }

  /// What is said of counters that were changed.
  private func finding(_ change: (inout StoreCounters) -> Void, countingTo rows: Int = .max) throws
    -> String
  {
    let directory = StoreDirectory()
    let file = try filled(in: directory)
    defer { withExtendedLifetime(directory) { file.abandon() } }
    if let tables = file.tables { change(&tables.counters) }
    return file.inconsistency(countingTo: rows) ?? "nothing"
  }

  @Test func countersThatNothingCouldBeCountedToAreNamed() throws {
    let changes: [(String, (inout StoreCounters) -> Void)] = [
      ("-1 messages", { $0.queued = -1 }), ("-1 points", { $0.historyCount = -1 }),
      ("-1 in quarantine", { $0.quarantined = -1 }), ("3 messages of 2 bytes", { $0.queuedBytes = 2 }),
      ("0 messages of", { $0.queued = 0 }), ("from 4 to 3", { $0.firstSequence = 4 }),
      ("from 2 to 3", { $0.firstSequence = 2 }), ("numbered up to 1", { $0.lastHistory = 1 }),
      ("is the last", { $0.revision = 3 }), ("is in the tables", { $0.revision = 2 }),
    ]
    for (words, change) in changes {
      let found = try finding(change, countingTo: 0)
      #expect(found.contains(words))
    }
  }

  @Test func countersThatTheTablesContradictAreNamed() throws {
    let changes: [(String, (inout StoreCounters) -> Void)] = [
      ("2 messages, and 3", { $0.queued = 2 }), ("bytes, and", { $0.queuedBytes += 1 }),
      ("before the first, 5", { ($0.firstSequence, $0.lastSequence) = (5, 9) }),
      ("behind the last, 2", { ($0.firstSequence, $0.lastSequence) = (0, 2) }),
      ("1 points, and 2", { $0.historyCount = 1 }),
      ("point 3 is behind the last, 2", { $0.lastHistory = 2 }),
      ("0 in quarantine, and 1", { $0.quarantined = 0 }),
    ]
    for (words, change) in changes {
      let found = try finding(change)
      #expect(found.contains(words))
    }
  }

  @Test func aLargeTableIsNotCounted() throws {
    #expect(try finding({ $0.queuedBytes += 1 }, countingTo: 4) == "nothing")
    #expect(try finding({ $0.queuedBytes += 1 }, countingTo: 5) != "nothing")
  }

  /// A flipped bit's doing, and no bug: assertions keep still.
  @Test func tablesThatContradictTheirCountersFromTheStartAreInDoubt() throws {
    var file = try filled(in: directory)
    file.tables?.counters.queuedBytes += 1
    file.isInDoubt = true
    file.close()
    file = try StoreFile(directory: directory.path)
    #expect(file.inconsistency()?.contains("bytes, and") == true)
    try file.apply([.insert(Sample.message(4))])
    #expect(try file.snapshot().queued == 4)
  }
}
