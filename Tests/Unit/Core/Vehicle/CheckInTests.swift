import Model
import Testing
import Timebase

@testable import Core

/// A parked board that was switched off and is woken by its alarm.
struct CheckInTests {
  private static let hours = 6.0

  private func configuration(_ change: (inout Configuration) -> Void = { _ in }) -> Configuration {
    Scene.configuration {
      $0.power.parkedShutdown = 600
      $0.power.parkedWake = Self.hours
      change(&$0)
    }
  }

  /// Switched off `ago` seconds before the start, at the origin.
  private func asleep(ago: Double = 6 * 3600, _ change: (inout Sleep) -> Void = { _ in }) -> Snapshot {
    var snapshot = Snapshot()
    var sleep = Sleep(since: WallTime(seconds: Scene.start - ago), span: 6 * 3600)
    change(&sleep)
    snapshot.sleep = sleep
    snapshot.position = Fix(
      time: WallTime(seconds: Scene.start - ago), coordinate: Scene.place(0, 0), accuracy: 5)
    return snapshot
  }

  private func woken(
    _ snapshot: Snapshot? = nil, _ change: (inout Configuration) -> Void = { _ in }
  ) -> Scene {
    var scene = Scene(configuration(change), snapshot: snapshot ?? asleep())
    scene.post(.ignition(false), at: 1)
    return scene
  }

  private func stand(
    _ scene: inout Scene, from start: Int, to end: Int, _ east: Double = 0, speed: Double = 0
  ) {
    for second in start...end { scene.fix(at: Double(second), east, speed: speed) }
  }

  private func sleeps(_ scene: Scene) -> [Sleep?] {
    scene.writes.compactMap { write -> Sleep?? in
      if case .sleep(let sleep) = write { .some(sleep) } else { nil }
    }
  }

  private func words(_ scene: Scene) -> [String] {
    scene.tracker.journal.entries.map(\.reason.word).filter { $0.hasPrefix("checkIn") || $0 == "boardKeptOn" }
  }

  private func statuses(_ scene: Scene) -> [StatusReport] {
    scene.announced.compactMap { if case .status(let report) = $0 { report } else { nil } }
  }

  // MARK: Falling asleep

  // behaviour: Check-ins of a parked board
  @Test func aParkedBoardIsSwitchedOffWithAnAlarm() {
    var scene = Scene(configuration())
    scene.connect(at: 0)
    scene.post(.ignition(true), at: 100)
    scene.post(.ignition(false), at: 200)
    scene.run(until: 801)
    #expect(scene.halts == [.parked(seconds: 600)] && scene.wakes == [21_600])
    #expect(sleeps(scene) == [Sleep(since: WallTime(seconds: Scene.start + 800), span: 21_600)])
  }

  @Test func theDiskKnowsOfTheSleepBeforeTheBoardIsSwitchedOff() {
    var scene = Scene(configuration())
    scene.connect(at: 0)
    scene.post(.ignition(false), at: 200)
    scene.isDiskSlow = true
    scene.run(until: 801)
    #expect(scene.halts.isEmpty, "the disk has not answered")
  }

  @Test func withoutParkedWakeNothingIsWoken() {
    var scene = Scene(configuration { $0.power.parkedWake = 0 })
    scene.connect(at: 0)
    scene.post(.ignition(false), at: 200)
    scene.run(until: 801)
    #expect(scene.halts == [.parked(seconds: 600)] && scene.wakes == [nil] && sleeps(scene).isEmpty)
  }

  @Test func aBoardThatNothingCanWakeIsSwitchedOffAllTheSame() {
    var scene = Scene(configuration())
    scene.connect(at: 0)
    scene.post(.wakeAlarm(false), at: 1)
    scene.post(.ignition(false), at: 200)
    scene.run(until: 801)
    #expect(scene.halts == [.parked(seconds: 600)] && scene.wakes == [nil] && sleeps(scene).isEmpty)
  }

  @Test func ignitionAfterTheRequestForgetsTheSleep() {
    var scene = Scene(configuration())
    scene.connect(at: 0)
    scene.post(.ignition(false), at: 200)
    scene.run(until: 801)
    scene.post(.ignition(true), at: 802)
    scene.run(until: 810)
    #expect(scene.halts.count == 2 && scene.halts.last == .some(nil))
    #expect(sleeps(scene).count == 2 && sleeps(scene).last == .some(nil))
  }

