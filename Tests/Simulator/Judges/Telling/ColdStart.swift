import Model
import Timebase

/// A receiver that has just begun to see: what is told by itself waits for ten seconds, or until it knows better than 50 m.
struct ColdStart: Judge {
  /// Metres, and seconds but for one that rounding takes.
  private static let (good, wait) = (50.0, 9.0)
  /// Without a fix: as good as a start, seconds.
  private static let loss = 300.0

  private var first: (time: WallTime, at: Instant)?
  private var last: Instant?
  /// The newest of its times: what comes late was seen for longer.
  private var newest = WallTime(seconds: 0)
  private var isGood = false

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .started: self = Self()
    case .heard(let reading): hear(reading, at: world.now)
    case .told(.location(let told), because: let reason?):
      switch reason {
      case .firstFix, .moved, .movedAndWaited, .turned, .speedChanged, .intervalElapsed, .connected,
        .leftFollow:
        guard isTooSoon(told.fix, at: world.now) else { return }
        let metres = Int(told.fix.accuracy)
        world.complain(.reasons, "told at once, known to \(metres) m, by a receiver that begins to see")
      // Somebody asks, or something happens.
      default: break
      }
    default: break
    }
  }

  private mutating func hear(_ reading: Reading, at now: Instant) {
    guard reading.mode >= 2, let time = reading.time, reading.latitude != nil else { return }
    if last.map({ (now - $0).seconds >= Self.loss }) ?? true {
      (first, newest, isGood) = ((time, now), time, false)
    }
    last = now
    newest = max(newest, time)
    if reading.eph.map({ $0 <= Self.good }) ?? true { isGood = true }
  }

  private func isTooSoon(_ fix: Fix, at now: Instant) -> Bool {
    guard let first, !isGood else { return false }
    let waited = max((now - first.at).seconds, (newest - first.time).seconds)
    return fix.accuracy > Self.good && fix.time >= first.time && waited < Self.wait
  }
}
