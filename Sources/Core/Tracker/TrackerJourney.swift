import Model
import Timebase

/// The vehicle's movement as known to the tracker: odometer, trips, the guarded parking place, its speed.
struct Journey {
  var movement: Movement
  /// Metres.
  var odometer: Double
  var trips: TripEngine
  var fence: ParkingFence
  var anchor: AnchorWatch
  var speed: SpeedWatch
  /// Nothing of it is kept over a restart: a manoeuvre is a matter of seconds.
  var harsh = HarshDriving()
  /// Nil until something says it.
  var ignition: Bool?
  var engine: EngineHours
  var sos: SOSCall
  /// Nothing of it is kept over a restart: the receiver says it again.
  var interference = InterferenceWatch()
  /// The published state of the ignition and of the board's supply.
  var lines = VehicleLines()
  /// The state on the disk.
  fileprivate(set) var stored: JourneyState
  /// When a trip was written last, by the fixes' time.
  fileprivate var written: WallTime?
  fileprivate var wasMoving = false

  init(_ stored: JourneyState) {
    movement = Movement(stored)
    odometer = stored.odometer
    trips = TripEngine(stored.trip)
    fence = ParkingFence(stored.fence)
    speed = SpeedWatch(stored.speeding)
    anchor = AnchorWatch(stored.anchor)
    engine = EngineHours(stored.engineSeconds)
    sos = SOSCall(stored.sos)
    self.stored = stored
  }

  /// The store is there, and what it holds began before this life: totals add up, and what this life knows nothing of goes
  /// on. Returns a trip that was told, where this life has one of its own: it is over.
  fileprivate mutating func goOn(from earlier: JourneyState) -> TripEngine.Found? {
    assert(odometer >= 0 && earlier.odometer >= 0, "an odometer below nothing")
    odometer += earlier.odometer
    engine.add(earlier.engineSeconds)
    if movement.place == nil { movement = Movement(earlier) }
    if fence.place == nil { fence = ParkingFence(earlier.fence) }
    if speed.isCalm { speed = SpeedWatch(earlier.speeding) }
    // The place that this life has taken for it is one that it may have dragged to.
    if let anchor = earlier.anchor { self.anchor = AnchorWatch(anchor) }
    guard trips.kept == nil else {
      var before = TripEngine(earlier.trip)
      return before.end(.interrupted)
    }
    trips = TripEngine(earlier.trip)
    return nil
  }

  fileprivate var state: JourneyState {
    var state = JourneyState()
    state.odometer = odometer
    state.fence = fence.place
    state.trip = trips.kept
    state.speeding = speed.current
    state.anchor = anchor.state
    state.engineSeconds = engine.kept
    state.sos = sos.state
    guard let place = movement.place else { return state }
    (state.place, state.isStanding) = place
    return state
  }
}

/// Odometer, trips and alarms (docs/behaviour.md, "Trips and alarms"). All of it rests until a key of the
/// configuration, or the limit of a region, asks for it.
extension Tracker {
  /// A trip under way is durable this often, so that a power cut costs no more of it, seconds.
  static let checkpoint = (moving: 60.0, standing: 10.0)
  /// A trip that a power cut has left open waits for a first fix, or for a clock.
  static let resumption = Span.seconds(60)

  var isMovementWanted: Bool {
    layers.inForce.journey.odometer || layers.inForce.journey.trips || layers.inForce.journey.towAlarm > 0
  }

  /// Whether a fix can have changed what the disk should know of the journey.
  var isJourneyWatched: Bool { isMovementWanted || journey.speed.isSpeeding || journey.engine.isRunning }

  var isAnchorWatched: Bool { layers.inForce.journey.anchorAlarm > 0 }

  mutating func startJourney(at now: Moment, into effects: inout [Effect]) {
    if !layers.inForce.journey.trips {
      endTrip(.switchedOff, at: now, into: &effects)
    } else if journey.trips.current != nil {
      deadlines[.tripSilence] = now.instant + Self.resumption
    }
    forgetUnwanted()
  }

  /// The journey of the store goes on with what has happened without it.
  mutating func journeyGoesOn(from earlier: JourneyState, at now: Moment, into effects: inout [Effect]) {
    if let found = journey.goOn(from: earlier) { report(found, at: now, into: &effects) }
  }

