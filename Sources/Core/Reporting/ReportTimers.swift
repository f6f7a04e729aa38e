import Model
import Timebase

/// From when the mode's timers run, and what the move timer still owes.
///
///     on time ──the interval is over, and there is nothing new──▶ overdue ──something is published──▶ on time
struct ReportTimers {
  /// When the mode's timers began to run.
  private var since = Instant.zero
  /// When the mode began to be one that pings.
  private var pingsSince = Instant.zero
  /// When the move timer ran out with nothing new to say: the next fix says it.
  private var ranOut: Instant?
  /// A location that had to wait, because every second that could be its `tst` was told, or the receiver settles.
  private(set) var owed: Occasion?
  /// A location of significant mode that is due.
  var window = BestOfWindow()

  mutating func owe(_ occasion: Occasion, deadlines: inout Deadlines, at now: Instant) {
    owed = occasion
    deadlines[.owedLocation] = now + .seconds(1)
  }

  /// Whatever location was told says where the board is.
  mutating func oweNothing(deadlines: inout Deadlines) {
    guard owed != nil else { return }
    owed = nil
    deadlines[.owedLocation] = nil
  }

  mutating func start(at now: Instant) { (since, pingsSince) = (now, now) }

  /// `isPinging`: pings are armed already and go on as they are, whatever the mode was before.
  mutating func modeChanged(isPinging: Bool, at now: Instant) {
    assert(now >= since && now >= pingsSince, "timers that begin to run later")
    since = now
    if !isPinging { pingsSince = now }
  }

  /// Another distance or interval: the wait begins anew.
  mutating func intervalChanged(at now: Instant) { since = now }

  mutating func ranOut(at now: Instant) { ranOut = now }

  var isOverdue: Bool { ranOut != nil }

  /// Arms the timers of the mode anew. What has run out stays so over a ping, from which no interval counts.
  mutating func arm(
    _ policy: ReportPolicy, mode: MonitoringMode, rules: ReportPolicy.Rules, deadlines: inout Deadlines
  ) {
    let next = policy.nextPeriodic(mode: mode, rules: rules, since: since)
    if let due = next, let over = ranOut, due <= over {
      deadlines[.periodicReport] = nil
    } else {
      (ranOut, deadlines[.periodicReport]) = (nil, next)
    }
    deadlines[.ping] = policy.nextPing(mode: mode, rules: rules, since: pingsSince)
    assert(deadlines[.periodicReport] == nil || mode == .move, "no other mode has an interval")
    assert(deadlines[.ping] == nil || mode == .move || mode == .significant, "no other mode pings")
  }
}
