import Model
import Timebase

/// Decides everything. Events go in, effects come out; it opens nothing, reads no clock and asks nobody.
///
/// A fix passes, in this order: is it usable (`FixFilter`), can its time be believed (`ReceiverClock`),
/// is it newer, is the jump possible (`PhysicsGate`), which regions did it cross (`RegionEngine`), and
/// is it news by itself (`ReportPolicy`).
public struct Tracker {
  var configuration: Configuration {
    didSet { (regionRules, reportRules) = (Self.regionRules(configuration), Self.reportRules(configuration)) }
  }
  /// What the engines need of the configuration: kept, because every fix asks for it.
  private(set) var regionRules: RegionEngine.Rules
  private(set) var reportRules: ReportPolicy.Rules
  var clock: ReceiverClock
  var gate = PhysicsGate()
  var regions = RegionEngine()
  var modes: ModeEngine
  var policy: ReportPolicy
  var outbox: Outbox
  var deadlines = Deadlines()
  var duty = ReceiverDuty()
  var commands: CommandPolicy
  /// The configuration file's settings, without what commands have laid over them.
  var file: Configuration
  var remote: RemoteSettings
  var trial: Trial?
  var beacons = BeaconEngine()
  var ranging = BeaconRanging()
  var journey: Journey
  var scanDuty = ScanDuty()
  var scanner = ScannerState(isHearing: false)
  /// Something has happened that may ask for another scan plan.
  var isScanInDoubt = true
  /// Something has happened that those who watch us over the network should know.
  var isPresenceInDoubt = false
  var isDiscoveryInDoubt = false
  /// What Home Assistant was told since the start, by key.
  var discovered: [String: DiscoveryReport] = [:]
  public internal(set) var journal = Journal()

  /// The newest usable position; of an earlier life where `fixArrived` is nil.
  var position: Fix?
  /// What the disk knows of it.
  var storedPosition: Fix?
  /// When `position` came in; nil: not since the start.
  var fixArrived: Instant?
  /// When something last moved; the start counts.
  var lastMovement: Instant
  /// From where movement by distance is measured.
  private var still: Fix?
  /// Metres beyond both accuracies.
  private static let worthMoving = 100.0
  /// When the mode's timers began to run.
  var timersSince: Instant
  /// When the mode began to be one that pings.
  var pingsSince: Instant
  /// The move timer ran out with nothing new to say: the next fix says it.
  var isPeriodicOverdue = false
  var battery: Battery?
  var network = Network.unknown
  var pressure: Double?
  var tag: String?
  /// How the client id is made where no setting names it.
  public let clientIDForm: ClientIDForm
  private let isFormNews: Bool
  /// Digest of the regions that the configuration file brought last.
  var imported: String?
  var isGpsdReached = false
  var history = PendingHistory()
  var vehicle = VehiclePower()
  var halting = Halting.none
  var started = Instant.zero
  var encoder: any ReportEncoder
  /// The file was changed while nobody watched it: what it overrules is to go from the disk too, or it
  /// would be back when the file is as it was.
  private var overruled: RemoteSettings?
  var newsBudget = NewsBudget()
  private var isStarted = false
  private var isStopping = false

