import Model
import Testing
import Timebase

@testable import Core

// behaviour: What stands crosses nothing
/// What moves so slowly that no single speed says so: a boat that drags its anchor, a trailer that is pushed away.
struct SlowMovementTests {
  /// What a receiver says of it besides places that are right to a metre.
  enum Says: CaseIterable {
    case speedAndCourse, speedAlone
    /// The course of the last drive.
    case frozenCourse
    case nothing
  }

  struct Track: CustomStringConvertible {
    /// Metres a second.
    var speed: Double
    /// Seconds between two fixes.
    var step: Double
    var says = Says.speedAndCourse

    var description: String { "\(speed) m/s, a fix every \(step) s, \(says)" }
  }

  /// Metres to where it has left the circle of 50 m by more than the margin.
  private static let edge = 60.0
  private static let lying = 1200.0

  /// Lies still for twenty minutes, drifts east for so many metres, and lies still again for ten minutes.
  private static func scene(_ track: Track, metres: Double, bend: Double = 0, seed: UInt64 = 1) -> Scene {
    let configuration = Scene.configuration {
      ($0.reports.monitoring, $0.reports.locatorInterval) = (.move, 0)
      $0.regions.confirm = 2
      $0.regions.physicsGate = true
      ($0.journey.towAlarm, $0.journey.odometer, $0.journey.trips) = (100, true, true)
    }
    var scene = Scene(configuration, regions: [Scene.home(radius: 50, name: "Anchorage", inside: .inside)])
    var chance = Chance(seed)
    let end = lying + metres / track.speed
    var (east, north) = (0.0, 0.0)
    for time in stride(from: 0, through: end + 600, by: track.step) {
      let isMoving = time > lying && time <= end
      let course = 90 + bend * (time - lying) / (end - lying)
      if isMoving {
        let way = min(track.step, time - lying) * track.speed
        let (x, y) = Coordinate.direction(of: course)
        (east, north) = (east + way * x, north + way * y)
      }
      var reading = Reading()
      (reading.mode, reading.eph, reading.time) = (3, 4, WallTime(seconds: Scene.start + time))
      let place = Scene.place(east + chance.spread(), north + chance.spread())
      (reading.latitude, reading.longitude) = (place.latitude, place.longitude)
      let noise = chance.spread() * 0.05
      if track.says != .nothing { reading.speed = max(0, (isMoving ? track.speed : 0) + noise) }
      switch track.says {
      case .speedAndCourse: reading.track = isMoving ? course : chance.between(0, 359)
      case .frozenCourse: reading.track = 290
      case .speedAlone, .nothing: break
      }
      scene.post(.reading(reading), at: time)
    }
    return scene
  }

  private static func leaves(_ scene: Scene) -> [Double] {
    scene.reports.compactMap { at, report in
      if case .transition(let told) = report, told.crossing == .leave { at } else { nil }
    }
  }

  private static func tows(_ scene: Scene) -> [Double] {
    scene.reports.compactMap { at, report in
      guard case .alarm(let alarm) = report, case .tow = alarm.kind else { return nil }
      return at
    }
  }

  static let tracks: [Track] = [0.3, 0.5, 0.7, 0.9].flatMap { (speed: Double) -> [Track] in
    [1, 5, 10].flatMap { (step: Double) -> [Track] in
      [Says.speedAndCourse, .speedAlone].map { Track(speed: speed, step: step, says: $0) }
    } + [15, 30, 60].map { Track(speed: speed, step: $0) }
  }

  // behaviour: Standing and moving
  @Test(arguments: SlowMovementTests.tracks) func slowDriftTriggersLeaveTowAndOdometer(_ track: Track)
    throws
  {
    let scene = Self.scene(track, metres: 900)
    let leave = try #require(Self.leaves(scene).first)
    #expect(Self.leaves(scene).count == 1)
    #expect(leave > Self.lying + (Self.edge - 10) / track.speed)
    let far = track.says == .speedAlone ? 150.0 : 110
    #expect(leave <= Self.lying + far / track.speed + 2 * track.step + 20, "left at \(leave) s")
    let tow = try #require(Self.tows(scene).first)
    #expect(Self.tows(scene).count == 1)
    #expect(tow > Self.lying + 95 / track.speed)
    let known = max((far + 40) / track.speed, Double(SlowMovement.arrows.count) * track.step)
    #expect(tow <= Self.lying + known + 3 * track.step + 20, "towed at \(tow) s")
    #expect((scene.tracker.journey.odometer - 900).magnitude < 100, "\(scene.tracker.journey.odometer) m")
    #expect(scene.reports.contains { if case .trip = $0.report { true } else { false } })
    let moved = scene.reports.contains { at, report in
      guard case .location(let told) = report else { return false }
      return told.vehicle.isMoving == true && at > Self.lying
    }
    #expect(moved)
    #expect(!scene.tracker.journey.movement.isMoving, "it lies still again")
    #expect(!scene.reports.contains { (1..<Self.lying).contains($0.at) }, "it lay still: \(scene.story)")
  }

