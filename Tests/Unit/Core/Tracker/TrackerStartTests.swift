import Model
import Testing
import Timebase

@testable import Core

/// What a start makes of what the disk knows.
struct TrackerStartTests {
  private func snapshot(_ change: (inout Snapshot) -> Void) -> Snapshot {
    var snapshot = Snapshot()
    change(&snapshot)
    return snapshot
  }

  /// A follow region is where it was; in move mode it was somewhere else by then.
  @Test(arguments: [(MonitoringMode.significant, Presence.inside), (.move, .unknown)])
  func whereTheBoardIsToAFollowRegion(_ mode: MonitoringMode, _ presence: Presence) {
    let follow = Scene.home(radius: 50, name: "+follow", inside: .inside)
    let stored = snapshot { $0.mode = ModeState(mode: mode, configured: .significant) }
    let scene = Scene(
      Scene.configuration { $0.reports.monitoring = .significant }, regions: [follow], snapshot: stored)
    #expect(scene.tracker.knownRegions.map(\.presence) == [presence])
    let first = Scene(Scene.configuration { $0.reports.monitoring = mode }, regions: [follow])
    #expect(first.tracker.knownRegions.map(\.presence) == [presence])
  }

  @Test func theQueueHasAsManyMegabytesAsTheConfigurationSays() {
    var scene = Scene(Scene.configuration { $0.queue.limitMegabytes = 3 })
    #expect(scene.tracker.outbox.byteLimit == 3 * 1024 * 1024)
    scene.post(.configured(Scene.configuration { $0.queue.limitMegabytes = 5 }, waypoints: []), at: 1)
    #expect(scene.tracker.outbox.byteLimit == 5 * 1024 * 1024)
  }

  /// Stores of earlier versions do not know what was announced.
  @Test func firstStartOnOldStoreWritesEnteredRegions() {
    var scene = Scene(
      regions: [Scene.home(inside: .inside), Scene.home(name: "Work")],
      snapshot: snapshot { $0.entered = nil })
    scene.post(.tick, at: 0)
    let home = EnteredRegion(region: Scene.home().region, isChanged: false)
    #expect(scene.writes.contains(.entered([home])))
  }

  private func crossings(_ scene: Scene) -> [String] {
    scene.reports.compactMap { _, report in
      if case .transition(let one) = report { "\(one.crossing) \(one.region.name)" } else { nil }
    }
  }

  /// Left in the life before, while nothing could be told. The fixes that make the clock known enter another region.
  @Test func pendingLeavePrecedesEnterOnceClockIsTrusted() {
    let home = Scene.home(inside: .outside)
    var shop = Scene.home(name: "Shop", inside: .outside)
    shop.region.coordinate = Scene.place(1000, 0)
    let stored = snapshot { $0.entered = [EnteredRegion(region: home.region, isChanged: false)] }
    var scene = Scene(regions: [home, shop], snapshot: stored)
    scene.hasTrustedClock = false
    for second in 0...8 { scene.fix(at: Double(second), 1000, claimed: 1_800_000_000 + Double(second)) }
    #expect(crossings(scene) == ["leave Home", "enter Shop"])
  }

  /// It was left inside of a private region, and the fix that leaves that one enters the next.
  @Test func pendingLeavePrecedesEnterAfterPrivateRegion() {
    var yard = Scene.home(name: "Yard", inside: .inside)
    yard.region.isPrivate = true
    var shop = Scene.home(name: "Shop")
    shop.region.coordinate = Scene.place(1000, 0)
    var home = Scene.home()
    home.region.coordinate = Scene.place(5000, 0)
    let stored = snapshot { $0.entered = [EnteredRegion(region: home.region, isChanged: false)] }
    var scene = Scene(regions: [home, yard, shop], snapshot: stored)
    for second in 0...8 { scene.fix(at: Double(second), 0) }
    for second in 9...20 { scene.fix(at: Double(second), 1000) }
    #expect(crossings(scene) == ["leave Yard", "leave Home", "enter Shop"])
  }

  @Test func aSignOfLifeComesThoughNoFixDoes() {
    let fix = Fix(time: WallTime(seconds: Scene.start - 9000), coordinate: Scene.place(0, 0), accuracy: 5)
    var scene = Scene(
      Scene.configuration { $0.reports.ping = 15 }, snapshot: snapshot { $0.position = fix })
    scene.post(.tick, at: 0)
    scene.run(until: 901)
    #expect(scene.story == ["@900 loc(p)"])
  }

  // MARK: A store that is there later

  private func takenUp(_ earlier: Snapshot = .init(), _ prepare: (inout Scene) -> Void) -> (
    writes: [StoreWrite], scene: Scene
  ) {
    var scene = Scene(regions: [Scene.home()])
    prepare(&scene)
    let writes = scene.tracker.handOver(to: earlier, at: scene.now).flatMap { effect -> [StoreWrite] in
      if case .store(_, let writes) = effect { return writes }
      return []
    }
    _ = scene.tracker.takeUp(Snapshot(), at: scene.now)
    return (writes, scene)
  }

  @Test func enteredRegionsAreHandedOverToStore() {
    let shop = EnteredRegion(region: Scene.home(name: "Shop").region, isChanged: false)
    let (writes, _) = takenUp(snapshot { $0.entered = [shop] }) { scene in
      scene.isDiskBroken = true
      scene.fix(at: 0, 500)
      scene.fix(at: 60, 0)
    }
    let home = EnteredRegion(region: Scene.home().region, isChanged: false)
    #expect(writes.contains(.entered([shop, home])))
  }

  @Test func theJournalGoesOn() {
    let (_, scene) = takenUp { $0.post(.sourceReached("gpsd", true), at: 0) }
    #expect(scene.tracker.journal.entries.contains { $0.reason == .sourceReached("gpsd", true) })
  }

  /// It had turned a moment before.
  @Test func ignitionChangeBeforeTakeUpIsPublished() {
    var (_, scene) = takenUp { scene in
      scene.fix(at: 0, 0)
      scene.post(.ignition(false), at: 10)
      scene.run(until: 100)
      scene.post(.ignition(true), at: 101)
    }
    scene.fix(at: 101.5, 0)
    scene.run(until: 120)
    #expect(scene.story.contains { $0.hasSuffix("loc(i)") }, "\(scene.story)")
  }
}