  /// A fix that is believed, newer and possible; the regions know of it already.
  mutating func journeyed(with fix: Fix, at now: Moment, into effects: inout [Effect]) {
    if isMovementWanted { moved(to: fix, at: now, into: &effects) }
    watchSpeed(of: fix, at: now, into: &effects)
    if isAnchorWatched { watchAnchor(fix, at: now, into: &effects) }
    if layers.inForce.journey.harsh.isOn { watchDriving(fix, at: now, into: &effects) }
  }

  private mutating func moved(to fix: Fix, at now: Moment, into effects: inout [Effect]) {
    let found = journey.movement.consider(
      fix, onSlowWaySince: positioning.onSlowWaySince,
      isOnNoTrip: layers.inForce.journey.trips && journey.trips.kept == nil)
    assert(found.metres >= 0, "an odometer does not run backwards")
    if layers.inForce.journey.odometer { journey.odometer += found.metres }
    assert(journey.odometer >= 0, "an odometer at \(journey.odometer) m")
    if layers.inForce.journey.trips {
      let findings = journey.trips.consider(found, arrival: journey.movement.arrival, at: fix)
      for finding in findings { report(finding, at: now, into: &effects) }
      deadlines[.tripSilence] = journey.trips.current == nil ? nil : now.instant + TripEngine.silence
      keepTrip(fix)
      // A kill before it is long enough takes no trip away.
      if case .departed = found.change { rememberJourney(isUrgent: true) }
    }
    if layers.inForce.journey.towAlarm > 0 {
      guardParking(fix, at: now, into: &effects)
    }
  }

  private mutating func guardParking(_ fix: Fix, at now: Moment, into effects: inout [Effect]) {
    let before = journey.fence.place
    assert(journey.movement.parkingPlace == nil || !journey.movement.isMoving, "parked, and moving")
    let found = journey.fence.consider(
      fix, parkingPlace: journey.movement.parkingPlace, isMoving: journey.movement.isMoving,
      metres: Double(layers.inForce.journey.towAlarm), ignition: journey.ignition,
      isHidden: regions.hidingRegion(at: fix) != nil)
    // A tracker that forgot in a power cut where it stands would guard nothing after it.
    if journey.fence.place != before { rememberJourney(isUrgent: true) }
    switch found {
    case .moved(let from, let metres):
      alarm(.tow(from: from, metres: metres), because: .towed(metres: metres), fix, at: now, into: &effects)
    case .driven: withhold(.ignitionIsOn, at: now, into: &effects)
    case nil: break
    }
  }

  /// The time of day is this many seconds later than assumed: what was seen in this life is dated anew, so that a vehicle
  /// that is coming to a stand does so.
  mutating func journeyClockSet(by seconds: Double) {
    guard let began = journey.movement.began else { return }
    journey.movement.clockSet(by: seconds)
    journey.trips.clockSet(by: seconds, since: began)
  }

  /// Where an anchor can be dropped now; nil: the place is old or vague, or not known at all.
  func anchorage(at now: Instant) -> Fix? {
    guard let fix = positioning.present, !isStale(at: now), fix.accuracy <= AnchorWatch.worst else {
      return nil
    }
    return fix
  }

  private mutating func watchAnchor(_ fix: Fix, at now: Moment, into effects: inout [Effect]) {
    guard let anchor = journey.anchor.state else {
      // The file wants it, and nobody knew where until now.
      guard fix.accuracy <= AnchorWatch.worst else { return }
      journey.anchor.drop(at: fix)
      return rememberJourney(isUrgent: true)
    }
    let found = journey.anchor.consider(
      fix, positioning.ground, metres: Double(layers.inForce.journey.anchorAlarm),
      confirm: layers.rules.regions.confirm, isHidden: regions.hidingRegion(at: fix) != nil)
    guard let metres = found else { return }
    let kind = AlarmReport.Kind.anchor(from: anchor.place, metres: metres)
    alarm(kind, because: .dragged(metres: metres), fix, at: now, into: &effects)
    announcement.presenceDoubted()
    rememberJourney(isUrgent: true)
  }

