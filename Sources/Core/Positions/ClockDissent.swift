import Model
import Timebase

/// A run of fixes that agree with each other and not with the known clock.
struct ClockDissent {
  /// By the fixes' own time.
  private let began: WallTime
  let beganAt: Instant
  private var last: (time: WallTime, at: Instant)
  /// The weakest date among them.
  private(set) var foundation: ReceiverCalendar.Foundation
  /// How far ahead of the clock they are, least and most, seconds; negative: behind.
  private(set) var leads: ClosedRange<Double>
  /// The newest of them that are equally far ahead, and since when: a store that opens late hands over the fixes of
  /// the meantime, each less late than the one before.
  private var steady: (began: WallTime, leads: ClosedRange<Double>, looks: Int)
  /// Since when they have come without a longer pause: a line may be equally late whenever it is looked at.
  private var dense: WallTime

  /// A clock that is off shows the same error in every fix, but for the time that each was in transit, seconds.
  static let jitter = 1.0
  /// Delay that a slow line adds to that, now and then, seconds.
  static let unevenness = 4.0

  /// Seconds of the fixes' own time.
  var span: Double { (last.time - began).seconds }

  /// Whether all of them are about equally far ahead; fixes with different times in transit are not.
  var isSteady: Bool { leads.upperBound - leads.lowerBound <= Self.unevenness }

  /// The whole seconds that the newest of them are ahead (negative: behind), if that is proven to be an error of the
  /// leap seconds. No fix arrives before it was measured, so the one with the shortest time in transit decides,
  /// rounded up.
  var leapError: Int? {
    guard steady.leads.upperBound.magnitude < 1e6 else { return nil }
    let seconds = Int((steady.leads.upperBound - 0.05).rounded(.up))
    guard let proof = LeapError.proof(of: seconds) else { return nil }
    let isLate = proof > ReceiverClock.proof
    guard !isLate || steady.looks >= LeapError.looks else { return nil }
    let began = isLate ? max(steady.began, dense) : steady.began
    return (last.time - began).seconds >= proof ? seconds : nil
  }

  init(_ time: WallTime, _ foundation: ReceiverCalendar.Foundation, lead: Double, at now: Instant) {
    (began, beganAt, last, leads, dense) = (time, now, (time, now), lead...lead, time)
    steady = (time, leads, 1)
    self.foundation = foundation
  }

  /// False: it does not go on where the last one was.
  mutating func take(
    _ time: WallTime, _ foundation: ReceiverCalendar.Foundation, lead: Double, at now: Instant
  ) -> Bool {
    guard Self.follows(time, last.time, after: now - last.at) else { return false }
    if (time - last.time).seconds > ReceiverClock.stride { dense = time }
    last = (time, now)
    self.foundation = min(self.foundation, foundation)
    leads = min(leads.lowerBound, lead)...max(leads.upperBound, lead)
    let wider = min(steady.leads.lowerBound, lead)...max(steady.leads.upperBound, lead)
    let isSame = wider.upperBound - wider.lowerBound <= Self.jitter
    steady = isSame ? (steady.began, wider, steady.looks + 1) : (time, lead...lead, 1)
    assert(span > 0, "a run that goes backwards")
    return true
  }

  /// Whether this is the time of the newest of them.
  func isLast(_ time: WallTime) -> Bool { time == last.time }

  /// Whether the receiver's own clock went on as ours did, or at least in small steps.
  static func follows(_ time: WallTime, _ last: WallTime, after elapsed: Span) -> Bool {
    let step = (time - last).seconds
    return step > 0 && (step <= ReceiverClock.stride || (step - elapsed.seconds).magnitude <= 1)
  }
}

/// A receiver that does not know the leap seconds yet, or counts them twice, is whole seconds off.
struct LeapError {
  /// Of a known clock, seconds: a smaller error cannot be told from a fix that was in transit.
  static let range = 2...20
  /// No fix that is further ahead of a known clock has an error of this kind, seconds.
  static let furthest = 20.5
  /// GPS time is 18 s ahead of UTC, and has been since 2017; give or take one leap second, and the time that a fix was
  /// in transit.
  private static let likely = 17.0...20.0
  /// A receiver that was set right while it was running learns the leap seconds within 12.5 minutes. One that insists
  /// longer against a clock that another fix has set is right, seconds.
  static let longest = 900.0
  /// How long fixes have to be equally late before that is an error, seconds.
  static let lateness = 10.0
  /// Fewest of them: a few looks at a line that falls behind and catches up may show the same.
  static let looks = 6

  /// Seconds ahead (negative: behind), and the first corrected fix, by its own time as it came.
  private(set) var known: (seconds: Int, since: Double)?

  /// How long an error must last to be believed, seconds; nil: this is none.
  static func proof(of seconds: Int) -> Double? {
    guard range.contains(Int(seconds.magnitude)) else { return nil }
    return seconds > 0 || isLikely(Double(seconds)) ? ReceiverClock.proof : lateness
  }

  /// A fix this far behind is hardly late: its receiver rather counts the leap seconds twice.
  static func isLikely(_ lead: Double) -> Bool { likely.contains(-lead) }

  mutating func learn(_ seconds: Int, at time: Double) { known = (seconds, time) }
  mutating func forget() { known = nil }
}
