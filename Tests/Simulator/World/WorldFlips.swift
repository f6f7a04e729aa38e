import CSQLite
import Model
import Storage

/// Bits that turn while the board is off.
extension World {
  /// One flip may cost one record of the tables. In the log it may cost the last batch, too: nobody can
  /// tell it from one that a power cut tore. A batch holds no more than the queue's events and a second.
  private static let mostLostOfLog = 64

  func flipBitsAtRest() {
    if breakage == .tablesChangeUnseen { return writeUnseen() }
    guard boots > 1, faultDice.chance(rates[.bitFlipped]) else { return }
    twin.doubt()
    if breakage == .bitsFlipUnseen {
      for _ in 0..<200 { _ = disk.flipBit() }
      return
    }
    do throws(StoreError) {
      let before = try Shadow.look(at: disk)
      guard let place = disk.flipBit() else { return }
      if breakage == .oneFlipIsMany { for _ in 0..<200 { _ = disk.flipBit() } }
      ledger.note(.bitFlipped)
      tell("flipped \(place)")
      let after = try Shadow.repair(disk)
      compare(before, after, isLog: place.contains("store.log"))
    } catch {
      ledger.complain(.flips, "a flipped bit, and the store cannot be opened: \(error.sentence)", at: now)
    }
  }

  /// A row that no counter knows.
  private func writeUnseen() {
    var database: OpaquePointer?
    defer { sqlite3_close(database) }
    let path = Scratch.directory + "/store.sqlite"
    guard boots > 1, sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, vfs.name) == SQLITE_OK else {
      return
    }
    sqlite3_exec(database, "INSERT INTO history VALUES(1000000000,0,x'00')", nil, nil, nil)
  }

  /// What a flip did shows only now. The process ends, the card is repaired elsewhere, and it starts anew.
  func repairStore() {
    tell("the store is damaged: it is repaired on a real file system")
    disk.killHandles()
    twin.doubt()
    ledger.crashed(at: now)
    noteUndurable()
    do throws(StoreError) {
      let after = try Shadow.repair(disk)
      let lost = ledger.lost(but: Set(after.messages.values.map { [UInt8]($0.topic.utf8) + $0.payload }))
      ledger.regions.formIntersection(after.regions)
      ledger.announcedAgain.formUnion(after.announced ?? [])
      ledger.note(breakOf: nil, at: now)
      ledger.flippedAway += lost
      let flips = ledger.counts[Fault.bitFlipped.rawValue]
      if flips == 0 { ledger.complain(.flips, "the store is damaged, and no bit has flipped", at: now) }
      if lost > flips { ledger.complain(.flips, "\(flips) flipped bits cost \(lost) messages", at: now) }
    } catch {
      ledger.complain(.flips, "the store cannot be repaired: \(error.sentence)", at: now)
    }
    gone(restartIn: 0.5)
  }

  private func compare(_ before: Shadow.Contents, _ after: Shadow.Contents, isLog: Bool) {
    var lost = 0
    for (sequence, message) in before.messages {
      guard let known = after.messages[sequence] else {
        lost += 1
        ledger.excuse(message, .flipped)
        continue
      }
      if known != message { ledger.complain(.flips, "message \(sequence) has changed", at: now) }
    }
    // Removed long ago, and back: a repeat.
    for (sequence, message) in after.messages where before.messages[sequence] == nil {
      ledger.passed(message)
    }
    let regions = before.regions.subtracting(after.regions)
    for rid in regions { ledger.note(breakOf: rid, at: now) }
    ledger.regions.formIntersection(after.regions)
    if isLog || !regions.isEmpty { ledger.note(breakOf: nil, at: now) }
    // What was announced is one record. Without it, all regions that the board is in count as announced.
    let announced = before.announced != nil && after.announced == nil ? 1 : 0
    ledger.announcedAgain.formUnion((after.announced ?? []).subtracting(before.announced ?? []))
    ledger.flippedAway += lost + regions.count + announced
    if lost + regions.count + announced > (isLog ? Self.mostLostOfLog : 1) {
      let cost = "\(lost) messages, \(regions.count) regions and \(announced) records of what was announced"
      ledger.complain(.flips, "one bit cost \(cost)", at: now)
    }
  }
}
