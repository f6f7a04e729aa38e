import Model
import Timebase

/// The one place on the disk: what waits for the broker, the regions and where the board is to them,
/// the mode, the last position, the history. Synchronous: it lives on a worker thread.
///
/// Two files. A batch is written to the redo log and synced, and is then durable; at the same time it
/// goes into the tables, inside a transaction of SQLite that stays open and costs no write. When the
/// log is full (or much has changed) the transaction is committed: that is a *checkpoint*, and the log starts
/// over. After a crash the open transaction is gone and the log brings it back.
///
/// Only one thread may be in it at a time; the store's worker sees to that.
public final class StoreFile: @unchecked Sendable {
  /// Rows touched after which a checkpoint is due even if the log has room: they are held in memory.
  private static let checkpointAfter = 2000

  let paths: StorePaths
  /// Nil: the kernel's files, with a reserve and a mode of their own.
  private let vfs: String?
  var isSimulated: Bool { vfs != nil }
  private(set) var tables: StoreTables?
  private(set) var log: StoreLog?
  /// Of the last batch that is durable.
  private(set) var revision: UInt32 = 0
  /// Something failed half-way: what is in memory counts for nothing until it was read again.
  var isStale = false
  /// A write or a sync failed: what the log holds may not be on the disk, whatever is read from it.
  private var mustCheckpoint = false
  /// Met in this life: the next start repairs it before it opens anything.
  private var damage: StoreError?
  /// How often in a row log or tables could not be read in full.
  private var unreadable: Int
  /// The tables were opened with a counters that contradicts them. Only debug builds look.
  var isInDoubt = false
  /// Notices not yet taken for the journal.
  private var notices: [String] = []
  /// By connections that are closed.
  private var writtenBefore = 0

  /// A device that cannot read a file may be able to in a moment, and what is durable must not be given
  /// up for that. After this many tries in a row, which are minutes, what cannot be read is passed over.
  public static let readingTries = 100

  /// `directory` must exist. `vfs` names a VFS registered with SQLite that both files then use.
  /// `triesBefore` is how many of `readingTries` are used up.
  public init(directory: String, vfs: String? = nil, triesBefore: Int = 0) throws(StoreError) {
    paths = StorePaths(directory: directory)
    self.vfs = vfs
    unreadable = triesBefore
    try paths.check()
    try start(through: nil)
  }

  deinit { abandon() }

  /// Takes a checkpoint and closes. Where that fails, the log still has everything.
  public func close() {
    if !isStale, log?.offset ?? 0 > 0 { try? checkpoint() }
    abandon()
  }

  /// Lets go of everything as a crash would: nothing more is written.
  func abandon() {
    writtenBefore = bytesWritten
    tables?.close()
    tables = nil
    log?.close()
    log = nil
    isStale = true
  }

  // MARK: Starting

  /// `last`: after a failure in this life, the last revision that was reported stored.
  private func start(through last: UInt32?) throws(StoreError) {
    do throws(StoreError) {
      if let damage { throw damage }
      try openTables()
    } catch {
      guard error.isDamage || hasTriedEnough(error) else { throw error }
      try repair(error)
    }
    do throws(StoreError) { try takeUp(through: last) } catch {
      // The check at the opening does not compare an index with its table: what is met only now is repaired
      // now, because the next start would get no further either.
      guard error.isDamage else { throw error }
      try repair(error)
      try takeUp(through: last)
    }
  }

  /// Brings the tables up to what the log holds.
  private func takeUp(through last: UInt32?) throws(StoreError) {
    guard let tables else { throw .damaged(path: paths.tables, cause: "it could not be opened") }
    let log = self.log == nil ? try openLog() : self.log
    guard let log else { return }
    self.log = log
    let isKnown = tables.counters.revision > 0
    let contents = log.contents(after: isKnown ? tables.counters.revision : nil, through: last)
    if contents.unreadablePieces > 0 {
      unreadable += 1
      guard unreadable > Self.readingTries else {
        isStale = true
        throw .failing(
          path: paths.log, doing: "reading",
          cause: "\(contents.unreadablePieces) pieces of 4 kB cannot be read; trying again")
      }
    }
    unreadable = 0
    for batch in contents.batches {
      for record in batch.records { try tables.apply(record) }
      for bytes in batch.damaged { try tables.quarantine(bytes, from: "log") }
    }
    revision = max(contents.newestRevision, tables.counters.revision, last ?? 0)
    // Batches that cannot be written again in place go to the tables.
    if !mustCheckpoint { do throws(StoreError) { try log.confirm(contents) } catch { mustCheckpoint = true } }
    isStale = false
    note(contents, tables)
    assert(noteDoubt())
    // Data that could not be trusted once is not left where it lies.
    if mustCheckpoint { try checkpoint() }
    if last == nil, vfs == nil { paths.keepReserve() }
  }

