import CSQLite
import Glibc
import Model
import TestSupport
import Testing

@testable import Storage

/// Damaged bytes cost what they hit and nothing else; the damaged store is kept.
struct StoreDamageTests {
  private let directory = StoreDirectory()

  /// A closed store of so many messages, and of some regions.
  private func fill(_ count: UInt64) throws {
    let file = try StoreFile(directory: directory.path)
    if count > 1000 { try file.apply((1...count).map { .insert(Sample.message($0)) }) }
    for sequence in 1...min(count, 1000) {
      try file.apply([.insert(Sample.message(sequence, isEvent: true))])
    }
    try file.apply((1...20).map { .region(Sample.region($0), .inside) } + [.mode(ModeState(mode: .move))])
    file.close()
  }

  private func everything(in file: StoreFile) throws -> [Message] {
    var all: [Message] = []
    while case let page = try file.load(after: all.last?.sequence ?? 0, limit: 64), !page.isEmpty {
      all += page
    }
    return all
  }

  private func damage(_ change: (inout [UInt8]) -> Void) {
    var bytes = readFile(directory.tables)
    change(&bytes)
    writeFile(bytes, to: directory.tables)
  }

  // behaviour: A disk that fails, fills or lies
  /// The offsets of the flips are spread evenly, and fall on structure and rows alike.
  @Test func aFlippedByteCostsAtMostOneMessage() throws {
    try fill(500)
    let whole = readFile(directory.tables)
    let offsets = Array(stride(from: 0, to: 128, by: 4)) + Array(stride(from: 128, to: whole.count, by: 1009))
    for offset in offsets {
      let copy = directory.copy()
      var bytes = whole
      bytes[offset] ^= [0x01, 0x80, 0xFF][offset % 3]
      writeFile(bytes, to: copy.tables)
      let file = try StoreFile(directory: copy.path)
      let messages = try everything(in: file)
      #expect(messages.count >= 499, "byte \(offset)")
      let areSound = messages.allSatisfy { $0 == Sample.message($0.sequence, isEvent: true) }
      #expect(areSound, "byte \(offset)")
      #expect(try file.snapshot().regions.count >= 19, "byte \(offset)")
      file.close()
    }
  }

  /// Found by seed 16162: what was a key no longer is one, and nothing that should be replaced ever is.
  @Test func writesSurviveADamagedTableSchema() throws {
    try fill(10)
    damage { bytes in
      let needle = Array("state(kind INTEGER PRIM".utf8)
      let offset = bytes.indices.first { bytes[$0...].starts(with: needle) }
      bytes[(offset ?? 0) + needle.count - 2] ^= 0x80
    }
    let file = try StoreFile(directory: directory.path)
    try file.apply([.tag("one"), .insert(Sample.message(11))])
    try file.apply([.tag("two")])
    file.close()
    let snapshot = try StoreFile(directory: directory.path).snapshot()
    #expect(snapshot.tag == "two")
    #expect(snapshot.lastSequence == 11)
  }

  @Test func aDamagedMessageIsCounted() throws {
    try fill(10)
    damage { bytes in
      let needle = Array("\"n\":7".utf8)
      let offset = bytes.indices.first { bytes[$0...].starts(with: needle) }
      bytes[(offset ?? 0) + 40] ^= 1
    }
    let file = try StoreFile(directory: directory.path)
    _ = try everything(in: file)
    #expect(file.quarantined == 1)
    #expect(try file.snapshot().queued == 9)
  }

