import Glibc
import Storage

/// What happens to the files while nobody has them open, and what has to become of it.
extension StoreTrial {
  enum Damage: CaseIterable {
    case headGone, magic, headField, cutAtPage, cutInHead, pageGone
    case tablesGone, tablesEmpty, foreignFile, foreignTables
    case countersGone, countersGarbled, rowTooMany, queueGone
    case regionMoved, description, versionGarbled, versionNewer, laterTable
    case logGone, logZeroed, logShort, lastTorn, batchGone
    case inTheWay, reserveGone, nothing
  }

  /// How far the tables are that lie there; before their first checkpoint they have no counters.
  private var checkpointed: StoreSight.Counters {
    let tables = folder.bytes("store.sqlite")
    return StoreSight.counters(in: tables, StoreSight.records(in: tables))
      ?? .init(revision: 0, queued: 0, first: 0, last: 0, lastPoint: 0, quarantined: 0)
  }

  /// SQLite has begun to write the tables: what they held it will take back by itself.
  private var isHalfWritten: Bool { folder.bytes("store.sqlite-journal").first ?? 0 != 0 }

  /// One that is possible now, and the start after it.
  func damage() throws(StoreError) {
    if isHalfWritten {
      try start(as: asLeft, "half-written")
      stop(isKilled: false)
    }
    guard folder.size("store.sqlite") > 2 * StoreSight.page else { return lie("it leaves no tables") }
    let counters = checkpointed
    guard let base = past[counters.revision] else {
      return lie("its tables have the counters of a batch that never was")
    }
    // The counters in the tables: what was put in quarantine since is still where it was.
    quarantined = counters.quarantined
    let order = dice.pick(Damage.allCases)
    let setAside = damagedStores
    if dice.chance(0.3) {
      folder.put([UInt8](repeating: 0x55, count: dice.whole(0...9000)), at: "store.new")
      folder.put([UInt8](repeating: 0x55, count: dice.whole(0...900)), at: "store.new-journal")
    }
    var expected = rows.chance(0.25) ? garbleMessages(base) : nil
    if expected == nil, rows.chance(0.1) { expected = garbleRegions(base, at: counters.revision) }
    if expected == nil { expected = try inflict(order, counters, base) }
    if expected == nil {
      // Not possible now.
      folder.patch("store.sqlite", at: 0, [UInt8](repeating: 0, count: StoreSight.page))
      expected = salvaged()
    }
    guard let expected else { return }
    if breakage == .damageIsNotTold { hitMore() }
    let journal = folder.bytes("store.sqlite-journal")
    if damagedStores == setAside { discardDraft() }
    try start(as: expected, "\(order)")
    // It would undo what the new store holds.
    if damagedStores > setAside, folder.bytes("store.damaged-\(damagedStores)-journal") != journal {
      lie("the damaged store's journal was not set aside with it")
    }
  }

  /// Another page than was reckoned with.
  private func hitMore() {
    folder.patch("store.sqlite", at: 0, [UInt8](repeating: 0, count: 4 * StoreSight.page))
  }

  /// Only a repair promises to.
  private func discardDraft() {
    for name in ["store.new", "store.new-journal"] where folder.has(name) { folder.remove(name) }
  }

