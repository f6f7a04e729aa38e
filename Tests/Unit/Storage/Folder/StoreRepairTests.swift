import Glibc
import Model
import TestSupport
import Testing

@testable import Storage

/// What a repair leaves, tells and counts.
struct StoreRepairTests {
  private let directory = StoreDirectory()

  private func fill(_ count: UInt64) throws {
    let file = try StoreFile(directory: directory.path)
    try file.apply((1...count).map { .insert(Sample.message($0, isEvent: true)) })
    file.close()
  }

  private func change(_ name: String, _ change: (inout [UInt8]) -> Void) {
    var bytes = readFile(directory.path + "/" + name)
    change(&bytes)
    writeFile(bytes, to: directory.path + "/" + name)
  }

  private func offset(of text: String, in bytes: [UInt8]) throws -> Int {
    let needle = Array(text.utf8)
    return try #require(bytes.indices.first { bytes[$0...].starts(with: needle) })
  }

  @Test func repairReportsMessagesSavedAndBytesSetAside() throws {
    for number in 1...2 {
      try fill(40)
      let size = readFile(directory.tables).count
      change("store.sqlite") { $0[0] = 0 }
      let file = try StoreFile(directory: directory.path)
      let notice = try #require(file.takeNotices().first)
      let aside = directory.path + "/store.damaged-\(number)"
      #expect(notice.contains("; it was set aside as \(aside) and a new one begun with 40 of 40 messages"))
      let bytes = (1...number).compactMap { StoreFolder.size(directory.path + "/store.damaged-\($0)") }
      #expect(bytes.last == size && bytes.count == number)
      #expect(notice.hasSuffix("\(number) set aside so far, \(bytes.reduce(0, +) / 1024) kB"))
      #expect(file.quarantined == 0 && file.bytesWritten % 512 == 0)
      #expect(StoreFolder.status(directory.tables)?.st_mode == S_IFREG | 0o600)
      #expect(!directory.names.contains { $0.hasPrefix("store.new") })
      file.close()
      #expect(StoreFolder.open(at: directory.path) == [])
    }
  }

  @Test func messagesLostInRepairAreCounted() throws {
    try fill(10)
    change("store.sqlite") { bytes in
      for number in [3, 7] {
        if let index = try? offset(of: "\"n\":\(number),", in: bytes) { bytes[index + 40] ^= 1 }
      }
      bytes[0] = 0
    }
    let file = try StoreFile(directory: directory.path)
    #expect(file.takeNotices().first?.contains("begun with 8 of 10 messages") == true)
    #expect(try file.load(after: 0, limit: 20).map(\.sequence) == [1, 2, 4, 5, 6, 8, 9, 10])
    #expect(file.quarantined >= 2)
    file.close()
  }

  /// A repair that was cut short leaves one.
  @Test func anOldDraftIsNotGoneOnWith() throws {
    let other = StoreDirectory()
    let draft = try StoreFile(directory: other.path)
    try draft.apply([.insert(Sample.message(77)), .tag("old")])
    draft.close()
    try fill(3)
    writeFile(readFile(other.tables), to: directory.path + "/store.new")
    change("store.sqlite") { $0[0] = 0 }
    let file = try StoreFile(directory: directory.path)
    #expect(try file.load(after: 0, limit: 9).map(\.sequence) == [1, 2, 3])
    #expect(try file.snapshot().tag == nil)
    file.close()
  }

  // MARK: The log

  /// Four batches in the log of a store that was killed; the second has two records.
  private func killed() throws {
    let file = try StoreFile(directory: directory.path)
    try file.apply([.insert(Sample.message(1))])
    try file.apply([.insert(Sample.message(2)), .tag("two")])
    try file.apply([.insert(Sample.message(3))])
    try file.apply([.tag("four")])
    file.abandon()
  }

  @Test func aDamagedRecordOfTheLogIsPassedOverAndKept() throws {
    try killed()
    change("store.log") { bytes in
      if let index = try? offset(of: "\"n\":2,", in: bytes) { bytes[index] ^= 1 }
    }
    let file = try StoreFile(directory: directory.path)
    #expect(file.takeNotices() == ["\(directory.path)/store.log: 1 damaged records were skipped"])
    #expect(try file.load(after: 0, limit: 9).map(\.sequence) == [1, 3])
    #expect(file.quarantined == 1 && file.revision == 4)
    let kept = try file.tables?.database.number("SELECT count(*) FROM quarantine WHERE source='log'")
    #expect(kept == 1)
    #expect(try file.snapshot().tag == "four")
    file.close()
  }

  @Test func aLostBatchOfTheLogIsCounted() throws {
    try killed()
    // The first byte of its head: the batch before it takes a sector.
    change("store.log") { $0[512] ^= 1 }
    let file = try StoreFile(directory: directory.path)
    #expect(file.takeNotices() == ["\(directory.path)/store.log: 1 damaged records were skipped"])
    #expect(try file.load(after: 0, limit: 9).map(\.sequence) == [1, 3])
    #expect(file.quarantined == 1 && file.revision == 4)
    file.close()
    #expect(try StoreFile(directory: directory.path).quarantined == 1)
  }

  @Test func aSoundLogIsNotSpokenOf() throws {
    try killed()
    let file = try StoreFile(directory: directory.path)
    #expect(file.takeNotices() == [] && file.quarantined == 0 && file.revision == 4)
    #expect(try file.load(after: 0, limit: 9).map(\.sequence) == [1, 2, 3])
    file.close()
  }
}
