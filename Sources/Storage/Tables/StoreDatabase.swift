import CSQLite

/// One connection to SQLite with the pragmas that the store needs, and its failures as `StoreError`.
final class StoreDatabase {
  /// How a connection is meant.
  enum Access {
    /// The daemon's: created where missing, locked for as long as it is open.
    case owner
    /// A look into a damaged store that was set aside: no lock, no recovery, no write.
    case damaged
  }

  /// Bytes: a block of most file systems and cards; salvage reads the file by it.
  static let pageSize = 4096

  let path: String
  private var handle: OpaquePointer?

  init(path: String, access: Access, vfs: String? = nil) throws(StoreError) {
    self.path = path
    let name: String
    let flags: Int32
    switch access {
    case .owner:
      if vfs == nil { try StoreOpening.checkTables(path) }
      name = path
      flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    case .damaged:
      name = "file:" + Self.escaped(path) + "?immutable=1"
      flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX
    }
    Self.lean
    let code = sqlite3_open_v2(name, &handle, flags, vfs)
    guard code == SQLITE_OK else {
      let error = failure("opening")
      close()
      throw error
    }
    sqlite3_extended_result_codes(handle, 1)
    if access == .owner { try prepareOwner() }
  }

  /// Once in the process's life.
  private static let lean: Void = homeward_sqlite_lean()

  /// Rollback journal, not WAL: checkpoints are rare and mostly append, and pages that are new need no
  /// journal, so a page is written once where WAL would write it twice. Nothing else may read the file
  /// meanwhile, hence EXCLUSIVE; zeroing deleted rows in place is free and keeps salvage honest.
  private func prepareOwner() throws(StoreError) {
    // A file that is mapped ends the process where it became shorter, or where a sector cannot be read;
    // read, it is an error. Nothing of a damaged description is run, and no cell reaches beyond its page.
    for pragma in [
      "page_size=\(Self.pageSize)", "locking_mode=EXCLUSIVE",
      "cache_size=-512", "mmap_size=0", "temp_store=MEMORY", "secure_delete=FAST", "synchronous=FULL",
      "journal_size_limit=262144", "trusted_schema=OFF", "cell_size_check=ON",
    ] {
      try execute("PRAGMA \(pragma)")
    }
  }

  deinit { close() }

  /// Statements end with it: one left over would keep the file open, and locked.
  func close() {
    guard handle != nil else { return }
    while let statement = sqlite3_next_stmt(handle, nil) { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
    handle = nil
  }

  var isOpen: Bool { handle != nil }

  /// Our own text: what comes from outside is bound, or is a number.
  func execute(_ sql: String) throws(StoreError) {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
  }

  /// It lives as long as the connection does, if somebody holds it.
  func prepare(_ sql: String) throws(StoreError) -> StoreStatement {
    var statement: OpaquePointer?
    let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
    guard sqlite3_prepare_v3(handle, sql, -1, flags, &statement, nil) == SQLITE_OK, let statement else {
      throw failure(sql)
    }
    return StoreStatement(statement, of: self)
  }

  /// The first column of the first row as a number; 0 without a row.
  func number(_ sql: String) throws(StoreError) -> Int64 {
    let statement = try prepare(sql)
    return try statement.step() ? statement.number(0) : 0
  }

  /// Rows that the statement just run has changed.
  var changes: Int { Int(sqlite3_changes(handle)) }

  /// Bytes of pages that this connection has written to the file.
  var bytesWritten: Int {
    var pages: Int32 = 0
    var highest: Int32 = 0
    sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_WRITE, &pages, &highest, 0)
    return Int(pages) * Self.pageSize
  }

