internal import CLinux

/// The board's clocks. The only file that reads them: everything else is handed a `Moment`.
public enum SystemClock {
  /// Both clocks, as they are now. The wall time is nil unless the kernel says that somebody (NTP, PPS)
  /// keeps the clock right; the kernel is asked about that every 15 s, once a second while nobody does, and when the
  /// clock was set.
  public static func read() -> Moment {
    let instant = Instant(nanoseconds: clinux_boot_nanoseconds())
    let wall = clinux_trusted_wall()
    return Moment(instant: instant, wall: wall.isNaN ? nil : WallTime(seconds: wall))
  }

  /// The monotonic clock alone.
  public static func instant() -> Instant { Instant(nanoseconds: clinux_boot_nanoseconds()) }

  /// The system clock's time, right or wrong. For the journal and for tests, never for a message.
  public static func rawWall() -> WallTime {
    WallTime(seconds: clinux_wall_seconds())
  }

  /// Microseconds of CLOCK_MONOTONIC: what the service manager asks for when a reload begins.
  public static func monotonicMicroseconds() -> Int64 { clinux_monotonic_microseconds() }

  /// From the result of adjtimex(2) and the status bits that it filled in.
  static func isTrusted(state: Int32, status: Int32) -> Bool { clinux_is_synchronised(state, status) }
}
