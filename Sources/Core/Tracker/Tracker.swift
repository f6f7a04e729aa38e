import Model
import Timebase

/// Decides everything. Events go in, effects come out; it opens nothing, reads no clock and asks nobody.
///
/// A fix passes, in this order: is it usable (`FixFilter`), can its time be believed (`ReceiverClock`),
/// is it newer and the jump possible (`PositionEngine`), which regions did it cross (`RegionEngine`), and
/// is it news by itself (`ReportPolicy`).
///
/// State that belongs together is a type of its own, and private to it; the tracker asks these types in a fixed order
/// and passes on what each one finds.
public struct Tracker {
  private enum Stage {
    /// Nothing has happened yet.
    case fresh
    case running
    /// Nobody hears what is still decided.
    case stopping
  }

  var layers: SettingsLayers
  var clock: ReceiverClock
  var positioning: PositionEngine
  var regions = RegionEngine()
  var modes: ModeEngine
  var policy: ReportPolicy
  var timers = ReportTimers()
  var outbox: Outbox
  var deadlines = Deadlines()
  var duty = ReceiverDuty()
  var commands: CommandPolicy
  var station = BeaconStation()
  var journey: Journey
  var announcement = Announcement()
  /// The last hundred reasons; it begins empty with each start.
  public internal(set) var journal = Journal()
  var surroundings: Surroundings
  var history: HistoryKeeping
  var shutDown = ShutDown()
  var encoder: any ReportEncoder
  private var stage = Stage.fresh

  /// `earliest`: the oldest date that a receiver may claim while no clock is trusted, Unix seconds. The
  /// default is when this program was made; a replay of an old drive gives an older one.
  public init(
    configuration: Configuration, snapshot: Snapshot, encoder: any ReportEncoder, earliest: Double? = nil
  ) {
    layers = SettingsLayers(file: configuration, stored: snapshot)
    let configuration = layers.inForce
    commands = CommandPolicy(seen: snapshot.commandsSeen)
    let stored = [snapshot.reference, snapshot.position].compactMap { $0?.time.seconds }.max()
    clock = ReceiverClock(earliest: earliest ?? ReceiverCalendar.built, stored: stored)
    let configured = configuration.reports.monitoring
    var mode = snapshot.mode ?? ModeState(mode: configured, configured: configured)
    var wordOfTheFile: Reason?
    if let before = mode.configured, before != configured {
      if mode.mode != configured {
        let reason = Reason.modeChanged(from: mode.mode, to: configured, .file)
        journal.note(reason, isPublished: false, time: nil)
        wordOfTheFile = reason
      }
      mode = ModeState(mode: configured, taken: mode.taken)
    }
    mode.configured = configured
    modes = ModeEngine(state: mode)
    modes.reason = wordOfTheFile
    policy = ReportPolicy(published: snapshot.reference)
    outbox = Outbox(
      snapshot: snapshot, limit: configuration.queue.limit,
      byteLimit: configuration.queue.limitMegabytes << 20,
      windowLimit: configuration.broker.maxInFlight, policy: configuration.queue.backlog)
    positioning = PositionEngine(stored: snapshot.position, published: snapshot.reference)
    surroundings = Surroundings(tag: snapshot.tag, volume: snapshot.volume)
    journey = Journey(snapshot.journey)
    self.encoder = encoder.adopting(configuration, layers.clientIDForm)
    outbox.memory = BrokerMemory(span: configuration.keptSpan, topics: self.encoder.newsTopics)
    outbox.lane.configured(span: configuration.batchSpan, deadlines: &deadlines, at: .zero)
    history = HistoryKeeping(count: snapshot.historyCount)
    if layers.isOverruled { rememberSettings() }
    if snapshot.clientIDForm == .unsaid {
      outbox.remember(.clientIDForm(layers.clientIDForm), isUrgent: true)
    }
    // A follow region that is not known to be around us learns its side anew, silently: it was left, or follows in
    // move mode faster than the disk.
    let isFast = (snapshot.mode?.mode ?? configured) == .move
    for known in snapshot.regions {
      let isLost = known.region.isFollow && (known.presence == .outside || isFast)
      let presence = isLost ? .unknown : known.presence
      regions.put(known.region, presence: watch(known.region, presence, isSame: false, at: .zero))
    }
    assert(regions.tracked.count == snapshot.regions.count, "two regions of one id")
    regions.entered = snapshot.entered.map(EnteredRegions.init) ?? .init(assuming: snapshot.regions)
    if snapshot.entered == nil { rememberEntered() }
    announcement = Announcement(topics: snapshot.announced, place: snapshot.reference)
    shutDown.checkIn = CheckIn(snapshot.sleep, place: snapshot.position)
    shutDown.battery = BatteryWatch(snapshot.batterySteps, limits: layers.rules.batterySteps)
  }

