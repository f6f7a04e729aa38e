import Model
import Testing
import Timebase

@testable import Core

/// A board that steps down to spare a battery, and up again.
struct TrackerBatteryTests {
  private static let steps = "receiver|40%\nbeacons|25%\ncheckins|15%\noff|5%"

  private func configuration(_ change: (inout Configuration) -> Void = { _ in }) -> Configuration {
    Scene.configuration {
      $0.power.batterySteps.text = Self.steps
      $0.dashboard.availability = true
      change(&$0)
    }
  }

  /// Seen at the second 5, with this much left.
  private func scene(
    _ level: Int? = 90, snapshot: Snapshot = .init(), _ change: (inout Configuration) -> Void = { _ in }
  ) -> Scene {
    var scene = Scene(configuration(change), snapshot: snapshot)
    scene.connect(at: 0)
    if let level { battery(&scene, level, at: 1) }
    scene.fix(at: 5, 0)
    return scene
  }

  private func battery(
    _ scene: inout Scene, _ level: Int, _ state: Battery.State = .unplugged, at time: Double
  ) {
    scene.post(.batteryChanged(Battery(level: level, state: state)), at: time)
  }

  private func stored(_ step: BatteryStep, asleep: Bool = false) -> Snapshot {
    var snapshot = Snapshot()
    snapshot.batterySteps = BatterySteps(board: step)
    snapshot.position = Fix(
      time: WallTime(seconds: Scene.start - 3600), coordinate: Scene.place(0, 0), accuracy: 5)
    if asleep {
      snapshot.sleep = Sleep(
        since: WallTime(seconds: Scene.start - 6 * 3600), span: 6 * 3600, isBatteryLow: true)
    }
    return snapshot
  }

  private func told(_ scene: Scene) -> [String] {
    scene.tracker.journal.entries.compactMap { entry in
      guard case .batteryStep(let news) = entry.reason else { return nil }
      return (news.step?.word ?? "none") + (entry.isPublished ? "" : " (noted)")
    }
  }

  private func statuses(_ scene: Scene) -> [String?] {
    scene.announced.compactMap {
      if case .status(let report) = $0 { report.presence.batteryStep } else { nil }
    }
  }

  private func steps(_ scene: Scene) -> [BatterySteps] {
    scene.writes.compactMap { if case .batterySteps(let steps) = $0 { steps } else { nil } }
  }

  // MARK: Telling

  // behaviour: Battery steps
  @Test func eachStepIsPublishedOnceAsALocationAndOnStatus() {
    var scene = scene()
    for (index, level) in [39, 24, 14].enumerated() { battery(&scene, level, at: 100 + 100 * Double(index)) }
    scene.run(until: 390)
    #expect(told(scene) == ["receiver", "beacons", "checkins"])
    #expect(scene.story == ["@5 loc(-)", "@160 loc(9)", "@260 loc(9)", "@360 loc(9)"])
    #expect(statuses(scene) == ["none", "receiver", "beacons", "checkins"])
    #expect(steps(scene).map(\.board) == [.receiver, .beacons, .checkins])
    battery(&scene, 14, .charging, at: 400)
    scene.run(until: 420)
    #expect(told(scene).last == "none" && statuses(scene).last == "none")
    #expect(scene.lastLocation?.trigger == .batteryWell && scene.lastLocation?.vehicle.batteryStep == nil)
    #expect(steps(scene).last == BatterySteps())
  }

