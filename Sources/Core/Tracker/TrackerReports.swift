import Model
import Timebase

/// Publishing: what every location has in common, no matter who asked for it.
extension Tracker {
  /// How often positions that nothing else brought to the disk are written: the flash budget of a parked board is a
  /// megabyte a day.
  static let housekeepingInterval = Span.minutes(10)

  /// The result of an occasion.
  enum Outcome: Hashable {
    case published
    /// In the history only: there is no server to be told.
    case kept
    case withheld(Reason)

    /// Not withheld.
    var isPublishedOrKept: Bool { self == .published || self == .kept }
  }

  /// Which private region hides a report.
  enum HidingRegion {
    /// The one that the board is inside.
    case atBoard
    /// This one; nil: none, wherever the board is.
    case region(Region?)
  }

  /// A person's additions to a location.
  struct Remark {
    var poi: String?
    var image: AttachedImage?
  }

  /// The one way to the queue: asks the policy, and says why if nothing is published. A report that is withheld
  /// changes nothing at all.
  ///
  /// `make` builds a report that is no location; it is given the time that dates it, 0 where no clock is trusted and the
  /// occasion has no gate `time`. `hidingRegion`: what hides it, where that
  /// is not the region that hides the board.
  @discardableResult
  mutating func publish(
    _ occasion: Occasion, _ fix: Fix? = nil, remark: Remark? = nil, hidingRegion: HidingRegion = .atBoard,
    at now: Moment,
    into effects: inout [Effect],
    _ make: ((WallTime) -> Report)? = nil
  ) -> Outcome {
    releaseAssert(fix == nil || make == nil, "a location, or a report of its own")
    releaseAssert(occasion.isLocation == (make == nil), "\(occasion) reports a place, and nothing else does")
    var situation = situation(at: now)
    switch hidingRegion {
    case .atBoard where regions.hidingRegions.isEmpty: break
    case .atBoard:
      situation.hidingRegion = regions.hidingRegion(at: fix ?? positioning.position)?.eventName
    case .region(let region): situation.hidingRegion = region?.eventName
    }
    let verdict = policy.decide(
      occasion, fix, in: situation, rules: layers.rules.reports, at: now.instant)
    let publication: Publication
    var keptBecause: Reason?
    switch verdict {
    case .withhold(let reason):
      withhold(reason, at: now, into: &effects)
      return .withheld(reason)
    case .choose(let decided, let span):
      guard let fix else { return .withheld(.neverAnyFix) }
      timers.window.begin(decided, fix, for: span, deadlines: &deadlines, at: now.instant)
      withhold(.choosing(seconds: span.seconds), at: now, into: &effects)
      return .withheld(.choosing(seconds: span.seconds))
    case .publish(let decided): publication = decided
    case .keep(let decided, let reason): (publication, keptBecause) = (decided, reason)
    }
    let report =
      if let make { make(publication.time) } else { location(of: fix, publication, remark, at: now) }
    guard let report else { return .withheld(.neverAnyFix) }
    assert(keptBecause == nil || occasion.isLocation, "the history keeps locations only")
    if let keptBecause {
      withhold(keptBecause, at: now, into: &effects)
    } else {
      journal.note(
        publication.reason, isPublished: true, mayRepeat: occasion.goesWithAnEvent,
        time: clock.wall(at: now)?.seconds)
      let message = encoder.message(for: report)
      outbox.enqueue(message, isPlace: occasion.isLocation, deadlines: &deadlines, at: now.instant)
      announcement.somethingGoesOut(at: now.instant)
      effects.append(.published(report, message))
      if occasion.isLocation, let fix { announcement.published(place: Self.dated(fix, publication.time)) }
    }
    if make == nil, let fix {
      located(fix, publication, isSaved: keptBecause != nil && !layers.rules.isOffline, at: now)
    }
    return keptBecause == nil ? .published : .kept
  }

