import Model
import Testing

@testable import Core

/// What the board tells of itself unasked, and that by default it tells nothing.
struct AnnouncementTests {
  private func scene(_ change: @escaping (inout Configuration) -> Void) -> Scene {
    Scene(
      Scene.configuration {
        $0.reports.monitoring = .manual
        change(&$0)
      }, regions: [Scene.home()])
  }

  private func shown(_ scene: Scene) -> [String] {
    scene.story.filter { $0.contains("show") || $0.contains("hide") }
  }

  private func isOnline(_ report: Report?) -> Bool? {
    if case .status(let status) = report { status.isOnline } else { nil }
  }

  @Test func byDefaultItSaysNothing() {
    var scene = scene { _ in }
    scene.connect()
    scene.post(.control(.mode(.move), from: 1), at: 10)
    scene.post(.stopping, at: 20)
    #expect(scene.announced.isEmpty && scene.reports.isEmpty)
  }

  @Test func itIsThereWithEveryConnectionAndGoesWithTheEnd() {
    var scene = scene { $0.dashboard.availability = true }
    scene.connect()
    scene.post(.brokerLost(), at: 10)
    scene.connect(at: 20)
    #expect(scene.announced.map(isOnline) == [true, true])
    scene.post(.stopping, at: 30)
    #expect(isOnline(scene.announced.last) == false)
  }

  /// The broker may have published a will meanwhile.
  @Test func inDoubtItIsToldAgain() {
    var scene = scene { $0.dashboard.availability = true }
    scene.post(.presenceDoubted, at: 0)
    #expect(scene.announced.isEmpty)
    scene.connect(at: 1)
    scene.post(.presenceDoubted, at: 2)
    #expect(scene.announced.map(isOnline) == [true, true])
  }

  @Test func withoutATrustedClockNothingIsDated() {
    var scene = scene { $0.dashboard.availability = true }
    scene.hasTrustedClock = false
    scene.connect()
    guard case .status(let status) = scene.announced.last else {
      Issue.record("not told")
      return
    }
    #expect(status.time == nil)
  }

  @Test func aChangeOfModeIsToldAtOnce() {
    var scene = scene { $0.dashboard.availability = true }
    scene.connect()
    scene.post(.control(.mode(.move), from: 1), at: 10)
    guard case .status(let status) = scene.announced.last else {
      Issue.record("not told")
      return
    }
    #expect(scene.announced.count == 2 && status.mode.mode == .move)
  }

  @Test func quietDoesNotSayWhere() {
    var scene = scene { $0.dashboard.availability = true }
    scene.fix(at: 0, 0)
    scene.connect(at: 1)
    scene.post(.control(.mode(.quiet), from: 1), at: 10)
    let places = scene.announced.map { if case .status(let status) = $0 { status.fix != nil } else { false } }
    #expect(places == [true, false])
  }

  @Test func everyEntityIsShownOnceForALife() {
    var scene = scene { $0.dashboard.discovery = true }
    scene.connect()
    #expect(shown(scene).count == DiscoveredEntity.plain.count + 1)
    #expect(shown(scene).last == "@0 show region Home")
    scene.post(.brokerLost(), at: 10)
    scene.connect(at: 20)
    #expect(shown(scene).count == DiscoveredEntity.plain.count + 1)
  }

  @Test func aRegionThatGoesIsHidden() {
    var scene = scene { $0.dashboard.discovery = true }
    scene.connect()
    scene.post(.control(.regionRemove(region: "Home"), from: 1), at: 10)
    #expect(shown(scene).last == "@10 hide region Home")
  }

  @Test func switchedOffItHidesEverything() {
    var scene = scene { $0.dashboard.discovery = true }
    scene.connect()
    var file = scene.tracker.settings
    file.dashboard.discovery = false
    scene.post(.configured(file, waypoints: []), at: 10)
    #expect(shown(scene).filter { $0.contains("hide") }.count == DiscoveredEntity.plain.count + 1)
  }

  @Test func whatNobodyCouldReadIsNotShown() {
    var scene = scene {
      $0.dashboard.discovery = true
      $0.messages.encryptionKey = "s"
    }
    scene.connect()
    #expect(shown(scene).isEmpty)
  }

  @Test func aModeThatMayBeChosenReplacesTheNumber() {
    var scene = scene { $0.dashboard.discovery = true }
    scene.connect()
    var file = scene.tracker.settings
    (file.commands.isOn, file.commands.remoteConfiguration) = (true, true)
    scene.post(.configured(file, waypoints: []), at: 10)
    let modes = scene.reports.compactMap { one -> DiscoveryReport? in
      if case .discovery(let report) = one.report, report.entity == .mode { report } else { nil }
    }
    #expect(
      modes.map(\.isGone) == [false, true, false] && modes.map(\.isModeChosen) == [false, false, true])
  }

  @Test func theTopicThatIsLeftIsTold() {
    var scene = scene { $0.dashboard.availability = true }
    scene.connect()
    var file = scene.tracker.settings
    file.broker.host = "another"
    scene.post(.configured(file, waypoints: []), at: 10)
    #expect(scene.announced.map(isOnline) == [true, false, true])
  }

  @Test func anotherBrokerIsToldEverything() {
    var scene = scene { $0.dashboard.discovery = true }
    scene.connect()
    var file = scene.tracker.settings
    file.broker.host = "another"
    scene.post(.configured(file, waypoints: []), at: 10)
    scene.post(.brokerLost(), at: 10)
    scene.connect(at: 20)
    #expect(shown(scene).filter { $0.contains("show") }.count == 2 * (DiscoveredEntity.plain.count + 1))
  }
}