  // MARK: Input

  /// As `handle(_:at:into:)`, with a list of its own.
  public mutating func handle(_ event: Event, at now: Moment) -> [Effect] {
    var effects: [Effect] = []
    handle(event, at: now, into: &effects)
    return effects
  }

  /// The one way in. What it asks for is appended to `effects`, which comes empty: a list that is made and
  /// freed for every event costs a hundredth of a fix.
  public mutating func handle(_ event: Event, at now: Moment, into effects: inout [Effect]) {
    releaseAssert(effects.isEmpty, "effects of an earlier event would be performed twice")
    if case .fresh = stage { start(at: now, into: &effects) }
    if let change = clock.synchronised(at: now) { clockChanged(change, at: now, into: &effects) }
    take(event, at: now, into: &effects)
    // Thousands of sightings a second may change nothing: then there is nothing else to look at either.
    if case .sighted = event, effects.isEmpty, !station.isPlanInDoubt, !isAnythingDue(at: now.instant) {
      return
    }
    // Decisions made while stopping would be lost: they come up again after the start.
    let isStopping = isStopping
    if !isStopping {
      runDue(at: now, into: &effects)
      considerScan(at: now.instant, into: &effects)
      if !regions.entered.all.isEmpty { publishLeaves(at: now, into: &effects) }
      countWaiting(at: now)
      if announcement.isDue { announceBirth(at: now, into: &effects) }
      if shutDown.battery.step != nil { considerStep(at: now) }
      considerHalt(at: now, into: &effects)
      if shutDown.checkIn.isUnderWay {
        outbox.lane.hurry(&deadlines, at: now.instant)
        considerCheckIn(at: now, into: &effects)
      }
      if outbox.memory.isDue { sendLostAgain(at: now, into: &effects) }
    }
    // A disk that refused once is not asked again at the end: without a store that would never stop.
    if isStopping, case .storeFailed = event { return }
    outbox.act(
      deadlines: &deadlines, at: now.instant, isStopping: isStopping, packedBy: encoder, into: &effects)
    assert(inconsistency == nil, inconsistency ?? "")
  }

  /// The first invariant that does not hold, in words; nil: all hold.
  public var inconsistency: String? {
    if let wrong = outbox.inconsistency { return "outbox: \(wrong)" }
    if let wrong = regions.inconsistency { return "regions: \(wrong)" }
    if let wrong = station.inconsistency(with: regions) { return "beacons: \(wrong)" }
    if let wrong = layers.inconsistency(deadlines) { return "settings: \(wrong)" }
    if let wrong = shutDown.inconsistency(deadlines) { return "shut-down: \(wrong)" }
    return positioning.inconsistency.map { "position: \($0)" }
  }

  private mutating func start(at now: Moment, into effects: inout [Effect]) {
    releaseAssert(deadlines[.periodicReport] == nil && deadlines[.ping] == nil, "timers ran before the start")
    stage = .running
    shutDown.start(at: now.instant)
    startCheckIn(at: now)
    batteryConfigured(at: now.instant)
    positioning.start(deadlines: &deadlines, at: now.instant)
    timers.start(at: now.instant)
    startJourney(at: now, into: &effects)
    startSOS(at: now)
    if let overruled = layers.takeOverruled() { journalOverruled(overruled, at: now.instant, into: &effects) }
    rearm()
  }

