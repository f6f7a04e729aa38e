import Model
import Testing
import Timebase

@testable import Core

// behaviour: Words for vehicles
/// What other receivers of the family know of a vehicle, told in locations: ignition, supply, alarms.
struct VehicleWordsTests {
  private func scene(_ change: (inout Configuration) -> Void = { _ in }) -> Scene {
    var scene = Scene(
      Scene.configuration {
        $0.reports.monitoring = .significant
        change(&$0)
      })
    scene.connect()
    scene.fix(at: 0, 0)
    return scene
  }

  /// Letters of the locations after the first, and when they were told.
  private func letters(_ scene: Scene) -> [String] {
    scene.story.dropFirst().filter { $0.contains("loc(") }
  }

  private func locations(_ scene: Scene) -> [LocationReport] {
    scene.reports.compactMap { if case .location(let location) = $0.1 { location } else { nil } }
  }

  @Test func ignitionIsPublishedOnChangeNotOnFirstState() {
    var scene = scene()
    scene.post(.ignition(true), at: 100)
    scene.run(until: 150)
    #expect(letters(scene).isEmpty)
    scene.post(.ignition(false), at: 200)
    scene.post(.ignition(true), at: 300)
    scene.run(until: 310)
    #expect(letters(scene) == ["@205 loc(I)", "@301 loc(i)"])
    #expect(locations(scene).map(\.vehicle.ignition) == [nil, false, true])
  }

  @Test func anEngineThatIsCrankedSwitchesNothing() {
    var scene = scene()
    scene.post(.ignition(true), at: 100)
    for crank in 0..<100 {
      scene.post(.ignition(false), at: 110 + Double(crank) * 10)
      scene.post(.ignition(true), at: 114 + Double(crank) * 10)
    }
    scene.run(until: 1200)
    #expect(letters(scene).isEmpty)
  }

  @Test func aLineThatSaysNothingAnyMoreIsSeenForTheFirstTimeAgain() {
    var scene = scene()
    scene.post(.ignition(true), at: 100)
    scene.post(.ignition(nil), at: 110)
    scene.post(.ignition(false), at: 120)
    scene.run(until: 200)
    #expect(letters(scene).isEmpty)
  }

  @Test(arguments: [MonitoringMode.quiet, .manual])
  func quietAndManualModesWithholdIgnitionChanges(_ mode: MonitoringMode) {
    var scene = scene()
    scene.post(.control(.mode(mode), from: 1), at: 50)
    scene.post(.ignition(true), at: 100)
    scene.post(.ignition(false), at: 200)
    scene.run(until: 300)
    #expect(letters(scene).isEmpty)
    #expect(scene.lastReason == (mode == .quiet ? "modeIsQuiet" : "modeIsManual"))
  }

  private static func battery(_ state: Battery.State) -> Event {
    .batteryChanged(Battery(level: 80, state: state))
  }

  @Test func supplyChangesArePublishedWithKnownVehicle() {
    var scene = scene()
    scene.post(.vehicleVolts(12.4), at: 90)
    scene.post(Self.battery(.charging), at: 100)
    scene.post(Self.battery(.unplugged), at: 200)
    scene.post(Self.battery(.full), at: 205)
    scene.post(Self.battery(.unplugged), at: 220)
    scene.post(Self.battery(.charging), at: 300)
    scene.run(until: 400)
    #expect(letters(scene) == ["@230 loc(e)", "@310 loc(E)"])
    #expect(locations(scene).last?.vehicle.volts == 12.4)
  }

  @Test func supplyIsNotPublishedWithoutVehicle() {
    var scene = scene()
    scene.post(Self.battery(.charging), at: 100)
    scene.post(Self.battery(.unplugged), at: 200)
    scene.run(until: 400)
    #expect(letters(scene).isEmpty)
  }

  // MARK: The board's battery

  private func lows(_ scene: Scene) -> [String] { scene.story.filter { $0.contains("loc(9)") } }

