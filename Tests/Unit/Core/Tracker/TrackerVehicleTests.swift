import Model
import Testing
import Timebase

@testable import Core

/// The vehicle's lines, its battery and its journey: what comes of them by itself, and what a power cut leaves of them.
struct TrackerVehicleTests {
  private func scene(
    _ mode: MonitoringMode = .significant, _ change: (inout Configuration) -> Void = { _ in }
  ) -> Scene {
    var scene = Scene(
      Scene.configuration {
        $0.reports.monitoring = mode
        change(&$0)
      })
    scene.connect()
    scene.fix(at: 0, 0)
    return scene
  }

  private func battery(_ state: Battery.State) -> Event {
    .batteryChanged(Battery(level: 80, state: state))
  }

  /// All but the first.
  private func locations(_ scene: Scene) -> [String] {
    scene.story.dropFirst().filter { $0.contains("loc(") }
  }

  // MARK: Lines

  /// The adapter says it once: what it said before a vehicle was known counts from then on.
  @Test func theSupplyIsSeenWithTheFirstVoltage() {
    var scene = scene()
    scene.post(battery(.charging), at: 1)
    scene.post(.vehicleVolts(12.4), at: 10)
    scene.post(battery(.unplugged), at: 20)
    scene.run(until: 40)
    #expect(locations(scene) == ["@30 loc(e)"])
  }

  @Test func supplyAndIgnitionChangesPublishSeparately() {
    var scene = scene()
    scene.post(.vehicleVolts(12.4), at: 5)
    scene.post(battery(.charging), at: 6)
    scene.post(.ignition(true), at: 7)
    scene.post(battery(.unplugged), at: 20)
    scene.post(.ignition(false), at: 22)
    scene.run(until: 60)
    #expect(locations(scene) == ["@27 loc(I)", "@30 loc(e)"])
  }

  // MARK: What has to last

  /// The gauge says nothing meanwhile.
  @Test func lowVehicleBatteryLowersModeDespiteIgnition() {
    var scene = scene { $0.power.vehicleBatteryLow = 11.8 }
    scene.post(.vehicleVolts(11.2), at: 90)
    scene.post(.ignition(true), at: 100)
    scene.run(until: 149)
    #expect(scene.tracker.mode.label == "Move")
    scene.run(until: 151)
    #expect(scene.tracker.mode.label == "Significant!")
  }

  @Test func aTimeOfParkingThatIsSetMeanwhileCounts() {
    var scene = scene()
    scene.post(.ignition(false), at: 1)
    var changed = scene.tracker.settings
    changed.power.parkedShutdown = 600
    scene.post(.configured(changed, waypoints: []), at: 100)
    scene.run(until: 600)
    #expect(scene.halts.isEmpty)
    scene.run(until: 602)
    #expect(scene.halts == [.parked(seconds: 600)])
  }

  /// And not only when it is asked for once more.
  @Test func aBatteryThatIsChargedTakesTheEndBackOnceThatHasLasted() {
    var scene = scene { ($0.power.vehicleBatteryLow, $0.power.vehicleBatteryOff) = (12, 11.5) }
    scene.post(.vehicleVolts(11), at: 1)
    scene.run(until: 601)
    #expect(scene.halts == [.batteryLow(volts: 11)])
    scene.post(.vehicleVolts(13), at: 700)
    scene.run(until: 759)
    #expect(scene.halts.count == 1)
    scene.run(until: 761)
    #expect(scene.halts == [.batteryLow(volts: 11), nil])
  }

  // MARK: The disk

  private func journeys(_ scene: Scene) -> [JourneyState] {
    scene.writes.compactMap { if case .journey(let state) = $0 { state } else { nil } }
  }

  private func fence(_ scene: Scene) -> TrackPoint? { scene.tracker.journey.fence.place }

  /// Not with the next one: most boards lose their power with the ignition. And it is written once.
  @Test func aParkingPlaceIsOnTheDiskWithTheFixThatShowsItAndSoIsItsEnd() {
    var scene = scene(.quiet) { $0.journey.towAlarm = 100 }
    for time in stride(from: 5.0, through: 400, by: 5) {
      scene.fix(at: time, 0)
      #expect(journeys(scene).last?.fence == fence(scene))
    }
    #expect(fence(scene) != nil && journeys(scene).count == 1)
    for second in 1...60 {
      scene.fix(at: 410 + Double(second), Double(second) * 5, speed: 5)
      #expect(journeys(scene).last?.fence == fence(scene))
    }
    #expect(fence(scene) == nil && journeys(scene).count == 2)
  }

  /// Where nobody is told of it no message takes it to the disk.
  @Test func overspeedStateIsWrittenInQuietMode() {
    var scene = scene(.quiet) { $0.journey.overspeed = 50 }
    for second in 1...12 { scene.fix(at: Double(second), Double(second) * 20, speed: 20) }
    #expect(journeys(scene).map(\.speeding?.limit) == [50])
    for second in 13...30 { scene.fix(at: Double(second), 250, speed: 0) }
    #expect(journeys(scene).map(\.speeding?.limit) == [50, nil])
    #expect(scene.story.isEmpty)
  }

  /// Or a power cut would have it under way again, and ended once more.
  @Test func endOfTripIsWrittenInQuietMode() {
    var scene = scene(.quiet) { $0.journey.trips = true }
    for second in 1...100 { scene.fix(at: Double(second), 15 * Double(second), speed: 15) }
    scene.run(until: 100 + 3599)
    #expect(journeys(scene).last?.trip != nil)
    scene.run(until: 100 + 3601)
    #expect(scene.withheld.last?.reason == .modeIsQuiet && scene.story.isEmpty)
    #expect(journeys(scene).last.map { $0.trip == nil } == true)
  }
}
