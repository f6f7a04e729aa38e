/// A point on the monotonic clock that also counts while the board sleeps (CLOCK_BOOTTIME).
/// Everything that waits, waits for an `Instant`; it says nothing about the time of day.
public struct Instant: Comparable, Hashable, Sendable {
  /// Nanoseconds since boot.
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  public static let zero = Instant(nanoseconds: 0)

  public static func < (left: Instant, right: Instant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  public static func + (instant: Instant, span: Span) -> Instant {
    Instant(nanoseconds: instant.nanoseconds &+ span.nanoseconds)
  }

  public static func - (instant: Instant, span: Span) -> Instant {
    Instant(nanoseconds: instant.nanoseconds &- span.nanoseconds)
  }

  public static func - (later: Instant, earlier: Instant) -> Span {
    Span(nanoseconds: later.nanoseconds &- earlier.nanoseconds)
  }
}

/// A length of time.
public struct Span: Comparable, Hashable, Sendable {
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  public static let zero = Span(nanoseconds: 0)

  /// Beyond about 290 years either way the length is clamped: nobody waits that long.
  public static func seconds(_ seconds: Double) -> Span {
    let nanoseconds = (seconds * 1e9).rounded()
    guard nanoseconds.magnitude < 9e18 else {
      return Span(nanoseconds: seconds < 0 ? -Int64(9e18) : Int64(9e18))
    }
    return Span(nanoseconds: Int64(nanoseconds))
  }

  public static func seconds(_ seconds: Int) -> Span { .seconds(Double(seconds)) }
  public static func milliseconds(_ milliseconds: Int) -> Span { .seconds(Double(milliseconds) / 1000) }
  public static func minutes(_ minutes: Int) -> Span { .seconds(Double(minutes) * 60) }

  public var seconds: Double { Double(nanoseconds) / 1e9 }

  public static func < (left: Span, right: Span) -> Bool { left.nanoseconds < right.nanoseconds }
  public static func + (left: Span, right: Span) -> Span {
    Span(nanoseconds: left.nanoseconds &+ right.nanoseconds)
  }
  public static func - (left: Span, right: Span) -> Span {
    Span(nanoseconds: left.nanoseconds &- right.nanoseconds)
  }
}
