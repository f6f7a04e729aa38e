/// The store's invariants after every step. Debug builds check them after each batch and each checkpoint, and
/// the simulator after each order.
extension StoreFile {
  /// Rows that are counted after every batch: they lie in SQLite's cache, and cost less than the batch's sync.
  public static let fewRows = 200
  /// Rows that are counted after a checkpoint, which comes once in some hundred batches.
  static let manyRows = 4000

  /// The first violated invariant; nil: all hold, or everything is about to be read again anyway. The counters
  /// are always compared with each other, and with the tables if these hold no more than `rows` rows.
  public func inconsistency(countingTo rows: Int = .max) -> String? {
    guard !isStale, let tables, let log else { return nil }
    if log.offset % StoreLog.sector != 0 || !(0...StoreLog.length).contains(log.offset) {
      return "the log's end is at \(log.offset)"
    }
    if tables.counters.revision > revision {
      return "batch \(revision) is the last, and the tables have \(tables.counters.revision)"
    }
    if log.offset > 0, tables.counters.revision == revision {
      return "the log ends at \(log.offset), and batch \(revision), its last, is in the tables"
    }
    if let wrong = tables.counters.impossibility { return wrong }
    guard tables.counters.rows <= rows else { return nil }
    do throws(StoreError) { return try tables.miscount() } catch {
      // SQLite takes the open transaction back when it cannot read.
      isStale = true
      return nil
    }
  }

  /// For assertions. What a flipped bit did to the tables at rest is no bug; and a disk that is simulated may
  /// not be read more often in a debug build than in another.
  func agrees(countingTo rows: Int) -> Bool {
    isInDoubt || inconsistency(countingTo: isSimulated ? 0 : rows) == nil
  }

  /// Whether tables and counters agree is known only from here on. Always true: it is said in an assertion, so that
  /// other builds do not count.
  func noteDoubt() -> Bool {
    isInDoubt = false
    isInDoubt = !agrees(countingTo: Self.manyRows)
    return true
  }
}

extension StoreCounters {
  /// Rows that `StoreTables.miscount` reads.
  var rows: Int { queued + historyCount }

  /// Counts that no tables could have; nil: none.
  var impossibility: String? {
    if queued < 0 || historyCount < 0 || quarantined < 0 {
      return "\(queued) messages, \(historyCount) points, \(quarantined) in quarantine"
    }
    // A topic has at least one byte.
    if queuedBytes < queued || (queued == 0 && queuedBytes != 0) {
      return "\(queued) messages of \(queuedBytes) bytes"
    }
    if queued > 0, firstSequence > lastSequence || UInt64(queued - 1) > lastSequence - firstSequence {
      return "\(queued) messages from \(firstSequence) to \(lastSequence)"
    }
    if lastHistory < historyCount { return "\(historyCount) points, numbered up to \(lastHistory)" }
    return nil
  }
}

extension StoreTables {
  /// Where the counters disagree with the tables; nil: nowhere.
  func miscount() throws(StoreError) -> String? {
    let found = try database.prepare(
      """
      SELECT count(*),coalesce(sum(length(record)),0),min(sequence),max(sequence),
      (SELECT count(*) FROM history),(SELECT max(id) FROM history),(SELECT count(*) FROM quarantine)
      FROM message
      """)
    guard try found.step() else { return "the tables are not counted" }
    let (messages, bytes) = (Int(found.number(0)), Int(found.number(1)))
    if messages != counters.queued { return "\(counters.queued) messages, and \(messages) in the table" }
    if bytes - messages * StoreRecord.messageOverhead != counters.queuedBytes {
      return "\(counters.queuedBytes) bytes, and \(bytes) with heads in the table"
    }
    if let first = found.numberIfAny(2), first < counters.firstSequence {
      return "message \(first) is before the first, \(counters.firstSequence)"
    }
    if let last = found.numberIfAny(3), last > counters.lastSequence {
      return "message \(last) is behind the last, \(counters.lastSequence)"
    }
    let points = Int(found.number(4))
    if points != counters.historyCount {
      return "\(counters.historyCount) points, and \(points) in the table"
    }
    if let last = found.numberIfAny(5), last > counters.lastHistory {
      return "point \(last) is behind the last, \(counters.lastHistory)"
    }
    let damaged = Int(found.number(6))
    if damaged > counters.quarantined {
      return "\(counters.quarantined) in quarantine, and \(damaged) in the table"
    }
    return nil
  }
}