  // MARK: The check-in

  // behaviour: Check-ins of a parked board
  @Test func aCheckInPublishesItsPlaceAndSwitchesOffAgain() {
    var scene = woken()
    stand(&scene, from: 4, to: 9)
    scene.connect(at: 9.5)
    stand(&scene, from: 10, to: 11)
    #expect(scene.halts.isEmpty, "looked at for eight seconds")
    stand(&scene, from: 12, to: 14)
    #expect(scene.halts == [.checkedIn(nil)] && scene.wakes == [21_600])
    #expect(scene.lastLocation?.fix.coordinate == Scene.place(0, 0))
    #expect(words(scene) == ["checkInBegan", "checkInDone"])
    #expect(sleeps(scene).last == Sleep(since: WallTime(seconds: Scene.start + 12.5), span: 21_600))
    let places = scene.writes.compactMap { if case .position(let fix) = $0 { fix.time.seconds } else { nil } }
    #expect(places.last == Scene.start + 12, "the newest, for the next one to compare with")
  }

  // behaviour: Check-ins of a parked board
  @Test func aCheckInWaitsForAcknowledgements() {
    var scene = woken()
    scene.acknowledges = false
    scene.connect(at: 3)
    stand(&scene, from: 4, to: 100)
    #expect(scene.halts.isEmpty)
    scene.post(.acknowledged(scene.sent.map(\.sequence)), at: 100.5)
    #expect(scene.halts == [.checkedIn(nil)])
  }

  @Test func batchesGoAtOnce() {
    var scene = woken { $0.queue.batchSeconds = 3600 }
    scene.connect(at: 3)
    stand(&scene, from: 4, to: 20)
    #expect(scene.halts == [.checkedIn(nil)])
  }

  /// The first place waits for better ones before it joins those that wait to travel together.
  @Test func aBatchThatIsFilledLateGoesAtOnceToo() {
    var scene = woken { $0.queue.batchSeconds = 3600 }
    scene.connect(at: 3)
    for second in 10...40 { scene.fix(at: Double(second), 0, accuracy: 80) }
    #expect(scene.halts == [.checkedIn(nil)] && scene.lastLocation != nil)
  }

  // behaviour: Check-ins of a parked board
  @Test func theBestOfAMomentIsWaitedFor() {
    var scene = woken { ($0.reports.monitoring, $0.reports.significantWindow) = (.significant, 20) }
    scene.connect(at: 3)
    stand(&scene, from: 4, to: 20)
    #expect(scene.halts.isEmpty && scene.lastLocation == nil)
    stand(&scene, from: 21, to: 40)
    #expect(scene.halts == [.checkedIn(nil)] && scene.lastLocation != nil)
  }

  /// A check-in is there to look: crossings and movement take more than one fix.
  @Test func theReceiverDoesNotRestMeanwhile() {
    var scene = woken { $0.receiver.dutyCycle = 600 }
    scene.connect(at: 9.5)
    stand(&scene, from: 4, to: 12)
    #expect(scene.receiver.isEmpty && scene.halts.isEmpty)
    stand(&scene, from: 13, to: 14)
    #expect(scene.halts == [.checkedIn(nil)])
  }

  @Test func ordersThatWaitAtTheBrokerHaveTimeToArrive() {
    var scene = woken()
    stand(&scene, from: 2, to: 30)
    scene.connect(at: 31)
    scene.run(until: 33.5)
    #expect(scene.halts.isEmpty)
    scene.run(until: 34.5)
    #expect(scene.halts == [.checkedIn(nil)])
  }

  // behaviour: Check-ins of a parked board
  @Test func aReceiverWithoutAPlaceEndsTheCheckInByTheLimit() {
    var scene = woken { $0.power.parkedWakeLimit = 120 }
    scene.connect(at: 3)
    scene.run(until: 119)
    #expect(scene.halts.isEmpty)
    scene.run(until: 122)
    #expect(scene.halts == [.checkedIn(.noFix)])
    #expect(sleeps(scene).last??.missed == 1 && sleeps(scene).last??.lastMissed == .noFix)
  }

  @Test func aPlaceThatComesLateIsLookedAtForAsLongAsThereIs() {
    var scene = woken { $0.power.parkedWakeLimit = 30 }
    scene.connect(at: 3)
    stand(&scene, from: 26, to: 31)
    #expect(scene.halts == [.checkedIn(nil)] && scene.lastLocation != nil)
  }

