import Model
import Timebase

/// Whether the board's own battery is low, by the setting that lowers the mode (`downgrade`). What is seen first is no
/// news, and neither is a battery that swings around the limit.
///
///     well ──below `downgrade`, nothing charges it, for 10 s──▶ low       told
///      ▲                                                         │
///      └──it is charged, or 5 % above, for 10 s──────────────────┘
struct LowBattery {
  /// Percent above the limit.
  static let recovery = 5

  private var line = LineWatch(on: .seconds(10), off: .seconds(10))
  /// Percent, as they were seen last.
  private(set) var level = 0
  private(set) var limit = 0

  /// `limit` in percent; 0: off.
  mutating func seen(_ battery: Battery?, below limit: Int, at now: Instant) {
    (level, self.limit) = (battery?.level ?? 0, limit)
    line.seen(battery.flatMap { isLow($0, limit) }, at: now)
  }

  private func isLow(_ battery: Battery, _ limit: Int) -> Bool? {
    guard limit > 0 else { return nil }
    if battery.isCharging || battery.level >= limit + Self.recovery { return false }
    // Between the limits nothing changes, and a time below that was shorter than 10 s does not count.
    return battery.level < limit || line.known == true
  }

  /// It has become low, and that has lasted.
  mutating func hasFallen(at now: Instant) -> Bool { line.change(at: now) == true }

  /// When a change will have lasted.
  var next: Instant? { line.next }
}
