import Timebase

/// A board that has switched itself off and wakes by its alarm, to check in (`parkedWake`). On the disk before the power
/// goes, so that the next start knows what it is there for.
public struct Sleep: Hashable, Sendable {
  /// When the board was switched off; nil: no clock could be trusted.
  public var since: WallTime?
  /// Planned length, seconds.
  public var span: Int
  /// Because the vehicle's battery is low, not because it is parked.
  public var isBatteryLow: Bool
  /// Check-ins in a row that were incomplete, the last ones before this sleep.
  public var missed = 0
  /// Why the last of those did not; nil: there is none.
  public var lastMissed: MissedCheckIn?
  /// The alarm has not gone off yet: a person, or the vehicle's supply, has switched the board on. Known at the start,
  /// and never on the disk.
  public var isEarly = false

  /// A sleep that begins. `span` in seconds.
  public init(since: WallTime?, span: Int, isBatteryLow: Bool = false) {
    self.since = since
    self.span = span
    self.isBatteryLow = isBatteryLow
  }
}