  /// Seed 25323: an index that names a row which is not there passes the check at the opening.
  @Test func damageMetWhileTheLogIsTakenUpIsMended() throws {
    try fill(10)
    let file = try StoreFile(directory: directory.path)
    try file.apply([.region(Sample.region(5), .outside)])
    let copy = directory.copy()
    var bytes = readFile(copy.tables)
    let needle = Array("rid5".utf8) + [5]
    let isIndexPage = { bytes[$0 / 4096 * 4096] == 0x0A }
    let offset = bytes.indices.first { isIndexPage($0) && bytes[$0...].starts(with: needle) }
    bytes[try #require(offset) + 4] ^= 0x40
    writeFile(bytes, to: copy.tables)
    let repaired = try StoreFile(directory: copy.path)
    #expect(repaired.takeNotices().first?.contains("store.damaged-1") == true)
    let regions = try repaired.snapshot().regions
    #expect(regions.count == 20)
    #expect(regions.first { $0.region.rid == "rid5" }?.presence == .outside)
    #expect(try everything(in: repaired).count == 10)
  }

  // behaviour: A disk that fails, fills or lies
  @Test func aDamagedStoreIsKeptAsItWas() throws {
    try fill(10)
    damage { $0[0] = 0 }
    let damaged = readFile(directory.tables)
    try StoreFile(directory: directory.path).close()
    let isKept = readFile(directory.path + "/store.damaged-1") == damaged
    #expect(isKept)
  }

  @Test func aSecondDamagedStoreDoesNotReplaceTheFirst() throws {
    for _ in 0..<2 {
      try fill(10)
      damage { $0[0] = 0 }
      try StoreFile(directory: directory.path).close()
    }
    #expect(directory.names.filter { $0 == "store.damaged-1" || $0 == "store.damaged-2" }.count == 2)
  }

  @Test func damagedStoreIsReportedInOneLine() throws {
    try fill(10)
    damage { $0[0] = 0 }
    let file = try StoreFile(directory: directory.path)
    let notices = file.takeNotices()
    #expect(notices.count == 1)
    #expect(notices.first?.contains("store.damaged-1") == true)
    #expect(notices.first?.contains("10 of 10 messages and 20 regions saved") == true)
    #expect(notices.first?.contains("\n") == false)
  }

  @Test func fileThatIsNoDatabaseIsReplaced() throws {
    let other = Array("not a database, and long enough to be looked at".utf8)
    writeFile(other, to: directory.tables)
    #expect(try StoreFile(directory: directory.path).snapshot() == Snapshot())
    let isKept = readFile(directory.path + "/store.damaged-1") == other
    #expect(isKept)
  }

  @Test func truncatedFileKeepsItsRemainingMessages() throws {
    try fill(500)
    damage { $0.removeLast($0.count / 2) }
    let file = try StoreFile(directory: directory.path)
    let messages = try everything(in: file)
    #expect(messages.count > 150)
    let areSound = messages.allSatisfy { $0 == Sample.message($0.sequence, isEvent: true) }
    #expect(areSound && messages.map(\.sequence) == Set(messages.map(\.sequence)).sorted())
    #expect(file.quarantined == 500 - messages.count, "the others are counted")
  }

  @Test func aMessageLongerThanAPageSurvivesDamageElsewhere() throws {
    let file = try StoreFile(directory: directory.path)
    try file.apply([.insert(Sample.message(1, payload: 20_000)), .insert(Sample.message(2))])
    file.close()
    damage { bytes in
      bytes[70] ^= 0xFF
      bytes[18] ^= 0xFF
    }
    #expect(try everything(in: StoreFile(directory: directory.path)).contains(Sample.message(2)))
  }

  @Test func acknowledgedMessagesDoNotComeBackFromADamagedStore() throws {
    try fill(500)
    let file = try StoreFile(directory: directory.path)
    try file.apply([.remove(Array(1...490))])
    file.close()
    damage { $0[0] = 0 }
    let sequences = try everything(in: StoreFile(directory: directory.path)).map(\.sequence)
    #expect(sequences == Array(491...500))
  }

  @Test func damageMetWhileRunningIsMended() throws {
    // Too large to be checked at the start.
    try fill(40_000)
    let pages = readFile(directory.tables).count / 4096
    damage { bytes in for page in stride(from: 1000, to: pages, by: 7) { bytes[page * 4096] = 0x77 } }
    let file = try StoreFile(directory: directory.path)
    let isSetAside = { directory.names.contains("store.damaged-1") }
    #expect(!isSetAside())
    let found = try everything(in: file).count
    #expect(found == 40_000)
    #expect(isSetAside())
  }

  @Test func aLaterFormatIsRefusedAndLeftAlone() throws {
    try fill(3)
    var database: OpaquePointer?
    sqlite3_open(directory.tables, &database)
    sqlite3_exec(database, "PRAGMA user_version=7", nil, nil, nil)
    sqlite3_close(database)
    let before = readFile(directory.tables)
    #expect(throws: StoreError.newer(path: directory.tables, version: 7, known: 1)) {
      try StoreFile(directory: directory.path)
    }
    let isUntouched = readFile(directory.tables) == before
    #expect(isUntouched)
  }

  @Test func aTableOfALaterVersionDoesNoHarm() throws {
    try fill(3)
    var database: OpaquePointer?
    sqlite3_open(directory.tables, &database)
    sqlite3_exec(database, "CREATE TABLE later(x); INSERT INTO later VALUES(1)", nil, nil, nil)
    sqlite3_close(database)
    #expect(try everything(in: StoreFile(directory: directory.path)).count == 3)
  }
}