  private mutating func take(_ event: Event, at now: Moment, into effects: inout [Effect]) {
    switch event {
    case .reading(let reading): readingArrived(reading, at: now, into: &effects)
    case .sourceReached(let name, let isReached): sourceReached(name, isReached, at: now)
    case .interference(let found): interferenceSaid(found, at: now, into: &effects)
    case .batteryChanged(let battery): batteryChanged(battery, at: now.instant)
    case .networkChanged(let network): networkChanged(network, at: now, into: &effects)
    case .localTime(let minute): followTime(minute, at: now, into: &effects)
    case .sighted(let sighting): sighted(sighting, at: now, into: &effects)
    case .scannerChanged(let state): scannerChanged(state, at: now)
    case .pressureMeasured(let pressure): surroundings.pressureMeasured(pressure)
    case .brokerConnected(let receiveMaximum):
      connected(receiveMaximum: receiveMaximum, at: now, into: &effects)
    case .brokerLost(let end):
      if let order = outbox.disconnected(end, deadlines: &deadlines, at: now.instant) {
        effects.append(order)
      }
    case .keptPlace(let finding): outbox.memory.shown(finding, deadlines: &deadlines, at: now.instant)
    case .carried(let bytes, let zone): carried(bytes, zone: zone, at: now)
    case .presenceDoubted: announcement.presenceDoubted()
    case .discoveryDoubted(let isBirth):
      announcement.forgotten(isBirth: isBirth, deadlines: &deadlines, at: now.instant)
    case .acknowledged(let sequences):
      outbox.acknowledged(sequences, deadlines: &deadlines, at: now.instant)
      uplinkConfirmed()
    case .refused(let sequence, let reason):
      if wayRefused(at: now, into: &effects) {
        outbox.sendFailed(sequence, deadlines: &deadlines, at: now.instant)
      } else if let message = outbox.refused(sequence, deadlines: &deadlines, at: now.instant) {
        effects.append(.deadLetter(message, because: reason))
      }
    case .letterKept(let sequence): outbox.kept(sequence, deadlines: &deadlines, at: now.instant)
    case .postponed(let sequence, let letsOthersPass):
      outbox.postponed(sequence, letsOthersPass: letsOthersPass, deadlines: &deadlines, at: now.instant)
    case .sendFailed(let sequence): outbox.sendFailed(sequence, deadlines: &deadlines, at: now.instant)
    case .stored(let batch, let points):
      outbox.stored(batch)
      if let points { history.found(points, waiting: outbox.waitingPoints) }
    case .storeFailed(let batch): outbox.storeFailed(batch, deadlines: &deadlines, at: now.instant)
    case .loaded(let messages):
      outbox.loaded(messages)
      reportOldLocations(at: now, into: &effects)
    case .indexed(let page): outbox.indexed(page)
    case .refusedTaken(let refused, let sender): sendAgain(refused, for: sender, at: now)
    case .commanded(let command): commanded(command, at: now, into: &effects)
    case .commandBarred(let action, let id, let why): barred(action, id, why, at: now, into: &effects)
    case .commandMalformed(let action, let id, let reason):
      malformed(action, id, reason, at: now, into: &effects)
    case .certificateSettled(let result): certificateSettled(result, at: now, into: &effects)
    case .control(let request, let sender, let isRoot):
      controlled(request, from: sender, byRoot: isRoot, at: now, into: &effects)
    case .asked(.history(let query), let sender): recall(query, for: sender)
    case .asked(.refused, let sender): takeRefused(for: sender, into: &effects)
    case .configured(let configuration, let waypoints):
      configure(configuration, waypoints: waypoints, at: now, into: &effects)
    case .powerFailing: sayLastPlace(because: .powerFailing, at: now, into: &effects)
    case .wakeAlarm(let isThere): surroundings.canWake = isThere
    case .ignition(let isOn): ignitionChanged(isOn, at: now.instant)
    case .sosLine(let isOn): sosLineChanged(isOn, at: now.instant)
    case .vehicleVolts(let volts): vehicleMeasured(volts, at: now.instant)
    case .leavingServer: announceOffline(because: .disconnected, at: now, into: &effects)
    case .tick: break
    case .stopping:
      assert(!isStopping, "an end that ends again")
      stage = .stopping
      rememberAll(at: now)
      announceOffline(because: shutDown.departure, at: now, into: &effects)
    }
  }

  // MARK: Fixes

