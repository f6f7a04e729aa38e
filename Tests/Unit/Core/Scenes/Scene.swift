import Core
import Model
import Timebase

/// A tracker with a hand-cranked clock, a disk and a broker that do as they are told. What is
/// in the bytes of messages is tested elsewhere.
@dynamicMemberLookup
struct Scene {
  var tracker: Tracker
  /// What the tracker asked for; read as the scene's own.
  private var notes = SceneNotes()
  /// Read and set as the scene's own.
  private var store = SceneDisk()
  var acknowledges = true
  var isConnected = false
  var hasTrustedClock = true
  private(set) var time = 0.0
  private var inbox: [Event] = []

  subscript<Value>(dynamicMember path: WritableKeyPath<SceneNotes, Value>) -> Value {
    get { notes[keyPath: path] }
    set { notes[keyPath: path] = newValue }
  }

  subscript<Value>(dynamicMember path: WritableKeyPath<SceneDisk, Value>) -> Value {
    get { store[keyPath: path] }
    set { store[keyPath: path] = newValue }
  }

  static let start = 1_700_000_000.0

  init(
    _ configuration: Configuration = Scene.configuration(), regions: [Snapshot.KnownRegion] = [],
    snapshot: Snapshot = .init()
  ) {
    var snapshot = snapshot
    snapshot.regions += regions
    tracker = Tracker(configuration: configuration, snapshot: snapshot, encoder: Blank())
  }

  static func configuration(_ change: (inout Configuration) -> Void = { _ in }) -> Configuration {
    var configuration = Configuration()
    configuration.identity.username = "u"
    configuration.identity.deviceId = "d"
    configuration.reports.ping = 0
    configuration.regions.confirm = 1
    configuration.regions.physicsGate = false
    change(&configuration)
    return configuration
  }

  static func home(radius: Double = 100, name: String = "Home", inside: Presence = .outside)
    -> Snapshot.KnownRegion
  {
    let region = Region(
      rid: name, name: name, coordinate: place(0, 0), radius: radius, created: 1_700_000_100)
    return .init(region: region, presence: inside)
  }

  /// Metres east and north of 48 N 11 E.
  static func place(_ east: Double, _ north: Double) -> Coordinate {
    Coordinate(latitude: 48 + north / 111_195, longitude: 11 + east / (111_195 * 0.669_130_606))!
  }

  var now: Moment {
    Moment(
      instant: Instant(nanoseconds: 1_000_000_000_000) + .seconds(time),
      wall: hasTrustedClock ? WallTime(seconds: Scene.start + time) : nil)
  }

  // MARK: What happens

  /// A fix `east`, `north` metres from the origin whose own time is the scene's.
  mutating func fix(
    at time: Double, _ east: Double, _ north: Double = 0, accuracy: Double = 5, speed: Double? = 0,
    speedError: Double? = nil, mode: Int = 3, claimed: Double? = nil
  ) {
    var reading = Reading()
    reading.mode = mode
    reading.time = WallTime(seconds: claimed ?? Scene.start + time)
    reading.latitude = Scene.place(east, north).latitude
    reading.longitude = Scene.place(east, north).longitude
    reading.eph = accuracy
    reading.speed = speed
    reading.eps = speedError
    post(.reading(reading), at: time)
  }

  /// The beacon of `Scene.beaconRegion`, by default with a strength of a few metres.
  mutating func advert(at time: Double, major: UInt16 = 5, minor: UInt16 = 6, rssi: Int8? = -65) {
    post(.sighted(Scene.sighting(major: major, minor: minor, rssi: rssi)), at: time)
  }

  mutating func scanner(at time: Double, isHearing: Bool, sharesAntenna: Bool = false) {
    post(.scannerChanged(ScannerState(isHearing: isHearing, sharesAntenna: sharesAntenna)), at: time)
  }

  static let uuid = "CA271EAE-5FA8-4E80-8F08-2A302A95A959"

  static func sighting(major: UInt16 = 5, minor: UInt16 = 6, rssi: Int8? = -65) -> Sighting {
    let uuid = BeaconUUID(high: 0xCA27_1EAE_5FA8_4E80, low: 0x8F08_2A30_2A95_A959)
    return Sighting(
      beacon: BeaconNumber(uuid: uuid, major: major, minor: minor), power: -59, rssi: rssi, address: 0)
  }

  /// A region of that beacon at the origin.
  static func beaconRegion(
    _ name: String = "Main", radius: Double = 0, at place: Coordinate = Scene.place(0, 0),
    major: UInt16? = nil, minor: UInt16? = nil, inside: Presence = .outside, isShared: Bool = true
  ) -> Snapshot.KnownRegion {
    let region = Region(
      rid: name, name: name, coordinate: place, radius: radius,
      beacon: BeaconIdentity(uuid: uuid, major: major, minor: minor), created: 1_700_000_100,
      isShared: isShared)
    return .init(region: region, presence: inside)
  }

