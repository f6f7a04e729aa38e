import Model
import Testing
import Timebase

@testable import Core

// behaviour: Ignition and battery of the vehicle
/// Ignition and vehicle's battery: the mode follows them once each, and at the end the board is switched off.
struct VehicleTests {
  func scene(_ change: (inout Configuration) -> Void = { _ in }) -> Scene {
    var scene = Scene(
      Scene.configuration {
        $0.reports.monitoring = .significant
        $0.power.ignitionInput.text = "gpio:0:17"
        $0.power.vehicleBattery.text = "file:/volts"
        change(&$0)
      })
    scene.connect()
    scene.fix(at: 0, 0)
    return scene
  }

  /// The modes that one after the other were in force.
  private func modes(_ scene: Scene) -> [MonitoringMode] {
    scene.writes.compactMap { if case .mode(let state) = $0 { state.mode } else { nil } }
  }

  @Test func ignitionOnIsMoveModeWithinTwoSeconds() {
    var scene = scene()
    scene.post(.ignition(true), at: 100)
    scene.run(until: 102)
    #expect(scene.tracker.mode.mode == .move)
  }

  @Test func ignitionOffIsSignificantModeAfterTheDelay() {
    var scene = scene { $0.power.ignitionDelay = 90 }
    scene.post(.ignition(true), at: 100)
    scene.post(.ignition(false), at: 200)
    scene.run(until: 289)
    #expect(scene.tracker.mode.mode == .move)
    scene.run(until: 291)
    #expect(scene.tracker.mode.mode == .significant)
  }

  @Test func anEngineCrankedAHundredTimesChangesTheModeOnce() {
    var scene = scene()
    scene.post(.ignition(true), at: 100)
    for crank in 0..<100 {
      let time = 110 + Double(crank) * 10
      scene.post(.ignition(false), at: time)
      scene.post(.vehicleVolts(8.5), at: time)
      scene.post(.ignition(true), at: time + 3)
      scene.post(.vehicleVolts(12.6), at: time + 3)
    }
    scene.run(until: 1300)
    #expect(modes(scene) == [.move])
  }

  @Test(arguments: [MonitoringMode.quiet, .manual])
  func ignitionKeepsChosenQuietOrManualMode(_ mode: MonitoringMode) {
    var scene = scene()
    scene.post(.control(.mode(mode), from: 1), at: 50)
    scene.post(.ignition(true), at: 100)
    scene.post(.ignition(false), at: 200)
    scene.run(until: 400)
    #expect(scene.tracker.mode.mode == mode)
  }

  /// On the way, from 12.8 to 11.4 V and back within four hours; a fridge takes half a volt for minutes.
  @Test func aBatteryThatRunsDownAndIsChargedStepsOnceEachWay() {
    var scene = scene { $0.reports.monitoring = .move }
    for step in 0...720 {
      let depth = 1 - (Double(step) - 360).magnitude / 360
      let noise = (step / 12).isMultiple(of: 2) ? 0.25 : -0.25
      let time = 1000 + Double(step) * 20
      scene.post(.vehicleVolts(12.8 - 1.4 * depth + noise), at: time)
      scene.fix(at: time + 1, Double(step) * 400)
    }
    #expect(modes(scene) == [.significant, .move])
  }

  @Test func loweredModeLabelIsMarked() {
    var scene = scene { $0.reports.monitoring = .move }
    for step in 0...4 { scene.post(.vehicleVolts(11.2), at: 100 + Double(step) * 20) }
    #expect(scene.tracker.mode.label == "Significant!")
  }

  @Test func anUnknownVoltageProvesNothing() {
    var scene = scene { $0.reports.monitoring = .move }
    for step in 0...40 {
      scene.post(.vehicleVolts(step.isMultiple(of: 3) ? nil : 11.2), at: 100 + Double(step) * 20)
    }
    #expect(scene.tracker.mode.mode == .move)
  }
}