  @Test func aStepIsKeptForTheServerWhereThereIsNone() {
    var scene = Scene(configuration())
    scene.fix(at: 5, 0)
    battery(&scene, 20, at: 10)
    scene.run(until: 75)
    #expect(
      scene.story == ["@5 loc(-)", "@70 loc(9)"] && scene.tracker.status(at: scene.now).queue.count == 2)
  }

  @Test func quietModeOnlyNotesAStep() {
    var scene = scene { $0.reports.monitoring = .quiet }
    battery(&scene, 20, at: 10)
    scene.run(until: 75)
    #expect(scene.story.isEmpty && told(scene) == ["beacons (noted)"] && statuses(scene).last == "beacons")
  }

  @Test func statusNamesTheStepInForce() {
    var scene = scene()
    #expect(scene.tracker.status(at: scene.now).vehicle.step == BatteryStepStatus(step: nil, rest: .zero))
    battery(&scene, 39, at: 10)
    scene.run(until: 75)
    #expect(scene.tracker.status(at: scene.now).vehicle.step == .init(step: .receiver, rest: .seconds(600)))
    battery(&scene, 20, at: 80)
    scene.run(until: 145)
    #expect(scene.tracker.status(at: scene.now).vehicle.step == .init(step: .beacons, rest: nil))
    var other = Scene()
    other.connect(at: 0)
    #expect(other.tracker.status(at: other.now).vehicle.step == nil && statuses(other).isEmpty)
  }

  // MARK: The receiver

  // behaviour: Battery steps
  @Test(arguments: [(0, 600.0), (120, 120)])
  func theReceiverRestsBetweenLooksInEveryMode(cycle: Int, rest: Double) {
    var scene = scene {
      $0.reports.monitoring = .move
      $0.receiver.dutyCycle = cycle
    }
    battery(&scene, 39, at: 10)
    for second in 11...71 { scene.fix(at: Double(second), 0) }
    #expect(scene.receiver == [false])
    scene.run(until: 71 + rest)
    #expect(scene.receiver == [false])
    scene.run(until: 72 + rest)
    #expect(scene.receiver == [false, true])
  }

  // behaviour: Battery steps
  @Test func atBeaconsTheReceiverIsOff() {
    var scene = scene()
    battery(&scene, 20, at: 10)
    scene.run(until: 7200)
    #expect(scene.receiver == [false] && scene.halts.isEmpty)
    battery(&scene, 31, at: 7200)
    scene.run(until: 7220)
    #expect(scene.receiver == [false, true], "it may look now and then again")
    battery(&scene, 60, at: 7230)
    scene.run(until: 9000)
    #expect(scene.receiver == [false, true], "and then as ever")
  }

  // behaviour: Battery steps
  @Test func aPersonMayHaveTheReceiverLookOnce() {
    var scene = scene()
    battery(&scene, 20, at: 10)
    scene.run(until: 1000)
    scene.post(.control(.publish(poi: nil), from: 1), at: 1000)
    #expect(scene.receiver == [false, true] && scene.story.last == "@1000 loc(u)")
    let done = scene.answers.compactMap { if case .done(let text) = $0 { text } else { nil } }
    #expect(done == ["the last known place is published; the receiver is woken for one look"])
    scene.fix(at: 1010, 5000)
    #expect(
      scene.receiver == [false, true, false] && scene.story.suffix(2) == ["@1000 loc(u)", "@1010 loc(u)"])
    #expect(scene.lastLocation?.fix.coordinate == Scene.place(5000, 0))
    scene.run(until: 5000)
    #expect(scene.receiver == [false, true, false])
  }

  @Test func aCommandMayHaveTheReceiverLookOnce() {
    var scene = scene {
      $0.reports.monitoring = .manual
      ($0.commands.isOn, $0.commands.allowRemoteLocation) = (true, true)
    }
    battery(&scene, 20, at: 10)
    scene.run(until: 1000)
    scene.post(.commanded(ReceivedCommand(.reportLocation)), at: 1000)
    #expect(scene.receiver == [false, true] && scene.story.last == "@1000 loc(r)")
    scene.fix(at: 1010, 10)
    #expect(scene.receiver.last == false && scene.story.last == "@1010 loc(r)")
    // Under a roof the look ends after a minute, and tells nothing more.
    scene.post(.control(.publish(poi: nil), from: 1), at: 2000)
    scene.run(until: 2061)
    #expect(scene.receiver.suffix(2) == [true, false] && scene.story.last == "@2000 loc(u)")
  }

  // behaviour: Battery steps
  @Test(arguments: [(39, 4), (20, 1), (14, 1)]) func anIdleHourOfAStepHasFewWakeUps(level: Int, looks: Int) {
    var scene = scene { ($0.reports.ping, $0.dashboard.availability) = (0, false) }
    scene.post(.wakeAlarm(false), at: 6)
    battery(&scene, level, at: 10)
    // Under a roof: each look takes its minute.
    scene.run(until: 1000)
    var ticks = 0
    let end = scene.now.instant + .minutes(60)
    while let due = scene.tracker.wakeAt, due < end {
      scene.run(until: (due - Instant(nanoseconds: 1_000_000_000_000)).seconds + 0.001)
      ticks += 1
    }
    #expect(ticks <= 3 * looks, "\(ticks) of at most 72 in an hour")
  }

  // MARK: The end

  // behaviour: Battery steps
  @Test func atCheckInsTheBoardIsSwitchedOffOnceItStands() {
    var scene = scene()
    battery(&scene, 14, at: 700)
    scene.run(until: 759)
    #expect(scene.halts.isEmpty)
    scene.run(until: 761)
    #expect(scene.halts == [.batteryStep(.checkins, .percent(14))] && scene.wakes == [21_600])
    #expect(scene.story.last == "@760 loc(9)", "and no second location for the same place")
    scene.post(.stopping, at: 765)
    let words = scene.announced.compactMap { if case .status(let word) = $0 { word.presence } else { nil } }
    #expect(words.last?.departure == .batteryLow)
    #expect(words.last?.nextCheckIn == Int(Scene.start) + 765 + 21_600)
  }

  // behaviour: Battery steps
  @Test func aBoardThatMovesLooksUntilItStands() {
    var scene = scene()
    battery(&scene, 14, at: 771)
    func drive(_ seconds: ClosedRange<Int>, speed: Double = 20) {
      for second in seconds { scene.fix(at: Double(second), Double(second) * 20, speed: speed) }
    }
    drive(772...835)
    #expect(scene.halts.isEmpty && scene.receiver == [false])
    // Looks again after ten minutes, and moves still.
    scene.run(until: 1440)
    #expect(scene.receiver == [false, true])
    drive(1441...1441)
    scene.run(until: 2045)
    #expect(scene.halts.isEmpty && scene.receiver == [false, true, false, true])
    drive(2046...2046, speed: 0)
    scene.run(until: 2200)
    #expect(scene.halts == [.batteryStep(.checkins, .percent(14))] && scene.receiver.last == false)
  }

  @Test func aBoardThatNothingWakesStaysOnAtCheckIns() {
    var scene = scene()
    scene.post(.wakeAlarm(false), at: 6)
    battery(&scene, 14, at: 700)
    scene.run(until: 4000)
    #expect(scene.halts.isEmpty && scene.receiver == [false])
    battery(&scene, 4, at: 4000)
    scene.run(until: 4070)
    #expect(scene.halts == [.batteryStep(.off, .percent(4))] && scene.wakes == [nil])
  }

  // behaviour: Battery steps
  @Test func atOffNothingWakesTheBoard() {
    var scene = scene { $0.power.parkedWake = 3 }
    battery(&scene, 4, at: 700)
    scene.run(until: 770)
    #expect(scene.halts == [.batteryStep(.off, .percent(4))] && scene.wakes == [nil])
  }

  @Test func theQueueHasTwoMinutesAndIsKept() {
    var scene = scene()
    scene.acknowledges = false
    battery(&scene, 4, at: 700)
    scene.run(until: 870)
    #expect(scene.halts.isEmpty)
    scene.run(until: 881)
    #expect(scene.halts.count == 1 && !scene.disk.isEmpty, "the store has what was not acknowledged")
  }

  // behaviour: Battery steps
  @Test func aChargerWithdrawsTheEnd() {
    var scene = scene()
    battery(&scene, 4, at: 700)
    scene.run(until: 770)
    battery(&scene, 4, .charging, at: 771)
    scene.run(until: 790)
    #expect(scene.halts == [.batteryStep(.off, .percent(4)), nil] && told(scene) == ["off", "none"])
  }

  @Test func nothingIsSwitchedOffWhileTheIgnitionIsOn() {
    var scene = scene { $0.power.ignitionInput.text = "supply:AC" }
    scene.post(.ignition(true), at: 6)
    battery(&scene, 4, at: 700)
    scene.run(until: 3000)
    #expect(scene.halts.isEmpty && told(scene) == ["off"])
  }

  // MARK: Restarts

  // behaviour: Battery steps
  @Test func aStepSurvivesARestart() {
    // Between the limit and what is enough above it.
    var scene = Scene(configuration(), snapshot: stored(.beacons))
    scene.connect(at: 0)
    battery(&scene, 27, at: 1)
    scene.run(until: 3600)
    #expect(scene.receiver == [false] && told(scene).isEmpty && statuses(scene).last == "beacons")
    battery(&scene, 30, at: 3600)
    scene.run(until: 3620)
    #expect(told(scene) == ["receiver"] && scene.receiver == [false, true])
  }

  @Test func aStepThatTheFileNoLongerNamesIsOver() {
    var scene = Scene(configuration { $0.power.batterySteps.text = "" }, snapshot: stored(.beacons))
    scene.fix(at: 1, 0)
    scene.run(until: 600)
    #expect(told(scene) == ["none"] && !scene.receiver.contains(false) && steps(scene).last == BatterySteps())
  }

  // behaviour: Battery steps
  @Test func aCheckInLooksAndGoesOffAgainWithItsStep() {
    var scene = Scene(configuration(), snapshot: stored(.checkins, asleep: true))
    scene.connect(at: 0)
    battery(&scene, 14, at: 1)
    for second in 2...20 where scene.halts.isEmpty { scene.fix(at: Double(second), 0) }
    #expect(!scene.receiver.contains(false), "it is there to look")
    #expect(scene.halts == [.checkedIn(nil)] && scene.wakes == [21_600] && told(scene).isEmpty)
    var empty = Scene(configuration(), snapshot: stored(.off, asleep: true))
    empty.connect(at: 0)
    battery(&empty, 3, at: 1)
    for second in 2...20 where empty.halts.isEmpty { empty.fix(at: Double(second), 0) }
    #expect(empty.halts == [.checkedIn(nil)] && empty.wakes == [nil])
  }

  /// None of its check-ins lasts for a minute, and all of them together would empty it.
  // behaviour: Battery steps
  @Test func aBatteryThatRunsDownInItsSleepIsNoticedByACheckIn() {
    var scene = Scene(configuration(), snapshot: stored(.checkins, asleep: true))
    scene.connect(at: 0)
    battery(&scene, 3, at: 1)
    for second in 2...30 where scene.halts.isEmpty { scene.fix(at: Double(second), 0) }
    #expect(told(scene) == ["off"] && scene.lastLocation?.trigger == .lowBattery)
    #expect(scene.halts == [.checkedIn(nil)] && scene.wakes == [nil])
    #expect(scene.now.instant - Instant(nanoseconds: 1_000_000_000_000) == .seconds(11))
  }

  /// It is switched off all the same, and now with an alarm.
  @Test func aBatteryThatIsAStepBetterKeepsNoBoardOn() {
    var scene = Scene(configuration(), snapshot: stored(.off, asleep: true))
    scene.connect(at: 0)
    battery(&scene, 11, at: 1)
    for second in 2...40 where scene.halts.isEmpty { scene.fix(at: Double(second), 0) }
    #expect(told(scene) == ["checkins"] && scene.halts == [.checkedIn(nil)] && scene.wakes == [21_600])
  }

  // behaviour: Battery steps
  @Test func aBatteryThatIsChargedAgainKeepsTheBoardOn() {
    var scene = Scene(configuration(), snapshot: stored(.checkins, asleep: true))
    scene.connect(at: 0)
    scene.post(.batteryChanged(Battery(level: 80, state: .unplugged)), at: 4)
    for second in 5...60 { scene.fix(at: Double(second), 0) }
    #expect(scene.halts.isEmpty && told(scene) == ["none"])
    #expect(scene.tracker.journal.entries.contains { $0.reason == .checkIn(.kept(.batteryWell)) })
    #expect(!scene.tracker.status(at: scene.now).vehicle.isCheckingIn)
    scene.run(until: 7200)
    #expect(scene.halts.isEmpty)
  }

  @Test func aStoreThatComesLateKeepsTheStep() {
    var scene = scene()
    battery(&scene, 20, at: 10)
    scene.run(until: 75)
    let before = scene.tracker.handOver(to: Snapshot(), at: scene.now)
    #expect(!before.isEmpty)
    _ = scene.tracker.takeUp(Snapshot(), at: scene.now)
    #expect(scene.tracker.status(at: scene.now).vehicle.step?.step == .beacons)
  }
}
