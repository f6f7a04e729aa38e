import Model
import Timebase

/// Faster than allowed?
///
///     calm ──over the limit by 2 km/h for 5 s, 3 fixes at least, and the distance fits──▶ speeding   begins
///     speeding ──at or below the limit for 5 s, or no limit any more──▶ calm                    ends
struct SpeedWatch {
  /// The speed allowed here, km/h, and the region that limits it.
  struct Limit: Hashable {
    var speed: Int
    var region: String?
  }

  enum Found: Hashable {
    case began(SpeedingState)
    case ended(SpeedingState)
  }

  /// Kilometres an hour: what a speed is wrong by now and then.
  static let tolerance = 2.0
  /// Seconds.
  static let dwell = 5.0
  static let fewest = 3
  /// Fixes further apart than this are no row, seconds.
  static let reach = 10.0
  /// The distance between two fixes is at least this much of what the speed says, bends included.
  static let plausible = 0.4

  private enum State {
    case calm
    case fast(first: Fix, last: Fix, count: Int)
    /// `below`: since when it is no faster than allowed.
    case speeding(SpeedingState, below: WallTime?)
  }

  private var state: State

  init(_ stored: SpeedingState?) { state = stored.map { .speeding($0, below: nil) } ?? .calm }

  var isCalm: Bool { if case .calm = state { true } else { false } }
  var isSpeeding: Bool { if case .speeding = state { true } else { false } }
  var current: SpeedingState? { if case .speeding(let speeding, _) = state { speeding } else { nil } }

  /// That it began was published to nobody.
  mutating func beganUntold() {
    guard case .speeding(var speeding, let below) = state else { return }
    speeding.isUntold = true
    state = .speeding(speeding, below: below)
  }

  /// `limit`: nil where none holds.
  mutating func consider(_ fix: Fix, limit: Limit?) -> Found? {
    guard let limit else { return isCalm ? nil : end() }
    guard let speed = fix.speed else { return nil }
    assert(limit.speed > 0 && speed >= 0, "\(speed) m/s where \(limit.speed) km/h are allowed")
    let excess = speed * 3.6 - Double(limit.speed)
    switch state {
    case .calm:
      if excess > Self.tolerance { state = .fast(first: fix, last: fix, count: 1) }
      return nil
    case .fast(let first, let last, let count):
      assert(count > 0 && last.time >= first.time, "a row runs backwards")
      return isFaster(fix, speed, limit, first: first, last: last, count: count + 1)
    case .speeding(var speeding, let below):
      speeding.top = max(speeding.top, speed)
      guard excess <= 0 else {
        state = .speeding(speeding, below: nil)
        return nil
      }
      let since = below ?? fix.time
      state = .speeding(speeding, below: since)
      return (fix.time - since).seconds >= Self.dwell ? end() : nil
    }
  }

  private mutating func isFaster(
    _ fix: Fix, _ speed: Double, _ limit: Limit, first: Fix, last: Fix, count: Int
  ) -> Found? {
    guard speed * 3.6 - Double(limit.speed) > Self.tolerance, fix.time > last.time,
      (fix.time - last.time).seconds <= Self.reach
    else {
      state = .calm
      return nil
    }
    state = .fast(first: first, last: fix, count: count)
    let lasted = (fix.time - first.time).seconds
    assert(lasted > 0 && count > 1, "a row of one fix")
    guard lasted >= Self.dwell, count >= Self.fewest else { return nil }
    let metres = first.coordinate.distance(to: fix.coordinate)
    guard metres >= Self.plausible * lasted * Double(limit.speed) / 3.6 else { return nil }
    let top = max(first.speed ?? 0, speed)
    let speeding = SpeedingState(start: TrackPoint(first), limit: limit.speed, top: top, region: limit.region)
    state = .speeding(speeding, below: nil)
    return .began(speeding)
  }

  private mutating func end() -> Found? {
    defer { state = .calm }
    assert(!isCalm, "what has not begun does not end")
    return current.map { .ended($0) }
  }
}