  private func inflict(
    _ order: Damage, _ counters: StoreSight.Counters, _ base: Contents
  ) throws(StoreError) -> Expectation? {
    switch order {
    case .headGone, .magic, .headField, .cutAtPage, .cutInHead, .foreignFile, .foreignTables, .regionMoved,
      .description, .versionGarbled:
      return spoil(order) ? salvaged() : nil
    case .pageGone: return zeroPage(base)
    case .tablesGone, .tablesEmpty:
      if order == .tablesGone { folder.remove("store.sqlite") } else { folder.cut("store.sqlite", to: 0) }
      return sound(Contents(), at: 0, quarantined: 0)
    case .countersGone, .countersGarbled: return loseCounters(order, counters, base)
    case .rowTooMany:
      try contradict(counters, base)
      return asLeft
    case .queueGone:
      guard OtherProgram.run("DELETE FROM message", on: folder.at("store.sqlite")) else { return nil }
      var left = base
      left.messages = []
      var expected = sound(left, at: counters.revision, quarantined: quarantined)
      // Where it counts anew it counts those that it still has.
      if !base.messages.isEmpty { expected.leastQuarantined = quarantineRows }
      return expected
    case .versionNewer:
      try refuseNewer()
      return asLeft
    case .laterTable:
      let table = "CREATE TABLE later(x);INSERT INTO later VALUES(1)"
      return OtherProgram.run(table, on: folder.at("store.sqlite")) ? asLeft : nil
    case .logGone, .logZeroed, .logShort, .lastTorn, .batchGone: return hitLog(order, counters, base)
    case .inTheWay:
      try standInTheWay()
      return asLeft
    case .reserveGone:
      folder.remove("store.reserve")
      return asLeft
    case .nothing: return asLeft
    }
  }

  // MARK: The tables

  /// So that they are no store any more. False: it could not be done.
  func spoil(_ order: Damage) -> Bool {
    let (name, path) = ("store.sqlite", folder.at("store.sqlite"))
    switch order {
    case .headGone: folder.patch(name, at: 0, [UInt8](repeating: 0, count: StoreSight.page))
    case .magic: folder.patch(name, at: dice.whole(0...15), [0xFF])
    case .headField:
      let offset = dice.pick(Array(16...23) + Array(44...47) + Array(56...59) + Array(64...67))
      folder.patch(name, at: offset, [folder.bytes(name)[offset] ^ UInt8(1 << dice.whole(0...7))])
    case .cutAtPage:
      folder.cut(name, to: dice.whole(1...folder.size(name) / StoreSight.page - 1) * StoreSight.page)
    // One of one byte counts as empty with SQLite.
    case .cutInHead: folder.cut(name, to: dice.whole(2...99))
    case .foreignFile: folder.put([UInt8](repeating: 0x41, count: dice.pick([2, 60, 5000])), at: name)
    case .foreignTables:
      folder.remove(name)
      let isMade = OtherProgram.run("CREATE TABLE message(a);INSERT INTO message VALUES(1)", on: path)
      chmod(path, 0o600)
      return isMade
    case .regionMoved:
      // Of a row that says nothing any more nobody can tell where it belongs.
      let sound = "FROM region WHERE hex(substr(record,1,1))<>'00'"
      guard OtherProgram.number("SELECT count(*) \(sound)", on: path) > 0 else { return false }
      let other = dice.pick(["'elsewhere'", "CAST(rid AS BLOB)"])
      return OtherProgram.run(
        "UPDATE region SET rid=\(other) WHERE id=(SELECT min(id) \(sound))", on: path)
    case .description:
      let (table, from, to) = dice.pick([
        ("message", "BLOB NOT NULL", "BLOB NOT  NULL"), ("state", "PRIMARY KEY", "PRIMARY_KEY"),
        ("history", "time REAL", "tima REAL"), ("quarantine", "source TEXT", "source text"),
      ])
      return OtherProgram.run(
        "PRAGMA writable_schema=ON;UPDATE sqlite_schema SET sql=replace(sql,'\(from)','\(to)') "
          + "WHERE name='\(table)'", on: path)
    case .versionGarbled:
      return OtherProgram.run("PRAGMA user_version=\(dice.pick([1, 0, 250, 0x1FF, 0x2FE, -2]))", on: path)
    default: return false
    }
    return true
  }

