import Model
import Testing
import Timebase

@testable import Core

/// Every occasion, in every mode, with every gate closed or open: what is told people, and in which order.
struct DecisionTests {
  /// What closes each gate, in the order in which reasons win. A place that is missing makes an accuracy
  /// meaningless.
  enum Gate: String, CaseIterable {
    case mode = "modeIsQuiet"
    case place = "neverAnyFix"
    case identity = "noIdentity"
    case accuracy = "inaccurate"
    case settled = "settling"
    case time = "clockUntrusted"
    case port = "offline"
    case connection = "notConnected"
  }

  struct Row: Sendable {
    var occasion: Occasion
    var gates: [Gate]
  }

  private static let location: [Gate] = [.mode, .place, .identity, .accuracy, .port]
  private static let patient: [Gate] = [.mode, .place, .identity, .accuracy, .settled, .port]
  private static let crossing = Reason.crossed(region: "Home", .enter, metres: 3)

  static let rows = [
    Row(occasion: .fix, gates: patient),
    Row(occasion: .interval, gates: patient),
    Row(occasion: .ping, gates: [.mode, .place, .identity, .accuracy, .time, .port]),
    Row(occasion: .connected, gates: patient),
    Row(occasion: .crossing(.circular, crossing), gates: [.place, .identity, .accuracy, .port]),
    Row(occasion: .follow(region: "+follow"), gates: patient),
    Row(occasion: .sos(.sos(times: 1)), gates: [.place, .identity, .port]),
    Row(occasion: .help(.sos(times: 1)), gates: [.identity, .port]),
    Row(occasion: .user, gates: [.place, .identity, .accuracy, .port]),
    Row(occasion: .remote, gates: location),
    Row(occasion: .lastPlace(.powerFailing), gates: location),
    Row(occasion: .fixLost(seconds: 20), gates: location),
    Row(occasion: .chosen(.automatic, .firstFix), gates: location),
    Row(occasion: .vehicle(.overspeed, .tooFast(speed: 90, limit: 80, region: nil)), gates: location),
    Row(occasion: .vehicle(.lowBattery, .batteryLow(level: 18, limit: 20)), gates: location),
    Row(
      occasion: .vehicle(.batteryWell, .batteryStep(.init(before: .off, step: nil, cause: .ignition))),
      gates: location),
    Row(occasion: .vehicle(.harsh(.braking), .harsh(.braking, force: 0.4, limit: 0.35)), gates: location),
    Row(occasion: .vehicle(.ignition(isOn: true), .ignitionTurned(isOn: true)), gates: location),
    Row(occasion: .transition(crossing), gates: [.mode, .identity, .time, .port]),
    Row(occasion: .waypoint(region: "Home"), gates: [.identity, .port]),
    Row(occasion: .journey(.towed(metres: 80)), gates: [.mode, .identity, .port]),
    Row(
      occasion: .ranging(.ranged(region: "Home", metres: 2, before: nil)),
      gates: [.mode, .identity, .time, .port, .connection]),
    Row(occasion: .answer(action: "status"), gates: [.identity, .time, .port]),
    Row(occasion: .people, gates: [.identity, .port]),
    Row(occasion: .discovery, gates: [.identity, .port, .connection]),
    Row(occasion: .presence, gates: [.identity, .port, .connection]),
  ]

  private static let modes: [MonitoringMode] = [.quiet, .manual, .significant, .move]

  /// Why the rule of the occasion itself has nothing to tell in this mode; nil: it has.
  private static func ownRefusal(_ occasion: Occasion, _ mode: MonitoringMode) -> String? {
    switch (occasion, mode) {
    case (.fix, .manual), (.lastPlace, .manual), (.fixLost, .manual), (.chosen, .manual): "modeIsManual"
    case (.vehicle(.ignition, _), .manual): "modeIsManual"
    case (.follow, .move): "followInMove"
    default: nil
    }
  }

  private static let fix = Fix(
    time: WallTime(seconds: 1_700_000_000), coordinate: Scene.place(0, 0), accuracy: 80)

