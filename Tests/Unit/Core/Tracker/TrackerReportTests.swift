import Model
import Testing
import Timebase

@testable import Core

/// What every location brings with it, and what changed settings and modes bring about.
struct TrackerReportTests {
  private func scene(
    _ mode: MonitoringMode = .move, _ regions: [Snapshot.KnownRegion] = [],
    snapshot: Snapshot = .init(), change: (inout Configuration) -> Void = { _ in }
  ) -> Scene {
    Scene.inMode(mode, regions, snapshot: snapshot, change)
  }

  private func ask(_ scene: inout Scene, at time: Double) {
    scene.post(.control(.publish(poi: nil), from: 1), at: time)
  }

  private func change(_ scene: inout Scene, at time: Double, _ change: (inout Configuration) -> Void) {
    var settings = scene.tracker.settings
    change(&settings)
    scene.post(.configured(settings, waypoints: []), at: time)
  }

  // MARK: Locations

  @Test func aRegionThatIsNotSharedIsNamedByItsIdAlone() {
    var secret = Scene.home(name: "Secret", inside: .inside)
    secret.region.isShared = false
    var scene = scene(.manual, [Scene.home(inside: .inside), secret])
    scene.fix(at: 0, 0)
    ask(&scene, at: 1)
    #expect(scene.lastLocation?.inside.map(\.name) == ["Home", nil])
    #expect(scene.lastLocation?.inside.map(\.rid) == ["Home", "Secret"])
  }

  @Test func noLocationIsPublishedInsidePrivateRegion() {
    var home = Scene.home(inside: .inside)
    home.region.isPrivate = true
    var scene = scene(.move, [home])
    scene.fix(at: 0, 0)
    ask(&scene, at: 1)
    #expect(scene.story.isEmpty && scene.lastReason == "insidePrivateRegion")
    var open = self.scene(.move, [Scene.home(inside: .inside)])
    open.fix(at: 0, 0)
    ask(&open, at: 1)
    #expect(open.story == ["@0 loc(-)", "@1 loc(u)"], "the same region, open to all")
  }

  /// In move mode each location puts it elsewhere.
  @Test(arguments: [(MonitoringMode.significant, true), (.move, false)])
  func followRegionWriteIsDeferredInMoveMode(_ mode: MonitoringMode, _ isAtOnce: Bool) {
    var scene = scene(mode, [Scene.home(radius: 50, name: "+follow", inside: .inside)])
    func isWritten() -> Bool {
      scene.writes.contains { write in
        if case .region(let region, _) = write { region.coordinate == Scene.place(700, 0) } else { false }
      }
    }
    scene.fix(at: 0, 0)
    scene.connect(at: 1)
    scene.writes = []
    scene.fix(at: 400, 700)
    #expect(isWritten() == isAtOnce)
    scene.post(.control(.mode(.manual), from: 1), at: 400.1)
    #expect(isWritten())
  }

  @Test func theHistoryIsThinnedWithTheFirstPoint() {
    var scene = scene()
    scene.fix(at: 0, 0)
    scene.run(until: 70)
    #expect(scene.writes.contains { if case .pruneHistory = $0 { true } else { false } })
  }

  private func references(_ scene: Scene) -> [Double] {
    scene.writes.compactMap {
      if case .reference(let fix) = $0 { fix.time.seconds - Scene.start } else { nil }
    }
  }

  /// Or a power cut would let it be told once more.
  @Test func aSecondThatIsNotTheFixesOwnIsOnTheDiskAtOnce() {
    var scene = scene()
    scene.connect()
    scene.fix(at: 0, 0)
    scene.run(until: 61)
    #expect(references(scene) == [0])
    ask(&scene, at: 62)
    #expect(references(scene) == [0, 1])
  }

  @Test func withheldPingIsDueAgainAfterItsInterval() {
    var scene = scene(.significant) { ($0.reports.ping, $0.identity.username) = (15, "") }
    scene.fix(at: 0, 0)
    scene.withheld = []
    scene.run(until: 1900)
    #expect(scene.withheld.map(\.at) == [900, 1800])
  }

