import Glibc
import Model

/// Saves from a damaged store what can be saved. It does not ask SQLite for the way through the file:
/// every record stands for itself, so the damaged store is read page by page and each sound record found goes
/// into a new store, wherever it lies and whatever pointed to it.
struct StoreSalvage {
  struct Outcome {
    /// The damaged store's own counts, where they could be read.
    var counters: StoreCounters?
    /// Saved, those that were acknowledged long ago left out.
    var messages = 0
    /// Saved.
    var regions = 0
    /// Pages that the device would not give.
    var unreadablePages = 0
  }

  private let damaged: String
  private let tables: StoreTables
  private var outcome = Outcome()
  /// Messages that do not fit a page and lie in pieces.
  private var long: [UInt64] = []

  /// `firstSequence` is what the log knows about the oldest message still wanted.
  static func run(damaged: String, into tables: StoreTables, firstSequence: UInt64) throws(StoreError)
    -> Outcome
  {
    var salvage = StoreSalvage(damaged: damaged, tables: tables)
    try salvage.readPages()
    salvage.readLongMessages()
    try salvage.finish(firstSequence)
    return salvage.outcome
  }

  private init(damaged: String, tables: StoreTables) {
    self.damaged = damaged
    self.tables = tables
  }

  private mutating func readPages() throws(StoreError) {
    let descriptor = try StoreOpening.open(damaged, O_RDONLY)
    guard descriptor >= 0 else {
      throw .failing(path: damaged, doing: "reading", cause: String(cString: strerror(errno)))
    }
    defer { close(descriptor) }
    var page = [UInt8](repeating: 0, count: StoreDatabase.pageSize)
    let size = Int(lseek(descriptor, 0, SEEK_END))
    for offset in stride(from: 0, to: size, by: page.count) {
      let count = pread(descriptor, &page, page.count, off_t(offset))
      // Whether to wait until it can be read is for who asked: a second try may give all of it.
      guard count > 0 else {
        outcome.unreadablePages += 1
        continue
      }
      var found: [StoreRecord] = []
      page.withUnsafeBytes { collect(UnsafeRawBufferPointer(rebasing: $0[..<count]), &found) }
      for record in found { try keep(record) }
    }
  }

  /// Sound records, wherever they begin: a page has no fixed place for them. What claims to go on beyond its
  /// page is remembered for `readLongMessages`.
  private mutating func collect(_ page: UnsafeRawBufferPointer, _ found: inout [StoreRecord]) {
    var offset = 0
    while offset + StoreRecord.headerSize < page.count {
      let rest = UnsafeRawBufferPointer(rebasing: page[offset...])
      guard let claim = StoreRecord.claim(rest) else {
        offset += 1
        continue
      }
      if let sound = StoreRecord.recognise(rest),
        let record = StoreRecord(checking: Array(rest[..<sound.length]))
      {
        found.append(record)
        offset += sound.length
        continue
      }
      if claim.kind == .message, claim.length > rest.count,
        let head = StoreRecord.messageHead(rest, length: claim.length)
      {
        long.append(head.sequence)
      }
      offset += 1
    }
  }

  /// In any order: pages lie as SQLite has used them.
  private mutating func keep(_ record: StoreRecord) throws(StoreError) {
    switch record.kind {
    case .message: try tables.apply(record)
    case .region, .mode, .position, .reference, .tag, .dropped, .imported, .remoteSettings, .commandsSeen,
      .clientIDForm, .journey, .entered, .announced, .volume, .sleep, .batterySteps:
      // Of older copies in space that was freed, the newest counts.
      if try isNews(record) { try tables.apply(record) }
    case .history:
      for state in try tables.insertPoint(record) where try isNews(state) { try tables.apply(state) }
    case .counters:
      guard let counters = StoreCounters(record), counters.revision >= outcome.counters?.revision ?? 0 else {
        return
      }
      outcome.counters = counters
    // Orders, and never rows.
    case .remove, .regionRemoved, .prune, .pointsRemoved: break
    }
  }

  /// Of a thing that is already saved: a freed page holds what it was before.
  private func isNews(_ record: StoreRecord) throws(StoreError) -> Bool {
    var known: StoreRecord?
    if let rid = record.rid {
      known = try tables.region(rid)
    } else {
      known = try tables.state(record.kind)
    }
    return known.map { $0.revision < record.revision } ?? true
  }

  /// Only SQLite can reassemble a record that lies in pieces; where it cannot, the message is lost.
  private mutating func readLongMessages() {
    guard !long.isEmpty, let database = try? StoreDatabase(path: damaged, access: .damaged),
      let lookup = try? database.prepare("SELECT record FROM message WHERE sequence=?")
    else { return }
    for sequence in long {
      lookup.bind(.number(Int64(clamping: sequence)))
      guard (try? lookup.step()) == true, let record = StoreRecord(checking: lookup.blob(0)) else { continue }
      try? tables.apply(record)
    }
    lookup.reset()
  }

  /// Freed pages still held messages that were acknowledged long ago: those go again.
  private mutating func finish(_ firstSequence: UInt64) throws(StoreError) {
    let first = max(firstSequence, outcome.counters?.firstSequence ?? 0)
    if first > 1 { try tables.remove(1...(first - 1)) }
    tables.counters = outcome.counters ?? StoreCounters()
    try tables.recount()
    outcome.messages = tables.counters.queued
    outcome.regions = Int(try tables.database.number("SELECT count(*) FROM region"))
    tables.counters.quarantined = outcome.counters?.quarantined ?? 0
  }
}