  @Test func aParkingShorterThanACheckInDoesNotEndIt() {
    var scene = woken { $0.power.parkedShutdown = 60 }
    scene.connect(at: 3)
    scene.run(until: 299)
    #expect(scene.halts.isEmpty)
    scene.run(until: 302)
    #expect(scene.halts == [.checkedIn(.noFix)] && sleeps(scene).last??.missed == 1)
  }

  // behaviour: Check-ins of a parked board
  @Test func withoutAServerTheCheckInIsMissedAndItsPlaceIsKept() {
    var scene = woken(asleep { ($0.missed, $0.lastMissed) = (2, .noFix) })
    for second in 4...310 { scene.fix(at: Double(second), 0) }
    #expect(scene.halts == [.checkedIn(.undelivered)])
    #expect(sleeps(scene).last??.missed == 3 && sleeps(scene).last??.lastMissed == .undelivered)
    #expect(scene.writes.contains { if case .insert = $0 { true } else { false } })
  }

  @Test func aPlaceThatIsNotAcknowledgedByTheLimitIsMissed() {
    var scene = woken()
    scene.acknowledges = false
    scene.connect(at: 3)
    stand(&scene, from: 4, to: 310)
    #expect(scene.halts == [.checkedIn(.undelivered)])
    #expect(sleeps(scene).last??.lastMissed == .undelivered)
  }

  // behaviour: Check-ins of a parked board
  @Test func theNextCheckInReportsThoseMissed() {
    var scene = woken(asleep { ($0.missed, $0.lastMissed) = (2, .undelivered) }) {
      $0.dashboard.availability = true
    }
    scene.connect(at: 3)
    stand(&scene, from: 4, to: 20)
    #expect(words(scene) == ["checkInBegan", "checkInsMissed", "checkInDone"])
    #expect(sleeps(scene).last??.missed == 0)
    #expect(statuses(scene).first?.presence.missed == MissedCheckIns(count: 2, cause: .undelivered))
  }

  @Test func theLastWordSaysWhenTheBoardIsHeardOfAgain() {
    var scene = woken { $0.dashboard.availability = true }
    scene.connect(at: 3)
    stand(&scene, from: 4, to: 20)
    scene.post(.stopping, at: 21)
    let last = statuses(scene).last
    #expect(last?.isOnline == false && last?.presence.departure == .parked)
    #expect(last?.presence.nextCheckIn == Int(Scene.start) + 21 + 21_600)
  }

  // MARK: What keeps the board on

  // behaviour: Check-ins of a parked board
  @Test func ignitionKeepsTheBoardOn() {
    var scene = woken()
    scene.connect(at: 3)
    scene.post(.ignition(true), at: 5)
    stand(&scene, from: 6, to: 400)
    #expect(scene.halts.isEmpty && words(scene) == ["checkInBegan", "boardKeptOn"])
    #expect(sleeps(scene) == [nil])
  }

  // behaviour: Check-ins of a parked board
  @Test func movementKeepsTheBoardOn() {
    var scene = woken()
    scene.connect(at: 3)
    // As gpsd has it of a plain receiver.
    for second in 4...20 { scene.fix(at: Double(second), Double(second) * 4, speed: 4, speedError: 22.25) }
    stand(&scene, from: 21, to: 620, 80)
    #expect(scene.halts.isEmpty && words(scene).last == "boardKeptOn")
    stand(&scene, from: 621, to: 700, 80)
    #expect(scene.halts == [.parked(seconds: 600)], "parked again")
  }

  @Test func aBoardThatIsKeptOnNoLongerSpeaksOfMissedCheckIns() {
    var scene = woken(asleep { ($0.missed, $0.lastMissed) = (2, .undelivered) }) {
      $0.dashboard.availability = true
    }
    scene.connect(at: 3)
    #expect(statuses(scene).last?.presence.missed?.count == 2)
    stand(&scene, from: 4, to: 12, speed: 4)
    #expect(words(scene).contains("boardKeptOn") && statuses(scene).last?.presence.missed == nil)
  }