  /// Whether what is no location would be published now; nothing is noted of it.
  func wouldPublish(_ occasion: Occasion, hidingRegion: Region? = nil, at now: Moment) -> Bool {
    var situation = situation(at: now)
    situation.hidingRegion = hidingRegion?.eventName
    let verdict = policy.decide(
      occasion, nil, in: situation, rules: layers.rules.reports, at: now.instant)
    return if case .publish = verdict { true } else { false }
  }

  func situation(at now: Moment) -> Situation {
    Situation(
      mode: modes.state.mode, isIdentityValid: isIdentityValid, isOffline: layers.rules.isOffline,
      isConnected: outbox.isConnected, wall: clock.wall(at: now),
      freshTime: isStale(at: now.instant) ? nil : positioning.position?.time,
      accuracyLimit: Double(layers.inForce.reports.ignoreInaccurateLocations),
      isPositionNew: positioning.arrived != nil,
      isPeriodicOverdue: timers.isOverdue, isSettling: positioning.settling.isUnderWay,
      isStanding: positioning.isStanding, hasStopped: positioning.stop.isDue(in: modes.state.mode),
      spacing: layers.inForce.reports.dataBudget > 0 ? spacing(at: now) : nil)
  }

  /// A location, with what the board knows around it; the history takes it.
  private mutating func location(
    of fix: Fix?, _ publication: Publication, _ remark: Remark?, at now: Moment
  ) -> Report? {
    guard let fix else { return nil }
    assert(publication.time.seconds != 0, "a location without a time")
    regions.recentre(on: fix)
    // After a power cut the board would leave a circle that it is still inside of. In move mode no circle tells
    // anything, and each location puts it elsewhere: there it may wait for company.
    rememberFollows(isUrgent: modes.state.mode != .move)
    let isOld = publication.isLoss || isStale(at: now.instant)
    journey.engine.count(to: now.instant)
    let location = location(
      at: isOld ? StalePosition.of(fix, age: age(of: fix, at: now)) : fix, time: publication.time,
      created: clock.wall(at: now), trigger: publication.trigger, remark?.poi)
    let report = Report.location(location)
    outbox.remember(point: report, deadlines: &deadlines, at: now.instant)
    if let pruning = history.added(layers.inForce.history, wall: location.created) {
      outbox.remember(pruning, isUrgent: false)
    }
    // The history keeps the place and the remark; the picture goes out.
    guard let image = remark?.image else { return report }
    return .location(location.showing(image))
  }

  /// A place with what the board knows around it. It changes nothing: `mutating` has it look at the tracker in place,
  /// which otherwise is copied for it, with every fix.
  mutating func location(
    at fix: Fix, time: WallTime, created: WallTime?, trigger: Trigger, _ poi: String? = nil
  ) -> LocationReport {
    var fix = fix
    fix.isHidden = false
    return LocationReport(
      fix: fix, time: time, created: created, trigger: trigger, mode: modes.state.mode,
      battery: surroundings.battery, network: surroundings.network, pressure: surroundings.pressure,
      inside: regions.inside.map { .init(name: $0.isShared ? $0.name : nil, rid: $0.rid) },
      poi: poi, tag: surroundings.tag,
      odometer: layers.inForce.journey.odometer ? journey.odometer : nil, vehicle: vehicleWords)
  }

  private func age(of fix: Fix, at now: Moment) -> Double? {
    positioning.age(at: now.instant)?.seconds ?? clock.wall(at: now).map { ($0 - fix.time).seconds }
  }

  /// A location was told: distances and times are measured from it.
  private mutating func located(_ fix: Fix, _ publication: Publication, isSaved: Bool, at now: Moment) {
    assert(positioning.position != nil, "a place that is not known was published")
    let isPing = publication.trigger == .ping || publication.isLoss
    policy.published(fix, time: publication.time, isPing: isPing, isSaved: isSaved, at: now.instant)
    if publication.isLoss { policy.fixLost(at: fix) }
    // A second that was given to a place of another must not be given again after a power cut.
    if publication.time == fix.time {
      outbox.remember(reference: fix)
    } else {
      outbox.remember(.reference(Self.dated(fix, publication.time)), isUrgent: true)
    }
    outbox.remember(position: fix)
    if isJourneyWatched { rememberJourney(isUrgent: false) }
    if !isPing { reconsiderMode(at: now) }
    rearm()
    timers.oweNothing(deadlines: &deadlines)
    timers.window.shut(deadlines: &deadlines)
    positioning.settling.published()
  }

