import OwnTracks

/// Which of the lists that a page has asked for are old by now, as far as the status shows it.
struct StaleLists {
  /// Members of the status, as paths, whose change means that a list has changed.
  private static let signs: [(list: String, paths: [[String]])] = [
    ("regions", [["regions"], ["inside"], ["leftDescriptions"]]),
    ("friends", [["messages", "friendUpdates"]]),
    ("why", [["mode"], ["fix", "tst"], ["queue", "count"], ["connection", "acknowledged"], ["history"]]),
    ("history", [["history"]]),
  ]

  private var seen: [String: [JSON?]] = [:]
  private var counts: [String: Int64] = [:]

  /// A number for each that has become old; it differs from those before.
  mutating func look(at status: JSON) -> [(list: String, count: Int64)] {
    var stale: [(String, Int64)] = []
    for (list, paths) in Self.signs {
      let now = paths.map { path in path.reduce(Optional(status)) { $0?[$1] } }
      defer { seen[list] = now }
      guard let before = seen[list], before != now else { continue }
      counts[list, default: 0] += 1
      stale.append((list, counts[list] ?? 0))
    }
    return stale
  }
}