  private static func situation(_ mode: MonitoringMode, closed: Set<Gate>) -> Situation {
    Situation(
      mode: closed.contains(.mode) ? .quiet : mode, isIdentityValid: !closed.contains(.identity),
      isOffline: closed.contains(.port), isConnected: !closed.contains(.connection),
      wall: closed.contains(.time) ? nil : WallTime(seconds: 1_700_000_100), freshTime: nil,
      accuracyLimit: closed.contains(.accuracy) ? 50 : 0, isPositionNew: true, isPeriodicOverdue: false,
      isSettling: closed.contains(.settled))
  }

  private static let rules = ReportPolicy.Rules(
    displacement: 100, interval: .seconds(300), significantDisplacement: 500,
    significantInterval: .seconds(300),
    adaptive: nil, ping: .minutes(15))

  private static func verdict(_ row: Row, _ mode: MonitoringMode, closed: Set<Gate>) -> Verdict {
    ReportPolicy(published: nil).decide(
      row.occasion, closed.contains(.place) ? nil : fix, in: situation(mode, closed: closed), rules: rules,
      at: .zero)
  }

  private static func expected(_ row: Row, _ mode: MonitoringMode, closed: Set<Gate>) -> String {
    let quiet = closed.contains(.mode) || mode == .quiet
    let order: [(Gate, Bool)] = Gate.allCases.map { ($0, $0 == .mode ? quiet : closed.contains($0)) }
    let isPlaceless = closed.contains(.place)
    for (gate, isClosed) in order where isClosed && row.gates.contains(gate) {
      // The rule of the occasion is asked once there is a place.
      if gate != .mode, gate != .place, let own = ownRefusal(row.occasion, mode) { return own }
      if [.accuracy, .settled].contains(gate), isPlaceless { continue }
      return gate == .port && row.gates.contains(.place) ? "kept" : gate.rawValue
    }
    return ownRefusal(row.occasion, quiet ? .quiet : mode) ?? "published"
  }

  private static func word(_ verdict: Verdict) -> String {
    switch verdict {
    case .publish: "published"
    case .keep: "kept"
    case .choose: "choosing"
    case .withhold(let reason): reason.word
    }
  }

