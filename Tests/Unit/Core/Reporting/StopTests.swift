import Model
import Testing
import Timebase

@testable import Core

// behaviour: Which fix is news
/// The place where it has come to rest is published, and not the one before.
struct StopTests {
  private static func scene(_ mode: MonitoringMode, _ change: (inout Configuration) -> Void = { _ in })
    -> Scene
  {
    Scene.inMode(mode) {
      $0.regions.physicsGate = true
      ($0.reports.locatorInterval, $0.reports.significantInterval) = (0, 60)
      change(&$0)
    }
  }

  /// From standing to so many metres at twelve metres a second, braking at the end, then at rest for so long.
  private static func drive(
    _ scene: inout Scene, from start: Double = 0, to metres: Double, step: Double = 1, rest: Double = 900,
    tellsSpeed: Bool = true
  ) -> Double {
    var (time, east, speed) = (start, 0.0, 0.0)
    func say(_ scene: inout Scene) { scene.fix(at: time, east, speed: tellsSpeed ? speed : nil) }
    for _ in 0..<Int(60 / step) {
      time += step
      say(&scene)
    }
    while east < metres {
      let left = metres - east
      speed = min(12, speed + 2 * step, max(1, (2 * left).squareRoot()))
      east = min(metres, east + speed * step)
      time += step
      say(&scene)
    }
    speed = 0
    let stopped = time
    while time < stopped + rest {
      time += step
      say(&scene)
    }
    return stopped
  }

  private static func locations(_ scene: Scene, since time: Double) -> [(at: Double, report: LocationReport)]
  {
    scene.reports.compactMap { at, report in
      guard at > time, case .location(let told) = report else { return nil }
      return (at, told)
    }
  }

  @Test(arguments: [1.0, 5, 10], [true, false])
  func stopInMoveModeIsPublishedOnceWithin75Seconds(step: Double, tellsSpeed: Bool) {
    var scene = Self.scene(.move)
    let stopped = Self.drive(&scene, to: 1043, step: step, tellsSpeed: tellsSpeed)
    let told = Self.locations(scene, since: stopped)
    #expect(told.count == 1, "\(scene.story)")
    // Without speeds it has to be seen to stay before it counts as standing.
    #expect(told.first.map { $0.at <= stopped + (tellsSpeed ? 60 : 75) } == true)
    #expect(told.first.map { $0.report.fix.coordinate.distance(to: Scene.place(1043, 0)) < 10 } == true)
    if tellsSpeed { #expect(told.first?.report.fix.speed == 0) }
    #expect(scene.tracker.journal.entries.last { $0.isPublished }?.reason.word == "stopped")
  }

  /// Twice a minute: it has to be seen to stay.
  @Test(arguments: [15.0, 30]) func sparseFixesStillPublishTheStop(step: Double) {
    var scene = Self.scene(.move)
    let stopped = Self.drive(&scene, to: 1043, step: step)
    let told = Self.locations(scene, since: stopped)
    #expect(told.first.map { $0.at <= stopped + 60 } == true, "\(scene.story)")
    #expect(told.last.map { $0.report.fix.coordinate.distance(to: Scene.place(1043, 0)) < 10 } == true)
    #expect(told.last?.report.fix.speed == 0 && told.count <= 2, "\(scene.story)")
    #expect(scene.tracker.journal.entries.last { $0.isPublished }?.reason.word == "stopped")
  }

  @Test func stopInSignificantModeIsPublishedAfterAMinute() {
    var scene = Self.scene(.significant)
    let stopped = Self.drive(&scene, to: 1577)
    let told = Self.locations(scene, since: stopped)
    #expect(told.count == 1, "\(scene.story)")
    #expect(told.first.map { (stopped + 55...stopped + 75).contains($0.at) } == true)
    #expect(told.first.map { $0.report.fix.coordinate.distance(to: Scene.place(1577, 0)) < 10 } == true)
  }

  /// It has set out again before a window would be over: the place where it stood is told, at rest.
  @Test func theBestOfAWindowIsNoPlaceWhereItStopped() {
    var scene = Self.scene(.significant) {
      ($0.reports.significantWindow, $0.reports.significantInterval) = (60, 600)
    }
    let stopped = Self.drive(&scene, to: 1577, rest: 75)
    for second in 1...60 {
      let time = stopped + 75 + Double(second)
      scene.fix(at: time, 1577 + 12 * Double(second), accuracy: 3, speed: 12)
    }
    let told = Self.locations(scene, since: stopped)
    #expect(told.map(\.report.fix.speed) == [0], "\(scene.story)")
    #expect(told.first.map { $0.at <= stopped + 75 } == true)
  }

  /// At a light: significant mode is not for those.
  @Test func aStopOfHalfAMinuteIsNoneInSignificantMode() {
    var scene = Self.scene(.significant) { $0.reports.significantInterval = 600 }
    let stopped = Self.drive(&scene, to: 400, rest: 45)
    #expect(Self.locations(scene, since: 2).isEmpty, "\(scene.story), \(stopped)")
  }

  @Test(arguments: [MonitoringMode.quiet, .manual]) func quietAndManualModesPublishNoStop(
    mode: MonitoringMode
  ) {
    var scene = Self.scene(mode)
    _ = Self.drive(&scene, to: 1043)
    #expect(scene.story.isEmpty)
    var moving = Self.scene(.move)
    let stopped = Self.drive(&moving, to: 1043)
    #expect(Self.locations(moving, since: stopped).count == 1, "the same drive in move mode")
  }

  /// It was told there, at that speed: there is nothing new.
  @Test func stopAtPublishedPlaceIsNotRepeated() {
    var scene = Self.scene(.move) { $0.reports.locatorDisplacement = 0 }
    let stopped = Self.drive(&scene, to: 300, rest: 0)
    for second in 1...10 { scene.fix(at: stopped + Double(second), 300, speed: 0) }
    var changed = scene.tracker.settings
    changed.reports.locatorDisplacement = 100
    scene.post(.configured(changed, waypoints: []), at: stopped + 10)
    for second in 11...900 { scene.fix(at: stopped + Double(second), 300, speed: 0) }
    #expect(Self.locations(scene, since: stopped + 10).isEmpty, "\(scene.story)")
  }

  /// Too poor to be told, for a while.
  @Test func stopWaitsForAccurateFix() {
    var scene = Self.scene(.move) { $0.reports.ignoreInaccurateLocations = 20 }
    let stopped = Self.drive(&scene, to: 1043, rest: 10)
    for second in 11...90 {
      scene.fix(at: stopped + Double(second), 1043, accuracy: second < 80 ? 30 : 5, speed: 0)
    }
    #expect(Self.locations(scene, since: stopped).map(\.at) == [stopped + 80], "\(scene.story)")
  }

  /// A day of it: what stood all the time has not stopped.
  @Test(arguments: [1, 2, 3] as [UInt64]) func parkedReceiverPublishesOnlyOnce(seed: UInt64) {
    var scene = Self.scene(.significant)
    var chance = Chance(seed)
    var error = 0.0
    for time in stride(from: 0.0, through: 86_400, by: 10) {
      error = error * 0.97 + chance.spread() * 2
      scene.fix(at: time, error + chance.spread() * 2, speed: (chance.spread() * 0.15).magnitude)
    }
    #expect(scene.story == ["@0 loc(-)"])
  }
}
