import Model
import Timebase

/// When is something published, and why (not)? The one place that decides.
///
/// Every occasion has a rule of its own and passes the gates of `Occasion.gates`, in their order. For automatic
/// locations the rule is that of the mode:
///
/// | mode        | a newer fix is published when                                   | timers        |
/// |-------------|-----------------------------------------------------------------|---------------|
/// | quiet       | never                                                           | none          |
/// | manual      | never                                                           | none          |
/// | significant | it is the first, or 500 m AND 300 s from the last published one | ping          |
/// | move        | it is the first, or `locatorDisplacement` away                  | interval, ping |
/// | adaptive    | it is the first, or `AdaptiveRecording` has a reason            | as move        |
///
/// Where the vehicle has come to rest (`Stop`), its place is published in significant and move mode where the last
/// location says another one.
///
/// Crossings, people and commands are news by themselves.
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
    /// How long significant mode looks for a better fix. Nil: not at all.
    var window: Span? = nil
  }

  /// Fixes come a few milliseconds early or late; half a second of grace keeps "every 300 s" from
  /// becoming 301.
  static let grace = Span.milliseconds(500)

  /// The last published location that was no ping: displacement and time are measured from it.
  private(set) var reference: (fix: Fix, at: Instant)?
  /// The last one of these that did not stay on the board for the sake of the data budget: where it is taken to be.
  private(set) var told: Fix?
  /// When a location of any trigger was published last.
  private(set) var lastPublish: Instant?
  private var publishedTimes: PublishedTimes
  /// A place that was told more than once: its second, and the one that it was told with last.
  private var again: (second: Int, last: Int)?
  /// Where the fix was lost, as it was told; nil: something else was told since, but for pings.
  private var lost: Fix?

  /// `published`: what the store knows to have been published before the start.
  init(published: Fix?) { publishedTimes = PublishedTimes(published?.time.wholeSeconds) }

  /// `fix`: what would be told, or the present position.
  func decide(
    _ occasion: Occasion, _ fix: Fix?, in situation: Situation, rules: Rules, at now: Instant
  ) -> Verdict {
    let gates = occasion.gates
    assert(rules.displacement >= 0 && rules.significantDisplacement >= 0, "a distance below nothing")
    if gates.contains(.mode), situation.mode == .quiet { return .withhold(.modeIsQuiet) }
    if gates.contains(.privacy), let region = situation.hidingRegion {
      return .withhold(.insidePrivateRegion(region: region))
    }
    if gates.contains(.place), fix == nil { return .withhold(.neverAnyFix) }
    let publication: Publication
    switch candidate(occasion, fix, situation, rules, now) {
    case .success(let wanted): publication = wanted
    case .failure(let refusal): return .withhold(refusal.reason)
    }
    if gates.contains(.identity), !situation.isIdentityValid { return .withhold(.noIdentity) }
    if gates.contains(.accuracy), let fix, situation.accuracyLimit > 0, fix.accuracy > situation.accuracyLimit
    {
      return .withhold(.inaccurate(metres: fix.accuracy, limit: situation.accuracyLimit))
    }
    if gates.contains(.settled), situation.isSettling, let fix {
      return .withhold(.settling(metres: fix.accuracy, needed: Settling.goodEnough))
    }
    assert(!occasion.isLocation || fix != nil, "a location without a place")
    if occasion.isLocation, publishedTimes.contains(publication.time.wholeSeconds) {
      return .withhold(.sameTime(time: publication.time.wholeSeconds))
    }
    if gates.contains(.time), publication.time == Self.undated { return .withhold(.clockUntrusted) }
    // Where it stands is no choice: the best of a window may be from when it has set out again.
    if gates.contains(.window), situation.mode == .significant, situation.freshTime != nil,
      let window = rules.window, !Self.isStop(publication)
    {
      return .choose(publication, window)
    }
    if gates.contains(.port), situation.isOffline {
      return occasion.isLocation ? .keep(publication, because: .offline) : .withhold(.offline)
    }
    if gates.contains(.budget), let reason = overBudget(publication, situation, at: now) {
      return .keep(publication, because: reason)
    }
    if gates.contains(.connection), !situation.isConnected { return .withhold(.notConnected) }
    assert(occasion.isLocation || publication.trigger == .automatic, "only a location has a trigger")
    return .publish(publication)
  }

  /// Why it is not worth its bytes; nil: it is. Where the vehicle has come to rest always is.
  private func overBudget(_ publication: Publication, _ situation: Situation, at now: Instant) -> Reason? {
    guard let spacing = situation.spacing, let lastPublish, !Self.isStop(publication) else { return nil }
    let waited = now - lastPublish
    guard waited + Self.grace < spacing else { return nil }
    return .overBudget(seconds: waited.seconds, needed: spacing.seconds)
  }

  private struct Refusal: Error {
    var reason: Reason
  }

  private static let undated = WallTime(seconds: 0)

  /// The occasion's candidate for publication, before the gates that it shares with others.
  private func candidate(
    _ occasion: Occasion, _ fix: Fix?, _ situation: Situation, _ rules: Rules, _ now: Instant
  ) -> Result<Publication, Refusal> {
    let time = fix.map { self.time(of: $0, situation) } ?? Self.undated
    func refusal(_ reason: Reason) -> Result<Publication, Refusal> { .failure(Refusal(reason: reason)) }
    func location(_ trigger: Trigger, _ reason: Reason) -> Result<Publication, Refusal> {
      .success(Publication(trigger: trigger, reason: reason, time: time))
    }
    func other(_ reason: Reason) -> Result<Publication, Refusal> {
      .success(Publication(reason: reason, time: situation.wall ?? Self.undated))
    }
    let isNew = fix.map { situation.isPositionNew && self.isNew($0) } ?? false
    switch occasion {
    case .fix:
      guard let fix else { return refusal(.neverAnyFix) }
      switch rule(for: fix, mode: situation.mode, rules: rules, at: now) {
      case .success(let reason): return location(.automatic, reason)
      case .failure(let refusal):
        if situation.hasStopped, isNew, let metres = metresFromStop(fix) {
          return location(.automatic, .stopped(metres: metres))
        }
        return situation.isPeriodicOverdue && isNew
          ? location(.timer, intervalElapsed(at: now)) : .failure(refusal)
      }
    case .interval: return isNew ? location(.timer, intervalElapsed(at: now)) : refusal(.samePosition)
    case .ping:
      let isOld = situation.freshTime == nil
      // A sign of life says when it was made, or nothing.
      if isOld || !isNew, situation.wall == nil { return .success(Self.undatedPing) }
      return location(.ping, .pingDue(isPositionOld: isOld))
    // A position that was published already would be taken for a repeat.
    case .connected: return isNew ? location(.automatic, .connected) : refusal(.samePosition)
    case .lastPlace(let reason):
      if situation.mode == .manual { return refusal(.modeIsManual) }
      return isNew || (fix.map { isOnlySaved($0) } ?? false)
        ? location(.automatic, reason) : refusal(.samePosition)
    case .fixLost(let seconds):
      if situation.mode == .manual { return refusal(.modeIsManual) }
      if let fix, situation.isStanding, let reason = nearTold(fix) { return refusal(reason) }
      return location(.automatic, .fixLost(seconds: seconds))
    case .chosen(let trigger, let reason):
      if situation.mode == .manual { return refusal(.modeIsManual) }
      return isNew ? location(trigger, reason) : refusal(.samePosition)
    case .follow(let region):
      guard situation.mode != .move else { return refusal(.followInMove(region: region)) }
      return location(.follow, .leftFollow(region: region))
    case .crossing(let trigger, let reason): return location(trigger, reason)
    case .vehicle(let trigger, let reason):
      // Nothing is told by itself, but what somebody should look at.
      if situation.mode == .manual, !trigger.isAlarm { return refusal(.modeIsManual) }
      return location(trigger, reason)
    case .sos(let reason): return location(.sos, reason)
    case .user: return location(.user, .asked)
    case .remote: return location(.remote, .askedRemotely)
    case .transition(let reason):
      return .success(
        Publication(reason: reason, time: situation.freshTime ?? situation.wall ?? Self.undated))
    case .journey(let reason), .ranging(let reason), .help(let reason): return other(reason)
    case .waypoint(let region): return other(.regionChanged(region: region))
    case .answer(let action): return other(.commandAnswered(action: action))
    case .result(let action, let outcome): return other(.resultTold(action: action, outcome))
    case .people: return other(.asked)
    case .discovery, .presence: return other(.introduced)
    }
  }

  /// Seconds that signs of life without a fix may have taken before a start of what comes after it: days of them.
  private static let reuse = 600

  private static let undatedPing = Publication(
    trigger: .ping, reason: .pingDue(isPositionOld: true), time: undated)

  /// A place is told with the time when it was measured. Where that second was told already it is the next one that
  /// was not: of a present place one second ahead at most, where that is told as well the second that is taken.
  private func time(of fix: Fix, _ situation: Situation) -> WallTime {
    let second = fix.time.wholeSeconds
    var free = publishedTimes.free(from: second)
    if situation.freshTime == nil {
      // Of the seconds that an old place was told with before a power cut the newest alone is known.
      if let newest = publishedTimes.newest, (second..<second + Self.reuse).contains(newest) {
        free = newest + 1
      } else if let again, again.second == second {
        free = publishedTimes.free(from: again.last + 1)
      }
    }
    guard free != second else { return fix.time }
    let unknown = situation.freshTime == nil ? Double.infinity : fix.time.seconds
    let latest = (situation.wall?.seconds ?? unknown) + 1
    return WallTime(seconds: Double(Double(free) <= latest ? free : second))
  }

  private func intervalElapsed(at now: Instant) -> Reason {
    .intervalElapsed(seconds: reference.map { (now - $0.at).seconds } ?? 0)
  }

  /// The rule of the mode for a newer fix.
  private func rule(
    for fix: Fix, mode: MonitoringMode, rules: Rules, at now: Instant
  ) -> Result<Reason, Refusal> {
    switch mode {
    case .quiet: return .failure(Refusal(reason: .modeIsQuiet))
    case .manual: return .failure(Refusal(reason: .modeIsManual))
    case .significant, .move: break
    }
    let time = fix.time.wholeSeconds
    if publishedTimes.contains(time) { return .failure(Refusal(reason: .sameTime(time: time))) }
    guard let reference else { return .success(.firstFix) }
    guard fix.time > reference.fix.time else {
      return .failure(Refusal(reason: .notNewer(time: fix.time.seconds, last: reference.fix.time.seconds)))
    }
    if let lost {
      let metres = lost.coordinate.distance(to: fix.coordinate)
      if metres > Self.beyond(lost, fix) { return .success(.fixBack(metres: metres)) }
    }
    let metres = reference.fix.coordinate.distance(to: fix.coordinate)
    if mode == .move, let adaptive = rules.adaptive {
      return adaptive.reason(for: fix, after: reference.fix).map { .success($0) }
        ?? .failure(Refusal(reason: .tooNear(metres: metres, needed: adaptive.distance)))
    }
    if mode == .move {
      return metres >= rules.displacement
        ? .success(.moved(metres: metres, needed: rules.displacement))
        : .failure(Refusal(reason: .tooNear(metres: metres, needed: rules.displacement)))
    }
    guard metres >= rules.significantDisplacement else {
      return .failure(Refusal(reason: .tooNear(metres: metres, needed: rules.significantDisplacement)))
    }
    let waited = now - reference.at
    assert(waited >= .zero, "the last publish is yet to come")
    return waited + Self.grace >= rules.significantInterval
      ? .success(.movedAndWaited(metres: metres, seconds: waited.seconds))
      : .failure(
        Refusal(reason: .tooSoon(seconds: waited.seconds, needed: rules.significantInterval.seconds)))
  }

  private static func isStop(_ publication: Publication) -> Bool {
    if case .stopped = publication.reason { true } else { false }
  }

  /// How far the last location is from where the vehicle has come to rest; nil: it says as much.
  private func metresFromStop(_ fix: Fix) -> Double? {
    guard let last = told, fix.time > last.time else { return nil }
    let metres = last.coordinate.distance(to: fix.coordinate)
    let wasMoving = last.speed.map { $0 >= Stop.still } ?? false
    return wasMoving || metres > max(Stop.near, fix.accuracy) ? metres : nil
  }

  /// Nil: it is another place than the one that was told.
  private func nearTold(_ fix: Fix) -> Reason? {
    guard let last = told else { return nil }
    let metres = last.coordinate.distance(to: fix.coordinate)
    let needed = Self.beyond(last, fix)
    return metres >= needed ? nil : .tooNear(metres: metres, needed: needed)
  }

  /// From where on two places are certainly not the same, metres.
  private static func beyond(_ one: Fix, _ other: Fix) -> Double {
    PositionEngine.worthMoving + one.accuracy + other.accuracy
  }

  /// Whether its place and time are not known to the world already.
  func isNew(_ fix: Fix) -> Bool { publishedTimes.isNew(fix.time.wholeSeconds) }

  /// Whether it stays on the board, and no later one was told.
  private func isOnlySaved(_ fix: Fix) -> Bool {
    guard let reference, reference.fix.time == fix.time else { return false }
    return told.map { $0.time < fix.time } ?? true
  }

  /// `isSaved`: it stays on the board for the sake of the data budget, and is no sign of life.
  mutating func published(_ fix: Fix, time: WallTime, isPing: Bool, isSaved: Bool = false, at now: Instant) {
    assert(lastPublish.map { now >= $0 } ?? true, "published before the last one")
    if !isSaved { lastPublish = now }
    publishedTimes.note(time.wholeSeconds)
    if time != fix.time { again = (fix.time.wholeSeconds, time.wholeSeconds) }
    guard !isPing else { return }
    (reference, lost) = ((fix, now), nil)
    if !isSaved { told = fix }
  }

  /// It was published that the fix is lost. As after a ping, distance and time are measured from the location before.
  mutating func fixLost(at fix: Fix) { lost = fix }

  /// The clock was set: what was published before is no measure any more.
  mutating func clockSet() {
    (reference, told, lost, again) = (nil, nil, nil, nil)
    publishedTimes.clockSet()
  }

  /// When the move timer is due: `interval` after the last publish that was no ping, or after `since`.
  func nextPeriodic(mode: MonitoringMode, rules: Rules, since: Instant) -> Instant? {
    guard mode == .move, let interval = rules.interval else { return nil }
    assert(interval > .zero, "an interval of no time would never end")
    return max(reference?.at ?? since, since) + interval
  }

  func nextPing(mode: MonitoringMode, rules: Rules, since: Instant) -> Instant? {
    guard mode == .move || mode == .significant, let ping = rules.ping else { return nil }
    assert(ping > .zero, "pings without a pause")
    return max(lastPublish ?? since, since) + ping
  }
}
