import Timebase

/// The board's two clocks. The true time is the world's: an `Instant` that begins at zero with it.
struct BoardClock {
  /// When the world began, Unix seconds: 2027-01-15.
  static let epoch = 1_800_000_000.0

  /// What the monotonic clock shows as its own zero.
  private var bootedAt: Instant = .zero
  private var sinceBoot: Span = .zero
  /// Set by a time server, and then right. A clock that somebody steps is not, until the server is heard.
  private(set) var isSynchronised = false
  /// What the system shows is off by this much while it is not synchronised, seconds: the kernel's own
  /// time, which may be 1970 or any year somebody typed.
  private(set) var error = 0.0

  static func truth(_ now: Instant) -> WallTime {
    WallTime(seconds: epoch + Span(nanoseconds: now.nanoseconds).seconds)
  }

  mutating func boot(at now: Instant, took: Span, isIn1970: Bool) {
    bootedAt = now
    sinceBoot = took
    isSynchronised = false
    error = isIn1970 ? -Self.truth(now).seconds : -30
  }

  mutating func synchronise() {
    isSynchronised = true
    error = 0
  }

  /// The kernel calls a clock that was set by hand unsynchronised.
  mutating func step(by seconds: Double) {
    isSynchronised = false
    error += seconds
  }

  func instant(at now: Instant) -> Instant { Instant.zero + sinceBoot + (now - bootedAt) }

  /// The world's time of a deadline on the board.
  func truth(of deadline: Instant) -> Instant {
    bootedAt + (deadline - (Instant.zero + sinceBoot))
  }

  /// What the system shows, right or not.
  func systemTime(at now: Instant) -> WallTime {
    WallTime(seconds: Self.truth(now).seconds + (isSynchronised ? 0 : error))
  }

  func moment(at now: Instant) -> Moment {
    Moment(instant: instant(at: now), wall: isSynchronised ? Self.truth(now) : nil)
  }
}
