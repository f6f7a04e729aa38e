import Timebase

/// How long beacons could have been heard. The clock stands still while the radio hears nothing, and while
/// the radio listens for only a share of the time it runs at that share of the speed: at a duty of 30 % a
/// time-out of 30 s is up after 100 s. So neither an outage nor a rest ever counts as a beacon's silence.
struct ListeningClock {
  private(set) var isHearing = false
  private var duty: Int64 = 100
  /// Reading of the clock at `since`.
  private var banked = Span.zero
  private var since = Instant.zero

  func listened(at now: Instant) -> Span {
    isHearing ? banked + Self.share(now - since, duty) : banked
  }

  mutating func set(isHearing: Bool? = nil, duty: Int? = nil, at now: Instant) {
    assert(now >= since, "the radio is asked about a time before")
    banked = listened(at: now)
    since = now
    if let isHearing { self.isHearing = isHearing }
    if let duty { self.duty = Int64(duty) }
    assert((0...100).contains(self.duty) && banked >= .zero, "\(self.duty) % of the time")
  }

  /// When the clock will show `target`; nil while it stands still.
  func instant(showing target: Span, from now: Instant) -> Instant? {
    guard isHearing, duty > 0 else { return nil }
    let missing = max(.zero, target - listened(at: now)).nanoseconds
    guard duty < 100 else { return now + Span(nanoseconds: missing) }
    return now + Span(nanoseconds: (missing / duty + 1) * 100)
  }

  /// Divides first: three years in nanoseconds times a hundred would overflow.
  private static func share(_ span: Span, _ duty: Int64) -> Span {
    duty == 100 ? span : Span(nanoseconds: span.nanoseconds / 100 * duty)
  }
}