  private mutating func readingArrived(_ reading: Reading, at now: Moment, into effects: inout [Effect]) {
    if let silent = positioning.silence.reported(deadlines: &deadlines, at: now.instant) {
      note(.receiverBack(seconds: silent.seconds), at: now)
    }
    switch FixFilter.usable(reading) {
    case .failure(let unusable): withhold(explained(unusable.reason), at: now, into: &effects)
    case .success(let fix):
      if reading.isReckoned { withhold(.reckoned, at: now, into: &effects) }
      if reading.isSimulated { withhold(.simulated, at: now, into: &effects) }
      switch clock.judge(fix, is3D: reading.mode >= 3, at: now) {
      case .refused(let reason): withhold(reason, at: now, into: &effects)
      case .believed(let fix, let earlier, let change):
        assert(earlier.allSatisfy { $0.time < fix.time }, "what was held back is older")
        if let change { clockChanged(change, at: now, into: &effects) }
        for fix in earlier { fixArrived(fix, at: now, into: &effects) }
        fixArrived(fix, at: now, into: &effects)
      }
    }
  }

  private mutating func clockChanged(
    _ change: ReceiverClock.Change, at now: Moment, into effects: inout [Effect]
  ) {
    switch change {
    case .clock(let seconds):
      positioning.clockSet(by: seconds)
      policy.clockSet()
      journeyClockSet(by: seconds)
      withhold(.clockWasWrong(seconds: seconds), at: now, into: &effects)
    case .receiver(let seconds):
      withhold(.receiverPutRight(seconds: seconds), at: now, into: &effects)
    }
  }

  private mutating func fixArrived(_ taken: Fix, at now: Moment, into effects: inout [Effect]) {
    var fix = taken
    fix.isHidden = regions.isBesidePrivateBeacon
    switch positioning.consider(fix, isGated: layers.inForce.regions.physicsGate, at: now.instant) {
    case .refused(let reason): return withhold(reason, at: now, into: &effects)
    case .taken(let isTimeCorrected, let isFirstEver):
      if isTimeCorrected { policy.clockSet() }
      if isFirstEver { outbox.remember(.position(fix), isUrgent: true) }
    }
    assert(positioning.present == fix, "a fix that was taken is where the board is")
    deadlines.arm(.housekeeping, by: now.instant + Self.housekeepingInterval)
    let candidate = positioning.settling.fixArrived(fix, deadlines: &deadlines, at: now.instant)
    positioning.loss.fixArrived(deadlines: &deadlines, at: now.instant)
    timers.window.consider(fix)
    let found = regions.consider(
      fix, positioning.ground, at: now.instant, rules: layers.rules.regions)
    let overruled = station.consider(fix, rules: layers.rules.beacons, at: now.instant)
    journeyed(with: fix, at: now, into: &effects)
    if journey.sos.awaitsFix { sosFixArrived(at: now.instant) }
    if shutDown.checkIn.isUnderWay { checkInFix(fix, at: now) }
    let isOverruled = overruled?.isNothing == false
    if isOverruled || !found.isNothing {
      crossed(found, and: isOverruled ? overruled : nil, fix, at: now, into: &effects)
    }
    deadlines[.holdDown] = regions.nextExpiry(rules: layers.rules.regions)
    considerReport(of: candidate, at: now, into: &effects)
    duty.fixArrived(
      accuracy: fix.accuracy, rest: receiverRest, needed: timers.window.until, deadlines: &deadlines,
      at: now.instant)
  }

  /// The automatic rule of the mode.
  private mutating func considerReport(of fix: Fix, at now: Moment, into effects: inout [Effect]) {
    // A crossing has told of this fix already.
    if let reference = policy.reference, reference.at == now.instant, reference.fix == fix { return }
    switch publish(.fix, fix, at: now, into: &effects) {
    case .withheld(.sameTime), .withheld(.inaccurate), .withheld(.settling): positioning.stop.putOff()
    case .published, .kept, .withheld: break
    }
  }

  // MARK: Deadlines

  private var isStopping: Bool { if case .stopping = stage { true } else { false } }

  /// When `handle` has to be called at the latest, with `tick` if nothing else happens; nil: no need. It is all that
  /// wakes the process for what is decided here.
  public var wakeAt: Instant? { isStopping ? nil : deadlines.next }