  /// `earliest`: the oldest date that a receiver may claim while no clock is trusted, Unix seconds. The
  /// default is when this program was made; a replay of an old drive gives an older one.
  public init(
    configuration: Configuration, snapshot: Snapshot, encoder: any ReportEncoder, earliest: Double? = nil
  ) {
    file = configuration
    remote = snapshot.remote.still(over: configuration)
    overruled = remote == snapshot.remote ? nil : snapshot.remote
    let configuration = remote.applied(to: configuration)
    self.configuration = configuration
    commands = CommandPolicy(seen: snapshot.commandsSeen)
    regionRules = Self.regionRules(configuration)
    reportRules = Self.reportRules(configuration)
    clock = ReceiverClock(earliest: earliest ?? ReceiverClock.built)
    let configured = MonitoringMode(rawValue: configuration.monitoring) ?? .significant
    var mode = snapshot.mode ?? ModeState(mode: configured, configured: configured)
    if let before = mode.configured, before != configured { mode = ModeState(mode: configured) }
    mode.configured = configured
    modes = ModeEngine(state: mode)
    policy = ReportPolicy(published: snapshot.reference)
    outbox = Outbox(
      snapshot: snapshot, limit: configuration.queueLimit, byteLimit: configuration.queueLimitMegabytes << 20,
      windowLimit: configuration.maxInFlight)
    storedPosition = snapshot.position
    // What was published last may be dated by a ping: the place was measured earlier.
    position = snapshot.position ?? snapshot.reference
    tag = snapshot.tag
    journey = Journey(snapshot.journey)
    imported = snapshot.imported
    isFormNews = snapshot.clientIDForm == .unsaid
    clientIDForm =
      isFormNews
      ? .joined(user: configuration.username, device: configuration.deviceId) : snapshot.clientIDForm
    self.encoder = encoder.adopting(configuration, clientIDForm)
    history.stored = snapshot.historyCount
    lastMovement = .zero
    timersSince = .zero
    pingsSince = .zero
    // A follow region that is not known to be around us learns its side anew, silently.
    for known in snapshot.regions {
      let isLost = known.region.isFollow && known.presence == .outside
      let presence = isLost ? .unknown : known.presence
      regions.put(known.region, presence: watch(known.region, presence, isSame: false, at: .zero))
    }
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
    if !isStarted { start(at: now, into: &effects) }
    take(event, at: now, into: &effects)
    // Thousands of sightings a second may change nothing: then there is nothing else to look at either.
    if case .sighted = event, effects.isEmpty, !isScanInDoubt, !isAnythingDue(at: now.instant) { return }
    // Nobody would hear what an end still decides: it comes up again after the start.
    if !isStopping {
      runDue(at: now, into: &effects)
      considerScan(at: now.instant, into: &effects)
      if isPresenceInDoubt || isDiscoveryInDoubt { introduce(at: now, into: &effects) }
      considerHalt(at: now.instant, into: &effects)
    }
    // A disk that refused once is not asked again at the end: without a store that would never stop.
    if isStopping, case .storeFailed = event { return }
    outbox.act(deadlines: &deadlines, at: now.instant, isStopping: isStopping, into: &effects)
    assert(inconsistency == nil, inconsistency ?? "")
  }

  /// What does not agree though it must, in words; nil: all does.
  public var inconsistency: String? {
    outbox.inconsistency.map { "outbox: \($0)" } ?? regions.inconsistency.map { "regions: \($0)" }
  }

  private mutating func start(at now: Moment, into effects: inout [Effect]) {
    isStarted = true
    started = now.instant
    lastMovement = now.instant
    timersSince = now.instant
    pingsSince = now.instant
    startJourney(at: now.instant)
    if let overruled {
      rememberSettings()
      tellOverruled(overruled, at: now.instant, into: &effects)
      self.overruled = nil
    }
    if isFormNews { outbox.remember(.clientIDForm(clientIDForm), isUrgent: true) }
    rearm()
  }

  private mutating func take(_ event: Event, at now: Moment, into effects: inout [Effect]) {
    switch event {
    case .reading(let reading): readingArrived(reading, at: now, into: &effects)
    case .gpsdReached(let isReached): isGpsdReached = isReached
    case .batteryChanged(let battery): self.battery = battery
    case .networkChanged(let network):
      self.network = network
      isScanInDoubt = true
    case .sighted(let sighting): sighted(sighting, at: now, into: &effects)
    case .scannerChanged(let state): scannerChanged(state, at: now)
    case .pressureMeasured(let pressure): self.pressure = pressure
    case .brokerConnected(let receiveMaximum):
      outbox.connected(receiveMaximum: receiveMaximum)
      (isPresenceInDoubt, isDiscoveryInDoubt) = (true, true)
      wayOpened(at: now, into: &effects)
      if configuration.publishLocationOnConnect { publishOnConnect(at: now, into: &effects) }
    case .brokerLost: outbox.disconnected()
    case .presenceDoubted: isPresenceInDoubt = true
    case .acknowledged(let sequences):
      outbox.acknowledged(sequences, deadlines: &deadlines, at: now.instant)
      wayProven()
    case .refused(let sequence, let reason):
      if wayRefused(at: now, into: &effects) {
        outbox.sendFailed(sequence, deadlines: &deadlines, at: now.instant)
      } else if let message = outbox.refused(sequence, deadlines: &deadlines, at: now.instant) {
        effects.append(.deadLetter(message, because: reason))
      }
    case .postponed(let sequence): outbox.postponed(sequence, deadlines: &deadlines, at: now.instant)
    case .sendFailed(let sequence): outbox.sendFailed(sequence, deadlines: &deadlines, at: now.instant)
    case .stored(let batch): outbox.stored(batch)
    case .storeFailed(let batch): outbox.storeFailed(batch, deadlines: &deadlines, at: now.instant)
    case .loaded(let messages): outbox.loaded(messages)
    case .indexed(let page): outbox.indexed(page)
    case .commanded(let command): commanded(command, at: now, into: &effects)
    case .commandBarred(let action, let refusal):
      withhold(.commandRefused(action: action, refusal), at: now, into: &effects)
    case .control(let request, let sender, let isRoot):
      controlled(request, from: sender, byRoot: isRoot, at: now, into: &effects)
    case .configured(let configuration, let waypoints):
      configure(configuration, waypoints: waypoints, at: now, into: &effects)
    case .powerFailing: sayLastPlace(because: .powerFailing, at: now, into: &effects)
    case .ignition(let isOn): ignitionChanged(isOn, at: now.instant)
    case .vehicleVolts(let volts): vehicleMeasured(volts, at: now.instant)
    case .tick: break
    case .stopping:
      isStopping = true
      rememberAll(at: now)
      farewell(at: now, into: &effects)
    }
  }

