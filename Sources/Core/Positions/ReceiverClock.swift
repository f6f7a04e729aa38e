import Model
import Timebase

/// The time of day, as far as it can be believed (docs/behaviour.md, "Clock"). Boards start in 1970 and receivers
/// report dates 1024 weeks off; a wrong clock must never reach a `tst`.
///
///     no clock ──3 s of consistent 3D fixes──▶ set by a fix ──▶ stays so, supported by every fix that agrees
///     set by a fix ──fixes that insist on another time, for 3 to 30 s──▶ set anew
///     synchronised by NTP: comes with the Moment and counts before anything else
struct ReceiverClock {
  /// A fix up to this far behind a known clock may have been in transit that long, seconds.
  static let tolerance = 300.0
  /// No fix arrives before it was measured: two clocks that are both right differ by no more than this, seconds.
  static let lead = 2.0
  /// A fix no further behind than this agrees with the clock, and is not late, seconds.
  static let latency = 1.5
  /// Consistent fixes have to span this much of their own time.
  static let proof = 3.0
  /// Two fixes of one consistent run are at most this far apart, by their own time.
  static let stride = 10.0
  /// How long fixes must insist to overrule a clock that an earlier fix has set, seconds: the more, the longer fixes
  /// have supported it. A clock with a weaker foundation gives way after `proof`.
  static let overruling = 6.0...30.0
  /// Of fixes that are nearer together than this, by their own time, only one in this many is held back until the
  /// proof is there; the others are lost, and prove as much. So a receiver of 20 Hz loses none, one of 25 Hz
  /// every second one of these three seconds, and however fast one is, 65 are held, which cost 8 kB.
  static let heldStep = proof / 64

  private let calendar: ReceiverCalendar
  private var known: Known?
  private var held: [Fix] = []
  /// Without a clock: the run that the fixes in `held` belong to.
  private var run: ClockDissent?
  /// Fixes that agree with each other and not with the clock.
  private var dissent: ClockDissent?
  private var leap = LeapError()

  /// The time of day when a fix was believed last.
  private struct Known {
    var time: Double
    var instant: Instant
    var foundation: ReceiverCalendar.Foundation
    /// When fixes began to support it, by this very clock.
    var since: Double

    func time(at now: Instant) -> Double { time + (now - instant).seconds }
  }

  /// `stored`: the newest time that an earlier life of the board has left.
  init(earliest: Double, stored: Double? = nil) {
    calendar = ReceiverCalendar(earliest: earliest, stored: stored)
  }

  enum Verdict {
    /// Believed, after the fixes held back until now; the times are corrected.
    case believed(Fix, after: [Fix], Change?)
    case refused(Reason)
  }

  /// News that this fix brought.
  enum Change: Hashable {
    /// The time of day is this many seconds later (earlier, if negative) than assumed.
    case clock(Double)
    /// How many seconds the receiver's clock is ahead (negative: behind); it is corrected from now on.
    case receiver(Int)
  }

  /// Nil until anything can be believed.
  func wall(at now: Moment) -> WallTime? {
    if let wall = now.wall { return wall }
    return known.map { WallTime(seconds: $0.time(at: now.instant)) }
  }

  /// The change if NTP contradicts the time set by fixes, which is corrected at once; nil: it does not.
  mutating func synchronised(at now: Moment) -> Change? {
    guard let wall = now.wall?.seconds, let known else { return nil }
    let shift = wall - known.time(at: now.instant)
    guard shift.magnitude > Self.lead else { return nil }
    self.known = Known(time: wall, instant: now.instant, foundation: .synchronised, since: wall)
    dissent = nil
    return .clock(shift)
  }

  mutating func judge(_ fix: Fix, is3D: Bool, at now: Moment) -> Verdict {
    assert(fix.time.seconds.isFinite, "`FixFilter` lets no other fix through")
    if let wall = wall(at: now) { return compare(fix, with: wall.seconds, is3D: is3D, at: now) }
    guard let date = calendar.date(fix.time.seconds) else {
      return .refused(.dateRefused(time: fix.time.seconds))
    }
    return is3D ? hold(Self.dated(fix, date.time), date.foundation, at: now) : .refused(.clockUntrusted)
  }

  // MARK: Without a clock

  private mutating func hold(
    _ fix: Fix, _ foundation: ReceiverCalendar.Foundation, at now: Moment
  ) -> Verdict {
    assert(known == nil && now.wall == nil, "a clock that is known holds nothing back")
    assert(run != nil || held.isEmpty, "held, and of no run")
    if run?.isLast(fix.time) == true { return .refused(.clockUntrusted) }
    if run?.take(fix.time, foundation, lead: 0, at: now.instant) != true {
      run = ClockDissent(fix.time, foundation, lead: 0, at: now.instant)
      held = []
    }
    if held.last.map({ (fix.time - $0.time).seconds >= Self.heldStep }) ?? true { held.append(fix) }
    assert(held.count <= 66, "\(held.count) fixes are held, more than three seconds have")
    guard let run, run.span >= Self.proof else { return .refused(.clockUntrusted) }
    return believe(fix, fix.time.seconds, run.foundation, at: now)
  }

  // MARK: With one