  /// Reasons for such a wake-up: nothing but what is named here is done for the time alone.
  public func due(at now: Instant) -> [Purpose] { isStopping ? [] : deadlines.due(at: now) }

  private func isAnythingDue(at now: Instant) -> Bool { deadlines.next.map { $0 <= now } ?? false }

  private mutating func runDue(at now: Moment, into effects: inout [Effect]) {
    if isAnythingDue(at: now.instant) { runDeadlines(at: now, into: &effects) }
    let (rest, wasResting) = (receiverRest, duty.isResting)
    // With every fix.
    guard rest != .never || wasResting || deadlines[.receiverRest] != nil else { return }
    let found = duty.runDue(rest, deadlines: &deadlines, at: now.instant, into: &effects)
    if let found { tellLook(found, at: now, into: &effects) }
    if duty.isResting, !wasResting { lookEnded(at: now) }
  }

  private mutating func runDeadlines(at now: Moment, into effects: inout [Effect]) {
    let instant = now.instant
    if deadlines.takeIfDue(.holdDown, at: instant) {
      let found = regions.expire(at: instant, rules: layers.rules.regions)
      crossed(found, positioning.position, at: now, into: &effects)
      deadlines[.holdDown] = regions.nextExpiry(rules: layers.rules.regions)
    }
    runBeaconDeadlines(at: now, into: &effects)
    runFixDeadlines(at: now, into: &effects)
    if deadlines.takeIfDue(.periodicReport, at: instant) { intervalElapsed(at: now, into: &effects) }
    if deadlines.takeIfDue(.ping, at: instant) { ping(at: now, into: &effects) }
    if deadlines.takeIfDue(.configurationTrial, at: instant) { endTrial(at: now, into: &effects) }
    if deadlines.takeIfDue(.announcement, at: instant) { announcementFellDue(at: instant) }
    if deadlines.takeIfDue(.settingsNews, at: instant) { journalSkipped(into: &effects) }
    if deadlines.takeIfDue(.tripSilence, at: instant) { tripIsSilent(at: now, into: &effects) }
    runVehicleDeadlines(at: now, into: &effects)
    runSOSDeadline(at: now, into: &effects)
    if deadlines.takeIfDue(.networkMode, at: instant) { followNetwork(at: now, into: &effects) }
    if deadlines.takeIfDue(.owedLocation, at: instant) { publishOwed(at: now, into: &effects) }
    if deadlines.takeIfDue(.housekeeping, at: instant) { keepHouse(at: now) }
    if deadlines.takeIfDue(.history, at: instant) { outbox.oweHistory() }
    if deadlines.takeIfDue(.brokerMemory, at: instant) { outbox.memory.graceIsOver() }
    // The lane looks at its own clock.
    deadlines.takeIfDue(.batch, at: instant)
  }

  /// Arms the timers of the present mode anew.
  mutating func rearm() {
    timers.arm(policy, mode: modes.state.mode, rules: layers.rules.reports, deadlines: &deadlines)
  }

  // MARK: Questions

  /// The mode that is on, with the notes of an automatic change.
  public var mode: ModeState { modes.state }

  /// The settings in force.
  public var settings: Configuration { layers.inForce }

  /// How the client id is made where no setting names it.
  public var clientIDForm: ClientIDForm { layers.clientIDForm }

  /// All regions, in the order in which they were made, and where the board is to each.
  public var knownRegions: [Snapshot.KnownRegion] {
    regions.tracked.map { Snapshot.KnownRegion(region: $0.region, presence: $0.presence) }
  }

  /// Of a message that is under way.
  public func topic(of sequence: UInt64) -> String? { outbox.topic(of: sequence) }

  /// The time of day as far as it can be believed; nil while it cannot.
  public func wall(at now: Moment) -> WallTime? { clock.wall(at: now) }

  /// Nothing is published before it is known who publishes.
  var isIdentityValid: Bool {
    !layers.inForce.identity.username.isEmpty && !layers.inForce.identity.deviceId.isEmpty
  }

  func isStale(at now: Instant) -> Bool {
    positioning.isStale(after: .seconds(layers.inForce.reports.fixTimeout), at: now)
  }
}
