import CSQLite
import Model
import TestSupport
import Testing

@testable import Storage

/// Which files are taken for a store, and what becomes of an empty one.
struct StoreLayoutTests {
  private let directory = StoreDirectory()

  private func open() throws -> StoreTables { try StoreTables(path: directory.tables, vfs: nil) }

  private func run(_ sql: String) {
    var database: OpaquePointer?
    sqlite3_open(directory.tables, &database)
    #expect(sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK, "\(sql)")
    sqlite3_close(database)
  }

  /// A closed store of one region.
  private func fill() throws {
    let tables = try open()
    try tables.apply(.encoding(.region(Sample.region(1), .inside), revision: 1))
    try tables.commit()
    tables.close()
  }

  private func change(_ changes: [Int: UInt8]) {
    var bytes = readFile(directory.tables)
    for (offset, byte) in changes { bytes[offset] = byte }
    writeFile(bytes, to: directory.tables)
  }

  /// What is said of it; nil: it is opened.
  private func refusal() -> String? {
    do {
      try open().close()
      return nil
    } catch {
      if case .damaged(directory.tables, let cause)? = error as? StoreError { return cause }
      return "\(error)"
    }
  }

  @Test func aNewStoreIsMarkedAsOurs() throws {
    let tables = try open()
    #expect(tables.database.isInTransaction)
    let marks = [("user_version", 0x01FE), ("application_id", 0x4877_7374), ("auto_vacuum", 2)]
    for (pragma, value) in marks {
      #expect(try tables.database.number("PRAGMA \(pragma)") == Int64(value), "\(pragma)")
    }
    // From its first moment on.
    #expect(try tables.state(.clientIDForm)?.clientIDForm == .apart)
    #expect(try tables.state(.entered)?.entered == [])
    #expect(try tables.database.number("SELECT count(*) FROM state") == 2)
    tables.close()
    #expect(refusal() == nil)
    #expect(try open().state(.entered)?.entered == [])
  }

  /// The complement keeps a flipped bit from making another version; a small number stands for itself.
  @Test(
    arguments: [
      (0x01FE, 1), (0x02FD, 2), (0x7F80, 127), (0xFF00, 255), (2, 2), (249, 249), (250, nil), (1, nil),
      (0, nil), (255, nil), (0x01FF, nil), (0x0100, nil), (0x02FE, nil), (0x100FF, nil), (0x101FE, nil),
      (-1, nil), (0x1_0000_01FE, nil),
    ] as [(Int64, Int32?)])
  func theNumberOfAFormat(_ mark: Int64, _ version: Int32?) {
    #expect(StoreTables.version(of: mark) == version)
    if let version, mark > 255 { #expect(StoreTables.mark(of: version) == mark) }
  }

  @Test(arguments: [2, 7, 0x02FD])
  func aLaterFormatIsLeftAlone(_ mark: Int32) throws {
    try fill()
    run("PRAGMA user_version=\(mark)")
    let before = readFile(directory.tables)
    let version = try #require(StoreTables.version(of: Int64(mark)))
    #expect(throws: StoreError.newer(path: directory.tables, version: Int(version), known: 1)) { try open() }
    #expect(readFile(directory.tables) == before)
  }

  @Test(arguments: [0, 1, 0x01FF])
  func aFormatThatIsGarbledIsDamage(_ mark: Int32) throws {
    try fill()
    run("PRAGMA user_version=\(mark)")
    #expect(refusal() == "its format number is garbled")
  }

  @Test func aStoreWithoutItsTablesIsDamage() throws {
    run("PRAGMA page_size=4096; PRAGMA auto_vacuum=2; PRAGMA user_version=\(0x01FE)")
    #expect(refusal() != nil)
  }

  /// Of the write-ahead kind; reading version; schema format; encoding; full vacuum.
  @Test(arguments: [[18: 2], [19: 2], [18: 2, 19: 2], [47: 1], [58: 1], [67: 0]] as [[Int: UInt8]])
  func aHeaderThatIsNotOursIsDamage(_ changes: [Int: UInt8]) throws {
    try fill()
    change(changes)
    #expect(refusal() == "its header is not a store's")
  }

  @Test(
    arguments: [[0: 1], [16: 32], [16: 0, 17: 1], [20: 8], [21: 1], [22: 0], [23: 0], [59: 2]]
      as [[Int: UInt8]])
  func aHeaderThatSQLiteDoesNotTakeIsDamage(_ changes: [Int: UInt8]) throws {
    try fill()
    change(changes)
    #expect(refusal() != nil)
  }

  @Test(arguments: [
    "UPDATE sqlite_schema SET sql=replace(sql,'PRIMARY','primary') WHERE name='state'",
    "UPDATE sqlite_schema SET sql=replace(sql,'BLOB NOT NULL','BLOB') WHERE name='quarantine'",
  ])
  func tablesThatAreDescribedOtherwiseAreDamage(_ sql: String) throws {
    try fill()
    run("PRAGMA writable_schema=ON; " + sql)
    #expect(refusal() == "its tables are not described as a store's")
  }

  @Test func aTableOfALaterVersionIsNone() throws {
    try fill()
    run("CREATE TABLE later(x)")
    #expect(refusal() == nil)
  }

  @Test func aPageThatIsGarbledIsDamage() throws {
    let tables = try open()
    for sequence in 1...100 as ClosedRange<UInt64> {
      try tables.apply(.encoding(.insert(Sample.message(sequence)), revision: 1))
    }
    try tables.commit()
    let last = Int(try tables.database.number("PRAGMA page_count")) - 1
    tables.close()
    change([last * 4096: 0x77])
    let cause = try #require(refusal())
    #expect(cause.contains("\(last + 1)") && !cause.contains("\n"), "it names the page: \(cause)")
  }

  @Test func aRegionUnderAnothersIdIsDamage() throws {
    try fill()
    run("UPDATE region SET rid='rid2'")
    #expect(refusal() == "a region is kept under another's id")
    run("UPDATE region SET rid=cast('rid1' AS BLOB)")
    #expect(refusal() == "a region is kept under another's id")
    run("UPDATE region SET rid='rid1'")
    #expect(refusal() == nil)
  }

  @Test func anIndexThatItsTableContradictsIsDamage() throws {
    try fill()
    let bytes = readFile(directory.tables)
    let index = try #require(
      bytes.indices.first { bytes[$0 / 4096 * 4096] == 0x0A && bytes[$0...].starts(with: Array("rid1".utf8)) }
    )
    change([index + 3: 0x32])
    let cause = try #require(refusal())
    #expect(cause.contains("sqlite_autoindex_region_1"), "\(cause)")
  }

