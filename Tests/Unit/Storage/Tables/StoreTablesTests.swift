import Model
import TestSupport
import Testing
import Timebase

@testable import Storage

/// What each record does to the tables and to their counts, which nobody counts anew.
struct StoreTablesTests {
  private let directory = StoreDirectory()

  private func open() throws -> StoreTables { try StoreTables(path: directory.tables, vfs: nil) }

  private func apply(_ writes: [StoreWrite], to tables: StoreTables) throws {
    for write in writes { try tables.apply(.encoding(write, revision: 1)) }
  }

  private func insert(_ sequences: ClosedRange<UInt64>, into tables: StoreTables) throws {
    try apply(sequences.map { .insert(Sample.message($0)) }, to: tables)
  }

  private func points(_ numbers: ClosedRange<Int64>, in tables: StoreTables) throws {
    for number in numbers {
      try tables.apply(
        .encoding(.history(Sample.location(Int(number))), revision: 1, historyID: number))
    }
  }

  private func sequences(_ tables: StoreTables) throws -> [UInt64] {
    try tables.heads(after: 0, limit: 100).map(\.sequence)
  }

  private func pointNumbers(_ tables: StoreTables) throws -> [Int64] {
    var numbers: [Int64] = []
    try tables.records("SELECT record FROM history ORDER BY id", from: "history") {
      numbers.append($0.historyPoint?.id ?? 0)
    }
    return numbers
  }

  /// Source and bytes of what lies in quarantine.
  private func quarantine(_ tables: StoreTables) throws -> [String] {
    let rows = try tables.database.prepare("SELECT source,record FROM quarantine ORDER BY id")
    var found: [String] = []
    while try rows.step() { found.append("\(rows.text(0)) \(rows.blob(1))") }
    return found
  }

  private let size = Sample.message(1).size

