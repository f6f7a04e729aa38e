import Core
import Model
import Testing
import Timebase

/// Outages, holds, strays, thresholds, and GPS against the radio.
@Suite struct BeaconRadioTests {
  // behaviour: Enter and leave
  @Test func anOutageFreezesAndTheClockGoesOnAfterwards() {
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .inside)])
    for second in 1...100 { scene.advert(at: Double(second)) }
    scene.scanner(at: 110, isHearing: false)
    scene.scanner(at: 710, isHearing: true)
    scene.run(until: 800)
    #expect(scene.story == ["@730 leave Main"])
  }

  @Test func aBeaconHasAMomentAfterAnOutage() {
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .inside)])
    for second in 1...100 { scene.advert(at: Double(second)) }
    scene.scanner(at: 129.9, isHearing: false)
    scene.scanner(at: 700, isHearing: true)
    scene.advert(at: 702)
    scene.run(until: 720)
    #expect(scene.story.isEmpty)
  }

  @Test func aDeafRadioNeverLeaves() {
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .inside)])
    scene.scanner(at: 1, isHearing: false)
    scene.run(until: 100_000)
    #expect(scene.story.isEmpty)
  }

  @Test func oversleptDeadlineAwaitsPendingPackets() {
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .inside)])
    for second in 1...100 { scene.advert(at: Double(second)) }
    scene.oversleep(until: 500)
    scene.advert(at: 501)
    scene.run(until: 510)
    #expect(scene.story.isEmpty)
  }

  @Test func anotherTimeoutCountsFromTheLastPacketOn() {
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .inside)])
    scene.advert(at: 10)
    let longer = Scene.configuration {
      $0.reports.monitoring = .manual
      $0.beacons.lossTimeout = 90
    }
    scene.post(.configured(longer, waypoints: []), at: 20)
    scene.run(until: 200)
    #expect(scene.story == ["@100 leave Main"])
  }

  @Test func holdDownComesOnTop() {
    var scene = Scene.withBeacons([Scene.beaconRegion("-Keys", inside: .inside)])
    for second in 1...100 { scene.advert(at: Double(second)) }
    scene.run(until: 200)
    #expect(scene.story == ["@133 leave -Keys"])
  }

  @Test func heardWhileHeldDownIsNothing() {
    var scene = Scene.withBeacons([Scene.beaconRegion("-Keys", inside: .inside)])
    for second in 1...100 { scene.advert(at: Double(second)) }
    scene.advert(at: 131)
    scene.run(until: 150)
    #expect(scene.story.isEmpty)
    #expect(scene.tracker.knownRegions.first?.presence == .inside)
    #expect(scene.withheld.map(\.reason.word).contains("reentered"))
  }

  // behaviour: Enter and leave
  @Test func aStrayPacketAfterALeaveIsNoEnter() {
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .inside)]) { $0.beacons.reentryGuard = 120 }
    scene.advert(at: 1)
    for time in [35.0, 50, 61, 100, 149] { scene.advert(at: time, rssi: -95) }
    #expect(scene.story == ["@31 leave Main"])
    #expect(scene.lastReason == "strayBeacon")
    scene.advert(at: 152, rssi: -95)
    #expect(scene.story == ["@31 leave Main", "@152 enter Main"])
  }

  // behaviour: Enter and leave
  @Test func threePacketsWithinTenSecondsAreAnEnter() {
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .inside)]) { $0.beacons.reentryGuard = 120 }
    scene.advert(at: 1)
    for time in [40.0, 46, 51] { scene.advert(at: time, rssi: -95) }
    #expect(scene.story == ["@31 leave Main"])
    scene.advert(at: 55, rssi: -95)
    #expect(scene.story == ["@31 leave Main", "@55 enter Main"])
  }

  /// The slow one of two is heard first, and only once: nothing is known of its rhythm.
  @Test func strayBeaconKeepsReenteredRegionInside() {
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .inside)]) {
      ($0.beacons.reentryGuard, $0.beacons.lossTimeout) = (120, 0)
    }
    for second in 1...100 { scene.advert(at: Double(second)) }
    scene.advert(at: 150, minor: 9, rssi: -95)
    for time in [152.0, 153] { scene.advert(at: time, rssi: -95) }
    scene.run(until: 300)
    #expect(scene.story == ["@130 leave Main", "@153 enter Main", "@210 leave Main"])
  }

  // behaviour: Enter and leave
  @Test func aRisingSignalIsAnEnter() {
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .inside)]) { $0.beacons.reentryGuard = 120 }
    scene.advert(at: 1, rssi: -65)
    scene.advert(at: 40, rssi: -88)
    scene.advert(at: 55, rssi: -70)
    #expect(scene.story == ["@31 leave Main", "@55 enter Main"])
  }

  /// What is too weak to enter is the packet before the next one all the same: 3 dB are no rise.
  @Test func aRiseIsOneFromThePacketBeforeHoweverWeakThatIs() {
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .inside)]) {
      ($0.beacons.lossTimeout, $0.beacons.reentryGuard, $0.beacons.enterRssi) = (20, 120, -75)
    }
    for second in 1...10 { scene.advert(at: Double(second), rssi: second == 10 ? -110 : -60) }
    // Of the last five the one in the middle counts: too weak are those at 60 and at 80.
    for (second, rssi) in [(35.0, -68), (45, -110), (60, -109), (80, -63), (100, -60)] as [(Double, Int8)] {
      scene.advert(at: second, rssi: rssi)
    }
    #expect(scene.story == ["@30 leave Main"])
  }

  /// So is one that was heard where the board cannot have been.
  @Test func norIsOneFromTooFarAwayPassedOver() {
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .inside)]) { $0.beacons.reentryGuard = 120 }
    scene.advert(at: 1)
    scene.advert(at: 40, rssi: -90)
    scene.fix(at: 50, 5000)
    scene.advert(at: 51, rssi: -66)
    #expect(scene.lastReason == "beaconElsewhere")
    scene.fix(at: 60, 0)
    scene.advert(at: 61, rssi: -65)
    #expect(scene.story == ["@31 leave Main"])
  }

  @Test func aFaintBeaconEntersNothingWhereThresholdsAreSet() {
    var scene = Scene.withBeacons([Scene.beaconRegion()]) { $0.beacons.enterRssi = -80 }
    for second in 10...20 { scene.advert(at: Double(second), rssi: -81) }
    #expect(scene.story.isEmpty)
    for second in 21...30 { scene.advert(at: Double(second), rssi: -79) }
    #expect(scene.story == ["@23 enter Main"])
  }

  // behaviour: Enter and leave
  @Test func belowTheLeaveThresholdABeaconCountsAsSilent() {
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .inside)]) { $0.beacons.enterRssi = -80 }
    for second in 10...40 { scene.advert(at: Double(second), rssi: -85) }
    for second in 41...100 { scene.advert(at: Double(second), rssi: -87) }
    #expect(scene.story == ["@72 leave Main"])
  }

  // behaviour: Beacons and GPS
  @Test func gpsOverrulesAFrozenRadio() {
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .inside)]) { $0.beacons.lossTimeout = 3600 }
    scene.fix(at: 1, 0)
    scene.advert(at: 2)
    for second in 10...60 { scene.fix(at: Double(second), Double(second - 10) * 20, speed: 20) }
    #expect(scene.story == ["@36 leave Main", "@36 loc(b)"])
    #expect(scene.tracker.journal.entries.contains { $0.reason.word == "beaconFar" })
  }

  @Test func gpsOverrulesADeafRadioToo() {
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .inside)])
    scene.scanner(at: 1, isHearing: false)
    scene.fix(at: 10, 600)
    #expect(scene.story == ["@10 leave Main", "@10 loc(b)"])
  }

  // behaviour: Beacons and GPS
  @Test func heardBeaconOverridesGPSPosition() {
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .inside)])
    for second in 1...300 {
      scene.advert(at: Double(second))
      scene.fix(at: Double(second) + 0.1, Double(second) * 20, speed: 20)
    }
    // And now it is known to go along: a silence on the road means nothing special.
    for second in 301...320 { scene.fix(at: Double(second), Double(second) * 40, speed: 20) }
    #expect(scene.story.isEmpty)
  }

  // behaviour: Beacons and GPS
  @Test func aTravellingRegionIsExemptFromGPS() {
    var scene = Scene.withBeacons([Scene.beaconRegion("Car", radius: -1, inside: .inside)])
    scene.fix(at: 10, 5000)
    #expect(scene.story.isEmpty)
  }

  @Test func aPlacelessRegionLearnsItsPlace() {
    let nowhere = Coordinate(latitude: 0, longitude: 0)!
    var scene = Scene.withBeacons([Scene.beaconRegion(at: nowhere, inside: .inside)])
    scene.advert(at: 1)
    scene.fix(at: 2, 0)
    scene.fix(at: 20, 600, speed: 30)
    #expect(scene.story == ["@20 leave Main", "@20 loc(b)"])
  }
}
