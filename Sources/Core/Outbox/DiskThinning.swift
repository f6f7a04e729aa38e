import Model

/// The search for messages to drop among those on the disk alone, a page of their index at a time.
struct DiskThinning {
  static let page = 1024

  private var sweep = Sweep()
  private var isUnderway = false
  /// The queue holds nothing to drop (events only): no use in searching again before a new message comes.
  private(set) var isFutile = false

  /// A new message may be thinned.
  mutating func renew() { isFutile = false }

  /// Nil: a page is under way, or there is no use in it. `loadedThrough`: older messages are in memory.
  mutating func askForPage(after loadedThrough: UInt64) -> Effect? {
    guard !isUnderway, !isFutile else { return nil }
    isUnderway = true
    return .loadIndex(after: max(sweep.cursor, loadedThrough), limit: Self.page)
  }

  /// The messages to drop, of those that count. `isEnd`: this is the last page.
  mutating func victims(in usable: [QueueEntry], wanted: Int, isEnd: Bool) -> Set<UInt64> {
    isUnderway = false
    let victims = Set(sweep.victims(in: usable, wanted: wanted))
    if isEnd, victims.count < wanted { isFutile = !sweep.restart() }
    return victims
  }
}