  /// Readable parts of the tables are given up no sooner than readable parts of the log.
  private func hasTriedEnough(_ error: StoreError) -> Bool {
    guard case .failing(paths.tables, "reading", _) = error else { return false }
    unreadable += 1
    return unreadable > Self.readingTries
  }

  private func note(_ contents: StoreLog.Contents, _ tables: StoreTables) {
    let damaged = contents.batches.reduce(contents.missing) { $0 + ($1.damaged.isEmpty ? 0 : 1) }
    guard damaged > 0 else { return }
    tables.counters.quarantined += contents.missing
    notices.append("\(paths.log): \(damaged) damaged records were skipped")
  }

  /// Made by us where it is missing, so that its mode is ours from the first byte on.
  private func openTables() throws(StoreError) {
    if vfs == nil { try paths.create(paths.tables) }
    tables = try StoreTables(path: paths.tables, vfs: vfs)
  }

  private func openLog() throws(StoreError) -> StoreLog {
    if let vfs {
      return StoreLog(device: try StoreVFSLog(path: paths.log, length: StoreLog.length, vfs: vfs))
    }
    return StoreLog(device: try StoreKernelLog(path: paths.log, length: StoreLog.length))
  }

  /// Makes a new store of what can be read of the damaged one, and sets that one aside.
  private func repair(_ cause: StoreError) throws(StoreError) {
    writtenBefore += tables?.database.bytesWritten ?? 0
    tables?.close()
    tables = nil
    paths.discardDraft()
    if log == nil { log = try openLog() }
    // The log knows which messages were still wanted; freed pages of the damaged store hold others.
    let first = log?.contents(after: nil, through: nil).firstSequence ?? 0
    if vfs == nil { try paths.create(paths.draft) }
    let draft = try StoreTables(path: paths.draft, vfs: vfs)
    let outcome: StoreSalvage.Outcome
    do throws(StoreError) {
      outcome = try StoreSalvage.run(damaged: paths.tables, into: draft, firstSequence: first)
      if outcome.unreadablePages > 0 {
        let error = StoreError.failing(
          path: paths.tables, doing: "reading",
          cause: "the device does not give \(outcome.unreadablePages) pages of a damaged store; trying again")
        guard hasTriedEnough(error) else { throw error }
      }
      // Messages that the damaged store counted and salvage did not find are lost; their number is reported.
      let expected = outcome.counters?.queued ?? outcome.messages
      draft.counters.quarantined += max(0, expected - outcome.messages)
      try draft.commit()
    } catch {
      draft.close()
      paths.discardDraft()
      throw error
    }
    draft.close()
    let aside = try paths.swap()
    damage = nil
    tables = try StoreTables(path: paths.tables, vfs: vfs)
    let before = outcome.counters.map { " of \($0.queued)" } ?? ""
    let setAside = paths.damagedStores()
    notices.append(
      "\(cause.sentence); it was set aside as \(aside) and a new one begun with \(outcome.messages)\(before) "
        + "messages and \(outcome.regions) regions saved; \(setAside.count) set aside so far, "
        + "\(setAside.bytes / 1024) kB")
  }

  /// Reads everything again if it cannot be trusted. After a failed sync the kernel forgets what it
  /// could not write: the same descriptor would report success for bytes that are on no disk.
  private func ensureSound() throws(StoreError) -> StoreTables {
    if isStale || tables == nil || log == nil {
      let last = revision
      abandon()
      try paths.check()
      try start(through: last)
    }
    guard let tables else { throw .damaged(path: paths.tables, cause: "it could not be opened") }
    return tables
  }

  /// Runs `body`; damage met on the way is repaired and `body` tried once more.
  func repairing<Result>(
    _ body: (StoreTables) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let tables = try ensureSound()
    do throws(StoreError) { return try body(tables) } catch {
      isStale = true
      guard error.isDamage else { throw error }
      damage = error
    }
    return try body(ensureSound())
  }

  // MARK: Writing

  /// All of it or nothing. When it returns, everything is durable but removals and what can be made again (the
  /// position): those survive the end of the process, not always a power cut.
  public func apply(_ writes: [StoreWrite]) throws(StoreError) {
    guard !writes.isEmpty else { return }
    let tables = try ensureSound()
    let records = encode(writes, tables)
    let length = StoreLog.length(of: records)
    if length > StoreLog.longest { return try applyAtOnce(records) }
    if log?.hasRoom(for: length) != true || tables.changes >= Self.checkpointAfter {
      try makeRoom(isRemoval: !Self.isOwed(writes))
      // The tables may have been opened anew.
      return try apply(writes)
    }
    let first = records.reduce(tables.counters.firstSequence) { min($0, $1.messageHead?.sequence ?? $0) }
    do throws(StoreError) {
      try log?.append(records, revision: revision + 1, first: first, sync: Self.needsSync(writes))
    } catch {
      isStale = true
      mustCheckpoint = true
      throw error
    }
    revision += 1
    // It is durable: trouble with the tables is dealt with at the next call, from the log.
    do throws(StoreError) { for record in records { try tables.apply(record) } } catch {
      isStale = true
      if error.isDamage { damage = error }
    }
    assert(agrees(countingTo: Self.fewRows), "\(inconsistency() ?? "")")
  }