  private mutating func compare(_ fix: Fix, with wall: Double, is3D: Bool, at now: Moment) -> Verdict {
    let said = ReceiverCalendar.unrolled(fix.time.seconds, near: wall)
    let foundation = said == fix.time.seconds ? ReceiverCalendar.Foundation.asGiven : .unrolled
    if let verdict = agree(Self.dated(fix, said), foundation, wall, at: now) { return verdict }
    let lead = said - wall
    if (-Self.tolerance...LeapError.furthest).contains(lead) {
      return near(Self.dated(fix, said), foundation, wall, is3D: is3D, at: now)
    }
    guard now.wall == nil, is3D, let date = calendar.date(fix.time.seconds) else {
      return .refused(Self.refusal(said, lead))
    }
    disagree(WallTime(seconds: date.time), date.foundation, date.time - wall, at: now.instant)
    return overrule(Self.dated(fix, date.time), wall, at: now) ?? .refused(Self.refusal(said, lead))
  }

  /// Nil: the fix does not agree, not even with the error that the receiver is known to have.
  private mutating func agree(
    _ fix: Fix, _ foundation: ReceiverCalendar.Foundation, _ wall: Double, at now: Moment
  ) -> Verdict? {
    let usual = -Self.latency...Self.lead
    let lead = fix.time.seconds - wall
    if usual.contains(lead) {
      leap.forget()
      return believe(fix, max(wall, fix.time.seconds), foundation, at: now)
    }
    guard let error = leap.known else { return nil }
    let seconds = Double(error.seconds)
    guard usual.contains(lead - seconds) else { return nil }
    if now.wall == nil, fix.time.seconds - error.since > LeapError.longest {
      leap.forget()
      return believe(fix, fix.time.seconds, foundation, at: now)
    }
    return believe(Self.dated(fix, fix.time.seconds - seconds), wall, foundation, at: now)
  }

  /// A fix that may be late, or of a receiver that counts the leap seconds wrong.
  private mutating func near(
    _ fix: Fix, _ foundation: ReceiverCalendar.Foundation, _ wall: Double, is3D: Bool, at now: Moment
  ) -> Verdict {
    let lead = fix.time.seconds - wall
    if is3D {
      disagree(fix.time, foundation, lead, at: now.instant)
      if let error = dissent?.leapError {
        // Its clock has gone back by itself: a receiver that learns the leap seconds does that. Or a late fix has set
        // ours, and it is behind: no fix comes before it was measured.
        if now.wall == nil, error < 0 || !LeapError.isLikely(-Double(error)) {
          return believe(fix, fix.time.seconds, foundation, at: now)
        }
        leap.learn(error, at: fix.time.seconds)
        let corrected = Self.dated(fix, fix.time.seconds - Double(error))
        return believe(corrected, wall, foundation, at: now, change: .receiver(error))
      }
      // Fixes that are late by different amounts are late, however many there are.
      if lead > 0 || dissent?.isSteady == true, let verdict = overrule(fix, wall, at: now) { return verdict }
    }
    let isWithheld = lead > 0 || (now.wall != nil && LeapError.isLikely(lead))
    guard !isWithheld else { return .refused(.receiverClockOff(seconds: lead)) }
    return .believed(fix, after: release(before: fix, at: now.instant), nil)
  }

  /// Nil: fixes have not insisted for long enough on another time.
  private mutating func overrule(_ fix: Fix, _ wall: Double, at now: Moment) -> Verdict? {
    guard now.wall == nil, let dissent, let known,
      dissent.span >= Self.required(dissent, against: known, wall)
    else { return nil }
    return believe(fix, wall + dissent.leads.upperBound, dissent.foundation, at: now)
  }

  private mutating func disagree(
    _ time: WallTime, _ foundation: ReceiverCalendar.Foundation, _ lead: Double, at now: Instant
  ) {
    if dissent?.isLast(time) == true || dissent?.take(time, foundation, lead: lead, at: now) == true {
      return
    }
    dissent = ClockDissent(time, foundation, lead: lead, at: now)
  }

  private static func required(_ dissent: ClockDissent, against known: Known, _ wall: Double) -> Double {
    if dissent.foundation > known.foundation { return proof }
    if known.foundation == .synchronised { return overruling.upperBound }
    return min(max((wall - known.since) / 20, overruling.lowerBound), overruling.upperBound)
  }

  private static func refusal(_ said: Double, _ lead: Double) -> Reason {
    (0...tolerance).contains(lead) ? .receiverClockOff(seconds: lead) : .dateRefused(time: said)
  }

  // MARK: Believing

  /// `time`: the time of day, as far as the fix shows it.
  private mutating func believe(
    _ fix: Fix, _ time: Double, _ foundation: ReceiverCalendar.Foundation, at now: Moment,
    change: Change? = nil
  ) -> Verdict {
    let foundation = now.wall == nil ? foundation : .synchronised
    let next = now.wall?.seconds ?? time
    let before = known
    let shift = before.map { next - $0.time(at: now.instant) } ?? 0
    let isSame = shift.magnitude <= Self.lead
    known = Known(
      time: next, instant: now.instant,
      foundation: isSame ? max(foundation, before?.foundation ?? foundation) : foundation,
      since: isSame ? before?.since ?? next : next)
    dissent = nil
    return .believed(fix, after: release(before: fix, at: now.instant), isSame ? change : .clock(shift))
  }

  /// The fixes held back before one that is believed: of its time, or of another that is now known to be wrong. Once:
  /// behind a newer one they would be out of order.
  private mutating func release(before fix: Fix, at now: Instant) -> [Fix] {
    let oldest = (run.map { now - $0.beganAt } ?? .zero).seconds + Self.stride
    defer { (held, run) = ([], nil) }
    return held.filter { $0.time < fix.time && (fix.time - $0.time).seconds <= oldest }
  }

  private static func dated(_ fix: Fix, _ time: Double) -> Fix {
    var fix = fix
    fix.time.seconds = time
    return fix
  }
}
