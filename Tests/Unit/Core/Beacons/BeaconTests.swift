import Core
import Model
import Testing

@Suite struct BeaconTests {
  // behaviour: Enter and leave
  @Test func theFirstPacketIsAnEnter() {
    var scene = Scene.withBeacons([Scene.beaconRegion()])
    scene.fix(at: 1, 0)
    scene.advert(at: 10)
    #expect(scene.story == ["@10 enter Main", "@10 loc(b)"])
    #expect(scene.lastLocation?.inside.map(\.rid) == ["Main"])
  }

  // behaviour: Enter and leave
  @Test func silenceForTheTimeoutIsALeave() {
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .inside)])
    scene.fix(at: 1, 0)
    for second in 10...100 { scene.advert(at: Double(second)) }
    scene.run(until: 129.9)
    #expect(scene.story.isEmpty)
    scene.run(until: 131)
    #expect(scene.story == ["@130 leave Main", "@130 loc(b)"])
  }

  // behaviour: Enter and leave
  @Test func anyOfSeveralBeaconsKeepsAWildcardInside() {
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .inside)])
    for step in 0..<10 { scene.advert(at: Double(10 + 20 * step), minor: UInt16(step % 2)) }
    #expect(scene.story.isEmpty)
  }

  @Test func numbersHaveToMatch() {
    var scene = Scene.withBeacons([Scene.beaconRegion(major: 5, minor: 7)])
    scene.advert(at: 10)
    #expect(scene.story.isEmpty)
    scene.advert(at: 11, minor: 7)
    #expect(scene.story == ["@11 enter Main"])
  }

  @Test func oneBeaconMayEnterSeveralRegions() {
    var scene = Scene.withBeacons([
      Scene.beaconRegion("Shop"), Scene.beaconRegion("Counter", major: 5), Scene.beaconRegion("No", major: 6),
    ])
    scene.fix(at: 1, 0)
    scene.advert(at: 10)
    #expect(scene.story == ["@10 enter Counter", "@10 enter Shop", "@10 loc(b)"])
  }

  /// The first advertisement is an enter; nobody else could tell that the board is at home by now.
  @Test func beaconHeardAtStartIsEnter() {
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .unknown)])
    scene.advert(at: 1)
    #expect(scene.story == ["@1 enter Main"])
    #expect(scene.tracker.knownRegions.map(\.presence) == [.inside])
  }

  @Test func beaconHeardLaterEntersNewRegion() {
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .unknown)])
    scene.run(until: 3)
    #expect(scene.tracker.knownRegions.map(\.presence) == [.outside])
    scene.advert(at: 3)
    #expect(scene.story == ["@3 enter Main"])
  }

  @Test func aRegionAddedBesideItsBeaconIsNoEnter() {
    var scene = Scene.withBeacons([Scene.beaconRegion()])
    scene.fix(at: 0, 0)
    scene.advert(at: 10)
    scene.post(.control(.regionAdd(Self.entry("Second"), isHere: false), from: 1), at: 15)
    scene.advert(at: 20)
    #expect(scene.story == ["@10 enter Main", "@10 loc(b)", "@15 wp Second"])
    #expect(scene.tracker.knownRegions.map(\.presence) == [.inside, .inside])
  }

  @Test func aRemovedRegionSaysNothingMore() {
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .inside)])
    scene.advert(at: 1)
    scene.post(.control(.regionRemove(region: "Main"), from: 1), at: 5)
    scene.run(until: 100)
    #expect(scene.story.isEmpty)
  }

  @Test func aNewNameKeepsTheState() {
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .inside)])
    scene.advert(at: 1)
    var edit = ControlRequest.RegionEdit()
    edit.name = "Hall"
    scene.post(.control(.regionSet(region: "Main", edit), from: 1), at: 5)
    scene.run(until: 100)
    #expect(scene.story == ["@5 wp Hall", "@31 leave Hall"])
  }

  @Test func aNewNameMayAskForHoldDown() {
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .inside)])
    scene.advert(at: 1)
    var edit = ControlRequest.RegionEdit()
    edit.name = "-Hall"
    scene.post(.control(.regionSet(region: "Main", edit), from: 1), at: 5)
    scene.run(until: 100)
    #expect(scene.story == ["@5 wp -Hall", "@34 leave -Hall"])
  }

  // behaviour: Kinds and names
  @Test func aCircleWinsOverItsBeacon() {
    var scene = Scene.withBeacons([Scene.beaconRegion(radius: 100)])
    scene.advert(at: 10)
    #expect(scene.story.isEmpty)
    #expect(scene.scans.isEmpty)
  }

  /// The first packet gets a minute, because nothing is known of the beacon; the next ones know better.
  @Test func learntTimeoutAppliesFromNextPacket() {
    var scene = Scene.withBeacons([Scene.beaconRegion()]) { $0.beacons.lossTimeout = 0 }
    for time in 10...13 { scene.advert(at: Double(time)) }
    scene.run(until: 42)
    #expect(scene.story == ["@10 enter Main"])
    scene.run(until: 44)
    #expect(scene.story == ["@10 enter Main", "@43 leave Main"])
  }

  @Test func theBeaconThatLastsLongestKeepsARegion() {
    var scene = Scene.withBeacons([Scene.beaconRegion()]) { $0.beacons.lossTimeout = 0 }
    // Once heard: good for a minute, whatever the other one has learned.
    scene.advert(at: 9, minor: 7)
    for time in 10...13 { scene.advert(at: Double(time)) }
    scene.run(until: 68)
    #expect(scene.story == ["@9 enter Main"])
    scene.run(until: 70)
    #expect(scene.story == ["@9 enter Main", "@69 leave Main"])
  }

  // behaviour: Enter and leave
  @Test func insideSurvivesARestartUntilTheTimeoutHasRun() {
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .inside)])
    scene.run(until: 29.9)
    #expect(scene.story.isEmpty)
    scene.run(until: 31)
    #expect(scene.story == ["@30 leave Main"])
  }

  // behaviour: What is durable when
  @Test func presenceReachesTheDiskWithItsTransition() {
    var scene = Scene.withBeacons([Scene.beaconRegion()])
    scene.advert(at: 10)
    #expect(scene.writes.contains { if case .region(_, .inside) = $0 { true } else { false } })
  }

  @Test func theNameSwitchesTheMode() {
    var scene = Scene.withBeacons([Scene.beaconRegion("Main|2|1")])
    scene.fix(at: 1, 0)
    scene.advert(at: 10)
    #expect(scene.story == ["@10 enter Main", "@10 loc(b)"])
    #expect(scene.lastLocation?.mode == .move)
  }

  // behaviour: Beacons and GPS
  @Test func travellingWaypointGoesBetweenTransitionAndLocation() {
    var scene = Scene.withBeacons([Scene.beaconRegion("Car", radius: -1, at: Scene.place(9000, 0))])
    scene.fix(at: 1, 50)
    scene.advert(at: 10)
    #expect(scene.story == ["@10 enter Car", "@10 wp Car", "@10 loc(b)"])
    #expect(scene.tracker.knownRegions.first?.region.coordinate == Scene.place(50, 0))
  }

  @Test func aTravellingRegionIsNotResetByItsFile() {
    var scene = Scene.withBeacons([Scene.beaconRegion("Car", radius: -1)])
    scene.fix(at: 1, 5000)
    scene.advert(at: 10)
    var entry = Self.entry("Car")
    entry.radius = -1
    scene.post(.control(.regionImport([entry]), from: 1), at: 11)
    #expect(scene.tracker.knownRegions.first?.presence == .inside)
    #expect(scene.tracker.knownRegions.first?.region.coordinate == Scene.place(5000, 0))
  }

  @Test func quietTracksSilently() {
    var scene = Scene.withBeacons([Scene.beaconRegion("Car", radius: -1)]) { $0.reports.monitoring = .quiet }
    scene.fix(at: 1, 5000)
    scene.advert(at: 10)
    #expect(scene.story.isEmpty)
    #expect(scene.tracker.knownRegions.first?.presence == .inside)
    #expect(scene.lastReason == "modeIsQuiet")
  }

  // behaviour: why
  @Test func everyCrossingSaysWhy() {
    var scene = Scene.withBeacons([Scene.beaconRegion()])
    scene.advert(at: 10, rssi: -70)
    scene.run(until: 60)
    let reasons = scene.tracker.journal.entries.map(\.reason)
    #expect(reasons.contains(.beaconHeard(region: "Main", major: 5, minor: 6, rssi: -70)))
    #expect(reasons.contains(.beaconLost(region: "Main", seconds: 30)))
  }

  static func entry(_ name: String) -> WaypointEntry {
    WaypointEntry(
      rid: name, name: name, coordinate: Scene.place(0, 0), radius: 0,
      beacon: BeaconIdentity(uuid: Scene.uuid), created: 1_700_000_100)
  }
}
