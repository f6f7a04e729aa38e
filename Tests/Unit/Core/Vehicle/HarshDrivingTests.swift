import Model
import Testing
import Timebase

@testable import Core

// behaviour: Harsh driving
/// Harsh driving on drives whose true forces are known.
struct HarshDrivingTests {
  private static let rules = Configuration().journey.harsh

  private static func manoeuvres(
    _ fixes: [Fix], rules: Configuration.Harsh = rules
  ) -> [(time: Double, what: HarshManoeuvre)] {
    var watch = HarshDriving()
    return fixes.compactMap { fix in
      guard case .manoeuvre(let what)? = watch.consider(fix, rules: rules) else { return nil }
      return (fix.time.seconds - Scene.start, what)
    }
  }

  /// Fixes of one manoeuvre that begins at second 5, with this force in g, by a receiver without faults.
  private static func fixes(
    hz: Double = 5, speed: Double = 20, along: Double = 0, across: Double = 0, seconds: Double = 3
  ) -> [Fix] {
    var chance = Chance(1)
    var drive = FastDrive(speed: speed, hz: hz)
    drive.drive(5)
    drive.drive(seconds, along: along, across: across, until: along < 0 ? 0.05 : nil)
    drive.drive(5)
    return drive.fixes(&chance, .init(speed: 0.05))
  }

  // MARK: Drives

  /// From 30 to 130 km/h, with a noise of 0.1 to 0.3 m/s.
  @Test(arguments: [5.0, 10, 25], [0, 0.7])
  func aStopOfFourTenthsIsFoundWithinTwoSeconds(hz: Double, lasting: Double) {
    var (told, untrue) = (0, 0)
    for seed in 1...50 {
      var chance = Chance(UInt64(seed))
      var drive = FastDrive(speed: chance.between(30, 130) / 3.6, hz: hz, phase: chance.part())
      drive.drive(
        chance.between(5, 9), along: chance.between(-0.03, 0.03), across: chance.between(-0.05, 0.05))
      let begin = drive.time
      drive.drive(60, along: -0.4, until: 0.05)
      drive.drive(5)
      let found = Self.manoeuvres(
        drive.fixes(&chance, .init(speed: chance.between(0.1, 0.3), lasting: lasting)))
      if found.contains(where: { (begin...begin + 2).contains($0.time) }) { told += 1 }
      untrue += found.count { $0.what.kind != .braking || $0.time < begin }
      #expect(found.count <= 1, "one stop is told \(found.count) times")
    }
    #expect(told >= 45, "\(told) of 50")
    #expect(untrue == 0)
  }

  @Test(arguments: [5.0, 10], [false, true])
  func anOrdinaryDriveIsNotHarsh(hz: Double, isUrban: Bool) {
    for seed in 1...50 {
      var chance = Chance(UInt64(seed) + 1000)
      let drive = FastDrive.ordinary(&chance, minutes: 4, hz: hz)
      let noise = FastDrive.Noise(
        speed: chance.between(0.05, 0.3), lasting: seed % 2 == 0 ? 0.7 : 0, isUrban: isUrban)
      let found = Self.manoeuvres(drive.fixes(&chance, noise))
      #expect(found.isEmpty, "drive \(seed): \(found)")
    }
  }

  @Test func aParkedReceiverIsNeverHarsh() {
    var receiver = ParkedReceiver(seed: 5, step: 0.2)
    var watch = HarshDriving()
    while receiver.time < 4 * 3600 {
      guard let fix = receiver.next() else { continue }
      let found = watch.consider(fix, rules: Self.rules)
      if case .manoeuvre(let what)? = found { Issue.record("\(what)") }
    }
  }

  // MARK: What is told

  @Test(arguments: [
    (-0.5, 0.0, HarshManoeuvre.Kind.braking), (0.5, 0, .acceleration), (0, 0.5, .cornering),
    (0, -0.5, .cornering),
  ])
  func eachDirectionHasItsKind(along: Double, across: Double, kind: HarshManoeuvre.Kind) {
    let found = Self.manoeuvres(Self.fixes(along: along, across: across))
    #expect(found.map(\.what.kind) == [kind])
    #expect(found.allSatisfy { (0.4...0.6).contains($0.what.force) })
    #expect(found.allSatisfy { ($0.what.start.time.seconds - Scene.start - $0.time).magnitude < 1.8 })
  }

  @Test(arguments: [
    (-0.3, 0.0), (0.26, 0), (0, 0.35), (0, -0.35),
  ])
  func lessThanTheLimitIsNotHarsh(along: Double, across: Double) {
    #expect(Self.manoeuvres(Self.fixes(along: along, across: across)).isEmpty)
  }

  @Test func eachLimitIsItsOwn() {
    var rules = Self.rules
    (rules.braking, rules.acceleration, rules.cornering) = (0.6, 0.7, 0.8)
    for (along, across) in [(-0.5, 0.0), (0.5, 0), (0, 0.5)] {
      #expect(Self.manoeuvres(Self.fixes(along: along, across: across), rules: rules).isEmpty)
    }
    rules.braking = 0.25
    #expect(Self.manoeuvres(Self.fixes(along: -0.35), rules: rules).count == 1)
  }

  @Test(arguments: [(3.0, 1), (9.0, 2)]) func aManoeuvreEndsAfterFiveSecondsWithoutItsForce(
    pause: Double, count: Int
  ) {
    var chance = Chance(1)
    var drive = FastDrive(speed: 38, hz: 10)
    drive.drive(3)
    drive.drive(2, along: -0.5)
    drive.drive(pause)
    drive.drive(2, along: -0.5)
    drive.drive(3)
    #expect(Self.manoeuvres(drive.fixes(&chance, .init(speed: 0.05))).count == count)
  }

