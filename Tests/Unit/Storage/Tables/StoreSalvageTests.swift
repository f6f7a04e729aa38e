import Glibc
import Model
import TestSupport
import Testing

@testable import Storage

/// What is saved from pages that are looked at one by one: the pages are made here, byte for byte.
struct StoreSalvageTests {
  private let directory = StoreDirectory()
  private var damaged: String { directory.path + "/damaged" }

  /// Pages with records at these places; the rest is not zeros, so that nothing is found by luck.
  private func writePages(_ count: Int, _ records: [(offset: Int, record: StoreRecord)]) {
    var bytes = [UInt8](repeating: 0xA5, count: count * 4096)
    for (offset, record) in records {
      bytes.replaceSubrange(offset..<(offset + record.bytes.count), with: record.bytes)
    }
    writeFile(bytes, to: damaged)
  }

  private func message(_ sequence: UInt64) -> StoreRecord {
    .encoding(.insert(Sample.message(sequence)), revision: 1)
  }

  private func salvage(first: UInt64 = 0) throws -> (tables: StoreTables, outcome: StoreSalvage.Outcome) {
    let tables = try StoreTables(path: directory.tables, vfs: nil)
    return (tables, try StoreSalvage.run(damaged: damaged, into: tables, firstSequence: first))
  }

  private func sequences(_ tables: StoreTables) throws -> [UInt64] {
    try tables.heads(after: 0, limit: 100).map(\.sequence)
  }

  @Test func aRecordIsFoundWhereverItBegins() throws {
    let length = message(1).bytes.count
    writePages(
      3,
      [
        (0, message(1)), (length, message(2)), (2 * length + 3, message(3)), (4096 - length, message(4)),
        (4096, message(5)), (4096 + length + 1, message(6)), (3 * 4096 - length, message(7)),
      ])
    let (tables, outcome) = try salvage()
    #expect(try sequences(tables) == [1, 2, 3, 4, 5, 6, 7])
    #expect(outcome.messages == 7 && outcome.regions == 0 && outcome.unreadablePages == 0)
    #expect(outcome.counters == nil && tables.counters.quarantined == 0)
  }

  /// The claim of a record is no record, and what lies behind it is one.
  @Test(arguments: [1, 2, 16, 33])
  func aClaimHidesNothing(_ offset: Int) throws {
    var bytes = [UInt8](repeating: 0xA5, count: 4096)
    bytes.replaceSubrange(0..<8, with: [0x48, 0x77, 1, 1, 0xFF, 0xFF, 0, 0])
    bytes.replaceSubrange(offset + 8..<offset + 8 + message(1).bytes.count, with: message(1).bytes)
    writeFile(bytes, to: damaged)
    #expect(try sequences(salvage().tables) == [1])
  }

  /// The file may have been cut anywhere.
  @Test func aPieceOfAPageIsRead() throws {
    writeFile([UInt8](repeating: 0, count: 4096) + message(1).bytes, to: damaged)
    #expect(try sequences(salvage().tables) == [1])
    writeFile([UInt8](repeating: 0, count: 4097), to: damaged)
    unlink(directory.tables)
    #expect(try salvage().outcome.unreadablePages == 0)
  }

  @Test(
    arguments: [
      (0, [1, 2, 3, 4]), (1, [1, 2, 3, 4]), (2, [2, 3, 4]), (4, [4]), (9, []),
    ] as [(UInt64, [UInt64])])
  func acknowledgedMessagesAreNotSalvaged(_ first: UInt64, _ left: [UInt64]) throws {
    writePages(1, (1...4).map { (Int($0) * 400, message($0)) })
    let (tables, outcome) = try salvage(first: first)
    #expect(try sequences(tables) == left)
    #expect(outcome.messages == left.count && tables.counters.queued == left.count)
  }

