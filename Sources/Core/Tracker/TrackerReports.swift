import Model
import Timebase

/// Publishing: what every location has in common, no matter who asked for it.
extension Tracker {
  /// How often positions and history that nothing else brought to the disk are written: the flash
  /// budget of a parked board is a megabyte a day.
  static let housekeepingInterval = Span.minutes(10)

  /// A parked board does not write the same place again and again, metres.
  static let worthStoring = 50.0

  /// False where a filter refused; a refused publish changes nothing at all.
  @discardableResult
  mutating func publish(
    _ fix: Fix, trigger: Trigger, because reason: Reason, time: WallTime? = nil, mode: MonitoringMode? = nil,
    poi: String? = nil, image: AttachedImage? = nil, at now: Moment, into effects: inout [Effect]
  ) -> Bool {
    if let objection = objection(to: fix) {
      withhold(objection, at: now, into: &effects)
      return false
    }
    let time = time ?? fix.time
    regions.recentre(on: fix)
    let location = LocationReport(
      fix: fix, time: time, created: clock.wall(at: now), trigger: trigger, mode: mode ?? modes.state.mode,
      battery: battery, network: network, pressure: pressure,
      inside: regions.inside.map { .init(name: $0.isShared ? $0.name : nil, rid: $0.rid) }, poi: poi,
      tag: tag,
      odometer: configuration.odometer ? journey.odometer : nil)
    var report = Report.location(location)
    if history.add(report, configuration) {
      rememberHistory(at: now)
      outbox.promoteLazyWrites()
    }
    // The history keeps the place and the remark; the picture goes out.
    if let image { report = .location(location.showing(image)) }
    if configuration.isOffline {
      withhold(.offline, at: now, into: &effects)
    } else {
      emit(report, because: reason, at: now, into: &effects)
    }
    policy.published(fix, time: time, isPing: trigger == .ping, at: now.instant)
    outbox.remember(reference: Self.dated(fix, time))
    outbox.remember(position: fix)
    if isJourneyWatched { rememberJourney(isUrgent: false) }
    if trigger != .ping { reconsiderMode(at: now.instant) }
    rearm()
    return true
  }

  mutating func publishPeriodic(_ fix: Fix, at now: Moment, into effects: inout [Effect]) {
    let waited = policy.reference.map { (now.instant - $0.at).seconds } ?? 0
    if !publish(fix, trigger: .timer, because: .intervalElapsed(seconds: waited), at: now, into: &effects) {
      isPeriodicOverdue = true
    }
  }

  /// What the world knows already it takes for a repeat; quiet is quiet.
  mutating func publishOnConnect(at now: Moment, into effects: inout [Effect]) {
    guard let position, fixArrived != nil else { return }
    guard modes.state.mode != .quiet else { return withhold(.modeIsQuiet, at: now, into: &effects) }
    guard policy.isNew(position) else { return withhold(.samePosition, at: now, into: &effects) }
    publish(position, trigger: .automatic, because: .connected, at: now, into: &effects)
  }

  /// The last place is published where nobody has it yet, and everything in hand goes to the disk now.
  mutating func sayLastPlace(because reason: Reason, at now: Moment, into effects: inout [Effect]) {
    let isMoving = modes.state.mode == .significant || modes.state.mode == .move
    if let position, fixArrived != nil, isMoving, policy.isNew(position) {
      publish(position, trigger: .automatic, because: reason, at: now, into: &effects)
    }
    rememberAll(at: now)
    outbox.promoteLazyWrites()
    deadlines.arm(.groupCommit, by: now.instant)
  }

  /// Sends the present position, or an old one with the present time and its own accuracy: receivers
  /// would take a repeated `tst` for a repeated message.
  mutating func ping(at now: Moment, into effects: inout [Effect]) {
    defer {
      if deadlines[.ping] == nil {
        deadlines[.ping] = reportRules.ping.map { now.instant + $0 }
      }
    }
    guard let position else { return withhold(.neverAnyFix, at: now, into: &effects) }
    let isUsable = !isStale(at: now.instant) && policy.isNew(position)
    if isUsable {
      publish(position, trigger: .ping, because: .pingDue(isPositionOld: false), at: now, into: &effects)
    } else if let wall = clock.wall(at: now) {
      publish(
        position, trigger: .ping, because: .pingDue(isPositionOld: true), time: wall, at: now, into: &effects)
    } else {
      withhold(.clockUntrusted, at: now, into: &effects)
    }
  }

  /// Puts a report into the queue and notes why.
  mutating func emit(_ report: Report, because reason: Reason, at now: Moment, into effects: inout [Effect]) {
    journal.note(reason, isPublished: true, time: clock.wall(at: now)?.seconds)
    let message = encoder.message(for: report)
    outbox.enqueue(message, deadlines: &deadlines, at: now.instant)
    effects.append(.published(report, message))
  }

  mutating func withhold(_ reason: Reason, at now: Moment, into effects: inout [Effect]) {
    journal.note(reason, isPublished: false, time: clock.wall(at: now)?.seconds)
    effects.append(.withheld(reason))
  }

  private func objection(to fix: Fix) -> Reason? {
    if !isIdentityValid { return .noIdentity }
    let limit = Double(configuration.ignoreInaccurateLocations)
    return limit > 0 && fix.accuracy > limit ? .inaccurate(metres: fix.accuracy, limit: limit) : nil
  }

  private mutating func reconsiderMode(at now: Instant) {
    let hasChanged = modes.reconsider(
      battery: battery, isVehicleLow: vehicle.isLow,
      isVehicleWell: vehicle.isWell(rules: vehicleRules), stillFor: now - lastMovement,
      isInsideFollow: regions.isInsideFollow,
      rules: .init(
        downgrade: configuration.downgrade, adaptAfter: .minutes(configuration.adapt),
        adaptRequiresFollow: configuration.adaptRequiresFollow))
    if hasChanged { modeChanged(at: now) }
  }

  /// Persists the mode and starts its timers.
  mutating func modeChanged(at now: Instant) {
    outbox.remember(.mode(modes.state), isUrgent: true)
    isPresenceInDoubt = true
    timersSince = now
    if deadlines[.ping] == nil { pingsSince = now }
    rearm()
  }

  // MARK: The disk

  mutating func keepHouse(at now: Moment) {
    rememberHistory(at: now)
    if let position,
      (storedPosition?.coordinate.distance(to: position.coordinate) ?? .infinity) > Self.worthStoring
    {
      outbox.remember(position: position)
      storedPosition = position
    }
    rememberJourney(isUrgent: false)
    outbox.promoteLazyWrites()
  }

  /// What an orderly end writes.
  mutating func rememberAll(at now: Moment) {
    rememberHistory(at: now)
    rememberJourney(isUrgent: false)
    if let position { outbox.remember(position: position) }
    for follow in regions.tracked where follow.region.isFollow {
      outbox.remember(.region(follow.region, follow.presence), isUrgent: false)
    }
  }

  mutating func rememberHistory(at now: Moment) {
    for write in history.writes(configuration, wall: clock.wall(at: now)) {
      outbox.remember(write, isUrgent: false)
    }
  }

  private static func dated(_ fix: Fix, _ time: WallTime) -> Fix {
    var fix = fix
    fix.time = time
    return fix
  }
}
