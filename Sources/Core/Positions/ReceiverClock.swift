import Model
import Timebase

/// What time it is, as far as it can be believed (docs/behaviour.md, "Clock"). Boards start in 1970 and receivers tell
/// dates 1024 weeks off; a wrong clock must never reach a `tst`.
///
///     no clock ──3 s of consistent 3D fixes──▶ set by a fix ──▶ stays so, moved along by every fix
///     set by a fix ──ten minutes of fixes that insist on another time──▶ set anew
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
  /// What it takes to overrule a clock that an earlier fix has set, seconds.
  static let overruling = 600.0
  /// No fix of a daemon is older than this program: 2026-11-01, Unix seconds.
  static let built = 1_793_491_200.0
  /// How much younger than the oldest possible one it may be: 15 years. A
  /// receiver's roll-over adds 19.6, so no date has two readings.
  static let lifetime = 15 * 365.25 * 86_400
  /// Unix seconds; a replay of an old drive goes further back.
  let earliest: Double
  /// Of fixes that are nearer together than this, by their own time, only one in this many is held back until the
  /// proof is there; the others are lost, and prove as much. So a receiver of 20 Hz loses none, one of 25 Hz
  /// every second one of these three seconds, and however fast one is, 65 are held, which cost 8 kB.
  static let heldStep = proof / 64

  private var anchor: (time: Double, instant: Instant)?
  private var held: [Fix] = []
  /// The newest fix of the run that `held` is of, itself held or not.
  private var newest: (time: WallTime, at: Instant)?
  /// Fixes that agree with each other and with no clock of ours: where they began, and the last one.
  private var dissent: (began: Fix, last: Fix, at: Instant)?

  init(earliest: Double) { self.earliest = earliest }

  enum Verdict {
    /// Believed, after those that were held back until now; the times are corrected.
    case believed(Fix, after: [Fix])
    case refused(Reason)
  }

  /// Nil until anything can be believed.
  func wall(at now: Moment) -> WallTime? {
    if let wall = now.wall { return wall }
    return anchor.map { WallTime(seconds: $0.time + (now.instant - $0.instant).seconds) }
  }

  mutating func judge(_ fix: Fix, is3D: Bool, at now: Moment) -> Verdict {
    assert(fix.time.seconds.isFinite, "`FixFilter` lets no other fix through")
    var fix = fix
    if let wall = wall(at: now) {
      fix.time.seconds = Self.unrolled(fix.time.seconds, near: wall.seconds)
      if (fix.time.seconds - wall.seconds).magnitude <= Self.tolerance { return believe(fix, at: now) }
      guard now.wall == nil, is3D, plausible(fix.time.seconds) == fix.time.seconds,
        insists(fix, at: now.instant)
      else { return .refused(.dateRefused(time: fix.time.seconds)) }
      return believe(fix, at: now)
    }
    guard let plausible = plausible(fix.time.seconds) else {
      return .refused(.dateRefused(time: fix.time.seconds))
    }
    fix.time.seconds = plausible
    return hold(fix, is3D: is3D, at: now)
  }

  private mutating func hold(_ fix: Fix, is3D: Bool, at now: Moment) -> Verdict {
    guard is3D else { return .refused(.clockUntrusted) }
    assert(anchor == nil && now.wall == nil, "a clock that is known holds nothing back")
    assert(newest != nil || held.isEmpty, "held, and of no run")
    if let newest {
      if fix.time == newest.time { return .refused(.clockUntrusted) }
      if !Self.follows(fix.time, newest.time, after: now.instant - newest.at) { held = [] }
    }
    newest = (fix.time, now.instant)
    if held.last.map({ (fix.time - $0.time).seconds >= Self.heldStep }) ?? true { held.append(fix) }
    assert(held.count <= 66, "\(held.count) fixes are held, more than three seconds have")
    guard (fix.time - held[0].time).seconds >= Self.proof else { return .refused(.clockUntrusted) }
    return believe(fix, at: now)
  }

  /// A clock that was set by a fix may itself be wrong: a receiver that disagrees for long enough is right.
  private mutating func insists(_ fix: Fix, at now: Instant) -> Bool {
    guard let known = dissent, Self.follows(fix.time, known.last.time, after: now - known.at) else {
      dissent = (fix, fix, now)
      return false
    }
    dissent = (known.began, fix, now)
    assert(fix.time > known.began.time, "a run that goes backwards")
    return (fix.time - known.began.time).seconds >= Self.overruling
  }

  /// Whether the receiver's own clock went on as ours did, or at least in small steps.
  private static func follows(_ time: WallTime, _ last: WallTime, after elapsed: Span) -> Bool {
    let step = (time - last).seconds
    return step > 0 && (step <= stride || (step - elapsed.seconds).magnitude <= 1)
  }

  private mutating func believe(_ fix: Fix, at now: Moment) -> Verdict {
    assert(held.isEmpty || dissent == nil, "without a clock there is none to disagree with")
    anchor = (fix.time.seconds, now.instant)
    dissent = nil
    guard !held.isEmpty else { return .believed(fix, after: []) }
    let earlier = held.filter { $0.time < fix.time }
    (held, newest) = ([], nil)
    return .believed(fix, after: earlier)
  }

  /// A date before anything possible, moved on by whole roll-overs if that makes it possible.
  func plausible(_ time: Double) -> Double? {
    let latest = earliest + Self.lifetime
    guard time.magnitude < 1e11 else { return nil }
    var time = time
    while time < earliest, time + Self.rollover <= latest { time += Self.rollover }
    return time >= earliest && time <= latest ? time : nil
  }

  private static func unrolled(_ time: Double, near wall: Double) -> Double {
    let steps = ((wall - time) / rollover).rounded()
    guard steps != 0, steps.isFinite else { return time }
    let moved = time + steps * rollover
    return (moved - wall).magnitude <= tolerance ? moved : time
  }
}
