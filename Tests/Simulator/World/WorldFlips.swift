import CSQLite
import Storage

/// Bits that turn while the board is off.
extension World {
  func flipBitsAtRest() {
    if breakage == .tablesChangeUnseen { return writeUnseen() }
    guard board.boots > 1, faults.dice.chance(faults.rates[.bitFlipped]) else { return }
    card.twin.doubt()
    if breakage == .bitsFlipUnseen {
      for _ in 0..<200 { _ = card.disk.flipBit() }
      return
    }
    do throws(StoreError) {
      let before = try Shadow.look(at: card.disk)
      guard let place = card.disk.flipBit() else { return }
      if breakage == .oneFlipIsMany { for _ in 0..<200 { _ = card.disk.flipBit() } }
      ledger.note(.bitFlipped)
      tell("flipped \(place)")
      let after = try Shadow.repair(card.disk)
      compare(before, after, isLog: place.contains("store.log"))
    } catch {
      complain(.flips, "a flipped bit, and the store cannot be opened: \(error.sentence)")
    }
  }

  /// A row that no counter knows.
  private func writeUnseen() {
    var database: OpaquePointer?
    defer { sqlite3_close(database) }
    let path = Scratch.directory + "/store.sqlite"
    guard board.boots > 1, sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, card.vfs.name) == SQLITE_OK
    else {
      return
    }
    sqlite3_exec(database, "INSERT INTO history VALUES(1000000000,0,x'00')", nil, nil, nil)
  }

  /// What a flip did shows only now. The process ends, the card is repaired elsewhere, and it starts anew.
  func repairStore() {
    tell("the store is damaged: it is repaired on a real file system")
    card.disk.killHandles()
    card.twin.doubt()
    ledger.crashed(at: now)
    noteUndurable()
    do throws(StoreError) {
      let after = try Shadow.repair(card.disk)
      let lost = ledger.lost(but: Set(after.messages.values.map { Ledger.Content($0) }))
      ledger.regions.formIntersection(after.regions)
      ledger.losses.announcedAgain.formUnion(after.announced ?? [])
      ledger.note(breakOf: nil, at: now)
      ledger.losses.flippedAway += lost
      show(.repaired(lost: lost))
    } catch {
      complain(.flips, "the store cannot be repaired: \(error.sentence)")
    }
    gone(restartIn: 0.5)
  }

  private func compare(_ before: Shadow.Contents, _ after: Shadow.Contents, isLog: Bool) {
    let lost = before.messages.filter { after.messages[$0.key] == nil }
    for message in lost.values { ledger.excuse(message, .flipped) }
    // Removed long ago, and back: a repeat.
    for (sequence, message) in after.messages where before.messages[sequence] == nil {
      ledger.passing.passed(message)
    }
    let regions = before.regions.subtracting(after.regions)
    for rid in regions { ledger.note(breakOf: rid, at: now) }
    ledger.regions.formIntersection(after.regions)
    if isLog || !regions.isEmpty { ledger.note(breakOf: nil, at: now) }
    // What was announced is one record. Without it, all regions that the board is in count as announced.
    let announced = before.announced != nil && after.announced == nil ? 1 : 0
    ledger.losses.announcedAgain.formUnion((after.announced ?? []).subtracting(before.announced ?? []))
    ledger.losses.flippedAway += lost.count + regions.count + announced
    let changed = before.messages.filter { (after.messages[$0.key] ?? $0.value) != $0.value }
    show(
      .flipped(
        FlippedBits.Cost(
          messages: lost.count, regions: regions.count, announced: announced, changed: changed.keys.sorted(),
          isLog: isLog)))
  }
}