  /// Above this size a full check would delay the start.
  @Test(arguments: [2048, 2049])
  func aLargeStoreIsNotCheckedAtTheStart(_ pages: Int64) throws {
    try fill()
    let tables = try open()
    let before = try tables.database.number("PRAGMA page_count")
    // Beside what lies in its row a value takes 4092 bytes of each page; two maps of pages come besides.
    for blob in (1...8).map({ pages - before - 4 + $0 }).reversed() {
      try tables.database.execute(
        "DELETE FROM quarantine; INSERT INTO quarantine VALUES(1,'x',zeroblob(4092*\(blob - 2)))")
      try tables.database.execute("PRAGMA incremental_vacuum")
      if try tables.database.number("PRAGMA page_count") == pages { break }
    }
    #expect(try tables.database.number("PRAGMA page_count") == pages)
    try tables.database.execute("UPDATE region SET rid='rid2'")
    try tables.commit()
    tables.close()
    #expect(readFile(directory.tables).count == pages * 4096)
    #expect(refusal() == (pages == 2048 ? "a region is kept under another's id" : nil))
  }

  // MARK: Giving space back

  /// Pages that a commit gives back in a file that has so many free ones of all. The rest is filled with one row.
  private func givenBack(_ pages: Int64, free: (_ all: Int64) -> Int64) throws -> Int64 {
    let tables = try open()
    let database = tables.database
    try database.execute("INSERT INTO quarantine VALUES(1,'x',zeroblob(4092*\(pages)))")
    try database.execute("DELETE FROM quarantine")
    let all = try database.number("PRAGMA page_count")
    let wanted = free(all)
    let taken = try database.number("PRAGMA freelist_count") - wanted
    if taken > 0 { try database.execute("INSERT INTO quarantine VALUES(2,'x',zeroblob(4092*\(taken)))") }
    try #require(try database.number("PRAGMA freelist_count") == wanted)
    try #require(try database.number("PRAGMA page_count") == all)
    try tables.commit()
    return try wanted - database.number("PRAGMA freelist_count")
  }

  @Test(arguments: [(1024, 0), (1025, 256)])
  func aFewFreePagesAreKept(_ free: Int64, _ given: Int64) throws {
    #expect(try givenBack(1200) { _ in free } == given)
  }

  /// Half of them is no reason.
  @Test(arguments: [(0, 0), (1, 256)])
  func moreThanHalfMustBeFree(_ more: Int64, _ given: Int64) throws {
    // An even number of pages, so that half of them can be free.
    let tables = try open()
    let odd = try tables.database.number("PRAGMA page_count") % 2
    tables.close()
    try #require(odd == 1 || odd == 0)
    #expect(try givenBack(2400 + odd) { $0 / 2 + more } == given)
  }
}