  @Test func reasonsThatOnlyCountUpAreGivenAsTheyDouble() {
    var scene = scene()
    for second in 1...3 {
      scene.fix(at: Double(second), 0, mode: 1)
      if second < 3 { _ = scene.tracker.takeReasons() }
    }
    #expect(scene.tracker.takeReasons().isEmpty)
    #expect(scene.tracker.takeReasons(evenCounts: true).map(\.count) == [3])
  }

  // MARK: Modes

  @Test func whyTheModeAdaptsIsSaid() {
    var scene = scene { ($0.reports.adapt, $0.reports.adaptRequiresFollow) = (5, false) }
    scene.fix(at: 0, 0)
    scene.fix(at: 400, 0)
    ask(&scene, at: 401)
    scene.fix(at: 402, 0)
    ask(&scene, at: 403)
    let causes = scene.tracker.journal.entries.compactMap { entry -> String? in
      if case .modeChanged(_, _, let cause) = entry.reason { cause.word } else { nil }
    }
    #expect(causes.first == "still" && causes.dropFirst().first == "moved", "\(causes)")
  }

  @Test func theTimersOfAModeBeginWithIt() {
    var scene = scene(.manual) { $0.reports.ping = 15 }
    scene.fix(at: 0, 0)
    scene.post(.control(.mode(.move), from: 1), at: 100)
    let now = scene.now.instant
    #expect(scene.tracker.deadlines[.periodicReport] == now + .seconds(300))
    #expect(scene.tracker.deadlines[.ping] == now + .minutes(15))
  }

  @Test func ignitionModeChangeCountsAsRule() {
    var scene = scene(.significant) { $0.power.ignitionDelay = 90 }
    scene.post(.ignition(true), at: 0)
    scene.run(until: 5)
    #expect(scene.tracker.mode.mode == .move && scene.tracker.mode.isByRule)
    #expect(scene.tracker.status(at: scene.now).modeCause == "the ignition is on")
    scene.post(.ignition(false), at: 100)
    scene.run(until: 200)
    #expect(scene.tracker.mode.mode == .significant && scene.tracker.mode.isByRule)
    #expect(scene.tracker.status(at: scene.now).modeCause == "the ignition is off")
  }

  @Test func ruleAgainstChosenModeIsWithheldWithReason() {
    var scene = scene(.quiet) { $0.reports.networkModes = Written("Home|2|-1") }
    scene.post(.networkChanged(.wifi(ssid: "Home", bssid: nil)), at: 0)
    scene.run(until: 11)
    #expect(scene.withheld.map(\.reason) == [.modeIsChosen(.quiet, rule: "Home|2|-1")])
    scene.post(.networkChanged(.mobile), at: 20)
    scene.run(until: 40)
    #expect(scene.withheld.count == 1, "quiet is what it is")
  }

  // MARK: Settings

  @Test func theQueueFollowsItsSettings() {
    var scene = scene()
    change(&scene, at: 1) {
      $0.queue.limit = 777
      $0.broker.maxInFlight = 7
      $0.queue.backlog = .wifi
    }
    #expect(scene.tracker.outbox.old.policy == .wifi)
    #expect(scene.tracker.outbox.limit == 777 && scene.tracker.outbox.windowLimit == 7)
  }

  private func periodic(_ change: (inout Configuration) -> Void) -> Double {
    var scene = scene()
    scene.fix(at: 0, 0)
    self.change(&scene, at: 100, change)
    guard let due = scene.tracker.deadlines[.periodicReport] else { return 0 }
    return (due - scene.now.instant).seconds + 100
  }

  @Test func anotherIntervalOrDistanceBeginsTheWaitAnewAndNothingElse() {
    #expect(periodic { $0.reports.locatorInterval = 400 } == 500)
    #expect(periodic { $0.reports.locatorDisplacement = 400 } == 400)
    #expect(periodic { $0.reports.downgrade = 10 } == 300)
  }

  private func isOnline(_ change: (inout Configuration) -> Void) -> [Bool?] {
    var scene = scene(.manual) { $0.dashboard.availability = true }
    scene.connect()
    self.change(&scene, at: 1, change)
    return scene.announced.map { if case .status(let status) = $0 { status.isOnline } else { nil } }
  }