  // MARK: Fixes

  private mutating func readingArrived(_ reading: Reading, at now: Moment, into effects: inout [Effect]) {
    switch FixFilter.usable(reading) {
    case .failure(let unusable): withhold(unusable.reason, at: now, into: &effects)
    case .success(let fix):
      switch clock.judge(fix, is3D: reading.mode >= 3, at: now) {
      case .refused(let reason): withhold(reason, at: now, into: &effects)
      case .believed(let fix, let earlier):
        for fix in earlier { fixArrived(fix, at: now, into: &effects) }
        fixArrived(fix, at: now, into: &effects)
      }
    }
  }

  private mutating func fixArrived(_ fix: Fix, at now: Moment, into effects: inout [Effect]) {
    // Movement counts even of fixes that are discarded below; a speed below its own error is none. The way
    // counts as well, see `hasMoved`.
    if let speed = fix.speed, speed > max(0.05, fix.speedError ?? 0) { lastMovement = now.instant }
    if let position, (position.time - fix.time).seconds > ReceiverClock.tolerance {
      // The clock was wrong until now, and so were the times of everything known.
      fixArrived = nil
      policy.forgetReference()
      gate = PhysicsGate()
    }
    if fixArrived != nil, let position, fix.time <= position.time {
      withhold(
        .notNewer(time: fix.time.seconds, last: position.time.seconds), at: now, into: &effects)
      return
    }
    if configuration.physicsGate, let objection = gate.objection(to: fix) {
      withhold(objection, at: now, into: &effects)
      return
    }
    position = fix
    fixArrived = now.instant
    if hasMoved(to: fix) { lastMovement = now.instant }
    if storedPosition == nil {
      storedPosition = fix
      outbox.remember(.position(fix), isUrgent: true)
    }
    deadlines.arm(.housekeeping, by: now.instant + Self.housekeepingInterval)
    let found = regions.consider(fix, at: now.instant, rules: regionRules)
    // Once in a region's life: a tracker that forgot it in a power cut would miss the crossing after it.
    for known in found.settled { outbox.remember(.region(known.region, known.presence), isUrgent: true) }
    let overruled = beacons.watched.isEmpty ? nil : beacons.consider(fix, rules: beaconRules, at: now.instant)
    if !beacons.watched.isEmpty { isScanInDoubt = true }
    journeyed(with: fix, at: now, into: &effects)
    let isOverruled = overruled?.isNothing == false
    if isOverruled || !found.isNothing {
      crossed(found, and: isOverruled ? overruled : nil, fix, at: now, into: &effects)
    }
    considerReport(of: fix, at: now, into: &effects)
    duty.fixArrived(
      accuracy: fix.accuracy, mode: modes.state.mode, cycle: .seconds(configuration.gpsDutyCycle),
      deadlines: &deadlines, at: now.instant)
  }