/// The end of a long parking.
extension VehicleTests {
  private func parked(_ change: (inout Configuration) -> Void = { _ in }) -> Scene {
    var scene = scene {
      $0.power.parkedShutdown = 600
      change(&$0)
    }
    scene.post(.ignition(true), at: 100)
    scene.post(.ignition(false), at: 200)
    return scene
  }

  // behaviour: Ignition and battery of the vehicle
  @Test func aParkedBoardIsSwitchedOffAfterItsTime() {
    var scene = parked()
    scene.run(until: 799)
    #expect(scene.halts.isEmpty)
    scene.run(until: 801)
    #expect(scene.halts == [.parked(seconds: 600)])
  }

  @Test func shutdownWaitsForAcknowledgements() {
    var scene = parked()
    scene.acknowledges = false
    scene.fix(at: 790, 5000)
    scene.run(until: 850)
    #expect(scene.halts.isEmpty)
    scene.post(.acknowledged(scene.sent.map(\.sequence)), at: 850)
    #expect(scene.halts == [.parked(seconds: 600)])
  }

  // behaviour: Ignition and battery of the vehicle
  @Test func aBrokerOutOfReachIsNotWaitedForLongerThanTwoMinutes() {
    var scene = parked()
    scene.acknowledges = false
    scene.fix(at: 790, 5000)
    scene.post(.brokerLost(), at: 795)
    scene.run(until: 919)
    #expect(scene.halts.isEmpty)
    scene.run(until: 921)
    #expect(scene.halts.count == 1)
  }

  // behaviour: Old locations
  @Test func shutdownDoesNotWaitForWiFiOnlyBacklog() {
    var scene = parked {
      $0.queue.backlog = .wifi
      $0.reports.significantInterval = 60
    }
    scene.post(.networkChanged(.mobile), at: 210)
    scene.post(.brokerLost(), at: 220)
    scene.fix(at: 320, 5000)
    scene.fix(at: 650, 10_000)
    scene.connect(at: 750)
    #expect(scene.tracker.status(at: scene.now).queue.waitingOld == 1)
    #expect(scene.lastReason == "backlogWaits")
    scene.run(until: 801)
    #expect(scene.halts == [.parked(seconds: 600)])
  }

  @Test func ignitionCancelsPendingShutdown() {
    var scene = parked()
    scene.acknowledges = false
    scene.fix(at: 790, 5000)
    scene.run(until: 810)
    var parked = scene
    scene.post(.ignition(true), at: 811)
    scene.run(until: 2000)
    #expect(scene.halts.isEmpty)
    parked.run(until: 1000)
    #expect(parked.halts == [.parked(seconds: 600)], "without it")
  }

  @Test func theNextParkingCountsAnew() {
    var scene = parked()
    scene.run(until: 900)
    scene.post(.ignition(true), at: 1000)
    scene.post(.ignition(false), at: 1100)
    scene.run(until: 1699)
    #expect(scene.halts.compactMap { $0 }.count == 1)
    scene.run(until: 1701)
    #expect(scene.halts.compactMap { $0 }.count == 2)
  }

  // behaviour: Ignition and battery of the vehicle
  @Test func anEmptyBatterySwitchesOffButNotInTheFirstTenMinutes() {
    var scene = scene { $0.power.vehicleBatteryOff = 11.5 }
    for step in 0...45 { scene.post(.vehicleVolts(11.0), at: 20 + Double(step) * 10) }
    #expect(scene.halts.isEmpty)
    for step in 0...20 { scene.post(.vehicleVolts(11.0), at: 500 + Double(step) * 10) }
    #expect(scene.halts == [.batteryLow(volts: 11.0)])
  }

  private func volts(_ volts: Double, in scene: inout Scene, from start: Double, to end: Double) {
    for time in stride(from: start, through: end, by: 20) { scene.post(.vehicleVolts(volts), at: time) }
  }

  @Test func aBatteryThatHasRecoveredALittleSwitchesNothingOff() {
    var scene = scene { $0.power.vehicleBatteryOff = 11.5 }
    volts(11.3, in: &scene, from: 20, to: 100)
    volts(12.3, in: &scene, from: 120, to: 900)
    #expect(scene.halts.isEmpty)
  }