  /// A receiver that wakes up says a fast thing or two.
  @Test(arguments: [(4, false), (5, true)]) func fiveFastFixesInARowAreMovement(count: Int, isKept: Bool) {
    var scene = woken { $0.dashboard.availability = true }
    scene.connect(at: 3)
    stand(&scene, from: 4, to: 3 + count, speed: 4)
    #expect(words(scene).contains("boardKeptOn") == isKept)
    scene.fix(at: 10, 0, speed: 0)
    stand(&scene, from: 11, to: 10 + count, speed: 4)
    stand(&scene, from: 16, to: 60)
    #expect(words(scene).contains("boardKeptOn") == isKept && scene.halts.isEmpty == isKept)
  }

  @Test func anotherPlaceKeepsTheBoardOnUntilTheTowAlarmIsCertain() {
    var scene = woken { $0.journey.towAlarm = 200 }
    scene.connect(at: 3)
    stand(&scene, from: 4, to: 650, 3000)
    #expect(scene.halts.isEmpty && words(scene).last == "boardKeptOn")
  }

  @Test func aWanderingReceiverKeepsNothingOn() {
    var scene = woken()
    scene.connect(at: 3)
    for second in 4...14 { scene.fix(at: Double(second), second.isMultiple(of: 2) ? 40 : -40, accuracy: 30) }
    #expect(scene.halts == [.checkedIn(nil)])
  }

  // behaviour: Check-ins of a parked board
  @Test func anOrderKeepsTheBoardOnAndAQuestionDoesNot() {
    var asked = woken()
    asked.connect(at: 3)
    asked.post(.control(.status, from: 1), at: 5)
    stand(&asked, from: 6, to: 20)
    #expect(asked.halts == [.checkedIn(nil)])
    var ordered = woken()
    ordered.connect(at: 3)
    ordered.post(.control(.publish(poi: nil), from: 1), at: 5)
    stand(&ordered, from: 6, to: 600)
    #expect(ordered.halts.isEmpty)
  }

  @Test func onlyIgnitionWithdrawsTheRequest() {
    var scene = woken()
    scene.connect(at: 3)
    stand(&scene, from: 4, to: 14)
    #expect(scene.halts == [.checkedIn(nil)])
    scene.post(.control(.publish(poi: nil), from: 1), at: 15)
    #expect(
      scene.halts == [.checkedIn(nil)]
        && sleeps(scene).last
          == Sleep(
            since: WallTime(seconds: Scene.start + 12), span: 21_600)
    )
    scene.post(.ignition(true), at: 16)
    scene.run(until: 20)
    #expect(scene.halts == [.checkedIn(nil), nil] && sleeps(scene).last == .some(nil))
  }

  // behaviour: Check-ins of a parked board
  @Test func aBoardThatIsSwitchedOnBeforeItsAlarmIsNoCheckIn() {
    var pending = woken(asleep { $0.isEarly = true })
    pending.connect(at: 3)
    stand(&pending, from: 4, to: 590)
    #expect(pending.halts.isEmpty && words(pending).isEmpty)
    // Where nothing tells whether the alarm went off, the time does, as soon as it is known.
    var early = woken(asleep(ago: 3600))
    early.connect(at: 3)
    stand(&early, from: 4, to: 590)
    #expect(early.halts.isEmpty && words(early).last == "boardKeptOn")
    var late = woken(asleep(ago: 30 * 3600))
    late.connect(at: 3)
    stand(&late, from: 4, to: 20)
    #expect(late.halts == [.checkedIn(nil)])
  }

  @Test func aClockFromBeforeTheSleepChangesNothing() {
    var scene = woken(asleep(ago: -86_400))
    scene.connect(at: 3)
    stand(&scene, from: 4, to: 20)
    #expect(scene.halts == [.checkedIn(nil)])
  }

  @Test func theRequestIsRepeatedUntilTheBoardIsOff() {
    var scene = woken()
    scene.connect(at: 3)
    stand(&scene, from: 4, to: 14)
    scene.run(until: 700)
    #expect(scene.halts == [.checkedIn(nil), .checkedIn(nil)] && scene.wakes == [21_600, 21_600])
  }

  @Test func settingsThatForbidItKeepTheBoardOn() {
    var scene = woken { $0.power.parkedWake = 0 }
    scene.connect(at: 3)
    stand(&scene, from: 4, to: 590)
    #expect(scene.halts.isEmpty && words(scene).last == "boardKeptOn")
  }
}
