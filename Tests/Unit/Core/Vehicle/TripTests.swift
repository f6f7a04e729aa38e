import Model
import Testing
import Timebase

@testable import Core

/// Trips through the whole tracker and its store.
struct TripTests {
  private static let configuration = Scene.configuration {
    $0.reports.monitoring = .move
    $0.journey.trips = true
    $0.journey.odometer = true
  }

  /// What the disk would give back.
  private static func journey(_ scene: Scene) -> JourneyState {
    for case .journey(let state) in scene.writes.reversed() { return state }
    return JourneyState()
  }

  private static func trips(_ scene: Scene) -> [TripReport] {
    scene.reports.compactMap { if case .trip(let trip) = $0.report { trip } else { nil } }
  }

  // behaviour: Trips and alarms
  /// 200 drives of two to nine kilometres; after every second one the power goes with the ignition.
  @Test func twoHundredTripsStopOnceEach() {
    var chance = Chance(3)
    var snapshot = Snapshot()
    var starts = 0
    var stops: [TripReport] = []
    var truths: [(start: Double, end: Double, metres: Double)] = []
    var scene = Scene(Self.configuration)
    var begin = 400.0
    for number in 0..<200 {
      let drive = Self.drive(&chance, from: begin, number)
      Self.stand(&scene, from: begin - 40, until: begin, at: drive.points[0])
      for point in drive.points {
        scene.fix(at: point.time, point.east, point.north, speed: point.speed)
      }
      let last = drive.points[drive.points.count - 1]
      truths.append((begin, last.time, last.metres))
      if number % 2 == 0 {
        Self.stand(&scene, from: last.time + 1, until: last.time + 400, at: last)
      }
      starts += Self.trips(scene).count { $0.event == .start }
      stops += Self.trips(scene).filter { $0.event != .start }
      snapshot.journey = Self.journey(scene)
      scene = Scene(Self.configuration, snapshot: snapshot)
      begin = last.time + 2000
    }
    Self.stand(&scene, from: begin, until: begin + 10, at: RoadDrive([]).points[0])
    stops += Self.trips(scene).filter { $0.event != .start }
    #expect(starts == 200 && stops.count == 200)
    for (stop, truth) in zip(stops, truths) {
      let (start, end) = (
        stop.trip.start.time.seconds - Scene.start, stop.trip.last.time.seconds - Scene.start
      )
      #expect(
        (start - truth.start).magnitude < 60 && (end - truth.end).magnitude < 60, "\(truth): \(start), \(end)"
      )
    }
    let lasting = zip(stops, truths).filter { $0.0.event == .stop(.parked) }
    #expect(lasting.count == 100)
    for (stop, truth) in lasting { #expect((stop.trip.distance / truth.metres - 1).magnitude < 0.03) }
  }

  private static func drive(_ chance: inout Chance, from time: Double, _ number: Int) -> RoadDrive {
    let metres = chance.between(2000, 9000)
    return RoadDrive(
      number % 3 == 0 ? RoadDrive.country(&chance, metres: metres) : RoadDrive.town(&chance, metres: metres),
      from: time)
  }

  private static func stand(
    _ scene: inout Scene, from: Double, until: Double, at point: RoadDrive.Point
  ) {
    for time in stride(from: from, to: until, by: 5) { scene.fix(at: time, point.east, point.north) }
  }

  // behaviour: Trips and alarms
  /// A jam, a long light: nobody parks there.
  @Test func fourMinutesInAJamAreNoStop() {
    var scene = Scene(Self.configuration)
    Self.go(&scene, from: 0, until: 100)
    for second in 100..<340 { scene.fix(at: Double(second), 1500) }
    Self.go(&scene, from: 340, until: 440, east: 1500)
    #expect(Self.trips(scene).map(\.event) == [.start])
  }