  /// Freed pages hold older ones.
  @Test(arguments: [false, true])
  func newestOfSeveralCopiesWins(_ isReversed: Bool) throws {
    func copies(_ revision: UInt32) -> [StoreRecord] {
      var counters = StoreCounters(firstSequence: UInt64(revision), lastSequence: UInt64(revision) + 10)
      counters.revision = revision
      counters.quarantined = Int(revision) + 3
      return [
        .encoding(.tag("tag \(revision)"), revision: revision),
        .encoding(.region(Sample.region(1, radius: Double(revision)), .inside), revision: revision),
        counters.record(),
      ]
    }
    let records = [UInt32(5), 6, 7].flatMap(copies) + [message(6), message(7), message(8)]
    let order = isReversed ? records.reversed() : records
    // Eight to a page.
    writePages(2, order.enumerated().map { ($0.offset / 8 * 4096 + $0.offset % 8 * 500, $0.element) })
    let (tables, outcome) = try salvage()
    #expect(try tables.state(.tag)?.tag == "tag 7")
    #expect(try tables.region("rid1")?.knownRegion?.region.radius == 7)
    #expect(try sequences(tables) == [7, 8])
    #expect(outcome.counters?.revision == 7 && outcome.regions == 1 && outcome.messages == 2)
    #expect(tables.counters.revision == 7)
    #expect(tables.counters.lastSequence == 17 && tables.counters.firstSequence == 7)
    #expect(tables.counters.quarantined == 10)
  }

  /// A store that a repair has made begins with them.
  @Test func countersOfNoBatchCount() throws {
    var counters = StoreCounters(lastSequence: 12)
    counters.quarantined = 4
    writePages(1, [(100, counters.record())])
    let (tables, outcome) = try salvage()
    #expect(outcome.counters == counters)
    #expect(tables.counters.lastSequence == 12 && tables.counters.quarantined == 4)
  }

  @Test func ordersAreNotCarriedOutAgain() throws {
    let orders: [StoreWrite] = [
      .remove([1]), .regionRemoved(rid: "rid1"), .pruneHistory(keep: 0, since: nil),
      .removePoints(HistoryPart()),
    ]
    var records: [StoreRecord] = [
      message(1), .encoding(.region(Sample.region(1), .inside), revision: 1),
      .encoding(.history(Sample.location(1)), revision: 1, historyID: 8),
    ]
    records += orders.map { .encoding($0, revision: 2) }
    writePages(1, records.enumerated().map { ($0.offset * 500, $0.element) })
    let (tables, outcome) = try salvage()
    #expect(outcome.messages == 1 && outcome.regions == 1)
    #expect(tables.counters.historyCount == 1 && tables.counters.lastHistory == 8)
  }

  /// It lies in pieces, on pages that only SQLite can put together.
  @Test func aMessageLongerThanAPageIsSaved() throws {
    let file = try StoreFile(directory: directory.path)
    let long = [2, 4].map { Sample.message($0, payload: 20_000) }
    try file.apply([.insert(Sample.message(1)), .insert(long[0])])
    try file.apply([.insert(Sample.message(3)), .insert(long[1])])
    file.close()
    rename(directory.tables, damaged)
    let (tables, outcome) = try salvage()
    #expect(outcome.messages == 4)
    var found: [Message] = []
    try tables.messages(after: 0, limit: 9) { _, bytes in
      if let message = StoreRecord(checking: bytes)?.message { found.append(message) }
      return true
    }
    #expect(found == [Sample.message(1), long[0], Sample.message(3), long[1]])
  }

  @Test func salvageOfAMissingFileThrows() {
    let cause = "No such file or directory"
    #expect(throws: StoreError.failing(path: damaged, doing: "reading", cause: cause)) { try salvage() }
  }

  /// A file of the kernel's that has a page and gives none: it is there with every processor.
  private static let refusing = "/sys/devices/system/cpu/power/autosuspend_delay_ms"

  @Test(.enabled(if: access(refusing, R_OK) == 0, "there is no file here that cannot be read"))
  func pagesThatTheDeviceDoesNotGiveAreCounted() throws {
    let tables = try StoreTables(path: directory.tables, vfs: nil)
    let outcome = try StoreSalvage.run(damaged: Self.refusing, into: tables, firstSequence: 0)
    #expect(outcome.unreadablePages == 1)
  }

  @Test func theDamagedStoreIsClosedAgain() throws {
    writePages(1, [(0, message(1))])
    _ = try salvage()
    let path = damaged
    #expect(StoreFolder.open(at: path).isEmpty)
  }
}