  private func zeroPage(_ base: Contents) -> Expectation? {
    let tables = folder.bytes("store.sqlite")
    let kind = dice.pick([StoreSight.PageKind.map, .tree, .tree, .tree, .overflow, .free])
    let pages = (1..<tables.count / StoreSight.page).filter { StoreSight.kind(of: $0, in: tables) == kind }
    guard !pages.isEmpty else { return nil }
    let start = dice.pick(pages) * StoreSight.page
    // Where a chain of pages goes on, its end is missed; of the last one only the record's sum tells. Of a list of
    // free pages it is the same.
    let isMissed =
      kind == .tree || kind == .map || tables[start..<start + (kind == .free ? 8 : 4)].contains { $0 != 0 }
    let isListed = kind != .free || isTrunk(start / StoreSight.page, tables)
    folder.patch("store.sqlite", at: start, [UInt8](repeating: 0, count: StoreSight.page))
    tell("\(kind) \(start / StoreSight.page)")
    if isMissed && isListed { return salvaged() }
    guard kind == .overflow else { return asLeft }
    var expected = asLeft
    let long = base.messages.filter { $0.size > 3900 }.map(\.sequence)
    let whole = OtherProgram.whole(long, in: folder.at("store.sqlite"))
    let there = expected.contents.messages.count
    expected.contents.messages.removeAll { long.contains($0.sequence) && !whole.contains($0.sequence) }
    expected.quarantined += there - expected.contents.messages.count
    return expected
  }

