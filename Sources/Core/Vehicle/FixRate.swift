import Model
import Timebase

/// How often fixes come while they come: of ten seconds at a time, and not across a gap.
struct FixRate {
  /// Seconds of one measurement.
  static let span = 10.0
  /// An interval so many times as long as the one before is a gap.
  static let gap = 3.0

  private var first: WallTime?
  private var last: WallTime?
  private var interval = Double.infinity
  private var count = 0

  /// A second; nil: ten seconds are not over yet.
  mutating func measured(_ time: WallTime) -> Double? {
    let seconds = last.map { (time - $0).seconds } ?? 0
    defer { (last, interval) = (time, seconds) }
    guard let first, seconds > 0, seconds <= min(Self.gap * interval, Self.span) else {
      (self.first, count) = (time, 0)
      return nil
    }
    count += 1
    let lasted = (time - first).seconds
    guard lasted >= Self.span else { return nil }
    defer { (self.first, count) = (time, 0) }
    return Double(count) / lasted
  }
}
