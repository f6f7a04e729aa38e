/// A point on the monotonic clock that also counts while the board sleeps (CLOCK_BOOTTIME).
/// Everything that waits, waits for an `Instant`; it says nothing about the time of day.
public struct Instant: Comparable, Hashable, Sendable {
  /// Nanoseconds since boot.
  public var nanoseconds: Int64

  /// Since boot; for tests, and for what was computed from another instant.
  @inlinable public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// The moment of boot; before every instant that a clock can give.
  public static let zero = Instant(nanoseconds: 0)

  @inlinable public static func < (left: Instant, right: Instant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// Wraps around after 292 years of waiting, which no board reaches.
  @inlinable public static func + (instant: Instant, span: Span) -> Instant {
    Instant(nanoseconds: instant.nanoseconds &+ span.nanoseconds)
  }

  /// As far before.
  @inlinable public static func - (instant: Instant, span: Span) -> Instant {
    Instant(nanoseconds: instant.nanoseconds &- span.nanoseconds)
  }

  /// Negative where `earlier` is the later one.
  @inlinable public static func - (later: Instant, earlier: Instant) -> Span {
    Span(nanoseconds: later.nanoseconds &- earlier.nanoseconds)
  }
}

/// A length of time.
public struct Span: Comparable, Hashable, Sendable {
  /// Negative where something lies behind.
  public var nanoseconds: Int64

  /// For what the kernel counts in; people write seconds.
  @inlinable public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// No time at all.
  public static let zero = Span(nanoseconds: 0)

  /// Beyond about 290 years either way the length is clamped: nobody waits that long.
  public static func seconds(_ seconds: Double) -> Span {
    let nanoseconds = (seconds * 1e9).rounded()
    guard nanoseconds.magnitude < 9e18 else {
      return Span(nanoseconds: seconds < 0 ? -Int64(9e18) : Int64(9e18))
    }
    return Span(nanoseconds: Int64(nanoseconds))
  }

  /// Clamped as the fraction is.
  /// Thousandths of a second, clamped likewise.
  /// Clamped likewise.
  @inlinable public static func seconds(_ seconds: Int) -> Span { Span(seconds, of: 1_000_000_000) }
  @inlinable public static func milliseconds(_ count: Int) -> Span { Span(count, of: 1_000_000) }
  @inlinable public static func minutes(_ minutes: Int) -> Span { Span(minutes, of: 60_000_000_000) }

  /// Clamped as above. Of whole numbers the compiler knows the result: a constant that is made when it is
  /// first asked for costs every fix a look at whether it is there.
  @inlinable init(_ count: Int, of unit: Int64) {
    let (product, isBeyond) = Int64(count).multipliedReportingOverflow(by: unit)
    let limit: Int64 = 9_000_000_000_000_000_000
    let beyond = count < 0 ? -limit : limit
    nanoseconds = isBeyond || product.magnitude > limit.magnitude ? beyond : product
  }

  /// With fraction; exact up to 104 days, to a microsecond far beyond.
  @inlinable public var seconds: Double { Double(nanoseconds) / 1e9 }

  /// Wraps around beyond 292 years; `seconds` clamps what people write.
  @inlinable public static func < (left: Span, right: Span) -> Bool { left.nanoseconds < right.nanoseconds }
  @inlinable public static func + (left: Span, right: Span) -> Span {
    Span(nanoseconds: left.nanoseconds &+ right.nanoseconds)
  }
  /// Negative where the right one is longer.
  @inlinable public static func - (left: Span, right: Span) -> Span {
    Span(nanoseconds: left.nanoseconds &- right.nanoseconds)
  }
}