  private static func battery(_ level: Int, _ state: Battery.State = .unplugged) -> Event {
    .batteryChanged(Battery(level: level, state: state))
  }

  @Test(arguments: [MonitoringMode.manual, .significant, .move])
  func aLowBatteryIsPublishedOnceWhereItBecomesLow(_ mode: MonitoringMode) {
    var scene = scene { ($0.reports.monitoring, $0.reports.downgrade) = (mode, 20) }
    for (level, time) in [(40, 10.0), (20, 100), (19, 200), (20, 300), (19, 400), (24, 500), (18, 600)] {
      scene.post(Self.battery(level), at: time)
    }
    scene.run(until: 700)
    #expect(lows(scene) == ["@210 loc(9)"])
    #expect(scene.tracker.journal.entries.contains { $0.reason == .batteryLow(level: 19, limit: 20) })
    // Well again at 25 %, and low once more.
    scene.post(Self.battery(25), at: 700)
    scene.post(Self.battery(19), at: 800)
    scene.run(until: 900)
    #expect(lows(scene) == ["@210 loc(9)", "@810 loc(9)"])
    // Charged for ten seconds, and for less.
    scene.post(Self.battery(19, .charging), at: 900)
    scene.post(Self.battery(19), at: 905)
    scene.post(Self.battery(19, .charging), at: 1000)
    scene.post(Self.battery(19), at: 1020)
    scene.run(until: 1100)
    #expect(lows(scene) == ["@210 loc(9)", "@810 loc(9)", "@1030 loc(9)"])
  }

  /// Below for a moment, and then near: a level between the limit and 5 % above it is what the battery was before.
  @Test func aLevelNearTheLimitChangesNothing() {
    var scene = scene { $0.reports.downgrade = 20 }
    for (level, time) in [(40, 10.0), (19, 100), (22, 103), (19, 200), (22, 205)] {
      scene.post(Self.battery(level), at: time)
    }
    scene.run(until: 300)
    #expect(lows(scene).isEmpty)
    for (level, time) in [(19, 300.0), (22, 315), (25, 400), (22, 405), (19, 500)] {
      scene.post(Self.battery(level), at: time)
    }
    scene.run(until: 600)
    #expect(lows(scene) == ["@310 loc(9)"], "it has not been well between")
  }

  /// At the start, without the setting, in quiet mode, or for a moment.
  @Test func aBatteryThatIsNotSeenToBecomeLowIsNotPublished() {
    var scene = scene { $0.reports.downgrade = 20 }
    scene.post(Self.battery(10), at: 10)
    scene.post(.batteryChanged(nil), at: 100)
    scene.post(Self.battery(10), at: 200)
    scene.run(until: 300)
    #expect(letters(scene).isEmpty)
    scene.post(Self.battery(40), at: 300)
    scene.post(Self.battery(10), at: 400)
    scene.post(Self.battery(40), at: 409)
    scene.run(until: 500)
    #expect(letters(scene).isEmpty)
    scene.post(.control(.mode(.quiet), from: 1), at: 500)
    scene.post(Self.battery(10), at: 510)
    scene.run(until: 600)
    #expect(letters(scene).isEmpty)
    var without = self.scene()
    without.post(Self.battery(40), at: 10)
    without.post(Self.battery(1), at: 100)
    without.run(until: 200)
    #expect(letters(without).isEmpty)
  }

  // MARK: Engine hours

  private func stored(_ scene: Scene) -> Double? {
    for case .journey(let state) in scene.writes.reversed() { return state.engineSeconds }
    return nil
  }

