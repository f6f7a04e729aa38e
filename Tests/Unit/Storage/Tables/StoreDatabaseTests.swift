import CSQLite
import Glibc
import Model
import TestSupport
import Testing

@testable import Storage

/// One connection: what it is set to, how values pass through it, and its words for what goes wrong.
struct StoreDatabaseTests {
  private let directory = StoreDirectory()

  private func open() throws -> StoreDatabase {
    try StoreDatabase(path: directory.tables, access: .owner)
  }

  @Test func aConnectionIsSetUpAsTheStoreNeedsIt() throws {
    let database = try open()
    let settings = [
      ("page_size", 4096), ("cache_size", -512), ("mmap_size", 0), ("temp_store", 2), ("secure_delete", 2),
      ("synchronous", 2), ("journal_size_limit", 262_144), ("trusted_schema", 0), ("cell_size_check", 1),
    ]
    for (pragma, value) in settings {
      #expect(try database.number("PRAGMA \(pragma)") == Int64(value), "\(pragma)")
    }
    let locking = try database.prepare("PRAGMA locking_mode")
    #expect(try locking.step() && locking.text(0) == "exclusive")
  }

  @Test func everyValueComesBack() throws {
    let database = try open()
    try database.execute("CREATE TABLE t(a,b,c,d,e)")
    let insert = try database.prepare("INSERT INTO t VALUES(?,?,?,?,NULL)")
    #expect(try insert.bind(.number(.min), .real(0.1), .text("ü\n'"), .blob([0, 255])).run() == 1)
    #expect(try insert.bind(.number(7), .real(-2), .text(""), .blob([])).run() == 1)
    let rows = try database.prepare("SELECT * FROM t WHERE a<?")
    for (bound, first) in [(Int64(100), Int64.min), (0, .min)] {
      #expect(try rows.bind(.number(bound)).step())
      #expect(rows.number(0) == first && rows.real(1) == 0.1)
      #expect(rows.text(2) == "ü\n'" && rows.blob(3) == [0, 255])
      #expect(rows.numberIfAny(0) == first && rows.numberIfAny(4) == nil)
    }
    #expect(try rows.bind(.number(100)).step() && rows.step())
    #expect(rows.number(0) == 7 && rows.text(2) == "" && rows.blob(3) == [])
    #expect(try !rows.step())
    #expect(try database.number("SELECT 7") == 7)
    #expect(try database.number("SELECT 7 WHERE 0") == 0)
    #expect(try database.prepare("DELETE FROM t").run() == 2)
  }

  @Test func aTransactionIsOpenUntilItIsCommitted() throws {
    let database = try open()
    #expect(!database.isInTransaction)
    try database.execute("BEGIN")
    #expect(database.isInTransaction)
    try database.execute("COMMIT")
    #expect(!database.isInTransaction)
  }

  @Test func bytesWrittenAreCountedInPages() throws {
    let database = try open()
    #expect(database.bytesWritten == 0)
    try database.execute("CREATE TABLE t(a)")
    let first = database.bytesWritten
    #expect(first == 2 * 4096, "the description and the table")
    try database.execute("INSERT INTO t VALUES(1)")
    let second = database.bytesWritten
    #expect(second == first + 4096, "the table")
    #expect(try database.number("SELECT a FROM t") == 1)
    #expect(database.bytesWritten == second, "reading and asking write nothing")
  }

  /// A statement that somebody still holds would keep the file locked.
  @Test func aClosedConnectionHoldsNothing() throws {
    let database = try open()
    try database.execute("CREATE TABLE t(a); INSERT INTO t VALUES(1)")
    let statement = try database.prepare("SELECT a FROM t")
    #expect(try statement.step())
    #expect(database.isOpen)
    #expect(throws: StoreError.inUse(path: directory.tables)) { try open().number("SELECT a FROM t") }
    database.close()
    #expect(!database.isOpen)
    database.close()
    defer { withExtendedLifetime((database, statement)) {} }
    #expect(try open().number("SELECT a FROM t") == 1)
  }

