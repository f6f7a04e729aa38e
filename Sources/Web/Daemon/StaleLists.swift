import OwnTracks

/// Which of the lists that a page has asked for are old by now, as far as the status shows it.
struct StaleLists {
  /// Members of the status whose change means that a list has changed.
  private static let signs: [(list: String, of: @Sendable (StatusRecord) -> [JSON?])] = [
    ("regions", { [$0.regions?.answer, $0.inside?.answer, $0.leftDescriptions?.answer] }),
    ("friends", { [$0.messages?.friendUpdates?.answer] }),
    (
      "why",
      {
        [
          $0.mode?.answer, $0.fix?.time?.answer, $0.queue?.count?.answer,
          $0.connection?.acknowledged?.answer, $0.history?.answer,
        ]
      }
    ),
    // As many as are kept may always be as many: whatever is published may be one more for one that goes.
    ("history", { [$0.history?.answer, $0.queue?.count?.answer, $0.connection?.acknowledged?.answer] }),
  ]

  private var seen: [String: [JSON?]] = [:]
  private var counts: [String: Int64] = [:]

  /// A number for each that has become old; it differs from those before.
  mutating func look(at status: JSON) -> [(list: String, count: Int64)] {
    var stale: [(String, Int64)] = []
    let record = StatusRecord(answer: status) ?? StatusRecord()
    for (list, signs) in Self.signs {
      let now = signs(record)
      defer { seen[list] = now }
      guard let before = seen[list], before != now else { continue }
      counts[list, default: 0] += 1
      stale.append((list, counts[list] ?? 0))
    }
    return stale
  }
}
