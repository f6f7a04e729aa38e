import Model
import Testing
import Timebase

@testable import Core

/// What changed settings bring about at once, what is said of them, and what is kept of them.
struct TrackerSettingsTests {
  private func scene(
    _ regions: [Snapshot.KnownRegion] = [], snapshot: Snapshot = .init(),
    _ change: (inout Configuration) -> Void = { _ in }
  ) -> Scene {
    Scene(
      Scene.configuration {
        $0.reports.monitoring = .manual
        change(&$0)
      }, regions: regions, snapshot: snapshot)
  }

  // MARK: The file

  /// What people do to the regions later is not undone by the next start.
  @Test func aListThatSaysNothingNewIsKnownFromThenOn() {
    var scene = scene([Scene.home()])
    scene.post(.tick, at: 0)
    scene.writes = []
    let entry = WaypointEntry(
      name: "Home", coordinate: Scene.place(0, 0), radius: 100, created: 1_700_000_100)
    scene.post(.configured(scene.tracker.settings, waypoints: [entry]), at: 1)
    #expect(scene.writes == [.imported(RegionListDigest.of([entry]))])
  }

  // MARK: Old locations

  /// Five seconds of a drive without a connection, a connection that takes one message at a time and answers nothing.
  private func waiting(_ change: (inout Configuration) -> Void = { _ in }) -> Scene {
    var scene = scene {
      $0.reports.monitoring = .move
      ($0.reports.locatorDisplacement, $0.reports.locatorInterval, $0.reports.fixLoss) = (0, 0, false)
      change(&$0)
    }
    scene.acknowledges = false
    for second in 0...4 { scene.fix(at: Double(second), Double(second) * 50, speed: 50) }
    return scene
  }

  /// The first is under way, and the newest is never old.
  @Test(arguments: [
    (Configuration.Backlog.wifi, Reason.backlogWaits(count: 3)), (.never, .backlogDropped(count: 3)),
  ])
  func backlogChangeReportsOldLocations(_ backlog: Configuration.Backlog, _ reason: Reason) {
    var scene = waiting()
    scene.connect(at: 100, receiveMaximum: 1)
    #expect(scene.sent.count == 1 && scene.withheld.isEmpty)
    var changed = scene.tracker.settings
    changed.queue.backlog = backlog
    scene.post(.configured(changed, waypoints: []), at: 101)
    #expect(scene.withheld.map(\.reason) == [reason])
  }

  /// Over HTTP no connection ends with it.
  @Test func thatOldLocationsWaitIsSaidWhenTheWayOutIsCounted() {
    var scene = waiting { $0.queue.backlog = .wifi }
    scene.post(.networkChanged(.wired), at: 10)
    scene.connect(at: 100, receiveMaximum: 1)
    #expect(scene.withheld.isEmpty)
    scene.post(.networkChanged(.mobile), at: 101)
    #expect(scene.withheld.map(\.reason) == [.backlogWaits(count: 3)])
  }

  // MARK: The journal

  @Test(arguments: [10, 11, 12]) func afterTenLinesTheOthersAreCounted(_ changes: Int) {
    var scene = scene { ($0.commands.isOn, $0.commands.remoteConfiguration) = (true, true) }
    let names = [
      "ping", "locatorInterval", "locatorDisplacement", "significantDisplacement", "significantInterval",
      "ignoreInaccurateLocations", "downgrade", "adapt", "overspeed", "towAlarm", "adaptiveDistance",
      "adaptiveHeading",
    ]
    var change = SettingsChange()
    change.settings = names.prefix(changes).map { .init($0, .number(77)) }
    scene.post(.commanded(ReceivedCommand(.setConfiguration(change))), at: 1)
    #expect(scene.news.count == 10)
    scene.run(until: 62)
    let more = scene.news.dropFirst(10).map(\.news)
    #expect(more == (changes > 10 ? [.more(changes - 10)] : []))
  }

  // MARK: Rules of networks

  /// A network that has changed nothing yet: its rule is about the end.
  @Test func aNetworkThatIsLeftWhileTheBoardIsOffHasBeenLeft() {
    func change(_ configuration: inout Configuration) {
      (configuration.reports.monitoring, configuration.reports.networkModes) = (
        .significant, Written("Home||2")
      )
    }
    var scene = scene(snapshot: Snapshot(), change)
    scene.post(.networkChanged(.wifi(ssid: "Home", bssid: nil)), at: 0)
    scene.run(until: 11)
    #expect(scene.tracker.mode.mode == .significant)
    var snapshot = Snapshot()
    for case .mode(let state) in scene.writes { snapshot.mode = state }
    var next = self.scene(snapshot: snapshot, change)
    next.post(.networkChanged(.mobile), at: 100)
    next.run(until: 111)
    #expect(next.tracker.mode.mode == .move)
  }
}