  /// On a full disk the reserve goes for what removes: with it the tables shrink, and room comes back.
  private func makeRoom(isRemoval: Bool) throws(StoreError) {
    do throws(StoreError) {
      try checkpoint()
      if vfs == nil { paths.keepReserve() }
    } catch {
      guard isRemoval, case .full = error, paths.releaseReserve() else { throw error }
      _ = try ensureSound()
      try checkpoint()
    }
  }

  /// A batch too long for the log is its own commit.
  private func applyAtOnce(_ records: [StoreRecord]) throws(StoreError) {
    do throws(StoreError) {
      try repairing { (tables) throws(StoreError) in
        for record in records { try tables.apply(record) }
        tables.counters.revision = revision + 1
        try tables.commit()
      }
    } catch {
      isStale = true
      throw error
    }
    revision += 1
    log?.restart()
    assert(agrees(countingTo: Self.fewRows), "\(inconsistency() ?? "")")
  }

  /// Points get their numbers here, so that one which is applied again, from the log, is still one point. The last of
  /// them says for its fix what would be two records more: a location that waits then is one sector and not two.
  private func encode(_ writes: [StoreWrite], _ tables: StoreTables) -> [StoreRecord] {
    var point = tables.counters.lastHistory
    let last = writes.lastIndex { if case .history = $0 { true } else { false } }
    let states = last.map { PointStates(of: writes, by: writes[$0]) } ?? []
    return writes.indices.compactMap { index in
      if states.says(writes[index]) { return nil }
      if case .history = writes[index] { point += 1 }
      if case .insert(let message) = writes[index] {
        releaseAssert(message.sequence > 0, "the outbox numbers a message before it is stored")
      }
      return StoreRecord.encoding(
        writes[index], revision: revision + 1, historyID: point, states: index == last ? states : [])
    }
  }

  /// True for writes that must survive a power cut: of the own track no more is lost than was said.
  private static func needsSync(_ writes: [StoreWrite]) -> Bool {
    isOwed(writes) || writes.contains { if case .history = $0 { true } else { false } }
  }

  /// True for writes that were promised to someone, or ordered.
  private static func isOwed(_ writes: [StoreWrite]) -> Bool {
    writes.contains { write in
      switch write {
      case .insert, .region, .regionRemoved, .mode, .tag, .imported, .remoteSettings, .commandsSeen,
        .clientIDForm, .journey, .entered, .announced, .sleep, .batterySteps:
        true
      // Somebody's order: to throw the queue or the history away.
      case .removeRange, .dropped, .removePoints, .pruneHistory(keep: 0, _): true
      // A removal that is lost costs one message that is sent again, byte for byte; a position comes with
      // the next fix.
      case .remove, .position, .reference, .volume, .pruneHistory: false
      // On a full disk removals must not wait for points.
      case .history: false
      }
    }
  }

  /// Brings the tables on the disk up to the log, and begins the log anew.
  func checkpoint() throws(StoreError) {
    guard let tables, let log else { return }
    do throws(StoreError) {
      tables.counters.revision = revision
      try tables.commit()
      log.restart()
      mustCheckpoint = false
    } catch {
      isStale = true
      if error.isDamage { damage = error }
      if case .failing = error { mustCheckpoint = true }
      throw error
    }
    assert(agrees(countingTo: Self.manyRows), "\(inconsistency() ?? "")")
  }

  // MARK: Questions

  /// Records ever found damaged: passed over, and copied to the table `quarantine` or left in a file
  /// set aside.
  public var quarantined: Int { tables?.counters.quarantined ?? 0 }

  /// Points of the history.
  public var points: Int { tables?.counters.historyCount ?? 0 }

  /// Bytes given to the kernel for writing since the opening: the log and the tables, not the few pages
  /// of SQLite's journal.
  public var bytesWritten: Int {
    writtenBefore + (log?.bytesWritten ?? 0) + (tables?.database.bytesWritten ?? 0)
  }

  /// The store's size on the disk, bytes; damaged stores set aside not counted.
  public var size: Int { paths.size(of: paths.tables) + paths.size(of: paths.log) }

  /// Findings and repairs since the last call, a line each.
  public func takeNotices() -> [String] {
    defer { notices = [] }
    return notices
  }
}