  mutating func withhold(_ reason: Reason, at now: Moment, into effects: inout [Effect]) {
    note(reason, at: now)
    effects.append(.withheld(reason))
  }

  /// Records a reason that neither publishes nor withholds anything, for `homeward why`.
  mutating func note(_ reason: Reason, at now: Moment) {
    journal.note(reason, isPublished: false, time: clock.wall(at: now)?.seconds)
  }

  /// The move timer ran out. A location that cannot be published now follows with the next fix.
  mutating func intervalElapsed(at now: Moment, into effects: inout [Effect]) {
    assert(modes.state.mode == .move, "no other mode has an interval")
    let outcome = publish(.interval, positioning.position, at: now, into: &effects)
    if !outcome.isPublishedOrKept { timers.ranOut(at: now.instant) }
  }

  /// A location that had to wait.
  mutating func publishOwed(at now: Moment, into effects: inout [Effect]) {
    guard let owed = timers.owed else { return }
    publishOrOwe(owed, positioning.position, at: now, into: &effects)
  }

  /// An occasion that comes once waits only for a second not yet published, and for the receiver to settle.
  @discardableResult
  mutating func publishOrOwe(
    _ occasion: Occasion, _ fix: Fix?, at now: Moment, into effects: inout [Effect]
  ) -> Outcome {
    let outcome = publish(occasion, fix, at: now, into: &effects)
    switch outcome {
    case .withheld(.sameTime): timers.owe(occasion, deadlines: &deadlines, at: now.instant)
    // The location of a crossing that waits says as much.
    case .withheld(.settling) where timers.owed ?? occasion == occasion:
      timers.owe(occasion, deadlines: &deadlines, at: now.instant)
    case .published, .kept, .withheld:
      if timers.owed == occasion { timers.oweNothing(deadlines: &deadlines) }
    }
    return outcome
  }

  /// A receiver has settled or lost its fix, or the best of a window is told.
  mutating func runFixDeadlines(at now: Moment, into effects: inout [Effect]) {
    if deadlines.takeIfDue(.settling, at: now.instant), let best = positioning.settling.end() {
      publish(.fix, best, at: now, into: &effects)
    }
    if deadlines.takeIfDue(.fixLoss, at: now.instant) { fixIsSilent(at: now, into: &effects) }
    if deadlines.takeIfDue(.receiverSilence, at: now.instant),
      let silent = positioning.silence.fellDue(
        isResting: duty.isResting, deadlines: &deadlines, at: now.instant)
    {
      receiverIsSilent(silent, at: now)
    }
    if deadlines.takeIfDue(.window, at: now.instant), let chosen = timers.window.end() {
      publish(chosen.occasion, chosen.fix, at: now, into: &effects)
    }
  }

  /// The receiver rests from now on.
  mutating func lookEnded(at now: Moment) {
    restInterference()
    guard let silent = positioning.silence.lookEnded(begun: duty.woken, at: now.instant) else { return }
    receiverIsSilent(silent, at: now)
  }

  private mutating func receiverIsSilent(_ silent: Span, at now: Moment) {
    note(.receiverSilent(seconds: silent.seconds), at: now)
    forgetInterference()
  }

  private mutating func fixIsSilent(at now: Moment, into effects: inout [Effect]) {
    let pause = modes.state.mode == .move ? FixLoss.pause.move : FixLoss.pause.other
    let silent = positioning.loss.silence(pause: pause, deadlines: &deadlines, at: now.instant)
    // One that rests has lost nothing.
    guard let silent, layers.inForce.reports.fixLoss, !duty.isResting else { return }
    let outcome = publish(
      .fixLost(seconds: silent.seconds), positioning.present, at: now, into: &effects)
    if outcome.isPublishedOrKept { positioning.loss.reported(at: now.instant) }
  }

