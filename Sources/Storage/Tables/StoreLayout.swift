import CSQLite
import Model

/// Finds out whether a file is a store of ours, makes one of an empty file, and refuses the rest.
enum StoreLayout {
  /// Above this a full check of the structure would delay the start; damage there shows when it is met.
  private static let checkedPages: Int64 = 2048

  /// Leaves the connection inside a transaction that holds the file's only lock.
  static func establish(_ database: StoreDatabase) throws(StoreError) {
    // The first read takes the lock, and rolls back what a power cut left half-written.
    let tables = try database.number("SELECT count(*) FROM sqlite_schema")
    let pages = try database.number("PRAGMA page_count")
    let mark = try database.number("PRAGMA user_version")
    if mark != 0 || tables != 0 {
      try checkVersion(mark, of: database)
      try checkHeader(database)
      try checkSchema(database)
      if pages <= checkedPages {
        try checkStructure(database, pages: pages)
        try checkRegions(database)
      }
    }
    // The journal stays beside the tables and only its head is zeroed: to make and remove a file each time
    // would cost syncs of the folder.
    try database.execute("PRAGMA journal_mode=PERSIST")
    try database.endJournal()
    if mark == 0, tables == 0 {
      // Has to come before the first table: it changes the form of the file.
      try database.execute("PRAGMA auto_vacuum=INCREMENTAL")
      try database.execute("BEGIN EXCLUSIVE")
      try database.execute(StoreTables.schema)
      try database.execute(firstState)
      try database.execute("PRAGMA user_version=\(StoreTables.mark(of: StoreTables.version))")
      try database.execute("PRAGMA application_id=\(applicationID)")
      try database.execute("COMMIT")
    }
    try database.execute("BEGIN EXCLUSIVE")
  }

  /// State that only a new store can know: it is written at its beginning, or never.
  private static var firstState: String {
    let writes: [StoreWrite] = [.clientIDForm(.apart), .entered([])]
    let rows = writes.map { write in
      let record = StoreRecord.encoding(write, revision: 0)
      let digits = record.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      return "(\(record.kind.rawValue),x'\(digits)')"
    }
    return "INSERT INTO state VALUES" + rows.joined(separator: ",")
  }

  /// "Hwst"
  private static let applicationID = 0x4877_7374

  /// The fields of the header that are always the same in our files. SQLite believes them: a flipped
  /// bit there would make it take the file for a WAL or read-only one.
  private static func checkHeader(_ database: StoreDatabase) throws(StoreError) {
    let header = try database.header()
    let isOurs =
      header[0..<16].elementsEqual("SQLite format 3\0".utf8)
      && Int(header[16]) << 8 | Int(header[17]) == StoreDatabase.pageSize
      // Rollback journal and no reserved bytes; then schema format 4, UTF-8, incremental vacuum.
      && header[18..<24].elementsEqual([1, 1, 0, 64, 32, 32])
      && header[44..<48].elementsEqual([0, 0, 0, 4]) && header[56..<60].elementsEqual([0, 0, 0, 1])
      && header[64..<68].elementsEqual([0, 0, 0, 1])
    guard isOurs else { throw .damaged(path: database.path, cause: "its header is not a store's") }
  }

  /// The tables as they are described in the file must be ours to the letter. A bit that turns in their text
  /// need not keep SQLite from using them: where "PRIMARY KEY" is no longer one, every row that should have
  /// been replaced stays, and the oldest is what is found. Roots of tables never move.
  private static func checkSchema(_ database: StoreDatabase) throws(StoreError) {
    let rows = try database.prepare(
      "SELECT type||' '||name||' '||tbl_name||' '||rootpage||coalesce(' '||sql,'') "
        + "FROM sqlite_schema ORDER BY rowid")
    var found: [String] = []
    while try rows.step() { found.append(rows.text(0)) }
    // In their order, because roots are given out as tables are made. A later version may have added some,
    // which are behind ours then.
    guard found.starts(with: described) else {
      throw .damaged(path: database.path, cause: "its tables are not described as a store's")
    }
  }

  /// Kind, name, table and root page, and the text of `StoreTables.schema`.
  private static let described: [String] = {
    let names = ["message", "region", "state", "history", "quarantine"]
    let texts = StoreTables.schema.split(separator: "\n").map { $0.split(separator: ";")[0] }
    var lines: [String] = []
    for (name, text) in zip(names, texts) {
      // The first two pages are the description itself and the map of pages.
      lines.append("table \(name) \(name) \(lines.count + 3) \(text)")
      if name == "region" { lines.append("index sqlite_autoindex_region_1 region \(lines.count + 3)") }
    }
    return lines
  }()

  private static func checkVersion(_ mark: Int64, of database: StoreDatabase) throws(StoreError) {
    guard let version = StoreTables.version(of: mark) else {
      throw .damaged(path: database.path, cause: "its format number is garbled")
    }
    guard version <= StoreTables.version else {
      throw .newer(path: database.path, version: Int(version), known: Int(StoreTables.version))
    }
  }

  /// The check calls damaged what it cannot read, and a card that falters for a moment is no reason to give
  /// up a sound store: it counts if it says the same again and again, and every page can be read.
  private static func checkStructure(_ database: StoreDatabase, pages: Int64) throws(StoreError) {
    guard let verdict = try structuralFault(of: database) else { return }
    for _ in 1...3 {
      let unreadable = database.unreadablePages(of: pages)
      guard unreadable == 0 else { throw database.unreadable("\(unreadable) of \(pages) pages") }
      guard let again = try structuralFault(of: database) else { return }
      guard again == verdict else { throw database.unreadable("the same bytes twice") }
    }
    throw .damaged(path: database.path, cause: verdict)
  }

  /// Checks a region's key, beside its record and in the index: where a bit turned there, the region would be stored
  /// anew beside its old row, and removed in vain. The quick check does not compare an index with its table.
  private static func checkRegions(_ database: StoreDatabase) throws(StoreError) {
    let check = try database.prepare("PRAGMA integrity_check(region)")
    if try check.step(), case let word = check.text(0), word != "ok" {
      throw .damaged(path: database.path, cause: word)
    }
    // An id of another type reads the same and is not found.
    let rows = try database.prepare("SELECT iif(typeof(rid)='text',rid,''),record FROM region")
    while try rows.step() {
      guard let rid = StoreRecord(checking: rows.blob(1))?.rid, rid != rows.text(0) else { continue }
      throw .damaged(path: database.path, cause: "a region is kept under another's id")
    }
  }

  /// Nil: it is sound.
  private static func structuralFault(of database: StoreDatabase) throws(StoreError) -> String? {
    let check = try database.prepare("PRAGMA quick_check(1)")
    guard try check.step() else { return nil }
    let word = check.text(0)
    return word == "ok" ? nil : word.split(separator: "\n").joined(separator: " ")
  }
}

extension StoreTables {
  /// The `user_version` of a format: the number in the upper byte, its complement in the lower.
  static func mark(of version: Int32) -> Int32 { version << 8 | (~version & 0xFF) }

  /// A small plain number counts too: it is what another program would write by hand.
  static func version(of mark: Int64) -> Int32? {
    if (2..<250).contains(mark) { return Int32(mark) }
    let version = Int32(truncatingIfNeeded: mark >> 8)
    return version > 0 && version < 256 && Int64(Self.mark(of: version)) == mark ? version : nil
  }
}