  /// What is only begun is no noise, and places that go on for minutes are a way without any speed.
  @Test(arguments: [0.2, 0.25, 0.3, 0.35, 0.4, 0.45], [Says.speedAndCourse, .nothing])
  func theSlowestLeavesItsRegionToo(_ speed: Double, _ says: Says) throws {
    for seed in UInt64(1)...4 {
      let scene = Self.scene(Track(speed: speed, step: 5, says: says), metres: 900, seed: seed)
      let leaves = Self.leaves(scene)
      let far = says == .nothing ? 200.0 : 110
      #expect(
        leaves.count == 1 && Self.tows(scene).count == 1, "seed \(seed): \(leaves), \(Self.tows(scene))")
      let leave = try #require(leaves.first)
      #expect(
        leave > Self.lying + (Self.edge - 10) / speed && leave <= Self.lying + far / speed + 30, "\(leave) s")
      #expect(!scene.reports.contains { (1..<Self.lying).contains($0.at) }, "it lay still: \(scene.story)")
    }
  }

  /// Its courses contradict its places, or it tells nothing of the way at all.
  @Test(arguments: [
    Track(speed: 0.5, step: 5, says: .frozenCourse), Track(speed: 0.5, step: 5, says: .nothing),
  ])
  func itTakesLongerWhereLessIsKnown(_ track: Track) {
    let scene = Self.scene(track, metres: 900)
    #expect(Self.leaves(scene).count == 1 && Self.tows(scene).count == 1)
    let latest = Self.lying + 350 / track.speed
    #expect((Self.leaves(scene) + Self.tows(scene)).allSatisfy { $0 <= latest }, "\(scene.story)")
  }

  /// Round a corner, as the arrows of its speeds go.
  @Test(arguments: [60.0, 120]) func aWayMayBend(by degrees: Double) {
    let scene = Self.scene(Track(speed: 0.5, step: 5), metres: 600, bend: degrees)
    #expect(Self.leaves(scene).count == 1 && Self.tows(scene).count == 1)
  }

  // behaviour: Standing and moving
  /// A boat swings on its chain: it moves, and nobody steals it.
  @Test func swingingAtAnchorIsNoTow() {
    var scene = Scene(
      Scene.configuration {
        $0.reports.monitoring = .manual
        $0.regions.physicsGate = true
        ($0.journey.towAlarm, $0.journey.trips) = (100, true)
      }, regions: [Scene.home(radius: 60, inside: .inside)])
    func say(at time: Double, _ east: Double, _ speed: Double, _ track: Double) {
      var reading = Reading()
      (reading.mode, reading.eph, reading.time) = (3, 4, WallTime(seconds: Scene.start + time))
      let place = Scene.place(east, 0)
      (reading.latitude, reading.longitude) = (place.latitude, place.longitude)
      (reading.speed, reading.track) = (speed, track)
      scene.post(.reading(reading), at: time)
    }
    let end = 4.0 * 3600
    for time in stride(from: 0.0, through: end, by: 5) {
      // 30 m to either side, one way in five minutes.
      let phase = time.truncatingRemainder(dividingBy: 600) / 300
      let isBack = phase >= 1
      say(at: time, -30 + 60 * (isBack ? 2 - phase : phase), 0.2, isBack ? 270 : 90)
    }
    #expect(scene.story.isEmpty, "\(scene.story)")
    // It drags its anchor, at half a metre a second.
    for step in 1...240 { say(at: end + Double(step) * 5, -30 + Double(step) * 2.5, 0.5, 90) }
    #expect(Self.tows(scene).count == 1 && Self.leaves(scene).count == 1, "\(scene.story)")
  }

  /// The speeds are the same, and the place stays: a receiver whose speed of nothing is half a metre a second.
  @Test(arguments: Says.allCases) func speedsWithoutAWayAreNone(_ says: Says) {
    var standstill = Standstill()
    var chance = Chance(4)
    for second in stride(from: 0.0, through: 7200, by: 5) {
      var fix = Fix(
        time: WallTime(seconds: Scene.start + second),
        coordinate: Scene.place(chance.spread() * 5, chance.spread() * 5), accuracy: 5,
        speed: says == .nothing ? nil : 0.5)
      if says == .frozenCourse { fix.course = 90 }
      if says == .speedAndCourse { fix.course = chance.between(0, 359) }
      _ = standstill.consider(fix, isGated: true, isLeap: false)
      #expect(standstill.onSlowWaySince == nil)
    }
  }

  /// A reflection takes the place along at the pace that its speed claims, and its course points anywhere.
  @Test func multipathWithFittingSpeedIsNoMovement() {
    var standstill = Standstill()
    var chance = Chance(5)
    for second in stride(from: 0.0, through: 3600, by: 5) {
      let east = min(200, max(0, (second - 1200) * 0.5))
      let fix = Fix(
        time: WallTime(seconds: Scene.start + second), coordinate: Scene.place(east, 0), accuracy: 5,
        speed: second < 1200 ? 0.1 : 0.5, course: chance.between(0, 359))
      _ = standstill.consider(fix, isGated: true, isLeap: false)
      #expect(standstill.onSlowWaySince == nil, "at \(second) s")
    }
  }

  /// It has stopped: from then on its noise crosses nothing.
  @Test func slowMovementEndsWithinSecondsOfStop() {
    var standstill = Standstill()
    var stood: Double?
    for second in stride(from: 0.0, through: 1000, by: 1) {
      let east = min(300, max(0, (second - 200) * 0.5))
      let isMoving = second > 200 && second <= 800
      let fix = Fix(
        time: WallTime(seconds: Scene.start + second), coordinate: Scene.place(east, 0), accuracy: 5,
        speed: isMoving ? 0.5 : 0.02, course: 90)
      let verdict = standstill.consider(fix, isGated: true, isLeap: false)
      if second > 500, second <= 800 { #expect(verdict == .free, "at \(second) s") }
      if second > 800, verdict.isStanding { stood = stood ?? second }
    }
    #expect(stood.map { $0 <= 810 } == true, "stood at \(stood ?? 0) s")
  }
}
