import Model
import Testing
import Timebase

@testable import Core

// behaviour: SOS
/// A board that is called for help from is not switched off, unless the vehicle's battery is empty.
struct SOSShutDownTests {
  private func configuration(_ change: (inout Configuration) -> Void = { _ in }) -> Configuration {
    Scene.configuration {
      $0.power.parkedShutdown = 600
      $0.power.vehicleBatteryOff = 11.5
      change(&$0)
    }
  }

  private func parked(_ change: (inout Configuration) -> Void = { _ in }) -> Scene {
    var scene = Scene(configuration(change))
    scene.connect()
    scene.fix(at: 0, 0)
    scene.post(.ignition(false), at: 1)
    return scene
  }

  private func sos(_ scene: inout Scene, isAcknowledged: Bool = false, at time: Double) {
    scene.post(.control(.sos(isAcknowledged: isAcknowledged), from: 1), at: time)
  }

  @Test func aParkedBoardStaysOnUntilTheCallIsAcknowledged() {
    var scene = parked()
    sos(&scene, at: 500)
    scene.run(until: 3000)
    #expect(scene.halts.isEmpty)
    sos(&scene, isAcknowledged: true, at: 3000)
    scene.run(until: 3130)
    #expect(scene.halts == [.parked(seconds: 600)])
  }

  @Test func aCallThatWasOpenBeforeTheStartKeepsTheBoardOnAsWell() {
    var snapshot = Snapshot()
    snapshot.journey.sos = SOSState()
    var scene = Scene(configuration(), snapshot: snapshot)
    scene.connect()
    scene.fix(at: 0, 0)
    scene.post(.ignition(false), at: 1)
    scene.run(until: 3000)
    #expect(scene.halts.isEmpty)
    sos(&scene, isAcknowledged: true, at: 3000)
    scene.run(until: 3130)
    #expect(scene.halts == [.parked(seconds: 600)])
  }

  @Test func aCallWithdrawsTheRequest() {
    var scene = parked()
    scene.run(until: 700)
    #expect(scene.halts == [.parked(seconds: 600)])
    sos(&scene, at: 701)
    scene.run(until: 3000)
    #expect(scene.halts == [.parked(seconds: 600), nil])
  }

  @Test func anEmptyBatterySwitchesTheBoardOffAllTheSame() {
    var scene = parked()
    sos(&scene, at: 500)
    scene.post(.vehicleVolts(11), at: 700)
    scene.run(until: 900)
    #expect(scene.halts.first == .batteryLow(volts: 11))
    sos(&scene, at: 901)
    scene.run(until: 910)
    #expect(scene.halts.last != .some(nil), "a call does not take that back")
  }

  // MARK: Check-ins

  private func woken(isBatteryLow: Bool = false, isOpen: Bool) -> Scene {
    var snapshot = Snapshot()
    let since = WallTime(seconds: Scene.start - 6 * 3600)
    snapshot.sleep = Sleep(since: since, span: 6 * 3600, isBatteryLow: isBatteryLow)
    snapshot.position = Fix(time: since, coordinate: Scene.place(0, 0), accuracy: 5)
    if isOpen { snapshot.journey.sos = SOSState() }
    var scene = Scene(configuration { $0.power.parkedWake = 6 }, snapshot: snapshot)
    scene.post(.ignition(false), at: 1)
    scene.connect(at: 2)
    return scene
  }

  @Test func anOpenCallKeepsABoardOnThatHasWoken() {
    var scene = woken(isOpen: true)
    for second in 4...60 { scene.fix(at: Double(second), 0) }
    #expect(scene.halts.isEmpty)
    #expect(scene.tracker.journal.entries.contains { $0.reason.word == "boardKeptOn" })
    #expect(scene.story.contains("@4 loc(GTSOS)"))
  }

  @Test func aCheckInWithAnEmptyBatteryOnlySaysItOnceMore() {
    var scene = woken(isBatteryLow: true, isOpen: true)
    for second in 4...60 { scene.fix(at: Double(second), 0) }
    #expect(scene.halts == [.checkedIn(nil)] && scene.story.contains("@4 loc(GTSOS)"))
  }

  @Test func theButtonKeepsABoardOnThatHasWoken() {
    var scene = woken(isBatteryLow: true, isOpen: false)
    scene.post(.sosLine(false), at: 3)
    scene.post(.sosLine(true), at: 5)
    for second in 6...60 { scene.fix(at: Double(second), 0) }
    #expect(scene.halts.isEmpty && scene.story.contains("@6 loc(GTSOS)"))
  }
}