  private mutating func watchSpeed(of fix: Fix, at now: Moment, into effects: inout [Effect]) {
    let everywhere =
      layers.inForce.journey.overspeed > 0 ? SpeedWatch.Limit(speed: layers.inForce.journey.overspeed) : nil
    let found = journey.speed.consider(fix, limit: regions.speedLimit ?? everywhere)
    switch found {
    case .began(let speeding):
      let reason = Reason.tooFast(
        speed: speeding.top * 3.6, limit: speeding.limit, region: speeding.region)
      if !alarm(.speeding(speeding), because: reason, fix, at: now, into: &effects) {
        journey.speed.beganUntold()
      }
    case .ended(let speeding):
      let reason = Reason.slowAgain(top: speeding.top * 3.6, limit: speeding.limit)
      if speeding.isUntold {
        note(reason, at: now)
      } else {
        alarm(.spedNoMore(speeding), because: reason, fix, at: now, into: &effects)
      }
    case nil: return
    }
    rememberJourney(isUrgent: true)
  }

  // MARK: Reporting

  private mutating func report(_ found: TripEngine.Found, at now: Moment, into effects: inout [Effect]) {
    switch found {
    case .tooShort(let metres): withhold(.noTrip(metres: metres), at: now, into: &effects)
    case .began(let trip):
      emit(.start, trip, because: .tripBegan(metres: trip.distance), at: now, into: &effects)
    case .ended(let trip, let cause):
      let seconds = (trip.last.time - trip.start.time).seconds
      let reason = Reason.tripEnded(metres: trip.distance, seconds: seconds, cause)
      emit(.stop(cause), trip, because: reason, at: now, into: &effects)
    }
  }

  /// The journal says what became of it even where nobody may be told.
  private mutating func emit(
    _ event: TripReport.Event, _ trip: TripState, because reason: Reason, at now: Moment,
    into effects: inout [Effect]
  ) {
    rememberJourney(isUrgent: true)
    var shown = trip
    (shown.start, shown.last) = (veiled(trip.start), veiled(trip.last))
    let report = TripReport(
      event: event, trip: shown, created: clock.wall(at: now),
      odometer: layers.inForce.journey.odometer ? journey.odometer : nil)
    publish(.journey(reason), at: now, into: &effects) { _ in .trip(report) }
  }

  /// False: its message was withheld.
  @discardableResult
  mutating func alarm(
    _ kind: AlarmReport.Kind, because reason: Reason, _ fix: Fix, at now: Moment, into effects: inout [Effect]
  ) -> Bool {
    let outcome = raise(kind, .journey(reason), fix, at: now, into: &effects)
    // Alarms that OwnTracks receivers know as triggers of a location.
    switch kind {
    case .tow, .anchor: publishOrOwe(.vehicle(.tow, reason), fix, at: now, into: &effects)
    case .speeding: publishOrOwe(.vehicle(.overspeed, reason), fix, at: now, into: &effects)
    case .harsh(let manoeuvre):
      publishOrOwe(.vehicle(.harsh(manoeuvre.kind), reason), fix, at: now, into: &effects)
    // A call for help has a way of its own.
    case .spedNoMore, .sos, .helped, .disturbed, .undisturbed: break
    }
    return outcome?.isPublishedOrKept ?? true
  }

  /// The message of its own; nil: such messages are not wanted.
  @discardableResult
  mutating func raise(
    _ kind: AlarmReport.Kind, _ occasion: Occasion, _ fix: Fix?, at now: Moment, into effects: inout [Effect]
  ) -> Outcome? {
    guard layers.inForce.journey.alarmMessages else { return nil }
    let report = AlarmReport(kind: veiled(kind, fix), fix: fix, created: clock.wall(at: now))
    return publish(occasion, at: now, into: &effects) { _ in .alarm(report) }
  }

  /// A distance is from what is shown: that from the place itself would tell where it is.
  private func veiled(_ kind: AlarmReport.Kind, _ fix: Fix?) -> AlarmReport.Kind {
    func distance(_ metres: Double, from place: TrackPoint) -> Double {
      let shown = veiled(place)
      guard shown != place, let fix else { return metres }
      return shown.coordinate.distance(to: fix.coordinate)
    }
    switch kind {
    case .tow(let from, let metres): return .tow(from: veiled(from), metres: distance(metres, from: from))
    case .anchor(let from, let metres):
      return .anchor(from: veiled(from), metres: distance(metres, from: from))
    case .speeding(var speeding):
      speeding.start = veiled(speeding.start)
      return .speeding(speeding)
    case .spedNoMore(var speeding):
      speeding.start = veiled(speeding.start)
      return .spedNoMore(speeding)
    case .harsh(var manoeuvre):
      manoeuvre.start = veiled(manoeuvre.start)
      return .harsh(manoeuvre)
    case .disturbed(var state, let isWorse):
      state.start = state.start.map(veiled)
      return .disturbed(state, isWorse: isWorse)
    case .undisturbed(var state, let seconds):
      state.start = state.start.map(veiled)
      return .undisturbed(state, seconds: seconds)
    case .sos, .helped: return kind
    }
  }

