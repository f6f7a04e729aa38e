import Timebase

/// Which seconds were told as the `tst` of a location: no two ever share one (docs/behaviour.md, "Clock"). The oldest
/// of them are forgotten; what comes again is of the last seconds.
struct PublishedTimes {
  static let limit = 64

  private var ring: [Int] = []
  private var oldest = 0
  /// None of the ring is later: what is need not be looked for.
  private var latest = Int.min
  /// Nil: none, or the clock was set since.
  private(set) var newest: Int?

  init(_ newest: Int?) {
    self.newest = newest
    if let newest { (ring, latest) = ([newest], newest) }
  }

  func contains(_ second: Int) -> Bool {
    second <= latest && (second == newest || ring.contains(second))
  }

  /// Whether a place of this second says something new.
  func isNew(_ second: Int) -> Bool { !contains(second) && newest.map { second > $0 } ?? true }

  /// The first second that was not told, from this one on.
  func free(from second: Int) -> Int {
    var free = second
    while contains(free) { free += 1 }
    releaseAssert(free - second <= Self.limit + 1, "more seconds are published than are kept")
    return free
  }

  mutating func note(_ second: Int) {
    newest = max(newest ?? second, second)
    latest = max(latest, second)
    if ring.count < Self.limit { return ring.append(second) }
    ring[oldest] = second
    oldest = (oldest + 1) % Self.limit
  }

  /// The clock was set: what was told before is no measure of what is new. It was told all the same.
  mutating func clockSet() { newest = nil }
}