  @Test func messagesAreCounted() throws {
    let tables = try open()
    #expect(tables.changes == 0 && tables.counters == StoreCounters(firstSequence: 1))
    try insert(4...6, into: tables)
    try insert(5...5, into: tables)
    #expect(tables.changes == 4)
    #expect(
      tables.counters
        == StoreCounters(queued: 3, queuedBytes: 3 * size, firstSequence: 1, lastSequence: 6))
    try tables.commit()
    #expect(tables.changes == 0 && tables.database.isInTransaction)
    #expect(
      tables.counters
        == StoreCounters(queued: 3, queuedBytes: 3 * size, firstSequence: 4, lastSequence: 6))
    // One that salvage brings back is older than all.
    try insert(2...2, into: tables)
    #expect(tables.counters.firstSequence == 2 && tables.counters.lastSequence == 6)
  }

  @Test(
    arguments: [
      (4...4, [1, 2, 3, 5, 6]), (1...2, [3, 4, 5, 6]), (5...6, [1, 2, 3, 4]), (5...UInt64.max, [1, 2, 3, 4]),
      (1...6, []), (0...UInt64.max, []), (7...9, [1, 2, 3, 4, 5, 6]),
    ] as [(ClosedRange<UInt64>, [UInt64])])
  func aRangeTakesItsMessagesAndTheirBytes(_ range: ClosedRange<UInt64>, _ left: [UInt64]) throws {
    let tables = try open()
    try insert(1...6, into: tables)
    try tables.remove(range)
    #expect(try sequences(tables) == left)
    #expect(tables.counters.queued == left.count && tables.counters.queuedBytes == left.count * size)
    try tables.commit()
    #expect(tables.counters.firstSequence == left.first ?? 7)
    #expect(tables.counters.lastSequence == 6)
  }

  /// They are held in memory until the next checkpoint.
  @Test func removedRowsAreChanges() throws {
    let tables = try open()
    try insert(1...6, into: tables)
    try tables.apply(.encoding(.remove([2, 3, 5]), revision: 1))
    #expect(tables.changes == 6 + 1 + 3)
  }

  @Test func onlyCommittedChangesSurviveClose() throws {
    let tables = try open()
    try insert(1...6, into: tables)
    try tables.remove(1...6)
    try points(1...4, in: tables)
    try apply([.pruneHistory(keep: 0, since: nil)], to: tables)
    try tables.commit()
    try insert(7...8, into: tables)
    tables.close()
    #expect(!tables.database.isOpen)
    // The first is still held, and has let go of the lock.
    let next = try withExtendedLifetime(tables) { try open() }
    #expect(next.counters == StoreCounters(firstSequence: 7, lastSequence: 6, lastHistory: 4))
    #expect(try sequences(next) == [] && pointNumbers(next) == [])
    try insert(7...8, into: next)
    try next.commit()
    try insert(9...9, into: next)
    next.close()
    let last = try withExtendedLifetime(next) { try open() }
    #expect(try sequences(last) == [7, 8] && last.counters.lastSequence == 8)
  }

  @Test func messagePageEndsWhereTheReaderStops() throws {
    let tables = try open()
    try insert(1...6, into: tables)
    for (after, limit, end, expected) in [
      (0, 9, 9, [1, 2, 3, 4, 5, 6]), (2, 3, 9, [3, 4, 5]), (2, 9, 4, [3, 4]), (6, 9, 9, []),
      (UInt64.max, 9, 9, []),
    ] as [(UInt64, Int, UInt64, [UInt64])] {
      var found: [Message] = []
      try tables.messages(after: after, limit: limit) { key, bytes in
        if let message = StoreRecord(checking: bytes)?.message, message.sequence == key {
          found.append(message)
        }
        return key < end
      }
      #expect(found == expected.map { Sample.message($0) })
      if end == 9 { #expect(try tables.heads(after: after, limit: limit).map(\.sequence) == expected) }
    }
  }

  @Test func aHeadThatSaysAnotherNumberIsLeftOut() throws {
    let tables = try open()
    try insert(1...3, into: tables)
    try tables.database.execute("UPDATE message SET sequence=9 WHERE sequence=2")
    #expect(try sequences(tables) == [1, 3])
  }

  // MARK: History

  @Test func pointsAreCountedAndKeepTheirNumbers() throws {
    let tables = try open()
    try points(1...5, in: tables)
    try points(3...3, in: tables)
    #expect(tables.counters.historyCount == 5 && tables.counters.lastHistory == 5)
    try apply([.removePoints(HistoryPart(numbers: 4...5))], to: tables)
    #expect(tables.counters.historyCount == 3 && tables.counters.lastHistory == 5)
    try apply([.removePoints(HistoryPart(times: 0...Sample.location(1).time.seconds))], to: tables)
    #expect(try pointNumbers(tables) == [2, 3])
    #expect(tables.counters.historyCount == 2)
  }

  @Test(
    arguments: [
      (0, nil, []), (1, nil, [5]), (4, nil, [2, 3, 4, 5]), (5, nil, [1, 2, 3, 4, 5]),
      (9, nil, [1, 2, 3, 4, 5]), (-1, nil, []), (nil, 3, [3, 4, 5]), (nil, 1, [1, 2, 3, 4, 5]),
      (nil, 6, []), (2, 3, [4, 5]), (4, 4, [4, 5]), (nil, nil, [1, 2, 3, 4, 5]),
    ] as [(Int?, Int?, [Int64])])
  func oldPointsArePruned(_ keep: Int?, _ since: Int?, _ left: [Int64]) throws {
    let tables = try open()
    try points(1...5, in: tables)
    try apply([.pruneHistory(keep: keep, since: since.map { Sample.location($0).time.seconds })], to: tables)
    #expect(try pointNumbers(tables) == left)
    #expect(tables.counters.historyCount == left.count)
  }

  // MARK: Regions and state

  @Test func aRegionKeepsItsPlace() throws {
    let tables = try open()
    try apply((1...3).map { .region(Sample.region($0), .outside) }, to: tables)
    try apply([.region(Sample.region(1), .inside), .regionRemoved(rid: "rid2")], to: tables)
    #expect(tables.changes == 5)
    var found: [Snapshot.KnownRegion] = []
    try tables.records("SELECT record FROM region ORDER BY id", from: "region") {
      if let known = $0.knownRegion { found.append(known) }
    }
    #expect(found.map(\.region.rid) == ["rid1", "rid3"])
    #expect(found.map(\.presence) == [.inside, .outside])
    #expect(try tables.region("rid3")?.knownRegion?.region == Sample.region(3))
    #expect(try tables.region("rid2") == nil)
  }

  @Test func aRowThatTheIndexNamesInErrorIsDamage() throws {
    let tables = try open()
    try apply([.region(Sample.region(1), .inside)], to: tables)
    try tables.database.execute("UPDATE region SET rid='rid2'")
    #expect(
      throws: StoreError.damaged(
        path: directory.tables, cause: "the index of its regions leads to another")
    ) { _ = try tables.region("rid2") }
  }

  @Test func newestStateWins() throws {
    let tables = try open()
    #expect(try tables.state(.tag) == nil)
    try apply([.tag("a"), .tag("b"), .dropped(3)], to: tables)
    #expect(try tables.state(.tag)?.tag == "b")
    #expect(try tables.state(.dropped)?.dropped == 3)
    #expect(try quarantine(tables) == [])
  }

  @Test func stateThatIsNotSoundGoesToQuarantine() throws {
    let tables = try open()
    try tables.database.execute("INSERT INTO state VALUES(11,x'0102')")
    #expect(try tables.state(.dropped) == nil)
    #expect(StoreRecord.Kind.dropped.rawValue == 11)
    // Sound, and under another's number.
    try apply([.dropped(3)], to: tables)
    try tables.database.execute("UPDATE state SET kind=10 WHERE kind=11")
    let changes = tables.changes
    #expect(try tables.state(.tag) == nil)
    #expect(tables.changes == changes + 1)
    #expect(tables.counters.quarantined == 2)
    let dropped = StoreRecord.encoding(.dropped(3), revision: 1).bytes
    #expect(try quarantine(tables) == ["state [1, 2]", "state \(dropped)"])
  }

  @Test func aRowThatIsNotSoundGoesToQuarantineAndTheOthersAreRead() throws {
    let tables = try open()
    try points(1...3, in: tables)
    try tables.database.execute("UPDATE history SET record=x'07' WHERE id=2")
    #expect(try pointNumbers(tables) == [1, 3])
    #expect(tables.counters.quarantined == 1)
    #expect(try quarantine(tables) == ["history [7]"])
  }

  /// Each start reads the same row, and a file must not grow by starts alone.
  @Test func quarantinedRowIsNotQuarantinedAgain() throws {
    let tables = try open()
    try tables.database.execute("INSERT INTO state VALUES(11,x'0102')")
    for _ in 1...3 { #expect(try tables.state(.dropped) == nil) }
    #expect(tables.counters.quarantined == 1 && tables.changes == 1)
    // The same bytes of another row are another loss.
    try tables.quarantine([1, 2], from: "history")
    #expect(tables.counters.quarantined == 2)
    #expect(try quarantine(tables) == ["state [1, 2]", "history [1, 2]"])
  }

  // MARK: Counting

  /// One that the tables contradict counts for nothing, and one that they do not is believed.
  @Test(arguments: [0, 3])
  func countersThatTheTablesContradictAreCountedAnew(_ count: UInt64) throws {
    let tables = try open()
    try insert(1...3, into: tables)
    if count == 0 { try tables.remove(1...3) }
    try points(1...5, in: tables)
    try tables.quarantine([1], from: "test")
    try tables.commit()
    let right = tables.counters
    tables.counters.quarantined = 7
    try tables.commit()
    tables.close()
    var next = try open()
    #expect(next.counters.quarantined == 7)
    // Empty where it is not, and the other way round.
    next.counters = StoreCounters(
      queued: count == 0 ? 1 : 0, queuedBytes: 5, lastSequence: right.lastSequence)
    try next.commit()
    next.close()
    next = try open()
    #expect(next.counters == right)
  }

  @Test func countersThatAreMissingAreCountedAnew() throws {
    let tables = try open()
    try insert(2...4, into: tables)
    try points(3...5, in: tables)
    try tables.quarantine([1], from: "test")
    try tables.commit()
    try tables.database.execute("DELETE FROM state WHERE kind=12; COMMIT")
    let counted = tables.counters
    tables.close()
    #expect(try open().counters == counted)
  }

  /// What was given is not given again, even if the rows are gone.
  @Test func countingDoesNotTakeBackNumbers() throws {
    let tables = try open()
    tables.counters = StoreCounters(lastSequence: 50, lastHistory: 60)
    try insert(2...4, into: tables)
    try points(3...5, in: tables)
    try tables.recount()
    #expect(
      tables.counters
        == StoreCounters(
          queued: 3, queuedBytes: 3 * size, firstSequence: 2, lastSequence: 50, historyCount: 3,
          lastHistory: 60))
  }
}

extension StoreCounters {
  init(
    queued: Int = 0, queuedBytes: Int = 0, firstSequence: UInt64 = 0, lastSequence: UInt64 = 0,
    historyCount: Int = 0, lastHistory: Int64 = 0
  ) {
    self.init()
    self.queued = queued
    self.queuedBytes = queuedBytes
    self.firstSequence = firstSequence
    self.lastSequence = lastSequence
    self.historyCount = historyCount
    self.lastHistory = lastHistory
  }
}
