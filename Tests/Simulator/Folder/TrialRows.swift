/// Damage that SQLite does not see: the rows are there, and what some of them say makes no sense.
extension StoreTrial {
  /// Costs the messages that it hits, and no other. Nil: there are none to hit.
  func garbleMessages(_ base: Contents) -> Expectation? {
    guard !base.messages.isEmpty else { return nil }
    let first = rows.whole(0...base.messages.count - 1)
    // One after the other, or here and there.
    let isStretch = rows.chance(0.5)
    let hit = base.messages.enumerated().filter { index, _ in
      index == first || (isStretch ? (first..<first + 6).contains(index) : rows.chance(0.3))
    }.map(\.element.sequence)
    tell("messages \(hit) are garbled")
    guard garble("message", where: "sequence", isOneOf: hit.map { "\($0)" }) else { return nil }
    var expected = asLeft
    let there = expected.contents.messages.count
    expected.contents.messages.removeAll { hit.contains($0.sequence) }
    expected.quarantined += there - expected.contents.messages.count
    return expected
  }

  /// Costs the regions that it hits, unless the log brings them back, and no other. Nil: there are none to hit.
  func garbleRegions(_ base: Contents, at checkpointed: UInt32) -> Expectation? {
    let known = base.state.regions.map(\.region.rid)
    guard !known.isEmpty else { return nil }
    let first = rows.pick(known)
    var hit = Set(known.filter { $0 == first || rows.chance(0.3) })
    tell("regions \(hit.sorted()) are garbled")
    guard garble("region", where: "rid", isOneOf: hit.map { "'\($0)'" }) else { return nil }
    for revision in batches.keys where revision > checkpointed {
      for entry in batches[revision] ?? [] {
        switch entry.write {
        case .region(let region, _): hit.remove(region.rid)
        case .regionRemoved(let rid): hit.remove(rid)
        default: break
        }
      }
    }
    var expected = asLeft
    expected.contents.state.regions.removeAll { hit.contains($0.region.rid) }
    expected.contents.isOrderKnown = false
    expected.quarantined += hit.count
    isGarbled = true
    return expected
  }

  /// Of the same length, with a head that is no record's. False: it could not be done.
  private func garble(_ table: String, where key: String, isOneOf keys: [String]) -> Bool {
    let garbled = "UPDATE \(table) SET record=CAST(x'00'||substr(record,2) AS BLOB)"
    let path = folder.at("store.sqlite")
    return OtherProgram.run("\(garbled) WHERE \(key) IN (\(keys.joined(separator: ",")))", on: path)
  }
}
