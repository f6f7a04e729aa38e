import Model

/// The tables: one row for each record, keyed by what makes it unique. Everything happens in one
/// transaction that stays open; `commit` is the only moment at which the file is written and synced.
final class StoreTables {
  /// The format version that this program writes. It is kept with its complement, so that a flipped bit is not
  /// taken for the mark of a later version.
  static let version: Int32 = 1
  /// The record is whole in its row; beside it stands only what it is found by. A text that is changed here
  /// makes every store a damaged one: see `StoreLayout`.
  static let schema = """
    CREATE TABLE message(sequence INTEGER PRIMARY KEY, record BLOB NOT NULL);
    CREATE TABLE region(id INTEGER PRIMARY KEY, rid TEXT NOT NULL UNIQUE, record BLOB NOT NULL);
    CREATE TABLE state(kind INTEGER PRIMARY KEY, record BLOB NOT NULL);
    CREATE TABLE history(id INTEGER PRIMARY KEY, time REAL NOT NULL, record BLOB NOT NULL);
    CREATE TABLE quarantine(id INTEGER PRIMARY KEY, source TEXT NOT NULL, record BLOB NOT NULL);
    """

  let database: StoreDatabase
  /// Kept in memory; a row of `state` from commit to commit.
  var counters = StoreCounters()
  /// Rows touched since the last commit.
  private(set) var changes = 0

  private let insertMessage, measureMessages, deleteMessages, firstMessage: StoreStatement
  private let findRegion, updateRegion, insertRegion, deleteRegion: StoreStatement
  private let putState, getState: StoreStatement
  private let insertHistory, deleteHistory, oldestHistory, deletePart: StoreStatement
  private let pageOfMessages, pageOfHeads: StoreStatement

  /// Opens, creates missing parts, and begins the transaction.
  init(path: String, vfs: String?) throws(StoreError) {
    let database = try StoreDatabase(path: path, access: .owner, vfs: vfs)
    self.database = database
    try StoreLayout.establish(database)
    // Prepared once, for all of the connection's life: they run with every record.
    insertMessage = try database.prepare("INSERT OR IGNORE INTO message VALUES(?,?)")
    measureMessages = try database.prepare(
      "SELECT count(*), sum(length(record)) FROM message WHERE sequence BETWEEN ? AND ?")
    deleteMessages = try database.prepare("DELETE FROM message WHERE sequence BETWEEN ? AND ?")
    firstMessage = try database.prepare("SELECT min(sequence) FROM message")
    findRegion = try database.prepare("SELECT id,record FROM region WHERE rid=?")
    updateRegion = try database.prepare("UPDATE region SET record=? WHERE id=?")
    insertRegion = try database.prepare("INSERT INTO region(record,rid) VALUES(?,?)")
    // The + has every row looked at: what the index has lost is removed all the same.
    deleteRegion = try database.prepare("DELETE FROM region WHERE +rid=?")
    putState = try database.prepare("INSERT OR REPLACE INTO state VALUES(?,?)")
    getState = try database.prepare("SELECT record FROM state WHERE kind=?")
    insertHistory = try database.prepare("INSERT OR IGNORE INTO history VALUES(?,?,?)")
    deleteHistory = try database.prepare("DELETE FROM history WHERE id<=?")
    deletePart = try database.prepare("DELETE FROM history WHERE id BETWEEN ? AND ? AND time BETWEEN ? AND ?")
    // Without an end where the limit is below 0.
    oldestHistory = try database.prepare("SELECT id,time FROM history ORDER BY id LIMIT ?")
    pageOfMessages = try database.prepare(
      "SELECT sequence,record FROM message WHERE sequence>? ORDER BY sequence LIMIT ?")
    // 33 bytes: header, sequence, time and flags, see `StoreRecord.messageHead`.
    pageOfHeads = try database.prepare(
      "SELECT sequence,substr(record,1,33),length(record) FROM message WHERE sequence>? "
        + "ORDER BY sequence LIMIT ?")
    try readCounters()
  }

  func close() {
    if database.isInTransaction { try? database.execute("ROLLBACK") }
    database.close()
  }

  /// Makes everything so far durable and begins anew.
  func commit() throws(StoreError) {
    try refreshFirst()
    try put(counters.record())
    try database.execute("COMMIT")
    changes = 0
    try database.execute("BEGIN IMMEDIATE")
    try shrink()
  }

  /// Gives space back in small steps, and only where most of the file is empty: free pages that the
  /// next drive will fill again are better reused than cut off.
  private func shrink() throws(StoreError) {
    let free = try database.number("PRAGMA freelist_count")
    guard free > 1024, try free * 2 > database.number("PRAGMA page_count") else { return }
    try database.execute("PRAGMA incremental_vacuum(256)")
  }

  // MARK: Inputs

