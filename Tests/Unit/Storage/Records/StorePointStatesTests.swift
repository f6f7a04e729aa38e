import Model
import TestSupport
import Testing

@testable import Storage

/// A point of the history says of its fix that it is the last position, or the last published one: its batch has one
/// record in place of three, and what is read back is the same.
struct StorePointStatesTests {
  private let directory = StoreDirectory()

  /// After a crash: from the log alone.
  private func crashed(_ batches: [[StoreWrite]]) throws -> Snapshot {
    let file = try StoreFile(directory: directory.path)
    for batch in batches { try file.apply(batch) }
    file.abandon()
    return try StoreFile(directory: directory.path).snapshot()
  }

  private func places(_ batches: [StoreWrite]...) throws -> [Fix?] {
    let snapshot = try crashed(batches)
    #expect(snapshot.historyCount > 0)
    return [snapshot.position, snapshot.reference]
  }

  @Test func oneRecordSaysAllThree() throws {
    let batch: [StoreWrite] = [
      .history(Sample.location(1)), .history(Sample.location(2)), .reference(Sample.fix(2)),
      .position(Sample.fix(2)),
    ]
    #expect(try places(batch) == [Sample.fix(2), Sample.fix(2)])
    let bytes = readFile(directory.path + "/store.log")
    let heads = bytes.indices.dropLast(2).filter { bytes[$0] == 0x48 && bytes[$0 + 1] == 0x77 }
    #expect(heads.map { bytes[$0 + 2] } == [StoreRecord.Kind.history, .history].map(\.rawValue))
  }

  // behaviour: A disk that fails, fills or lies
  @Test func positionsOfOtherFixesAreRestored() throws {
    let batch: [StoreWrite] = [
      .history(Sample.location(2)), .reference(Sample.fix(1)), .position(Sample.fix(3)),
    ]
    #expect(try places(batch) == [Sample.fix(3), Sample.fix(1)])
  }

  @Test(arguments: [(3, 2), (2, 3)])
  func lastOfTwoPositionsWins(_ first: Int, _ second: Int) throws {
    let batch: [StoreWrite] = [
      .position(Sample.fix(first)), .history(Sample.location(2)), .position(Sample.fix(second)),
      .reference(Sample.fix(second)), .reference(Sample.fix(first)),
    ]
    #expect(try places(batch) == [Sample.fix(second), Sample.fix(first)])
  }

  @Test func aPointThatSaysNothingElseMovesNothing() throws {
    let places = try places(
      [.history(Sample.location(1)), .position(Sample.fix(1)), .reference(Sample.fix(1))],
      [.history(Sample.location(2))], [.history(Sample.location(3)), .position(Sample.fix(3))])
    #expect(places == [Sample.fix(3), Sample.fix(1)])
  }

  /// The tables have what they had: an earlier version reads them.
  @Test func theTablesHaveThemApart() throws {
    let file = try StoreFile(directory: directory.path)
    try file.apply([.history(Sample.location(1)), .position(Sample.fix(1)), .reference(Sample.fix(1))])
    #expect(try file.tables?.state(.position)?.fix == Sample.fix(1))
    #expect(try file.tables?.state(.reference)?.fix == Sample.fix(1))
  }

  /// Of a damaged store points are found in any order.
  @Test func salvageTakesTheNewest() throws {
    let points = [3, 1, 2].map { number in
      StoreRecord.encoding(
        .history(Sample.location(number)), revision: UInt32(number), historyID: Int64(number),
        states: number == 2 ? [.position] : [.position, .reference])
    }
    var page = [UInt8](repeating: 0xA5, count: 4096)
    for (index, point) in points.enumerated() {
      page.replaceSubrange(512 * index..<(512 * index + point.bytes.count), with: point.bytes)
    }
    writeFile(page, to: directory.path + "/damaged")
    let tables = try StoreTables(path: directory.tables, vfs: nil)
    _ = try StoreSalvage.run(damaged: directory.path + "/damaged", into: tables, firstSequence: 0)
    #expect(tables.counters.historyCount == 3)
    #expect(try tables.state(.position)?.fix == Sample.fix(3))
    #expect(try tables.state(.reference)?.fix == Sample.fix(3))
  }

  // behaviour: A disk that fails, fills or lies
  @Test func aLocationThatWaitsIsOneSector() throws {
    let file = try StoreFile(directory: directory.path)
    try file.apply([.insert(Sample.message(1))])
    let before = file.bytesWritten
    for number in 2...101 {
      try file.apply([
        .insert(Sample.message(UInt64(number))), .history(Sample.location(number)),
        .position(Sample.fix(number)), .reference(Sample.fix(number)),
      ])
    }
    #expect(file.bytesWritten - before == 100 * 512)
  }
}