  /// Of a plain NMEA receiver gpsd says a speed error of 20 m/s, below which a whole town drives: who has
  /// come this far, whatever the accuracies, has moved.
  private mutating func hasMoved(to fix: Fix) -> Bool {
    guard let still else {
      self.still = fix
      return false
    }
    let needed = Self.worthMoving + still.accuracy + fix.accuracy
    guard fix.coordinate.distance(to: still.coordinate) > needed else { return false }
    self.still = fix
    return true
  }

  /// The automatic rule of the mode.
  private mutating func considerReport(of fix: Fix, at now: Moment, into effects: inout [Effect]) {
    // A crossing has told of this fix already.
    if let reference = policy.reference, reference.at == now.instant, reference.fix == fix { return }
    publish(.fix, fix, at: now, into: &effects)
  }

  // MARK: Deadlines

  public var nextDeadline: Instant? { isStopping ? nil : deadlines.next }

  private func isAnythingDue(at now: Instant) -> Bool { deadlines.next.map { $0 <= now } ?? false }

  private mutating func runDue(at now: Moment, into effects: inout [Effect]) {
    if isAnythingDue(at: now.instant) { runDeadlines(at: now, into: &effects) }
    duty.runDue(
      mode: modes.state.mode, cycle: .seconds(configuration.gpsDutyCycle), deadlines: &deadlines,
      at: now.instant, into: &effects)
  }

  private mutating func runDeadlines(at now: Moment, into effects: inout [Effect]) {
    let instant = now.instant
    if deadlines.takeIfDue(.holdDown, at: instant) {
      let found = regions.expire(at: instant, rules: regionRules)
      crossed(found, position, at: now, into: &effects)
      deadlines[.holdDown] = regions.nextExpiry(rules: regionRules)
    }
    runBeaconDeadlines(at: now, into: &effects)
    if deadlines.takeIfDue(.periodicReport, at: instant) { intervalElapsed(at: now, into: &effects) }
    if deadlines.takeIfDue(.ping, at: instant) { ping(at: now, into: &effects) }
    if deadlines.takeIfDue(.configurationTrial, at: instant) { endTrial(at: now, into: &effects) }
    if deadlines.takeIfDue(.settingsNews, at: instant) { tellUntold(into: &effects) }
    if deadlines.takeIfDue(.tripSilence, at: instant) { tripIsSilent(at: now, into: &effects) }
    runVehicleDeadlines(at: now, into: &effects)
    if deadlines.takeIfDue(.housekeeping, at: instant) { keepHouse(at: now) }
  }

  /// Arms the timers of the present mode anew.
  mutating func rearm() {
    isPeriodicOverdue = false
    let mode = modes.state.mode
    deadlines[.periodicReport] = policy.nextPeriodic(mode: mode, rules: reportRules, since: timersSince)
    deadlines[.ping] = policy.nextPing(mode: mode, rules: reportRules, since: pingsSince)
  }

  // MARK: Questions

  public var mode: ModeState { modes.state }

  /// The settings in force.
  public var settings: Configuration { configuration }

  public var knownRegions: [Snapshot.KnownRegion] {
    regions.tracked.map { Snapshot.KnownRegion(region: $0.region, presence: $0.presence) }
  }

  /// Of a message that is under way.
  public func topic(of sequence: UInt64) -> String? { outbox.topic(of: sequence) }

  /// The time of day as far as it can be believed; nil while it cannot.
  public func wall(at now: Moment) -> WallTime? { clock.wall(at: now) }

  /// Nothing is published before it is known who publishes.
  var isIdentityValid: Bool { !configuration.username.isEmpty && !configuration.deviceId.isEmpty }

  func isStale(at now: Instant) -> Bool {
    guard let fixArrived else { return true }
    return now - fixArrived > .seconds(configuration.fixTimeout)
  }

  private static func regionRules(_ configuration: Configuration) -> RegionEngine.Rules {
    .init(confirm: configuration.regionConfirm, holdDown: .seconds(configuration.holdDown))
  }

  private static func reportRules(_ configuration: Configuration) -> ReportPolicy.Rules {
    .init(
      displacement: Double(configuration.locatorDisplacement),
      interval: configuration.locatorInterval > 0 ? .seconds(configuration.locatorInterval) : nil,
      significantDisplacement: Double(configuration.significantDisplacement),
      significantInterval: .seconds(configuration.significantInterval),
      adaptive: configuration.adaptive ? AdaptiveRecording(configuration) : nil,
      ping: configuration.ping > 0 ? .minutes(configuration.ping) : nil)
  }
}
