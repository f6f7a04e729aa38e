import Model
import Testing
import Timebase

@testable import Core

/// What is known of the vehicle's way: when it is told, when it is on the disk, and when it is forgotten.
struct JourneyTests {
  private func scene(
    _ regions: [Snapshot.KnownRegion] = [], snapshot: Snapshot = .init(),
    change: (inout Configuration) -> Void
  ) -> Scene {
    var scene = Scene(
      Scene.configuration {
        $0.reports.monitoring = .manual
        change(&$0)
      }, regions: regions, snapshot: snapshot)
    scene.connect()
    return scene
  }

  /// What the disk would give back.
  private func stored(_ scene: Scene) -> JourneyState? {
    for case .journey(let state) in scene.writes.reversed() { return state }
    return nil
  }

  private func written(_ scene: Scene) -> Int {
    scene.writes.count { if case .journey = $0 { true } else { false } }
  }

  private func isGuarded(_ scene: Scene) -> Bool { scene.tracker.status(at: scene.now).journey.isGuarded }

  private func parked(_ change: (inout Configuration) -> Void = { $0.journey.towAlarm = 100 }) -> Scene {
    var scene = scene(change: change)
    for time in stride(from: 0.0, through: 320, by: 5) { scene.fix(at: time, 0) }
    return scene
  }

  private func tow(_ scene: inout Scene) {
    for second in 1...60 { scene.fix(at: 330 + Double(second), Double(second) * 5, speed: 5) }
  }

  // MARK: The parking place