  @Test func hoursOfTheEngineAreThoseOfTheIgnition() {
    var scene = scene()
    #expect(locations(scene).last?.vehicle.engineSeconds == nil)
    scene.post(.ignition(true), at: 100)
    scene.post(.control(.publish(poi: nil, image: nil), from: 1), at: 130)
    #expect(locations(scene).last?.vehicle.engineSeconds == 30)
    scene.post(.ignition(false), at: 300)
    #expect(stored(scene) == 200)
    scene.post(.control(.publish(poi: nil, image: nil), from: 1), at: 400)
    #expect(locations(scene).last?.vehicle.engineSeconds == 200)
    #expect(scene.tracker.status(at: scene.now).journey.engineSeconds == 200)
    // A line that is no longer known counts nothing, and neither does it take anything away.
    scene.post(.ignition(nil), at: 500)
    scene.post(.control(.publish(poi: nil, image: nil), from: 1), at: 510)
    #expect(locations(scene).last?.vehicle.engineSeconds == nil)
  }

  /// No fix keeps the odometer here: the location does.
  @Test func hoursOfTheEngineAreKeptOverAPowerCut() {
    var snapshot = Snapshot()
    snapshot.journey.engineSeconds = 3600
    var scene = Scene(Scene.configuration(), snapshot: snapshot)
    scene.connect()
    scene.fix(at: 0, 0)
    scene.post(.ignition(true), at: 10)
    scene.post(.control(.publish(poi: nil, image: nil), from: 1), at: 60)
    scene.run(until: 69)
    #expect(stored(scene) == nil, "less than a minute is worth no write")
    // Without a fix, as in a workshop.
    for minute in 1...4 {
      scene.run(until: Double(60 * minute + 15))
      #expect(stored(scene) == 3600 + Double(60 * minute))
    }
    scene.post(.stopping, at: 260)
    #expect(stored(scene).map { ($0 - 3850).magnitude < 0.001 } == true)
  }

  @Test func anIgnitionThatIsOffWakesNothing() {
    var scene = scene()
    scene.post(.ignition(true), at: 10)
    scene.post(.ignition(false), at: 20)
    scene.run(until: 700)
    (scene.wakeUps, scene.purposes) = (0, [:])
    scene.run(until: 5000)
    #expect(scene.purposes[.housekeeping] == nil)
  }

  private func alarms(_ scene: Scene) -> Int {
    scene.reports.filter { if case .alarm = $0.1 { true } else { false } }.count
  }

  private func speeding(_ change: (inout Configuration) -> Void = { _ in }) -> Scene {
    var scene = scene {
      $0.journey.overspeed = 50
      change(&$0)
    }
    for second in 1...20 { scene.fix(at: Double(second), Double(second) * 20, speed: 20) }
    return scene
  }

  @Test func anAlarmIsALocationAsWell() {
    let scene = speeding()
    #expect(alarms(scene) == 1)
    #expect(letters(scene).first == "@6 loc(s)")
  }

  @Test func alarmsCanBeLocationsOnly() {
    let scene = speeding { $0.journey.alarmMessages = false }
    #expect(alarms(scene) == 0)
    #expect(letters(scene).first == "@6 loc(s)")
  }

  /// Its second is taken by a crossing: told of the next one.
  @Test func anAlarmInASecondThatIsTakenWaitsForTheNext() {
    var scene = scene { $0.journey.overspeed = 50 }
    for second in 1...5 { scene.fix(at: Double(second), Double(second) * 20, speed: 20) }
    scene.post(.control(.publish(poi: nil, image: nil), from: 1), at: 5.5)
    scene.fix(at: 6, 120, speed: 20)
    scene.run(until: 8)
    #expect(letters(scene).contains { $0.hasSuffix("loc(s)") }, "\(letters(scene))")
    #expect(Set(locations(scene).map(\.time.wholeSeconds)).count == locations(scene).count)
  }

  @Test func movingStateIsPublishedOnlyWhenTracked() {
    var scene = scene { $0.journey.odometer = true }
    #expect(locations(scene).last?.vehicle.isMoving == false)
    for second in 1...400 { scene.fix(at: Double(second), Double(second) * 20, speed: 20) }
    #expect(locations(scene).last?.vehicle.isMoving == true)
    #expect(
      speeding().reports.allSatisfy {
        if case .location(let it) = $0.1 { it.vehicle.isMoving == nil } else { true }
      })
  }
}
