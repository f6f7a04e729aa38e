import Model

/// The search for what may go among the messages that are on the disk alone, a page of their index at a time.
struct DiskThinning {
  static let page = 1024

  private var sweep = Sweep()
  private var isUnderway = false
  /// The queue holds nothing that may go (events only): no use in looking again before something new comes.
  private(set) var isFutile = false

  /// Something new may be thinned.
  mutating func renew() { isFutile = false }

  /// Nil: a page is on its way, or there is no use in it. `loadedThrough`: what is older is in memory.
  mutating func askForPage(after loadedThrough: UInt64) -> Effect? {
    guard !isUnderway, !isFutile else { return nil }
    isUnderway = true
    return .loadIndex(after: max(sweep.cursor, loadedThrough), limit: Self.page)
  }

  /// What goes, of those that count. `isEnd`: no page comes after it.
  mutating func victims(in usable: [QueueEntry], wanted: Int, isEnd: Bool) -> Set<UInt64> {
    isUnderway = false
    let victims = Set(sweep.victims(in: usable, wanted: wanted))
    if isEnd, victims.count < wanted { isFutile = !sweep.restart() }
    return victims
  }
}