  /// Does what a record says. Doing it twice does no harm.
  func apply(_ record: StoreRecord) throws(StoreError) {
    changes += 1
    switch record.kind {
    case .message: try insert(record)
    case .remove:
      for range in record.removedRanges ?? [] { try remove(range) }
    case .region: try putRegion(record)
    case .regionRemoved: try deleteRegion.bind(.text(record.rid ?? "")).run()
    case .mode, .position, .reference, .tag, .dropped, .imported, .remoteSettings, .commandsSeen,
      .clientIDForm, .journey, .entered, .announced, .volume, .sleep, .batterySteps:
      try put(record)
    case .history:
      for state in try insertPoint(record) { try put(state) }
    case .prune: try prune(record)
    case .pointsRemoved:
      guard let part = record.removedPart else { return }
      counters.historyCount -= try deletePart.bind(
        .number(part.numbers.lowerBound), .number(part.numbers.upperBound), .real(part.times.lowerBound),
        .real(part.times.upperBound)
      ).run()
    case .counters: break
    }
  }

  private func insert(_ record: StoreRecord) throws(StoreError) {
    guard let head = record.messageHead else { return }
    let key = Int64(bitPattern: head.sequence)
    guard try insertMessage.bind(.number(key), .blob(record.bytes)).run() == 1 else { return }
    counters.queued += 1
    counters.queuedBytes += head.size
    counters.lastSequence = max(counters.lastSequence, head.sequence)
    counters.firstSequence = min(counters.firstSequence, head.sequence)
  }

  /// The rows to remove are measured first: a deletion tells how many rows it took, and not how many bytes.
  func remove(_ range: ClosedRange<UInt64>) throws(StoreError) {
    if range.lowerBound <= counters.firstSequence, range.upperBound >= counters.lastSequence {
      return try removeAll()
    }
    // Keys are signed: a range that reaches past them would come out empty.
    let first = Int64(clamping: range.lowerBound)
    let last = Int64(clamping: range.upperBound)
    guard try measureMessages.bind(.number(first), .number(last)).step() else { return }
    let count = Int(measureMessages.number(0))
    let bytes = Int(measureMessages.number(1))
    measureMessages.reset()
    try deleteMessages.bind(.number(first), .number(last)).run()
    counters.queued -= count
    counters.queuedBytes -= bytes - count * StoreRecord.messageOverhead
    changes += count
  }

  /// Drops whole pages unread, where row by row each would pass through the journal.
  private func removeAll() throws(StoreError) {
    try database.execute("DELETE FROM message")
    counters.queued = 0
    counters.queuedBytes = 0
  }

  /// The id is what people and messages know a region by.
  private func putRegion(_ record: StoreRecord) throws(StoreError) {
    guard let rid = record.rid else { return }
    // Not replaced but changed: a region keeps its place in the order that people see.
    if let row = try rowOfRegion(rid) {
      try updateRegion.bind(.blob(record.bytes), .number(row.id)).run()
    } else {
      try insertRegion.bind(.blob(record.bytes), .text(rid)).run()
    }
  }

  /// One row for each kind: the newest counts.
  func put(_ record: StoreRecord) throws(StoreError) {
    try putState.bind(.number(Int64(record.kind.rawValue)), .blob(record.bytes)).run()
  }

  /// Gives back what else the point says of its fix.
  func insertPoint(_ record: StoreRecord) throws(StoreError) -> [StoreRecord] {
    guard let point = record.historyPoint else { return [] }
    let time = point.report.time.seconds
    if try insertHistory.bind(.number(point.id), .real(time), .blob(record.bytes)).run() == 1 {
      counters.historyCount += 1
      counters.lastHistory = max(counters.lastHistory, point.id)
    }
    return point.states.records(point.report.fix, revision: record.revision)
  }

  /// Points lie in the order they were published in, so the old ones are those in front.
  private func prune(_ record: StoreRecord) throws(StoreError) {
    guard let (keep, since) = record.pruning else { return }
    if let keep, counters.historyCount > keep {
      // As many as there are too many: by their numbers, because times may go back.
      oldestHistory.bind(.number(Int64(counters.historyCount - max(0, keep))))
      try deletePoints { _ in true }
    }
    guard let since else { return }
    oldestHistory.bind(.number(-1))
    try deletePoints { $0 < since }
  }

  private func deletePoints(while isOld: (Double) -> Bool) throws(StoreError) {
    var last: Int64?
    while try oldestHistory.step(), isOld(oldestHistory.real(1)) { last = oldestHistory.number(0) }
    oldestHistory.reset()
    if let last { counters.historyCount -= try deleteHistory.bind(.number(last)).run() }
  }

  // MARK: Questions

