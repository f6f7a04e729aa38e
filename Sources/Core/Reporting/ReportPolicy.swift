import Model
import Timebase

/// When is a position news? The one place that decides about automatic locations.
///
/// | mode        | a newer fix is published when                                   | timers        |
/// |-------------|-----------------------------------------------------------------|---------------|
/// | quiet       | never                                                           | none          |
/// | manual      | never                                                           | none          |
/// | significant | it is the first, or 500 m AND 300 s from the last published one | ping          |
/// | move        | it is the first, or `locatorDisplacement` away                  | interval, ping |
/// | adaptive    | it is the first, or `AdaptiveRecording` has a reason            | as move        |
///
/// Region crossings, people and commands are news by themselves and do not ask here.
struct ReportPolicy {
  private let anchor = Anchor()
  struct Rules {
    /// Metres; move mode. 0: every newer fix.
    var displacement: Double
    /// Nil: no timer.
    var interval: Span?
    /// Metres and time; significant mode.
    var significantDisplacement: Double
    var significantInterval: Span
    /// Nil: points lie `displacement` apart, whatever the way does.
    var adaptive: AdaptiveRecording?
    /// Nil: no ping.
    var ping: Span?
  }

  /// Fixes come a few milliseconds early or late; half a second of grace keeps "every 300 s" from
  /// becoming 301.
  static let grace = Span.milliseconds(500)

  enum Verdict: Hashable {
    case publish(Reason)
    case withhold(Reason)
  }

  /// The last published location that was no ping: displacement and time are measured from it.
  private(set) var reference: (fix: Fix, at: Instant)?
  /// The last published location of any trigger.
  private(set) var lastPublish: Instant?
  /// `tst` of the last published location: two automatic ones never share it.
  private(set) var lastTime: Int?
  /// The newest `tst` ever told: a ping tells an old place under a new time, and a person may ask for an
  /// old one under its own.
  private(set) var newestTime: Int?

  /// `published`: what the store knows to have been published before the start.
  init(published: Fix?) {
    lastTime = published?.time.wholeSeconds
    newestTime = lastTime
  }

  func consider(_ fix: Fix, mode: MonitoringMode, rules: Rules, at now: Instant) -> Verdict {
    switch mode {
    case .quiet: return .withhold(.modeIsQuiet)
    case .manual: return .withhold(.modeIsManual)
    case .significant, .move: break
    }
    let time = fix.time.wholeSeconds
    if time == lastTime || time == newestTime { return .withhold(.sameTime(time: time)) }
    guard let reference else { return .publish(.firstFix) }
    guard fix.time > reference.fix.time else {
      return .withhold(.notNewer(time: fix.time.seconds, last: reference.fix.time.seconds))
    }
    let metres = reference.fix.coordinate.distance(to: fix.coordinate)
    if mode == .move, let adaptive = rules.adaptive {
      return adaptive.reason(for: fix, after: reference.fix).map { .publish($0) }
        ?? .withhold(.tooNear(metres: metres, needed: adaptive.distance))
    }
    if mode == .move {
      return metres >= rules.displacement
        ? .publish(.moved(metres: metres, needed: rules.displacement))
        : .withhold(.tooNear(metres: metres, needed: rules.displacement))
    }
    guard metres >= rules.significantDisplacement else {
      return .withhold(.tooNear(metres: metres, needed: rules.significantDisplacement))
    }
    let waited = now - reference.at
    return waited + Self.grace >= rules.significantInterval
      ? .publish(.movedAndWaited(metres: metres, seconds: waited.seconds))
      : .withhold(.tooSoon(seconds: waited.seconds, needed: rules.significantInterval.seconds))
  }

  /// Whether its place and time are not known to the world already.
  func isNew(_ fix: Fix) -> Bool {
    newestTime.map { fix.time.wholeSeconds > $0 } ?? true
  }

  mutating func published(_ fix: Fix, time: WallTime, isPing: Bool, at now: Instant) {
    lastPublish = now
    lastTime = time.wholeSeconds
    newestTime = max(newestTime ?? time.wholeSeconds, time.wholeSeconds)
    if !isPing { reference = (fix, now) }
  }

  /// The clock was corrected backwards: what was published before is no measure any more.
  mutating func forgetReference() {
    reference = nil
    lastTime = nil
    newestTime = nil
  }

  /// When the move timer is due: `interval` after the last publish that was no ping, or after `since`.
  func nextPeriodic(mode: MonitoringMode, rules: Rules, since: Instant) -> Instant? {
    guard mode == .move, let interval = rules.interval else { return nil }
    return max(reference?.at ?? since, since) + interval
  }

  func nextPing(mode: MonitoringMode, rules: Rules, since: Instant) -> Instant? {
    guard mode == .move || mode == .significant, let ping = rules.ping else { return nil }
    return max(lastPublish ?? since, since) + ping
  }
}
