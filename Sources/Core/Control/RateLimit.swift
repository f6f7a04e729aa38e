import Timebase

/// A rate limit: `burst` times in a row, and then once per `span`.
struct RateLimit {
  let burst: Int
  let span: Span
  private var left: Int
  private var since: Instant?

  init(burst: Int, span: Span) { (self.burst, self.span, left) = (burst, span, burst) }

  /// False: not now.
  mutating func take(at now: Instant) -> Bool {
    let since = since ?? now
    assert(now >= since && (0...burst).contains(left), "\(left) turns are left")
    let earned = Int((now - since).seconds / span.seconds)
    left = min(burst, left + earned)
    self.since = left == burst ? now : since + .seconds(Double(earned) * span.seconds)
    guard left > 0 else { return false }
    left -= 1
    return true
  }
}
