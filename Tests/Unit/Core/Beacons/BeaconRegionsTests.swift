import Model
import Testing
import Timebase

@testable import Core

/// How beacon regions come, change and go, and which of them describes a beacon.
extension BeaconEngineTests {
  @Test mutating func aNewNameIsTheNameOfEverything() {
    _ = watch()
    _ = hear(0)
    var renamed = Scene.beaconRegion(isShared: false)
    renamed.region.name = "-Hall"
    #expect(watch(renamed, isSame: true, at: 1) == .inside)
    #expect(line("-Hall")?.isInside == true)
    #expect(engine.region(of: Scene.sighting().beacon)?.isShared == false)
    #expect(expire(30).notes == [.heldDown(region: renamed.region.eventName)])
  }

  @Test mutating func aRegionThatLosesItsBeaconIsNotWatched() {
    _ = watch()
    var circle = Scene.beaconRegion(radius: 100, inside: .inside)
    circle.region.beacon = nil
    #expect(watch(circle) == .inside && engine.watched.isEmpty)
  }

  /// What a new region begins with is what was heard of its beacon within the time-out.
  @Test(arguments: [(29.9, Presence.inside), (30, .unknown)])
  mutating func aNewRegionBesideABeaconThatIsHeard(second: Double, presence: Presence) {
    _ = watch(Scene.beaconRegion("One"))
    _ = hear(0)
    #expect(watch(Scene.beaconRegion("Two", inside: .unknown), at: second) == presence)
    // It is here, whatever a position says.
    rules.confirm = 1
    #expect(fix(second + 1, 5000).crossings.contains { $0.rid == "Two" } == (presence == .inside))
  }

  /// A beacon of five seconds ago is here whatever a position says, though the region came after the packet.
  @Test mutating func aNewRegionKnowsWhenItsBeaconWasHeard() {
    rules.confirm = 1
    _ = watch(Scene.beaconRegion("One"))
    _ = hear(0)
    #expect(watch(Scene.beaconRegion("Two", inside: .unknown), at: 1) == .inside)
    #expect(fix(5, 5000).isNothing)
    #expect(fix(5.1, 5000).crossings.map(\.rid) == ["One", "Two"])
  }

  /// Inside since before a restart: the time-out is waited for, and it is the one that is named.
  @Test mutating func unheardBeaconIsLostAfterTimeout() {
    _ = watch(Scene.beaconRegion(inside: .inside))
    #expect(expire(29.9).isNothing)
    #expect(expire(30).crossings.map(\.because) == [.beaconLost(region: "Main", seconds: 30)])
  }

  /// Only its name stays: what was heard of the old one says nothing.
  @Test mutating func aRegionThatGetsAnotherBeaconListensToThatOne() {
    _ = watch(Scene.beaconRegion(major: 5))
    _ = hear(0)
    #expect(watch(Scene.beaconRegion(major: 9, inside: .unknown), at: 1) == .unknown)
    #expect(engine.wantedNow() == [BeaconIdentity(uuid: Scene.uuid, major: 9)!])
    #expect(!hear(1.5).isInside && hear(1.6, major: 9).crossings.map(\.crossing) == [.enter])
  }

  /// What no region wants any more takes no room; what another one wants goes on as it was.
  @Test mutating func theBeaconsOfARegionThatGoesAreForgotten() {
    _ = watch(Scene.beaconRegion("All"))
    _ = watch(Scene.beaconRegion("Two", major: 5, minor: 2))
    _ = flood(1...3, from: 0)
    engine.remove(rid: "All")
    _ = hear(1, minor: 2)
    #expect(known() == [2] && engine.heard.map(\.sightings) == [2])
  }

  @Test mutating func anotherTimeoutCountsFromTheLastPacketAgainAndAgain() {
    _ = watch()
    _ = hear(0)
    for timeout in [90.0, 20, 45] {
      let old = rules
      rules.lossTimeout = .seconds(timeout)
      engine.rulesChanged(to: rules, from: old)
      #expect(engine.nextDeadline(at: at(1)) == at(timeout))
    }
    #expect(expire(45).crossings.map(\.because) == [.beaconLost(region: "Main", seconds: 45)])
  }

  /// The more of its numbers a region names the better it describes a beacon, and best if the board is in it.
  @Test mutating func theRegionThatNamesMostDescribesABeacon() {
    let regions: [(String, UInt16?, UInt16?)] = [("One", 5, 6), ("Two", 5, nil), ("Any", nil, nil)]
    for (name, major, minor) in regions { _ = watch(Scene.beaconRegion(name, major: major, minor: minor)) }
    #expect(engine.region(of: Scene.sighting().beacon)?.rid == "One")
    #expect(engine.region(of: Scene.sighting(minor: 9).beacon)?.rid == "Two")
    _ = watch(Scene.beaconRegion("Any", inside: .inside))
    #expect(engine.region(of: Scene.sighting().beacon)?.rid == "Any")
  }

  /// In whatever order they came; of two that name as many the one that was there first keeps the beacon.
  @Test mutating func aRegionThatComesLaterTakesABeaconOnlyIfItNamesMore() {
    for (name, minor) in [("First", nil), ("Second", nil), ("Third", 6), ("Fourth", 6)] as [(String, UInt16?)]
    {
      _ = watch(Scene.beaconRegion(name, major: 5, minor: minor))
    }
    #expect(engine.region(of: Scene.sighting(minor: 9).beacon)?.rid == "First")
    #expect(engine.region(of: Scene.sighting().beacon)?.rid == "Third")
  }
}
