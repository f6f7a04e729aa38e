/// A time of day: seconds since 1970-01-01T00:00:00Z. It labels messages; nothing ever waits for it.
public struct WallTime: Comparable, Hashable, Sendable {
  /// Seconds since the Unix epoch, with fraction.
  public var seconds: Double

  /// Any number: whether it can be is for `Core.ReceiverClock`.
  @inlinable public init(seconds: Double) {
    self.seconds = seconds
  }

  /// The time as messages carry it: the nearest whole second (`tst`, `created_at`).
  @inlinable public var wholeSeconds: Int { Int(seconds.rounded()) }

  /// That much later.
  @inlinable public static func < (left: WallTime, right: WallTime) -> Bool { left.seconds < right.seconds }
  @inlinable public static func + (time: WallTime, span: Span) -> WallTime {
    WallTime(seconds: time.seconds + span.seconds)
  }

  /// Negative where `earlier` is the later one; clamped to 290 years.
  @inlinable public static func - (later: WallTime, earlier: WallTime) -> Span {
    .seconds(later.seconds - earlier.seconds)
  }
}

/// "Now", read once per wake-up and handed down: the instant to wait by and, only when it can be
/// trusted (synchronised by NTP), the system's wall clock. Most boards start in 1970.
public struct Moment: Hashable, Sendable {
  /// When the wake-up began: what waits is compared with it.
  public var instant: Instant
  /// Nil: the system's clock is not synchronised.
  public var wall: WallTime?

  /// `SystemClock` makes them, and tests and the replay their own.
  @inlinable public init(instant: Instant, wall: WallTime?) {
    self.instant = instant
    self.wall = wall
  }
}