  // MARK: What is not believed

  /// By how many fixes a second, and whether it is told.
  @Test(arguments: [(1.0, false), (2, false), (4, false), (5, true), (20, true), (40, true)])
  func fewerThanFiveASecondShowNothing(hz: Double, isTold: Bool) {
    #expect(Self.manoeuvres(Self.fixes(hz: hz, along: -0.5)).isEmpty != isTold)
  }

  @Test(arguments: [1.0, 2, 4, 5, 10]) func tooFewFixesAreFoundOnce(hz: Double) {
    var watch = HarshDriving()
    var said: [Double] = []
    for count in 0..<Int(60 * hz) {
      // A gap in between.
      if (30..<33).contains(Double(count) / hz) { continue }
      let fix = Self.still(Double(count) / hz)
      if case .tooSlow(let rate)? = watch.consider(fix, rules: Self.rules) { said.append(rate) }
    }
    #expect(said.count == (hz < 4.5 ? 1 : 0))
    #expect(watch.rate.map { ($0.perSecond - hz).magnitude < 0.2 } == true)
    #expect(watch.rate?.isTooLow == (hz < 4.5))
  }

  private static func still(_ seconds: Double) -> Fix {
    Fix(
      time: WallTime(seconds: Scene.start + seconds), coordinate: Scene.place(0, 0), accuracy: 5, speed: 0)
  }

  /// A change to the fixes of a stop after which nothing may be told; the first leaves them as they are,
  /// and the last is the worst that is believed.
  @Test(arguments: [
    (0, 1), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 1),
  ])
  func aFaultOfTheReceiverIsNoBraking(fault: Int, count: Int) {
    let place = Scene.place(0, 0)
    let stop = Self.fixes(hz: 5, along: -0.5).enumerated().compactMap { number, fix -> Fix? in
      var fix = fix
      switch fault {
      // It repeats its last place.
      case 1: fix.coordinate = place
      case 2: fix.accuracy = 51
      case 6: fix.accuracy = 50
      case 3: fix.speed = nil
      // Two of five are lost.
      case 4: if number % 5 < 2 { return nil }
      // The speed jumps.
      case 5: fix.speed = fix.time.seconds - Scene.start < 6 ? 20 : 15
      default: break
      }
      return fix
    }
    #expect(Self.manoeuvres(stop).count == count)
  }

  @Test(arguments: [(4.5, 0), (8, 1)]) func parkingIsNoHarshBraking(speed: Double, count: Int) {
    #expect(Self.manoeuvres(Self.fixes(hz: 10, speed: speed, along: -0.45)).count == count)
  }

  @Test func aClockThatIsSetBackBeginsAnew() {
    let stop = Self.fixes(along: -0.5)
    let again = stop.map { fix -> Fix in
      var fix = fix
      fix.time.seconds -= 100
      return fix
    }
    #expect(Self.manoeuvres(stop + again).count == 2)
  }

  // MARK: As it is published

  private func scene(_ mode: MonitoringMode = .manual, _ change: (inout Configuration) -> Void = { _ in })
    -> Scene
  {
    var scene = Scene.inMode(mode) {
      $0.journey.harsh.isOn = true
      change(&$0)
    }
    scene.connect()
    for fix in Self.fixes(along: -0.5) {
      let time = fix.time.seconds - Scene.start
      var reading = Reading()
      (reading.mode, reading.time, reading.speed, reading.track) = (3, fix.time, fix.speed, fix.course)
      (reading.latitude, reading.longitude) = (fix.coordinate.latitude, fix.coordinate.longitude)
      reading.eph = fix.accuracy
      scene.post(.reading(reading), at: time)
    }
    scene.run(until: 20)
    return scene
  }

  private func words(_ scene: Scene) -> [String] {
    scene.story.compactMap { $0.split(separator: " ", maxSplits: 1).last.map(String.init) }
  }

  @Test func anAlarmIsALocationAsWell() {
    #expect(words(scene()) == ["braking", "loc(h)"])
    #expect(words(scene { $0.journey.alarmMessages = false }) == ["loc(h)"])
    #expect(scene().tracker.status(at: scene().now).journey.harshRate?.isTooLow == false)
  }

  /// Locations of each second are told as well, and none twice.
  @Test func itsLocationIsPublishedWhereEverySecondIs() {
    let scene = scene(.move) { ($0.reports.locatorDisplacement, $0.reports.locatorInterval) = (1, 1) }
    #expect(words(scene).count { $0 == "loc(h)" } == 1)
    #expect(Set(scene.locationTimes).count == scene.locationTimes.count)
  }

  @Test func nothingIsPublishedWhereItIsOffOrTheModeIsQuiet() {
    #expect(words(scene { $0.journey.harsh.isOn = false }).isEmpty)
    #expect(
      scene { $0.journey.harsh.isOn = false }.tracker.status(at: .init(instant: .zero, wall: nil)).journey
        .harshRate == nil)
    let quiet = scene(.quiet)
    #expect(words(quiet).isEmpty && quiet.withheld.contains { $0.reason == .modeIsQuiet })
  }

  @Test func aReceiverThatIsTooSlowIsNotedOnce() {
    var scene = Scene.inMode(.manual) { $0.journey.harsh.isOn = true }
    for second in 0...60 { scene.fix(at: Double(second), 0) }
    #expect(scene.withheld.count { $0.reason.word == "rateTooLow" } == 1)
    #expect(
      scene.tracker.status(at: scene.now).journey.harshRate == PositionRate(perSecond: 1, isTooLow: true))
  }
}
