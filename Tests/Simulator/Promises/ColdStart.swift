import Core
import Model
import Timebase

/// A receiver that has just begun to see: what is told by itself waits for ten seconds, or until it knows better than 50 m.
/// Kept by the world, one for each life of the process.
struct ColdStart {
  /// Metres, and seconds but for one that rounding takes.
  private static let (good, wait) = (50.0, 9.0)
  /// Without a fix: as good as a start, seconds.
  private static let loss = 300.0

  private var first: (time: WallTime, at: Instant)?
  private var last: Instant?
  private var isGood = false

  mutating func hear(_ reading: Reading, at now: Instant) {
    guard reading.mode >= 2, let time = reading.time, reading.latitude != nil else { return }
    if last.map({ (now - $0).seconds >= Self.loss }) ?? true { (first, isGood) = ((time, now), false) }
    last = now
    if reading.eph.map({ $0 <= Self.good }) ?? true { isGood = true }
  }

  /// It is told all the same.
  fileprivate func isTooSoon(_ fix: Fix, at now: Instant) -> Bool {
    guard let first, !isGood else { return false }
    return fix.accuracy > Self.good && fix.time >= first.time && (now - first.at).seconds < Self.wait
  }
}

extension World {
  func judge(coldStartOf report: Report, because reason: Reason?) {
    guard case .location(let told) = report else { return }
    switch reason {
    case .firstFix, .moved, .movedAndWaited, .turned, .speedChanged: break
    case .intervalElapsed, .connected, .leftFollow: break
    // Somebody asks, or something happens.
    default: return
    }
    if coldStart.isTooSoon(told.fix, at: now) {
      ledger.complain(
        .reasons, "told at once, known to \(Int(told.fix.accuracy)) m, by a receiver that begins to see",
        at: now)
    }
  }

  /// Once a second: a receiver rests between looks where people want it, and never in move mode.
  func judgeRest() {
    guard isRunning, !isStopping, takingUp == nil, let tracker, !receiver.isAwake else { return }
    if configuration.receiver.dutyCycle == 0 || tracker.mode.mode == .move {
      ledger.complain(.points, "the receiver rests in \(tracker.mode.mode) mode", at: now)
    }
  }
}