  /// The VFS that it reads and writes its files with.
  var system: UnsafeMutablePointer<sqlite3_vfs>? {
    var system: UnsafeMutablePointer<sqlite3_vfs>?
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_VFS_POINTER, &system)
    return system
  }

  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// The file's first bytes.
  func header() throws(StoreError) -> [UInt8] {
    switch read(100, at: 0) {
    case .success(let bytes): return bytes
    case .failure(.refused): throw unreadable("its header")
    case .failure(.ended): throw .damaged(path: path, cause: "it ends within its header")
    }
  }

  /// Pages that the device would not give, of all that the file has.
  func unreadablePages(of count: Int64) -> Int {
    (0..<count).count { page in
      if case .failure(.refused) = read(Self.pageSize, at: page * Int64(Self.pageSize)) {
        true
      } else {
        false
      }
    }
  }

  func unreadable(_ what: String) -> StoreError {
    .failing(path: path, doing: "reading", cause: "the device does not give \(what); trying again")
  }

  /// The device would not give it, or the file has no more.
  private enum ReadFailure: Error { case refused, ended }

  /// Through SQLite's own descriptor: closing another one would drop the lock (POSIX locks belong to the
  /// process).
  private func read(_ count: Int, at offset: Int64) -> Result<[UInt8], ReadFailure> {
    var file: UnsafeMutablePointer<sqlite3_file>?
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
    var bytes = [UInt8](repeating: 0, count: count)
    guard let file, let read = file.pointee.pMethods?.pointee.xRead else { return .failure(.refused) }
    switch read(file, &bytes, Int32(count), offset) {
    case SQLITE_OK: return .success(bytes)
    // SQLITE_IOERR_SHORT_READ, a macro that is not imported.
    case SQLITE_IOERR | 2 << 8: return .failure(.ended)
    default: return .failure(.refused)
    }
  }

  /// The failure that SQLite has just reported, in our words.
  func failure(_ doing: String) -> StoreError {
    let code = sqlite3_extended_errcode(handle)
    let cause = String(cString: sqlite3_errmsg(handle))
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED: return .inUse(path: path)
    case SQLITE_FULL: return .full(path: path)
    case SQLITE_READONLY, SQLITE_PERM: return .readOnly(path: path)
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_SCHEMA, SQLITE_FORMAT, SQLITE_CONSTRAINT:
      // Our SQL is fixed and tested: where it is "in error", the schema it refers to is gone. Where a row is
      // there twice, an index knows one that the table does not.
      return .damaged(path: path, cause: cause)
    default:
      return .failing(path: path, doing: Self.shortened(doing), cause: "\(cause) (SQLite \(code))")
    }
  }

  private static func shortened(_ sql: String) -> String {
    String(sql.prefix { $0 != " " && $0 != "\n" }).lowercased()
  }

  /// For the path of a URI: what would end it there, or stand for another byte.
  private static func escaped(_ path: String) -> String {
    let digits = Array("0123456789ABCDEF")
    return path.utf8.reduce(into: "") { name, byte in
      switch byte {
      case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"), 0x80...:
        name += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      default: name.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
  }
}

/// A prepared statement: bound from 1, read from 0, reset before each use.
final class StoreStatement {
  private let handle: OpaquePointer
  private let database: StoreDatabase
  /// SQLITE_TRANSIENT, a macro that is not imported: SQLite takes a copy, because the bytes of an array are
  /// only there during the call.
  private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  init(_ handle: OpaquePointer, of database: StoreDatabase) {
    self.handle = handle
    self.database = database
  }

  deinit {
    // Closing the database has finalised it.
    if database.isOpen { sqlite3_finalize(handle) }
  }

  enum Value {
    case number(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
  }

  /// Binds the parameters from the first on; earlier bindings are gone.
  @discardableResult
  func bind(_ values: Value...) -> Self {
    sqlite3_reset(handle)
    for (index, value) in values.enumerated() {
      let parameter = Int32(index + 1)
      switch value {
      case .number(let number): sqlite3_bind_int64(handle, parameter, number)
      case .real(let real): sqlite3_bind_double(handle, parameter, real)
      case .text(let text): sqlite3_bind_text(handle, parameter, text, -1, Self.copied)
      case .blob(let bytes): sqlite3_bind_blob(handle, parameter, bytes, Int32(bytes.count), Self.copied)
      }
    }
    return self
  }

  /// Whether there is a row.
  func step() throws(StoreError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default:
      let error = database.failure(String(cString: sqlite3_sql(handle)))
      sqlite3_reset(handle)
      throw error
    }
  }

  /// Runs it to the end; the number of rows that it changed.
  @discardableResult
  func run() throws(StoreError) -> Int {
    while try step() {}
    sqlite3_reset(handle)
    return database.changes
  }

  /// Ends a reading early: a cursor left open would keep a transaction from being rolled back.
  func reset() { sqlite3_reset(handle) }

  func number(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  /// Nil for NULL.
  func numberIfAny(_ column: Int32) -> Int64? {
    sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : number(column)
  }

  func real(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  func text(_ column: Int32) -> String {
    sqlite3_column_text(handle, column).map { String(cString: $0) } ?? ""
  }

  func blob(_ column: Int32) -> [UInt8] {
    let count = Int(sqlite3_column_bytes(handle, column))
    guard let start = sqlite3_column_blob(handle, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: count))
  }
}