  // behaviour: Trips and alarms
  /// Killed in any second of its first kilometre.
  @Test(arguments: 21..<90)
  func aKillTakesNoTripAway(at second: Int) {
    var scene = Scene(Self.configuration)
    for second in 0..<20 { scene.fix(at: Double(second), 0) }
    Self.go(&scene, from: 20, until: second)
    var snapshot = Snapshot()
    snapshot.journey = Self.journey(scene)
    var next = Scene(Self.configuration, snapshot: snapshot)
    Self.go(&next, from: second + 3, until: 160, east: 15 * Double(second - 20 + 3))
    #expect((Self.trips(scene) + Self.trips(next)).map(\.event) == [.start])
    #expect(Self.journey(next).trip?.start.time.seconds ?? 0 < Scene.start + 50)
  }

  @Test func switchingTripsOffEndsTheTrip() {
    var scene = Scene(Self.configuration)
    Self.go(&scene, from: 0, until: 100)
    scene.post(.configured(Scene.configuration { $0.reports.monitoring = .move }, waypoints: []), at: 101)
    #expect(Self.trips(scene).map(\.event) == [.start, .stop(.switchedOff)])
  }

  // behaviour: Trips and alarms
  /// No receiver after the start, but a clock.
  @Test func aTripIsClosedWithoutAFix() {
    var scene = Scene(Self.configuration)
    Self.go(&scene, from: 0, until: 100)
    var snapshot = Snapshot()
    snapshot.journey = Self.journey(scene)
    var next = Scene(Self.configuration, snapshot: snapshot)
    next.post(.tick, at: 1000)
    next.run(until: 1070)
    #expect(Self.trips(next).map(\.event) == [.stop(.interrupted)])
  }

  /// They tell of no movement, and so of no trip that goes on.
  @Test func vagueFixesAfterTheStartDoNotHideThatTheEndWasMissed() {
    var scene = Scene(Self.configuration)
    Self.go(&scene, from: 0, until: 100)
    var snapshot = Snapshot()
    snapshot.journey = Self.journey(scene)
    var next = Scene(Self.configuration, snapshot: snapshot)
    for second in 200..<250 { next.fix(at: Double(second), 1500, accuracy: 150) }
    for second in 500..<1300 { next.fix(at: Double(second), 1500) }
    #expect(Self.trips(next).map(\.event) == [.stop(.interrupted)])
  }

  /// The card: no more than a write a minute and one for each stand, and nothing while it is parked.
  @Test func aTripIsWrittenOnceAMinute() {
    var scene = Scene(Self.configuration)
    scene.connect()
    Self.go(&scene, from: 0, until: 1300)
    let written = Self.journeys(scene)
    #expect((18...30).contains(written), "\(written) writes in 20 minutes")
    for second in 1300..<1700 { scene.fix(at: Double(second), 19_500) }
    let before = Self.journeys(scene)
    for second in 1700..<9000 { scene.fix(at: Double(second), 19_500 + Double(second % 5)) }
    #expect(Self.journeys(scene) <= before + 1)
  }

  /// A clock that was ahead is put right, and the next fix is as old as the one that was written with, or older.
  @Test(arguments: [(0.0, false), (1, true)]) func aTripIsWrittenAnewWhereItsTimeIsEarlier(
    by seconds: Double, isWritten: Bool
  ) throws {
    var scene = Scene(Self.configuration)
    scene.connect()
    var (second, written) = (0, 0)
    while second < 200, written < 60 || second <= written + 17 {
      let before = Self.journeys(scene)
      scene.fix(at: Double(second), 15 * Double(second), speed: second == 0 ? 0 : 15)
      if Self.journeys(scene) > before { written = second }
      second += 1
    }
    #expect(second == written + 18)
    let place = Scene.place(15 * Double(second), 0)
    var reading = Reading()
    (reading.mode, reading.latitude, reading.longitude) = (3, place.latitude, place.longitude)
    (reading.eph, reading.speed) = (5, 15)
    reading.time = WallTime(seconds: Scene.start + Double(written) - seconds)
    let moment = Moment(instant: scene.now.instant + .seconds(1), wall: reading.time)
    let effects = scene.tracker.handle(.reading(reading), at: moment)
    let writes = effects.flatMap { if case .store(_, let writes) = $0 { writes } else { [StoreWrite]() } }
    // Where it last moved, by the clock that is right.
    let last = try #require(scene.tracker.status(at: moment).journey.trip?.last.time)
    #expect(((reading.time ?? last) - last).seconds.magnitude <= 1)
    #expect(writes.contains { if case .journey = $0 { true } else { false } } == isWritten)
  }