  @Test func onlyEndOfPresencePublishesOffline() {
    #expect(isOnline { $0.reports.downgrade = 10 } == [true, true])
    #expect(isOnline { $0.dashboard.availability = false } == [true, false])
    #expect(isOnline { $0.broker.port = 0 } == [true, false])
  }

  @Test func settingOverruledByFileIsWrittenAndLogged() {
    var snapshot = Snapshot()
    snapshot.remote = RemoteSettings([.init(name: "ping", value: .number(7), over: .number(0))])
    var edited = scene(snapshot: snapshot)
    edited.post(.tick, at: 0)
    change(&edited, at: 1) { $0.reports.ping = 3 }
    #expect(edited.writes.contains(.remoteSettings(RemoteSettings())))
    var started = scene(snapshot: snapshot) { $0.reports.ping = 3 }
    started.post(.tick, at: 0)
    #expect(started.news.map(\.news) == [.changed(key: "ping", from: "7", to: "3", .file)])
  }

  @Test func theRegionsOfAFileAreKnownFromThenOn() {
    var scene = scene()
    let entry = WaypointEntry(name: "Home", coordinate: Scene.place(0, 0), radius: 50, created: 1)
    scene.post(.configured(scene.tracker.settings, waypoints: [entry]), at: 0)
    #expect(scene.writes.contains(.imported(RegionListDigest.of([entry]))))
  }

  @Test func rollbackOfUnansweredTrialIsNotARefusal() {
    var scene = scene {
      ($0.broker.host, $0.commands.isOn, $0.commands.remoteConfiguration) = ("home", true, true)
    }
    var change = SettingsChange()
    change.settings = [.init("host", .text("away"))]
    scene.post(.commanded(ReceivedCommand(.setConfiguration(change))), at: 0)
    scene.run(until: 121)
    #expect(scene.withheld.last?.reason == .configurationRolledBack(isRefused: false, seconds: 120))
  }

  // MARK: Answers

  @Test func theStatusThatACommandAsksForHasTheBoardAndItsQueue() {
    var scene = scene { $0.commands.isOn = true }
    scene.post(.batteryChanged(Battery(level: 50, state: .unplugged)), at: 0)
    scene.post(.networkChanged(.mobile), at: 0)
    scene.fix(at: 1, 0)
    scene.post(.commanded(ReceivedCommand(.status)), at: 2)
    guard case .status(let status)? = scene.reports.last?.report else {
      return #expect(Bool(false), "no status")
    }
    #expect(status.battery?.level == 50 && status.network == .mobile && status.queueLength == 1)
    #expect(status.queueBytes > 0 && status.oldest == Int(Scene.start) + 1 && status.lastConfirmed == nil)
    scene.connect(at: 3)
    scene.post(.commanded(ReceivedCommand(.status)), at: 13)
    guard case .status(let later)? = scene.reports.last?.report else {
      return #expect(Bool(false), "no status")
    }
    #expect(later.queueLength == 0 && later.oldest == nil && later.lastConfirmed != nil)
  }

  @Test func othersAreGivenTheRegionsThatTheyMayKnow() {
    var (secret, unnamed, home) = (Scene.home(name: "Secret"), Scene.home(name: "x"), Scene.home())
    (secret.region.isShared, unnamed.region.name, home.region.isPrivate) = (false, "", true)
    (secret.region.coordinate, unnamed.region.coordinate) = (Scene.place(9000, 0), Scene.place(9000, 0))
    var desk = Scene.home(radius: 5, name: "Desk")
    var work = Scene.home(name: "Work")
    (desk.region.coordinate, work.region.coordinate) = (Scene.place(20, 0), Scene.place(9000, 0))
    var scene = scene(.manual, [secret, unnamed, home, desk, work]) { $0.commands.isOn = true }
    scene.post(.commanded(ReceivedCommand(.waypoints)), at: 0)
    #expect(scene.story == ["@0 waypoints [\"Home\", \"Work\"]"])
  }

  @Test func clearedRegionsAreGone() {
    var scene = scene(.manual, [Scene.home(), Scene.home(name: "Work")]) {
      ($0.commands.isOn, $0.commands.remoteConfiguration) = (true, true)
    }
    scene.post(.commanded(ReceivedCommand(.clearWaypoints)), at: 0)
    #expect(scene.tracker.knownRegions.isEmpty)
  }
}