  @Test func sqliteErrorsBecomeStoreErrors() throws {
    let database = try open()
    let path = directory.tables
    for sql in ["SELECT a FROM nowhere", "nonsense"] {
      #expect(performing: { try database.execute(sql) }, throws: { ($0 as? StoreError)?.isDamage == true })
      #expect(
        performing: { _ = try database.prepare(sql) }, throws: { ($0 as? StoreError)?.isDamage == true })
    }
    try database.execute("CREATE TABLE t(a INTEGER PRIMARY KEY)")
    let insert = try database.prepare("INSERT INTO t VALUES(?)")
    try insert.bind(.number(1)).run()
    let cause = "UNIQUE constraint failed: t.a"
    #expect(throws: StoreError.damaged(path: path, cause: cause)) { try insert.bind(.number(1)).run() }
    #expect(try insert.bind(.number(2)).run() == 1)
    for sql in ["COMMIT", "COMMIT now", "COMMIT\nnow"] {
      let error = database.failure(sql)
      guard case .failing(path, "commit", _) = error else {
        Issue.record("\(error)")
        continue
      }
    }
  }

  @Test func unopenableDatabaseThrows() {
    let path = directory.path + "/missing/store.sqlite"
    let met = error { _ = try StoreDatabase(path: path, access: .owner) }
    if case .failing(path, "opening", _)? = met { return }
    Issue.record("\(String(describing: met))")
  }

  private func error(_ body: () throws -> Void) -> StoreError? {
    do { try body() } catch { return error as? StoreError }
    return nil
  }

  /// What would end the path of a URI, or stand for another byte there.
  @Test func damagedStoreNamedWithURICharactersIsRead() throws {
    let database = try open()
    try database.execute("CREATE TABLE t(a); INSERT INTO t VALUES(5)")
    database.close()
    let path = directory.path + "/a%41?b#cü"
    writeFile(readFile(directory.tables), to: path)
    defer { unlink(path) }
    let damaged = try StoreDatabase(path: path, access: .damaged)
    #expect(try damaged.number("SELECT a FROM t") == 5)
    #expect(throws: StoreError.readOnly(path: path)) { try damaged.execute("DELETE FROM t") }
    #expect(try damaged.number("PRAGMA cell_size_check") == 0, "as it is, and nothing is set")
  }

  // MARK: The journal

  /// A closed store with a journal that has ended, and goes on behind its zeros.
  private func ended(_ count: Int) throws -> String {
    try StoreTables(path: directory.tables, vfs: nil).close()
    let journal = directory.tables + "-journal"
    writeFile([0] + [UInt8](repeating: 7, count: count - 1), to: journal)
    return journal
  }

  /// Its header is 28 bytes: a shorter one never began, and to make it longer takes room that a full disk has not.
  @Test(arguments: [(600, 28), (29, 28), (28, 28), (27, 1), (1, 1)])
  func aJournalThatHasEndedIsEndedForGood(_ count: Int, _ zeros: Int) throws {
    let journal = try ended(count)
    let tables = try StoreTables(path: directory.tables, vfs: nil)
    #expect(
      readFile(journal)
        == [UInt8](repeating: 0, count: zeros) + [UInt8](repeating: 7, count: count - zeros))
    tables.close()
  }

  @Test func withoutAJournalNoneIsMade() throws {
    unlink(try ended(100))
    let tables = try StoreTables(path: directory.tables, vfs: nil)
    #expect(directory.names == ["store.sqlite"])
    try tables.apply(.encoding(.dropped(1), revision: 1))
    try tables.commit()
    // It stays, and only its head is zeroed.
    let journal = readFile(directory.tables + "-journal")
    #expect(journal.count > 4096 && journal[..<28].allSatisfy { $0 == 0 })
    tables.close()
  }
}

/// On the device that fails, of which there is one: these wait for the others.
extension StoreDiskTests {
  @Test func anEndedJournalIsSyncedBeforeAnythingIsWritten() throws {
    FailingVFS.register()
    let directory = StoreDirectory()
    try StoreTables(path: directory.tables, vfs: FailingVFS.name).close()
    for (number, word) in [(1, "ending"), (2, "syncing"), (3, nil)] as [(Int32, String?)] {
      writeFile([UInt8](repeating: 0, count: 100), to: directory.tables + "-journal")
      FailingVFS.arm(at: number)
      defer { FailingVFS.arm(at: 0) }
      var met: String?
      do { try StoreTables(path: directory.tables, vfs: FailingVFS.name).close() } catch {
        if case .failing(_, let doing, _) = error { met = doing }
      }
      #expect(met == word)
    }
  }

  @Test func eachPageThatTheDeviceDoesNotGiveIsCounted() throws {
    FailingVFS.register()
    let directory = StoreDirectory()
    try StoreTables(path: directory.tables, vfs: FailingVFS.name).close()
    let number = FailingVFS.number(of: directory.tables)
    FailingVFS.unreadable = (file: number, page: -1)
    defer { FailingVFS.unreadable = nil }
    let database = try StoreDatabase(path: directory.tables, access: .owner, vfs: FailingVFS.name)
    let count = try database.number("PRAGMA page_count")
    #expect(database.unreadablePages(of: count + 2) == 0, "what lies behind the end is not refused")
    for page in [0, count - 1] {
      FailingVFS.unreadable = (file: number, page: page)
      #expect(database.unreadablePages(of: count) == 1)
    }
    #expect(database.unreadablePages(of: count - 1) == 0)
  }
}
