import Model

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
    let list = hit.map { "\($0)" }.joined(separator: ",")
    // Of the same length, with a head that is no record's.
    let garbled = "UPDATE message SET record=CAST(x'00'||substr(record,2) AS BLOB)"
    let isDone = OtherProgram.run(
      "\(garbled) WHERE sequence IN (\(list))", on: folder.at("store.sqlite"))
    guard isDone else { return nil }
    var expected = asLeft
    let there = expected.contents.messages.count
    expected.contents.messages.removeAll { hit.contains($0.sequence) }
    expected.quarantined += there - expected.contents.messages.count
    return expected
  }
}
