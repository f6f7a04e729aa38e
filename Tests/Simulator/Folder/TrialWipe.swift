import Model
import Storage

/// All that tells of places is thrown away.
extension StoreTrial {
  /// Beside the store's own; what the first ones begin with goes.
  private static let others = [
    "friends.sqlite", "refused.jsonl", "drive.1", "store.damaged-9", "card.face", "notes",
  ]
  /// What is in each of them, in the payload of every message that has one, and in the id of every region.
  private static let marks = [Array("a place".utf8), (1..<11).map { UInt8($0 * 7) }, Array("draw ".utf8)]
  /// As records on the disk: messages, regions, places, points and what removes them, and what was announced.
  private static let telling: Set<UInt8> = [1, 2, 3, 4, 6, 7, 8, 9, 56, 64]

  /// Of a store that is whole.
  func wipe(_ extent: StoreWipe.Extent) throws(StoreError) {
    tell("wipe of \(extent)")
    let bytes = Array("at a place, \(String(repeating: "x", count: dice.pick([0, 300, 70_000])))".utf8)
    for name in Self.others { folder.put(bytes, at: name) }
    let going = folder.names.filter { name in
      ["store.", "friends.", "refused.", "drive."].contains { name.hasPrefix($0) }
        || (extent == .everything && name == "card.face")
    }
    for name in going { aside.link(name, from: folder) }
    let sizes = going.map { folder.size($0) }
    if breakage != .wipeIsForgotten {
      let report = try StoreWipe.run(in: folder.path, extent)
      if report.files != going.count { lie("\(report.files) files were wiped, not \(going.count)") }
      // What the log has is taken up before, and may make the tables larger.
      if report.bytes < sizes.reduce(0, +) {
        lie("\(report.bytes) bytes were wiped, not \(sizes.reduce(0, +))")
      }
    }
    for (name, size) in zip(going, sizes) {
      let left = aside.bytes(name)
      if left.count < size || left.contains(where: { $0 != 0 }) { lie("\(name) was not overwritten") }
      aside.remove(name)
    }
    judgeWiped(extent, bytes)
    for name in Self.others where folder.has(name) { folder.remove(name) }
    try begin(after: extent)
  }

  private func judgeWiped(_ extent: StoreWipe.Extent, _ bytes: [UInt8]) {
    if folder.bytes("notes") != bytes { lie("a wipe took what is not the tracker's") }
    if folder.has("card.face") == (extent == .everything) { lie("a wipe of \(extent) and the card's face") }
    let kept =
      extent == .everything ? [] : ["store.log", "store.reserve", "store.sqlite", "store.sqlite-journal"]
    let names = folder.names.filter { $0 != "notes" && $0 != "card.face" }
    if names != kept { lie("a wipe leaves \(names)") }
    for name in names {
      let left = folder.bytes(name)
      for mark in Self.marks where StoreSight.lies(mark, in: left) { lie("a wipe leaves a place in \(name)") }
      let kinds = Set(StoreSight.records(in: left, page: left.count).map(\.kind)).intersection(Self.telling)
      if !kinds.isEmpty { lie("a wipe leaves records of kinds \(kinds.sorted()) in \(name)") }
    }
  }

  private func begin(after extent: StoreWipe.Extent) throws(StoreError) {
    let before = contents.state
    (contents, revision, quarantined, damagedStores) = (Contents(), 0, 0, 0)
    (batches, past, isLost) = ([:], [0: Contents()], false)
    if extent == .places {
      var journey = JourneyState()
      journey.odometer = before.journey.odometer
      var writes: [StoreWrite] = [
        .tag(before.tag), .remoteSettings(before.remote), .commandsSeen(before.commandsSeen),
        .journey(journey),
      ]
      if let mode = before.mode { writes.append(.mode(mode)) }
      if let imported = before.imported { writes.append(.imported(imported)) }
      if before.clientIDForm != .unsaid { writes.append(.clientIDForm(before.clientIDForm)) }
      if before.volume != DataVolume() { writes.append(.volume(before.volume)) }
      note(writes)
    }
    try start(as: asLeft, "a start after it")
  }
}