  /// Most boards lose their power with the ignition.
  @Test func aParkingPlaceIsOnTheDiskAtOnceAndSoIsItsEnd() {
    var scene = parked()
    #expect(isGuarded(scene) && stored(scene)?.fence != nil)
    #expect(stored(scene)?.place != nil && stored(scene)?.isStanding == true)
    tow(&scene)
    #expect(!isGuarded(scene) && stored(scene)?.fence == nil)
    #expect(scene.story.count { $0.hasSuffix(" tow") } == 1)
    scene.post(.control(.mode(.move), from: 1), at: 400)
    #expect(
      scene.reports.contains { if case .location(let it) = $0.report { it.trigger == .tow } else { false } })
  }

  @Test func ignitionOnSuppressesTowAlarm() {
    var scene = parked()
    scene.post(.ignition(true), at: 325)
    tow(&scene)
    #expect(!scene.story.contains { $0.hasSuffix(" tow") })
    #expect(scene.withheld.contains { $0.reason == .ignitionIsOn })
  }

  @Test func parkedVehicleWithoutTowAlarmIsNotGuarded() {
    let scene = parked { $0.journey.odometer = true }
    #expect(!isGuarded(scene) && stored(scene)?.fence == nil)
  }

  /// The least distance is a distance.
  @Test func anAlarmThatIsSwitchedOffForgetsThePlace() {
    #expect(isGuarded(parked { $0.journey.towAlarm = 1 }))
    var scene = parked { ($0.journey.towAlarm, $0.journey.odometer) = (200, true) }
    #expect(isGuarded(scene))
    var settings = scene.tracker.settings
    settings.journey.towAlarm = 1
    scene.post(.configured(settings, waypoints: []), at: 321)
    #expect(isGuarded(scene) && stored(scene)?.fence != nil)
    settings.journey.towAlarm = 0
    scene.post(.configured(settings, waypoints: []), at: 322)
    #expect(!isGuarded(scene) && stored(scene)?.fence == nil)
    #expect(stored(scene)?.place != nil, "the odometer goes by it")
    settings.journey.odometer = false
    scene.post(.configured(settings, waypoints: []), at: 323)
    #expect(stored(scene)?.place == nil)
  }

  // MARK: Trips

  private func drive(_ scene: inout Scene, from: Int = 0, until: Int) {
    for second in from..<until {
      scene.fix(at: Double(second), 15 * Double(second), speed: second == 0 ? 0 : 15)
    }
  }

  /// The second in which the trip was told.
  private func began(_ scene: Scene) -> Int? {
    scene.reports.first { if case .trip = $0.report { true } else { false } }.map { Int($0.at) }
  }

  @Test(arguments: [true, false]) func tripIsStoredWhenItsStartIsPublished(_ hasOdometer: Bool) throws {
    var scene = scene { ($0.journey.trips, $0.journey.odometer) = (true, hasOdometer) }
    for second in 0..<100 where began(scene) == nil { drive(&scene, from: second, until: second + 1) }
    #expect(stored(scene)?.trip != nil)
    #expect(scene.tracker.status(at: scene.now).journey.trip != nil)
    guard case .trip(let report)? = scene.reports.last?.report else { return #expect(Bool(false), "no trip") }
    #expect((report.odometer ?? 0 > 400) == hasOdometer)
  }

  /// Seconds after the trip was written last, and how fast it still is then.
  @Test(
    arguments: [(9, 0.0, false), (10, 0, true), (10, 0.49, true), (10, 0.5, false), (10, nil, false)]
      as [(Int, Double?, Bool)])
  func aTripIsWrittenOnceAMinuteAndWhereItStops(_ pause: Int, _ speed: Double?, _ isWritten: Bool) throws {
    var scene = scene { $0.journey.trips = true }
    drive(&scene, until: 100)
    let start = try #require(began(scene))
    var (writes, minute) = (0, 0)
    scene = self.scene { $0.journey.trips = true }
    for second in 0...(start + 60) {
      writes = written(scene)
      drive(&scene, from: second, until: second + 1)
      minute = written(scene)
    }
    #expect(minute == writes + 1, "written after a minute, and not before")
    drive(&scene, from: start + 61, until: start + 60 + pause)
    let end = start + 60 + pause
    scene.fix(at: Double(end), 15 * Double(end), speed: speed)
    #expect(written(scene) == minute + (isWritten ? 1 : 0))
  }

  @Test func aTripOfWhichNothingIsSeenIsOverAfterAnHour() {
    var scene = scene { $0.journey.trips = true }
    drive(&scene, until: 100)
    scene.run(until: 99 + 3599)
    #expect(!scene.story.contains { $0.contains("over") })
    scene.run(until: 99 + 3601)
    #expect(scene.story.last == "@3699 trip over (interrupted)")
    // What it was about to do is over with it.
    scene.post(.control(.publish(poi: nil), from: 1), at: 3800)
    #expect(scene.lastLocation?.vehicle.isMoving == false)
  }

  /// Without a receiver: once it has been off for as long as a parking.
  @Test func aTripThatAPowerCutHasLeftOpenIsOverAfterFiveMinutes() {
    var scene = scene { $0.journey.trips = true }
    drive(&scene, until: 100)
    scene.post(.stopping, at: 99)
    var snapshot = Snapshot()
    snapshot.journey = stored(scene) ?? JourneyState()
    let last = Int((snapshot.journey.trip?.last.time.seconds ?? 0) - Scene.start)
    var next = self.scene(snapshot: snapshot) { $0.journey.trips = true }
    next = Scene(next.tracker.settings, snapshot: snapshot)
    next.post(.tick, at: Double(last))
    next.run(until: Double(last) + 1000)
    #expect(next.story == ["@\(last + 300) trip over (interrupted)"])
  }

  @Test func tripsThatAreSwitchedOffAreWaitedForNoMore() {
    var scene = scene { $0.journey.trips = true }
    drive(&scene, until: 100)
    #expect(scene.tracker.deadlines[.tripSilence] != nil)
    scene.post(.configured(Scene.configuration { $0.reports.monitoring = .manual }, waypoints: []), at: 100)
    #expect(scene.story.last == "@100 trip over (switchedOff)")
    #expect(scene.tracker.deadlines[.tripSilence] == nil)
  }

  /// In the file, while the board was off: who was told that it began is told that it is over.
  @Test func aTripIsOverThatTheNextStartDoesNotWant() {
    var scene = scene { $0.journey.trips = true }
    drive(&scene, until: 100)
    scene.post(.stopping, at: 100)
    var snapshot = Snapshot()
    snapshot.journey = stored(scene) ?? JourneyState()
    #expect(snapshot.journey.trip != nil)
    var next = self.scene(snapshot: snapshot) { _ in }
    next.post(.tick, at: 0)
    next.run(until: 4000)
    #expect(next.story == ["@0 trip over (switchedOff)"])
    #expect(stored(next)?.trip == nil)
  }

  @Test func tooShortTripIsWithheldWithReason() {
    var scene = scene { $0.journey.trips = true }
    for time in stride(from: 0.0, through: 320, by: 5) { scene.fix(at: time, 0) }
    for second in 321...340 { scene.fix(at: Double(second), Double(second - 320) * 10, speed: 10) }
    for time in stride(from: 341.0, through: 800, by: 5) { scene.fix(at: time, 200) }
    #expect(scene.withheld.contains { $0.reason.word == "noTrip" })
    #expect(scene.story.isEmpty)
  }

  // MARK: The odometer

  @Test func theOdometerGoesToTheDiskWithALocation() {
    var scene = scene { $0.journey.odometer = true }
    drive(&scene, until: 60)
    #expect(stored(scene)?.odometer ?? 0 < 1)
    scene.post(.control(.publish(poi: nil), from: 1), at: 60)
    scene.run(until: 70)
    #expect(stored(scene)?.odometer ?? 0 > 700)
  }

  @Test func orAfterTenMinutes() {
    var scene = scene { $0.journey.odometer = true }
    drive(&scene, until: 60)
    scene.run(until: 602)
    #expect(stored(scene)?.odometer ?? 0 > 700)
  }

  @Test func movingIsUnknownBeforeFirstFix() {
    var snapshot = Snapshot()
    snapshot.position = Fix(
      time: WallTime(seconds: Scene.start - 9000), coordinate: Scene.place(0, 0), accuracy: 5)
    var scene = scene(snapshot: snapshot) { $0.journey.odometer = true }
    scene.post(.control(.publish(poi: nil), from: 1), at: 1)
    #expect(scene.lastLocation != nil && scene.lastLocation?.vehicle.isMoving == nil)
  }

  // MARK: Speed

  private func alarms(_ scene: Scene) -> [AlarmReport.Kind] {
    scene.reports.compactMap { if case .alarm(let alarm) = $0.report { alarm.kind } else { nil } }
  }

  private func speed(_ scene: inout Scene) {
    for second in 1...12 { scene.fix(at: Double(second), Double(second) * 20, speed: 20) }
  }

  @Test(arguments: [1, 50]) func overspeedStateIsStoredWhenPublished(_ limit: Int) {
    var scene = scene { $0.journey.overspeed = limit }
    speed(&scene)
    #expect(alarms(scene).count == 1 && stored(scene)?.speeding?.limit == limit)
    #expect(scene.tracker.status(at: scene.now).journey.speeding?.limit == limit)
    for second in 13...30 { scene.fix(at: Double(second), 250, speed: 0) }
    #expect(scene.story.last == "@18 slow again for \(limit)")
    #expect(alarms(scene).count == 2 && stored(scene)?.speeding == nil)
  }

  /// Where it began lies inside of one, and would tell where that is.
  @Test func startInPrivateRegionIsPublishedAsItsCentre() {
    var home = Scene.home(radius: 60)
    home.region.isPrivate = true
    var scene = scene([home]) { ($0.journey.overspeed, $0.journey.trips) = (50, true) }
    speed(&scene)
    for second in 13...60 { scene.fix(at: Double(second), Double(second) * 20, speed: second > 40 ? 10 : 20) }
    let starts = alarms(scene).map { kind -> Coordinate? in
      switch kind {
      case .speeding(let speeding), .spedNoMore(let speeding): speeding.start.coordinate
      case .tow, .anchor, .harsh, .sos, .helped, .disturbed, .undisturbed: nil
      }
    }
    #expect(starts == [Scene.place(0, 0), Scene.place(0, 0)])
    let trips = scene.reports.compactMap {
      if case .trip(let it) = $0.report { it.trip.start.coordinate } else { nil }
    }
    #expect(trips == [Scene.place(0, 0)])
  }

  @Test func storedParkingPlaceIsGuardedOnlyWithTowAlarm() {
    var snapshot = Snapshot()
    snapshot.journey.fence = TrackPoint(
      time: WallTime(seconds: Scene.start - 9000), coordinate: Scene.place(0, 0), accuracy: 5)
    #expect(!isGuarded(scene(snapshot: snapshot) { $0.journey.towAlarm = 0 }))
    #expect(isGuarded(scene(snapshot: snapshot) { $0.journey.towAlarm = 1 }))
  }

  /// It stood there yesterday; what guards it and what counts was switched off in the file meanwhile.
  private static let parkedYesterday: Snapshot = {
    var snapshot = Snapshot()
    let place = TrackPoint(
      time: WallTime(seconds: Scene.start - 90_000), coordinate: Scene.place(0, 0), accuracy: 5)
    (snapshot.journey.fence, snapshot.journey.place, snapshot.journey.isStanding) = (place, place, true)
    return snapshot
  }()

  /// Five kilometres from there, a minute of it before the change and a minute after.
  private func drive(_ scene: inout Scene, change: (inout Configuration) -> Void) {
    for second in 0...60 { scene.fix(at: Double(second), 5000 + Double(second) * 15, speed: 15) }
    var changed = scene.tracker.settings
    change(&changed)
    scene.post(.configured(changed, waypoints: []), at: 60)
    for second in 61...120 { scene.fix(at: Double(second), 5000 + Double(second) * 15, speed: 15) }
  }

  @Test func aPlaceThatIsGuardedNoMoreRaisesNoAlarmLater() {
    var scene = Scene(
      Scene.configuration { ($0.reports.monitoring, $0.journey.odometer) = (.manual, true) },
      snapshot: Self.parkedYesterday)
    drive(&scene) { $0.journey.towAlarm = 100 }
    #expect(!scene.story.contains { $0.hasSuffix(" tow") }, "\(scene.story)")
  }

  /// The way between belongs to the time when nobody counted.
  @Test func anOdometerThatIsSwitchedOnBeginsWhereTheBoardIs() {
    var scene = Scene(
      Scene.configuration { $0.reports.monitoring = .manual }, snapshot: Self.parkedYesterday)
    drive(&scene) { $0.journey.odometer = true }
    #expect(scene.tracker.journey.odometer < 1000, "\(scene.tracker.journey.odometer)")
  }
}
