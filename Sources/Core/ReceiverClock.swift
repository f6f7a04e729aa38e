import Model
import Timebase

/// What time it is, as far as it can be believed (ruling R6). Boards start in 1970 and receivers tell
/// dates 1024 weeks off; a wrong clock must never reach a `tst`.
///
///     no clock ──3 s of consistent 3D fixes──▶ set by a fix ──▶ stays so, moved along by every fix
///     synchronised by NTP: comes with the Moment and counts before anything else
struct ReceiverClock {
  /// A fix this near to a trusted clock is believed at once.
  static let tolerance = 300.0
  /// Consistent fixes have to span this much of their own time.
  static let proof = 3.0
  /// Two fixes of one consistent run are at most this far apart, by their own time.
  static let stride = 10.0
  /// 1024 weeks: where a receiver's week number rolls over.
  static let rollover = 1024.0 * 7 * 86_400
  /// No fix of ours is older than this program (2026-11-01), nor 15 years younger (D-45).
  static let earliest = 1_793_491_200.0
  static let latest = earliest + 15 * 365.25 * 86_400
  /// With a trusted clock, insisting for `proof` seconds is believed only within a day of it.
  static let day = 86_400.0
  /// Fixes held back until the proof is there: 64 are a minute at 1 Hz and cost 8 kB.
  static let heldLimit = 64

  private var anchor: (time: Double, instant: Instant)?
  private var held: [Fix] = []

  enum Verdict {
    /// Believed, with those that were held back until now; the times are corrected.
    case believed([Fix])
    case refused(Reason)
  }

  /// Nil until anything can be believed.
  func wall(at now: Moment) -> WallTime? {
    if let wall = now.wall { return wall }
    return anchor.map { WallTime(seconds: $0.time + (now.instant - $0.instant).seconds) }
  }

  mutating func judge(_ fix: Fix, is3D: Bool, at now: Moment) -> Verdict {
    var fix = fix
    if let wall = wall(at: now) {
      fix.time.seconds = Self.unrolled(fix.time.seconds, near: wall.seconds)
      if (fix.time.seconds - wall.seconds).magnitude <= Self.tolerance { return believe(fix, at: now) }
      if now.wall != nil, (fix.time.seconds - wall.seconds).magnitude > Self.day {
        return .refused(.dateRefused(time: fix.time.seconds))
      }
    } else {
      guard let plausible = Self.plausible(fix.time.seconds) else {
        return .refused(.dateRefused(time: fix.time.seconds))
      }
      fix.time.seconds = plausible
    }
    return hold(fix, is3D: is3D, at: now)
  }

  private mutating func hold(_ fix: Fix, is3D: Bool, at now: Moment) -> Verdict {
    guard is3D else { return .refused(.clockUntrusted) }
    if let last = held.last {
      let step = (fix.time - last.time).seconds
      if step == 0 { return .refused(.clockUntrusted) }
      if step < 0 || step > Self.stride || held.count == Self.heldLimit { held = [] }
    }
    held.append(fix)
    guard (fix.time - held[0].time).seconds >= Self.proof else { return .refused(.clockUntrusted) }
    return believe(fix, at: now)
  }

  private mutating func believe(_ fix: Fix, at now: Moment) -> Verdict {
    anchor = (fix.time.seconds, now.instant)
    var fixes = held
    held = []
    if fixes.last != fix { fixes = fixes.filter { (fix.time - $0.time).seconds > 0 } + [fix] }
    return .believed(fixes)
  }

  /// A date before this program was built, moved on by whole roll-overs if that makes it possible.
  static func plausible(_ time: Double) -> Double? {
    var time = time
    while time < earliest, time + rollover <= latest { time += rollover }
    return time >= earliest && time <= latest ? time : nil
  }

  private static func unrolled(_ time: Double, near wall: Double) -> Double {
    guard (time - wall).magnitude > day else { return time }
    let steps = ((wall - time) / rollover).rounded()
    let moved = time + steps * rollover
    return (moved - wall).magnitude <= tolerance ? moved : time
  }
}