  func state(_ kind: StoreRecord.Kind) throws(StoreError) -> StoreRecord? {
    guard try getState.bind(.number(Int64(kind.rawValue))).step() else { return nil }
    let bytes = getState.blob(0)
    getState.reset()
    if let record = StoreRecord(checking: bytes), record.kind == kind { return record }
    try quarantine(bytes, from: "state")
    return nil
  }

  func region(_ rid: String) throws(StoreError) -> StoreRecord? { try rowOfRegion(rid)?.record }

  /// SQLite does not compare what the index leads to: a bit that turned in it would have another region's row
  /// written over.
  private func rowOfRegion(_ rid: String) throws(StoreError) -> (id: Int64, record: StoreRecord?)? {
    guard try findRegion.bind(.text(rid)).step() else { return nil }
    defer { findRegion.reset() }
    let record = StoreRecord(checking: findRegion.blob(1))
    if let record, record.rid != rid {
      throw .damaged(path: database.path, cause: "the index of its regions leads to another")
    }
    return (findRegion.number(0), record)
  }

  func refreshFirst() throws(StoreError) {
    if try firstMessage.bind().step(), let first = firstMessage.numberIfAny(0) {
      counters.firstSequence = UInt64(bitPattern: first)
    } else {
      counters.firstSequence = counters.lastSequence + 1
    }
    firstMessage.reset()
  }

  /// Calls `take` for each message after `sequence` with its key and record until it returns false.
  func messages(
    after sequence: UInt64, limit: Int, _ take: (UInt64, [UInt8]) -> Bool
  ) throws(StoreError) {
    let page = pageOfMessages.bind(.number(Int64(clamping: sequence)), .number(Int64(limit)))
    while try page.step(), take(UInt64(bitPattern: page.number(0)), page.blob(1)) {}
    page.reset()
  }

  func heads(after sequence: UInt64, limit: Int) throws(StoreError) -> [QueueEntry] {
    let page = pageOfHeads.bind(.number(Int64(clamping: sequence)), .number(Int64(limit)))
    var entries: [QueueEntry] = []
    while try page.step() {
      let length = Int(page.number(2))
      let head = page.blob(1).withUnsafeBytes { StoreRecord.messageHead($0, length: length) }
      // The record is not checked here: what it says of its own number may be wrong, the key is not.
      if let head, head.sequence == UInt64(bitPattern: page.number(0)) { entries.append(head) }
    }
    page.reset()
    return entries
  }

  /// The records that a query of one column gives; damaged ones go to quarantine.
  func records(
    _ sql: String, from source: String, _ take: (StoreRecord) -> Void
  ) throws(StoreError) {
    let statement = try database.prepare(sql)
    var damaged: [[UInt8]] = []
    while try statement.step() {
      let bytes = statement.blob(0)
      if let record = StoreRecord(checking: bytes) { take(record) } else { damaged.append(bytes) }
    }
    for bytes in damaged { try quarantine(bytes, from: source) }
  }

  /// Keeps a copy of what could not be understood, for a person to look at. The row itself stays, since what a card
  /// gives wrong today it may give right tomorrow, so that each start comes by it again: one copy is enough.
  func quarantine(_ bytes: [UInt8], from source: String) throws(StoreError) {
    let added = try database.prepare(
      "INSERT INTO quarantine(source,record) SELECT ?1,?2 "
        + "WHERE NOT EXISTS(SELECT 1 FROM quarantine WHERE source=?1 AND record=?2)"
    ).bind(.text(source), .blob(bytes)).run()
    counters.quarantined += added
    changes += added
  }

  // MARK: Counts

  /// Counters that the tables contradict, or that are missing, are counted anew.
  private func readCounters() throws(StoreError) {
    let stored = try state(.counters).flatMap(StoreCounters.init)
    guard let stored else { return try recount() }
    counters = stored
    // All that can be compared without counting: a queue of a million must not delay the start.
    let isEmpty = try database.number("SELECT count(*) FROM (SELECT 1 FROM message LIMIT 1)") == 0
    if isEmpty != (counters.queued == 0) { try recount() }
  }

  /// Counts the long way; only after damage.
  func recount() throws(StoreError) {
    counters.queued = Int(try database.number("SELECT count(*) FROM message"))
    let bytes = Int(try database.number("SELECT sum(length(record)) FROM message"))
    counters.queuedBytes = bytes - counters.queued * StoreRecord.messageOverhead
    let last = try database.number("SELECT max(sequence) FROM message")
    counters.lastSequence = max(counters.lastSequence, UInt64(bitPattern: last))
    counters.historyCount = Int(try database.number("SELECT count(*) FROM history"))
    let point = try database.number("SELECT max(id) FROM history")
    counters.lastHistory = max(counters.lastHistory, point)
    counters.quarantined = Int(try database.number("SELECT count(*) FROM quarantine"))
    try refreshFirst()
  }
}