  // behaviour: why
  // behaviour: Gates
  @Test(arguments: rows) func theFirstClosedGateIsTheReason(_ row: Row) {
    for mode in Self.modes {
      for bits in 0..<(1 << Gate.allCases.count) {
        let closed = Set(Gate.allCases.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element))
        let found = Self.word(Self.verdict(row, mode, closed: closed))
        let wanted = Self.expected(row, mode, closed: closed)
        #expect(found == wanted, "\(row.occasion) in \(mode) with \(closed.map(\.rawValue).sorted()) closed")
      }
    }
  }

  @Test func anOldPlaceKeepsItsTimeAsAFreshOneDoes() {
    let ping = Row(occasion: .ping, gates: [])
    guard case .publish(let old) = Self.verdict(ping, .move, closed: []) else {
      Issue.record("no ping")
      return
    }
    #expect(old.time == Self.fix.time && old.reason == .pingDue(isPositionOld: true))
    var fresh = Self.situation(.move, closed: [])
    fresh.freshTime = Self.fix.time
    let verdict = ReportPolicy(published: nil).decide(
      .ping, Self.fix, in: fresh, rules: Self.rules, at: .zero)
    #expect(
      verdict
        == .publish(.init(trigger: .ping, reason: .pingDue(isPositionOld: false), time: Self.fix.time)))
  }

  @Test func overdueIntervalPublishesNextFix() {
    var policy = ReportPolicy(published: nil)
    policy.published(Self.fix, time: Self.fix.time, isPing: false, at: .zero)
    var near = Self.fix
    near.time = WallTime(seconds: 1_700_000_400)
    var situation = Self.situation(.move, closed: [])
    let now = Instant.zero + .seconds(400)
    #expect(
      policy.decide(.fix, near, in: situation, rules: Self.rules, at: now)
        == .withhold(.tooNear(metres: 0, needed: 100)))
    situation.isPeriodicOverdue = true
    #expect(
      policy.decide(.fix, near, in: situation, rules: Self.rules, at: now)
        == .publish(.init(trigger: .timer, reason: .intervalElapsed(seconds: 400), time: near.time)))
  }

  @Test func publishedPositionIsWithheldAsSame() {
    var policy = ReportPolicy(published: nil)
    policy.published(Self.fix, time: Self.fix.time, isPing: false, at: .zero)
    for occasion in [Occasion.interval, .connected, .lastPlace(.powerFailing)] {
      let verdict = policy.decide(
        occasion, Self.fix, in: Self.situation(.move, closed: []), rules: Self.rules, at: .zero)
      #expect(verdict == .withhold(.samePosition), "\(occasion)")
    }
  }

  /// As far as the limit is far enough; what the next place is measured from was told at 0.
  @Test(arguments: [
    (MonitoringMode.significant, 0.0, 299.499, "tooSoon"), (.significant, 0, 299.5, "movedAndWaited"),
    (.significant, 0.001, 400, "tooNear"), (.move, 0, 1, "moved"), (.move, 0.001, 1, "tooNear"),
  ])
  func theLimitsThemselvesAreEnough(
    _ mode: MonitoringMode, _ more: Double, _ seconds: Double, _ word: String
  ) {
    var policy = ReportPolicy(published: nil)
    policy.published(Self.fix, time: Self.fix.time, isPing: false, at: .zero)
    var next = Self.fix
    (next.time, next.coordinate) = (WallTime(seconds: 1_700_000_400), Scene.place(400, 300))
    var rules = Self.rules
    rules.displacement = Self.fix.coordinate.distance(to: next.coordinate) + more
    rules.significantDisplacement = rules.displacement
    let verdict = policy.decide(
      .fix, next, in: Self.situation(mode, closed: []), rules: rules, at: .zero + .seconds(seconds))
    guard case .publish(let publication) = verdict else {
      guard case .withhold(let reason) = verdict else { return #expect(Bool(false), "\(verdict)") }
      return #expect(reason.word == word)
    }
    #expect(publication.reason.word == word)
  }

  @Test func adaptiveRecordingIsForMoveModeAlone() {
    var policy = ReportPolicy(published: nil)
    policy.published(Self.fix, time: Self.fix.time, isPing: false, at: .zero)
    var next = Self.fix
    (next.time, next.coordinate) = (WallTime(seconds: 1_700_000_400), Scene.place(600, 0))
    var rules = Self.rules
    rules.adaptive = AdaptiveRecording(distance: 1000, heading: 30, speed: 30)
    func reason(_ mode: MonitoringMode) -> String {
      let verdict = policy.decide(
        .fix, next, in: Self.situation(mode, closed: []), rules: rules, at: .zero + .seconds(400))
      if case .publish(let publication) = verdict { return publication.reason.word }
      return Self.word(verdict)
    }
    #expect(reason(.move) == "tooNear")
    #expect(reason(.significant) == "movedAndWaited")
  }

  /// A place that is lost is found again once it is certainly another one.
  @Test func beyondTheErrorsOfBothItIsAnotherPlace() {
    var next = Self.fix
    (next.time, next.coordinate) = (WallTime(seconds: 1_700_000_400), Scene.place(150, 0))
    let metres = Self.fix.coordinate.distance(to: next.coordinate)
    func found(_ accuracy: Double, _ occasion: Occasion) -> String {
      var (before, after) = (Self.fix, next)
      (before.accuracy, after.accuracy) = (0, accuracy)
      var policy = ReportPolicy(published: nil)
      policy.published(before, time: before.time, isPing: false, at: .zero)
      policy.fixLost(at: before)
      var (situation, rules) = (Self.situation(.move, closed: []), Self.rules)
      (situation.isStanding, rules.displacement) = (true, 10_000)
      return Self.word(policy.decide(occasion, after, in: situation, rules: rules, at: .zero + .seconds(400)))
    }
    let certain = metres - PositionEngine.worthMoving
    #expect(found(certain, .fix) == "tooNear" && found(certain - 0.001, .fix) == "published")
    #expect(found(certain, .fixLost(seconds: 20)) == "published")
    #expect(found(certain + 0.001, .fixLost(seconds: 20)) == "tooNear")
  }

  /// Of the seconds that come, a present place may take the next one, and an old one any.
  @Test func aSecondThatIsTakenIsMadeUpForByTheNextOne() {
    var policy = ReportPolicy(published: nil)
    func told(isFresh: Bool, wall: Double?) -> Double? {
      var situation = Self.situation(.move, closed: [])
      situation.wall = wall.map { WallTime(seconds: 1_700_000_000 + $0) }
      situation.freshTime = isFresh ? Self.fix.time : nil
      let verdict = policy.decide(.user, Self.fix, in: situation, rules: Self.rules, at: .zero + .seconds(5))
      if case .publish(let publication) = verdict { return publication.time.seconds - 1_700_000_000 }
      return nil
    }
    policy.published(Self.fix, time: Self.fix.time, isPing: false, at: .zero)
    #expect(told(isFresh: true, wall: 0) == 1 && told(isFresh: true, wall: nil) == 1)
    policy.published(Self.fix, time: WallTime(seconds: 1_700_000_001), isPing: true, at: .zero)
    #expect(told(isFresh: true, wall: 0) == nil && told(isFresh: true, wall: 1) == 2)
    #expect(told(isFresh: true, wall: nil) == nil && told(isFresh: false, wall: nil) == 2)
  }

  /// Of an old place, told again and again before a power cut, the store knows the last second only.
  @Test(arguments: [(599.0, 600.0), (600, 0)])
  func tenMinutesOfSecondsMayHaveBeenTaken(_ newest: Double, _ told: Double) {
    var published = Self.fix
    published.time = WallTime(seconds: 1_700_000_000 + newest)
    var situation = Self.situation(.move, closed: [])
    situation.wall = nil
    let verdict = ReportPolicy(published: published).decide(
      .user, Self.fix, in: situation, rules: Self.rules, at: .zero)
    guard case .publish(let publication) = verdict else { return #expect(Bool(false), "\(verdict)") }
    #expect(publication.time.seconds == 1_700_000_000 + told)
  }

  @Test func aClockThatWasSetMakesEarlierPlacesNews() {
    var policy = ReportPolicy(published: nil)
    policy.published(Self.fix, time: Self.fix.time, isPing: false, at: .zero)
    var earlier = Self.fix
    earlier.time = WallTime(seconds: 1_600_000_000)
    #expect(!policy.isNew(earlier))
    policy.clockSet()
    #expect(policy.isNew(earlier) && !policy.isNew(Self.fix))
  }

  /// Nothing tells of a place inside of a private region; what tells of none is told there as well.
  @Test func privateRegionHidesAllButPlacelessOccasions() {
    var situation = Self.situation(.move, closed: [])
    situation.hidingRegion = "Home"
    let told = Self.rows.filter { row in
      let verdict = ReportPolicy(published: nil).decide(
        row.occasion, Self.fix, in: situation, rules: Self.rules, at: .zero)
      return verdict != .withhold(.insidePrivateRegion(region: "Home"))
    }
    #expect(
      told.map(\.occasion) == [
        .sos(.sos(times: 1)), .help(.sos(times: 1)), .answer(action: "status"), .people, .discovery,
        .presence,
      ])
  }

  @Test func theLocationOfAnEventMayRepeatIt() {
    let alarm = Reason.towed(metres: 80)
    #expect(Occasion.crossing(.circular, Self.crossing).goesWithAnEvent)
    #expect(Occasion.vehicle(.tow, alarm).goesWithAnEvent)
    #expect(Occasion.vehicle(.overspeed, alarm).goesWithAnEvent)
    #expect(Occasion.vehicle(.harsh(.braking), alarm).goesWithAnEvent)
    #expect(!Occasion.vehicle(.ignition(isOn: true), alarm).goesWithAnEvent)
    #expect(!Occasion.fix.goesWithAnEvent && !Occasion.transition(Self.crossing).goesWithAnEvent)
  }
}