  /// In this mode, and else as in `configuration`.
  static func inMode(
    _ mode: MonitoringMode, _ regions: [Snapshot.KnownRegion] = [], snapshot: Snapshot = .init(),
    _ change: (inout Configuration) -> Void = { _ in }
  ) -> Scene {
    Scene(
      configuration {
        $0.reports.monitoring = mode
        change(&$0)
      }, regions: regions, snapshot: snapshot)
  }

  /// A radio that hears from the beginning.
  static func withBeacons(
    _ regions: [Snapshot.KnownRegion], _ change: (inout Configuration) -> Void = { _ in }
  ) -> Scene {
    let configuration = Scene.configuration {
      $0.reports.monitoring = .manual
      $0.beacons.lossTimeout = 30
      $0.beacons.reentryGuard = 0
      change(&$0)
    }
    var scene = Scene(configuration, regions: regions)
    scene.connect()
    scene.scanner(at: 0, isHearing: true)
    return scene
  }

  mutating func post(_ event: Event, at time: Double) {
    run(until: time)
    self.time = time
    perform(tracker.handle(event, at: now))
  }

  /// Lets the clock run; every deadline fires at its own instant.
  mutating func run(until end: Double) {
    while let due = tracker.wakeAt {
      let seconds = (due - Instant(nanoseconds: 1_000_000_000_000)).seconds
      guard seconds < end else { break }
      time = max(time, seconds)
      notes.wakeUps += 1
      for purpose in tracker.due(at: now.instant) { notes.purposes[purpose, default: 0] += 1 }
      perform(tracker.handle(.tick, at: now))
    }
    time = max(time, end)
  }

  /// The process gets no time: whatever was due meanwhile is seen late.
  mutating func oversleep(until end: Double) {
    time = end
    perform(tracker.handle(.tick, at: now))
  }

  mutating func connect(at time: Double = 0, receiveMaximum: Int? = nil) {
    isConnected = true
    post(.brokerConnected(receiveMaximum: receiveMaximum), at: time)
  }

  /// The slow disk gets round to what it was given.
  mutating func finishWrites(at time: Double) {
    let batches = store.pendingBatches
    store.pendingBatches = []
    for (batch, writes) in batches {
      store.apply(writes)
      post(.stored(batch: batch), at: time)
    }
  }

  private mutating func perform(_ effects: [Effect]) {
    for effect in effects { perform(effect) }
    while !inbox.isEmpty {
      for effect in tracker.handle(inbox.removeFirst(), at: now) { perform(effect) }
    }
  }

  /// The bytes of messages are of no interest here.
  private final class Blank: ReportEncoder {
    private let prefix, device: String

    init(prefix: String = "", device: String = "d") { (self.prefix, self.device) = (prefix, device) }

    func message(for report: Report) -> Message {
      var message = Scene.message(report)
      switch report {
      // What brokers keep by its topic, and Home Assistant compares.
      case .discovery(let one):
        message.topic = prefix + (one.entity == .mode && one.isModeChosen ? "chosen mode" : one.entity.key)
        message.payload = Array("\(one)".utf8)
      case .discoveryGone(let topic): message.topic = topic
      case .status: message.topic = device + "/status"
      default: break
      }
      return message
    }

    func batch(of messages: [Message]) -> Message {
      var batch = messages[0]
      batch.payload = Array(messages.map(\.payload).joined())
      return batch
    }

    var newsTopics: [String] { ["t"] }

    func adopting(_ configuration: Configuration, _ form: ClientIDForm) -> any ReportEncoder {
      let prefix = configuration.dashboard.discoveryPrefix
      return Blank(
        prefix: prefix == "homeassistant" ? "" : prefix + "/", device: configuration.identity.deviceId)
    }
  }

  private static func message(_ report: Report) -> Message {
    let (isEvent, time): (Bool, Int) =
      switch report {
      case .location(let location): (location.trigger == .user, location.time.wholeSeconds)
      case .transition(let transition): (true, transition.time.wholeSeconds)
      case .waypoint: (true, 0)
      case .beacon(let beacon): (false, beacon.time.wholeSeconds)
      case .dump, .status, .waypoints, .steps, .result, .friendForgotten, .discovery, .discoveryGone, .card:
        (true, 0)
      case .trip(let trip): (true, trip.trip.last.time.wholeSeconds)
      case .alarm(let alarm): (true, alarm.fix?.time.wholeSeconds ?? 0)
      }
    return Message(topic: "t", payload: [], qos: 1, isRetained: false, isEvent: isEvent, time: time)
  }

  // MARK: What came of it, in the notation of the cases: "@10 loc(-)"