  /// It goes along with what is written anyway, and is the reason for a write no more often than that.
  @Test func theOdometerAloneIsWrittenEveryTenMinutes() {
    func drive(hasOdometer: Bool) -> Scene {
      var scene = Scene(
        Scene.configuration {
          $0.reports.monitoring = .move
          $0.journey.odometer = hasOdometer
        })
      scene.connect()
      Self.go(&scene, from: 0, until: 3600)
      return scene
    }
    let (with, without) = (drive(hasOdometer: true), drive(hasOdometer: false))
    #expect(with.batches <= without.batches + 7, "\(with.batches) writes in an hour")
    #expect(Self.journey(with).odometer > 40_000)
  }

  @Test func nothingIsKeptWhereNothingIsAskedFor() {
    var scene = Scene(Scene.configuration { $0.reports.monitoring = .move })
    Self.go(&scene, from: 0, until: 1300)
    scene.post(.stopping, at: 1300)
    #expect(Self.journeys(scene) == 0 && scene.lastLocation?.odometer == nil)
  }

  // behaviour: Standing and moving
  /// What a person switches off and on again goes on from where it was.
  @Test func theOdometerNeverGoesBack() {
    var scene = Scene(Self.configuration)
    Self.go(&scene, from: 0, until: 100)
    let before = scene.tracker.status(at: scene.now).journey.odometer ?? 0
    scene.post(.configured(Scene.configuration(), waypoints: []), at: 101)
    scene.post(.configured(Self.configuration, waypoints: []), at: 102)
    #expect(before > 1000 && scene.tracker.status(at: scene.now).journey.odometer == before)
  }

  /// The clock is put right while the vehicle comes to a stand.
  @Test(arguments: [-18.0, 0, 18]) func aClockThatIsPutRightHidesNoEnd(seconds: Double) throws {
    var tracker = Scene(Self.configuration).tracker
    var trips: [TripReport] = []
    func go(_ seconds: ClosedRange<Int>, shift: Double, _ drive: (Int) -> (east: Double, speed: Double)) {
      for second in seconds {
        let (east, speed) = drive(second)
        var reading = Reading()
        (reading.mode, reading.eph, reading.speed) = (3, 5, speed)
        let place = Scene.place(east, 0)
        (reading.latitude, reading.longitude) = (place.latitude, place.longitude)
        reading.time = WallTime(seconds: Scene.start + Double(second) + shift)
        let instant = Instant(nanoseconds: 1_000_000_000_000) + .seconds(Double(second))
        for effect in tracker.handle(.reading(reading), at: Moment(instant: instant, wall: reading.time)) {
          if case .published(.trip(let trip), _) = effect { trips.append(trip) }
        }
      }
    }
    go(0...100, shift: 0) { _ in (0, 0) }
    go(101...200, shift: 0) { (Double($0 - 100) * 15, 15) }
    go(201...280, shift: 0) { _ in (1500, 0) }
    #expect(trips.map(\.event) == [.start])
    go(281...700, shift: seconds) { _ in (1500, 0) }
    #expect(trips.map(\.event) == [.start, .stop(.parked)])
    let end = try #require(trips.last?.trip.last.time.seconds)
    #expect((end - (Scene.start + 200 + seconds)).magnitude <= 4)
  }

  private static func go(_ scene: inout Scene, from: Int, until: Int, east: Double = 0) {
    for second in from..<until {
      scene.fix(at: Double(second), east + 15 * Double(second - from), speed: second == from ? 0 : 15)
    }
  }

  private static func journeys(_ scene: Scene) -> Int {
    scene.writes.count { if case .journey = $0 { true } else { false } }
  }
}