  /// Of the list of free pages, and not only named in it.
  private func isTrunk(_ index: Int, _ tables: [UInt8]) -> Bool {
    func number(_ offset: Int) -> Int { tables[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
    var next = number(32)
    while next > 0 {
      if next == index + 1 { return true }
      next = number((next - 1) * StoreSight.page)
    }
    return false
  }

  /// All is counted again, and the log taken up from its beginning.
  private func loseCounters(
    _ order: Damage, _ counters: StoreSight.Counters, _ base: Contents
  ) -> Expectation? {
    let path = folder.at("store.sqlite")
    let newest = StoreSight.batches(in: folder.bytes("store.log")).map(\.revision).max() ?? 0
    // Else the log would put what is old over what is new.
    guard newest >= counters.revision else { return nil }
    let garbled = "UPDATE state SET record=x'4877' WHERE kind=12"
    guard OtherProgram.run(order == .countersGone ? "DELETE FROM state WHERE kind=12" : garbled, on: path)
    else {
      return nil
    }
    var left = base
    left.state.lastSequence = base.messages.last?.sequence ?? 0
    left.lastPoint = base.points.last?.number ?? 0
    // Before the first checkpoint there are none to garble.
    let isGarbled = order == .countersGarbled && counters.revision > 0
    return sound(left, at: 0, quarantined: quarantineRows + (isGarbled ? 1 : 0))
  }

  private var quarantineRows: Int {
    OtherProgram.number("SELECT count(*) FROM quarantine", on: folder.at("store.sqlite"))
  }

  /// A row that no counter knows, and that goes again.
  private func contradict(_ counters: StoreSight.Counters, _ base: Contents) throws(StoreError) {
    let path = folder.at("store.sqlite")
    let (row, words) = dice.pick([
      ("history VALUES(1000000000,0,x'00')", "points, and"),
      ("message VALUES(1000000000,x'00')", "messages, and"),
      ("quarantine VALUES(1000000000,'',x'00')", "in quarantine, and"),
    ])
    let table = row.prefix { $0 != " " }
    // More were lost than lie there: one more does not show.
    if table == "quarantine", quarantineRows < quarantined { return }
    // What the log still has may remove the row; with the first message of all everything is counted anew.
    if counters.revision != revision || (table == "message" && base.messages.isEmpty) { return }
    OtherProgram.run("INSERT INTO \(row)", on: path)
    do {
      let file = try StoreFile(directory: folder.path)
      let found = file.inconsistency()
      if found?.contains(words) != true {
        lie("\(table) is contradicted, and it finds \(found ?? "nothing")")
      }
    }
    let key = table == "message" ? "sequence" : "id"
    OtherProgram.run("DELETE FROM \(table) WHERE \(key)=1000000000", on: path)
  }

  private func refuseNewer() throws(StoreError) {
    let path = folder.at("store.sqlite")
    let version = dice.pick([2, 3, 249, dice.whole(4...248)])
    let mark = dice.chance(0.5) ? version : version << 8 | ~version & 0xFF
    let before = OtherProgram.number("PRAGMA user_version", on: path)
    OtherProgram.run("PRAGMA user_version=\(mark)", on: path)
    let bytes = folder.bytes("store.sqlite")
    let newer = StoreError.newer(path: path, version: version, known: 1)
    expectRefusal(newer)
    if folder.bytes("store.sqlite") != bytes { lie("a later version's store was changed") }
    OtherProgram.run("PRAGMA user_version=\(before)", on: path)
  }

  private func expectRefusal(_ expected: StoreError) {
    do throws(StoreError) {
      _ = try StoreFile(directory: folder.path)
      lie("it opens, and should say: \(expected.sentence)")
    } catch {
      if error != expected { lie("it says: \(error.sentence); and should say: \(expected.sentence)") }
    }
  }

  private func standInTheWay() throws(StoreError) {
    let name = dice.pick(["store.sqlite", "store.sqlite-journal", "store.log"])
    let path = folder.at(name)
    let (word, victim) = (dice.pick(["a link", "a folder", "a pipe"]), Array("somebody's".utf8))
    aside.put(victim, at: "victim")
    folder.move(name, to: "held")
    switch word {
    case "a link": symlink(aside.at("victim"), path)
    case "a folder": mkdir(path, 0o700)
    default: mkfifo(path, 0o600)
    }
    expectRefusal(.inTheWay(path: path, what: word))
    if aside.bytes("victim") != victim { lie("it has written through \(word)") }
    folder.remove(name)
    folder.move("held", to: name)
  }

  // MARK: The log

  private func hitLog(
    _ order: Damage, _ counters: StoreSight.Counters, _ base: Contents
  ) -> Expectation? {
    let bytes = folder.bytes("store.log")
    let rest = StoreSight.cycle(StoreSight.batches(in: bytes), after: counters.revision)
    switch order {
    case .logGone: folder.remove("store.log")
    case .logZeroed: folder.patch("store.log", at: 0, [UInt8](repeating: 0, count: bytes.count))
    case .logShort: folder.cut("store.log", to: rest.isEmpty ? 0 : dice.pick(rest).bytes.lowerBound)
    case .lastTorn:
      guard let last = rest.last else { return nil }
      // Within its head, or within what it brings.
      let offset = dice.pick([last.bytes.lowerBound + dice.whole(0...27), last.bytes.upperBound - 1])
      folder.patch("store.log", at: offset, [bytes[offset] ^ 0x10])
    default: return loseBatch(rest, base, counters.revision)
    }
    return sound(base, at: counters.revision, quarantined: quarantined)
  }

  private func loseBatch(
    _ rest: [StoreSight.Batch], _ base: Contents, _ checkpointed: UInt32
  ) -> Expectation? {
    let synced = rest.dropLast().indices.filter { rest[$0].isSynced }
    guard let index = synced.isEmpty ? nil : dice.pick(Array(synced)) else { return nil }
    folder.patch("store.log", at: rest[index].bytes.lowerBound, [0])
    var expected = Expectation(contents: base, revision: revision, quarantined: quarantined)
    taking(Array(rest[..<index] + rest[(index + 1)...]), into: &expected.contents)
    // Behind it one was begun that had waited for it. What the first of all was nobody knows.
    if index > 0 || checkpointed > 0, rest[(index + 1)...].contains(where: \.isSynced) {
      expected.quarantined += 1
      expected.notices = ["/store.log: 1 damaged records were skipped"]
    }
    return expected
  }
}