  var story: [String] {
    notes.reports.map { at, report in
      switch report {
      case .location(let location): "@\(Scene.short(at)) loc(\(location.trigger.letter ?? "-"))"
      case .transition(let transition):
        "@\(Scene.short(at)) \(transition.crossing.word) \(transition.region.eventName)"
      case .waypoint(let region): "@\(Scene.short(at)) wp \(region.name)"
      case .beacon(let beacon): "@\(Scene.short(at)) beacon \(Scene.short(beacon.distance))"
      case .trip(let trip): "@\(Scene.short(at)) \(Scene.word(trip))"
      case .alarm(let alarm): "@\(Scene.short(at)) \(Scene.word(alarm))"
      case .dump: "@\(Scene.short(at)) dump"
      case .status: "@\(Scene.short(at)) status"
      case .waypoints(let regions, _): "@\(Scene.short(at)) waypoints \(regions.map(\.name))"
      case .friendForgotten(let topic): "@\(Scene.short(at)) forget \(topic)"
      case .card: "@\(Scene.short(at)) card"
      case .discovery(let one): "@\(Scene.short(at)) show \(one.entity.key)"
      case .discoveryGone(let topic): "@\(Scene.short(at)) hide \(topic)"
      case .steps: "@\(Scene.short(at)) steps"
      case .result(let result):
        "@\(Scene.short(at)) result \(result.action ?? "?") \(result.outcome.rawValue)"
      }
    }
  }

  private static func word(_ report: TripReport) -> String {
    switch report.event {
    case .start: "trip"
    case .stop(let cause): "trip over (\(cause.rawValue))"
    }
  }

  private static func word(_ report: AlarmReport) -> String {
    switch report.kind {
    case .tow: "tow"
    case .anchor: "anchor"
    case .speeding(let speeding): "too fast for \(speeding.limit)"
    case .spedNoMore(let speeding): "slow again for \(speeding.limit)"
    case .harsh(let manoeuvre): manoeuvre.kind.rawValue
    case .sos(let sos): "sos \(sos.times)"
    case .helped: "sos over"
    case .disturbed(let state, let isWorse): "\(state.kind) \(state.level)\(isWorse ? " again" : "")"
    case .undisturbed(let state, let seconds): "\(state.kind) over after \(Int(seconds))"
    }
  }

  /// The `tst` of all locations, seconds since the start.
  var locationTimes: [Int] {
    notes.reports.compactMap { _, report in
      if case .location(let location) = report { location.time.wholeSeconds - Int(Scene.start) } else { nil }
    }
  }

  var lastLocation: LocationReport? {
    for (_, report) in notes.reports.reversed() {
      if case .location(let location) = report { return location }
    }
    return nil
  }

  var lastReason: String? { notes.withheld.last?.reason.word }

  private static func short(_ time: Double) -> String {
    time == time.rounded() ? String(Int(time)) : String(time)
  }
}

/// All that is asked for is noted; the disk and the broker answer as they were told to.
extension Scene: EffectWorld {
  mutating func published(_ report: Report, as message: Message) { notes.reports.append((time, report)) }
  mutating func announce(_ report: Report, as message: Message) { notes.announced.append(report) }
  mutating func keep(_ message: Message, because reason: String) {
    notes.letters.append((message, reason))
    inbox.append(.letterKept(message.sequence))
  }

  mutating func takeRefused(first: UInt64, for sender: UInt64) { notes.refused.append(("take", first)) }
  mutating func forgetRefused(first: UInt64) { notes.refused.append(("forget", first)) }

  mutating func takeBack(over message: Message?) { notes.takenBack.append(message) }

  mutating func send(_ message: Message) {
    notes.sent.append(message)
    if acknowledges { inbox.append(.acknowledged([message.sequence])) }
  }

  mutating func write(_ batch: UInt64, _ writes: [StoreWrite]) {
    switch store.write(batch, writes) {
    case true?: inbox.append(.stored(batch: batch))
    case false?: inbox.append(.storeFailed(batch: batch))
    case nil: break
    }
  }

  mutating func load(after sequence: UInt64, limit: Int) {
    inbox.append(.loaded(store.page(after: sequence, limit: limit)))
  }

  mutating func loadIndex(after sequence: UInt64, limit: Int) {
    let index = store.page(after: sequence, limit: limit).map {
      QueueEntry(sequence: $0.sequence, time: $0.time, isEvent: $0.isEvent, size: $0.size)
    }
    inbox.append(.indexed(index))
  }

  mutating func recall(_ query: HistoryQuery, for sender: UInt64) { notes.recalls.append(query) }
  mutating func reply(_ answer: ControlAnswer, to sender: UInt64) { notes.answers.append(answer) }
  mutating func explain(withheld reason: Reason) { notes.withheld.append((time, reason)) }
  mutating func renew(_ order: CertificateOrder) { notes.renewals.append(order) }
  mutating func journal(_ news: SettingsNews) { notes.news.append((time, news)) }
  mutating func adopt(_ settings: Configuration) { notes.adopted.append(settings) }
  mutating func setScan(_ plan: ScanPlan) { notes.scans.append(plan) }
  mutating func setReceiver(isAwake: Bool, rest: Span?) { notes.receiver.append(isAwake) }
  mutating func switchOff(_ cause: HaltCause?, wakeAfter: Int?) {
    notes.halts.append(cause)
    notes.wakes.append(wakeAfter)
  }
}