  // MARK: Silence

  /// No fix for an hour, or none since the start: what is known of the trip is all there will be.
  mutating func tripIsSilent(at now: Moment, into effects: inout [Effect]) {
    guard let trip = journey.trips.current else { return }
    assert(layers.inForce.journey.trips, "a trip, though trips are off")
    if journey.trips.isResumed {
      let silent = clock.wall(at: now).map { ($0 - trip.last.time).seconds } ?? 0
      guard silent >= TripEngine.parking else {
        deadlines[.tripSilence] = now.instant + Self.resumption
        return
      }
    }
    journey.movement.settle()
    endTrip(.interrupted, at: now, into: &effects)
  }

  private mutating func endTrip(_ cause: TripReport.Cause, at now: Moment, into effects: inout [Effect]) {
    deadlines[.tripSilence] = nil
    if let found = journey.trips.end(cause) { report(found, at: now, into: &effects) }
    assert(journey.trips.current == nil, "a trip that was ended goes on")
  }

  mutating func journeyConfigured(from old: Configuration, at now: Moment, into effects: inout [Effect]) {
    if isAnchorWatched, journey.anchor.state == nil, let place = anchorage(at: now.instant) {
      journey.anchor.drop(at: place)
    }
    if old.journey.trips, !layers.inForce.journey.trips { endTrip(.switchedOff, at: now, into: &effects) }
    forgetUnwanted()
  }

  /// A function that is switched off loses its state, so that it begins anew when it is switched on again: also one
  /// that was switched off in the file while the board was off.
  private mutating func forgetUnwanted() {
    if layers.inForce.journey.towAlarm == 0 { journey.fence.takeDown() }
    if !isAnchorWatched { journey.anchor.end() }
    if !layers.inForce.journey.harsh.isOn { journey.harsh = HarshDriving() }
    if !layers.inForce.receiver.watchesJamming { forgetInterference() }
    if !isMovementWanted, journey.movement.place != nil { journey.movement = Movement() }
    rememberJourney(isUrgent: true)
  }

  // MARK: The disk

  /// Often enough that a power cut costs a minute, and at once where the vehicle comes to a stand: most
  /// boards lose their power with the ignition.
  private mutating func keepTrip(_ fix: Fix) {
    guard journey.trips.current != nil else { return }
    assert(deadlines[.tripSilence] != nil, "a trip under way ends by itself")
    let isMoving = positioning.onSlowWaySince != nil || fix.speed.map { $0 >= Movement.slowest } ?? true
    let hasStopped = journey.wasMoving && !isMoving
    journey.wasMoving = isMoving
    let age = journey.written.map { (fix.time - $0).seconds } ?? .infinity
    guard age >= Self.checkpoint.moving || (hasStopped && age >= Self.checkpoint.standing) || age < 0 else {
      return
    }
    rememberJourney(isUrgent: true)
    journey.written = fix.time
  }

  mutating func rememberJourney(isUrgent: Bool) {
    let state = journey.state
    guard state != journey.stored else { return }
    journey.stored = state
    outbox.remember(.journey(state), isUrgent: isUrgent)
  }

  // MARK: Status

  var journeyStatus: JourneyStatus {
    var status = JourneyStatus()
    status.odometer = layers.inForce.journey.odometer ? journey.odometer : nil
    status.trip = layers.inForce.journey.trips ? journey.trips.current : nil
    status.isGuarded = journey.fence.place != nil
    status.speeding = journey.speed.current
    (status.anchor, status.anchorAlarm) = (journey.anchor.state, layers.inForce.journey.anchorAlarm)
    status.sos = journey.sos.state
    status.jamming = journey.interference.told(.jamming)
    status.spoofing = journey.interference.told(.spoofing)
    status.engineSeconds = journey.ignition == nil ? nil : journey.engine.seconds
    status.harshRate = layers.inForce.journey.harsh.isOn ? journey.harsh.rate : nil
    return status
  }
}