  /// The last place is published where nobody has it yet, and everything in hand goes to the disk now.
  mutating func sayLastPlace(because reason: Reason, at now: Moment, into effects: inout [Effect]) {
    if let position = positioning.present { publish(.lastPlace(reason), position, at: now, into: &effects) }
    rememberAll(at: now)
    outbox.promoteLazyWrites()
    outbox.lane.hurry(&deadlines, at: now.instant)
    deadlines.arm(.groupCommit, by: now.instant)
  }

  mutating func ping(at now: Moment, into effects: inout [Effect]) {
    assert(modes.state.mode == .move || modes.state.mode == .significant, "no other mode pings")
    publish(.ping, positioning.position, at: now, into: &effects)
    if deadlines[.ping] == nil { deadlines[.ping] = layers.rules.reports.ping.map { now.instant + $0 } }
  }

  private mutating func reconsiderMode(at now: Moment) {
    let before = modes.state
    let stillFor = now.instant - positioning.lastMovement
    let hasChanged = modes.reconsider(
      battery: surroundings.battery, isVehicleLow: shutDown.isVehicleLow,
      isVehicleWell: shutDown.isVehicleWell(rules: layers.rules.shutDown),
      stillFor: stillFor, isInsideFollow: regions.isInsideFollow,
      rules: layers.rules.modes)
    guard hasChanged else { return }
    let cause: ModeCause =
      if modes.state.downgraded, !before.downgraded {
        shutDown.isVehicleLow
          ? .vehicleBatteryLow : .batteryLow(level: surroundings.battery?.level ?? 0)
      } else if before.downgraded, !modes.state.downgraded {
        .batteryWell
      } else {
        modes.state.adapted ? .still(seconds: stillFor.seconds) : .moved
      }
    modeChanged(from: before.mode, because: cause, at: now)
  }

  /// Persists the mode and starts its timers. `cause`: nil where a reason has been noted already.
  mutating func modeChanged(from before: MonitoringMode, because cause: ModeCause?, at now: Moment) {
    assert(modes.state.mode != .move || !(modes.state.adapted || modes.state.downgraded), "\(modes.state)")
    if let cause {
      let reason = Reason.modeChanged(from: before, to: modes.state.mode, cause)
      // A person who chooses what a low battery had chosen takes over responsibility for the mode.
      modes.reason = reason
      if modes.state.mode != before { note(reason, at: now) }
    }
    rememberMode()
    if modes.state.mode != .move { rememberFollows(isUrgent: true) }
    announcement.presenceDoubted()
    timers.modeChanged(isPinging: deadlines[.ping] != nil, at: now.instant)
    rearm()
  }

  // MARK: Reasons

  /// Whether `takeReasons` would give any, but for mere counts.
  public var hasReasons: Bool { journal.hasNews }

  /// Reasons noted since the last call; see `Journal.takeNews`.
  public mutating func takeReasons(evenCounts: Bool = false) -> [Journal.Entry] {
    journal.takeNews(evenCounts: evenCounts)
  }

  // MARK: The disk

  mutating func rememberMode() { outbox.remember(.mode(modes.state), isUrgent: true) }

  mutating func keepHouse(at now: Moment) {
    if let position = positioning.takeUnstored() { outbox.remember(position: position) }
    journey.engine.count(to: now.instant)
    rememberJourney(isUrgent: false)
    outbox.promoteLazyWrites()
    keepEngineHours(at: now.instant)
  }

  /// Queues the writes of an orderly end.
  mutating func rememberAll(at now: Moment) {
    journey.engine.end(at: now.instant)
    rememberJourney(isUrgent: false)
    if let position = positioning.position { outbox.remember(position: position) }
    rememberFollows(isUrgent: false)
  }

  private mutating func rememberFollows(isUrgent: Bool) {
    for follow in regions.following {
      outbox.remember(.region(follow.region, follow.presence), isUrgent: isUrgent)
    }
  }

  private static func dated(_ fix: Fix, _ time: WallTime) -> Fix {
    var fix = fix
    fix.time = time
    return fix
  }
}