  @Test func recoveredBatteryCancelsPendingShutdown() {
    var scene = scene { $0.power.vehicleBatteryOff = 11.5 }
    scene.acknowledges = false
    scene.fix(at: 590, 5000)
    volts(11.3, in: &scene, from: 500, to: 620)
    var low = scene
    volts(12.3, in: &scene, from: 640, to: 1000)
    #expect(scene.halts.isEmpty)
    volts(11.3, in: &low, from: 640, to: 1000)
    #expect(low.halts == [.batteryLow(volts: 11.3)], "while it stays low")
  }

  @Test func unknownVoltageCancelsPendingShutdown() {
    var scene = scene { $0.power.vehicleBatteryOff = 11.5 }
    scene.acknowledges = false
    scene.fix(at: 590, 5000)
    volts(11.3, in: &scene, from: 500, to: 620)
    scene.post(.vehicleVolts(nil), at: 640)
    scene.run(until: 1000)
    #expect(scene.halts.isEmpty)
    // Known again and still low: it counts anew.
    volts(11.3, in: &scene, from: 1000, to: 1260)
    #expect(scene.halts == [.batteryLow(volts: 11.3)])
  }

  @Test func aSettingThatForbidsItMeanwhileSwitchesNothingOff() {
    var scene = parked()
    scene.acknowledges = false
    scene.fix(at: 790, 5000)
    scene.run(until: 810)
    var changed = scene.tracker.settings
    changed.power.parkedShutdown = 0
    scene.post(.configured(changed, waypoints: []), at: 811)
    scene.run(until: 2000)
    #expect(scene.halts.isEmpty)
  }

  @Test func aKeyThatIsTurnedInTheVeryMomentIsWaitedFor() {
    var scene = parked()
    scene.acknowledges = false
    scene.fix(at: 790, 5000)
    scene.run(until: 810)
    scene.post(.ignition(true), at: 811)
    scene.post(.acknowledged(scene.sent.map(\.sequence)), at: 811.5)
    scene.run(until: 900)
    #expect(scene.halts.isEmpty)
  }

  // behaviour: Ignition and battery of the vehicle
  @Test func shutdownIsRepeatedUntilIgnitionWithdrawsIt() {
    var scene = parked()
    scene.run(until: 1401)
    #expect(scene.halts == [.parked(seconds: 600), .parked(seconds: 600)])
    scene.post(.ignition(true), at: 1402)
    scene.run(until: 3000)
    #expect(scene.halts.count == 3 && scene.halts.last == .some(nil))
  }

  @Test func aWireThatIsGoneSwitchesNothingOff() {
    var scene = parked()
    scene.post(.ignition(nil), at: 300)
    scene.run(until: 2000)
    #expect(scene.halts.isEmpty)
  }

  @Test func withoutABatteryOfItsOwnABoardIsRestoredByTheVehicles() {
    var scene = scene {
      $0.reports.monitoring = .move
      $0.reports.downgrade = 20
    }
    volts(11.2, in: &scene, from: 100, to: 200)
    #expect(scene.tracker.mode.label == "Significant!")
    volts(13.5, in: &scene, from: 220, to: 400)
    scene.fix(at: 1000, 9000)
    #expect(scene.tracker.mode.label == "Move")
  }

  @Test func aDriverKeepsItsTrackerHoweverEmptyTheBattery() {
    var scene = scene { $0.power.vehicleBatteryOff = 11.5 }
    scene.post(.ignition(true), at: 10)
    for step in 0...100 { scene.post(.vehicleVolts(11.0), at: 20 + Double(step) * 10) }
    #expect(scene.halts.isEmpty)
  }

  @Test func unpublishedPlaceIsPublishedBeforeShutdown() {
    var scene = parked()
    scene.fix(at: 790, 50)
    scene.run(until: 801)
    #expect(scene.tracker.journal.entries.contains { $0.reason.word == "haltingSoon" && $0.isPublished })
    #expect(scene.lastLocation?.fix.coordinate == Scene.place(50, 0))
    #expect(scene.halts == [.parked(seconds: 600)])
  }
}
