import Core
import Model
import Testing
import Timebase

/// What the radio is asked for (docs/behaviour.md, "How hard the radio listens").
@Suite struct ScanPlanTests {
  private let main = BeaconIdentity(uuid: Scene.uuid)!

  // behaviour: How hard the radio listens
  @Test func withoutBeaconRegionsTheRadioIsLeftAlone() {
    let scene = Scene.withBeacons([Scene.home()])
    #expect(scene.scans.isEmpty)
  }

  @Test func aBeaconRegionIsListenedForFromTheStart() {
    let scene = Scene.withBeacons([Scene.beaconRegion()])
    #expect(scene.scans == [ScanPlan(wanted: [main], duty: 100)])
  }

  @Test func eachIdentityIsAskedForOnce() {
    let scene = Scene.withBeacons([Scene.beaconRegion("a"), Scene.beaconRegion("b")])
    #expect(scene.scans == [ScanPlan(wanted: [main], duty: 100)])
  }

  @Test func regionsThatComeAndGoChangeThePlan() {
    var scene = Scene.withBeacons([])
    scene.post(.control(.regionAdd(BeaconTests.entry("Main"), isHere: false), from: 1), at: 5)
    scene.post(.control(.regionRemove(region: "Main"), from: 1), at: 6)
    #expect(scene.scans == [ScanPlan(wanted: [main], duty: 100), .off])
  }

  @Test func aFixedShareIsKept() {
    var scene = Scene.withBeacons([Scene.beaconRegion()]) { $0.beacons.scanDuty = 40 }
    scene.fix(at: 1, 500_000)
    #expect(scene.scans.map(\.duty) == [40])
  }

  @Test func offIsOff() {
    let scene = Scene.withBeacons([Scene.beaconRegion()]) { $0.beacons.scanDuty = 0 }
    #expect(scene.scans.isEmpty)
  }

  @Test func anotherSettingTakesEffectAtOnce() {
    var scene = Scene.withBeacons([Scene.beaconRegion()])
    var configuration = Scene.configuration { $0.reports.monitoring = .manual }
    configuration.beacons.scanDuty = 0
    scene.post(.configured(configuration, waypoints: []), at: 5)
    #expect(scene.scans.map(\.duty) == [100, 0])
  }

  // behaviour: How hard the radio listens
  @Test(arguments: [2412, nil])
  func besideAWiFiOnTheSameAntennaAThirdMustDo(megahertz: Int?) {
    var scene = Scene.withBeacons([Scene.beaconRegion()])
    scene.scanner(at: 1, isHearing: true, sharesAntenna: true)
    scene.post(.networkChanged(.wifi(ssid: nil, bssid: nil, megahertz: megahertz)), at: 2)
    scene.post(.networkChanged(.mobile), at: 3)
    #expect(scene.scans.map(\.duty) == [100, 30, 100])
  }

  @Test func aWiFiInAnotherBandOrOnAnotherAntennaIsNoMatter() {
    var scene = Scene.withBeacons([Scene.beaconRegion()])
    scene.post(.networkChanged(.wifi(ssid: nil, bssid: nil, megahertz: 2412)), at: 1)
    #expect(scene.scans.map(\.duty) == [100])
    scene.scanner(at: 2, isHearing: true, sharesAntenna: true)
    scene.post(.networkChanged(.wifi(ssid: nil, bssid: nil, megahertz: 5180)), at: 3)
    #expect(scene.scans.map(\.duty) == [100, 30, 100])
  }

  // behaviour: How hard the radio listens
  @Test func aShareOfTheTimeIsAShareOfTheSilence() {
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .inside)]) { $0.beacons.scanDuty = 30 }
    scene.advert(at: 1)
    scene.run(until: 100)
    #expect(scene.story.isEmpty)
    scene.run(until: 102)
    #expect(scene.story.map { $0.suffix(10) } == ["leave Main"])
  }

  @Test func silenceCountsByTheShareThatWasInForce() {
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .inside)])
    scene.post(.networkChanged(.wifi(ssid: nil, bssid: nil)), at: 0)
    scene.scanner(at: 0, isHearing: true, sharesAntenna: true)
    scene.advert(at: 10)
    scene.post(.networkChanged(.mobile), at: 60)
    scene.run(until: 100)
    #expect(scene.story == ["@75 leave Main"])
  }

  // behaviour: How hard the radio listens
  @Test func farFromEveryBeaconTheRadioRests() {
    var scene = Scene.withBeacons([Scene.beaconRegion()])
    scene.fix(at: 10, 20_000)
    #expect(scene.scans.map(\.duty) == [100, 1])
    // (20,000 - 5 - 700) m at 70 m/s: from then on it could be there.
    scene.run(until: 285)
    #expect(scene.scans.map(\.duty) == [100, 1])
    scene.run(until: 287)
    #expect(scene.scans.map(\.duty) == [100, 1, 100])
  }

  @Test func aRestOfSecondsIsNotWorthTheChange() {
    var scene = Scene.withBeacons([Scene.beaconRegion()])
    scene.fix(at: 10, 1700)
    #expect(scene.scans.map(\.duty) == [100])
  }

  @Test func anHourOfMotorwayCostsTheRadioLittleAndArrivalIsSeen() {
    var scene = Scene.withBeacons([Scene.beaconRegion("Home"), Self.work])
    var spent = 0.0
    var seconds = 0.0
    for second in 1...3600 {
      scene.fix(at: Double(second), Double(second) * 36, speed: 36)
      spent += Double(scene.scans.last?.duty ?? 0)
      seconds += 1
    }
    #expect(spent / seconds <= 5, "\(spent / seconds) % on average")
    #expect(scene.scans.last?.duty == 100)
    scene.advert(at: 3601, major: 9)
    #expect(scene.story.contains("@3601 enter Work"))
  }

  @Test func aRegionWithoutAPlaceForbidsRest() {
    let nowhere = Coordinate(latitude: 0, longitude: 0)!
    for region in [Scene.beaconRegion(at: nowhere), Scene.beaconRegion("Car", radius: -1)] {
      var scene = Scene.withBeacons([Scene.beaconRegion("Home"), region])
      scene.fix(at: 10, 20_000)
      #expect(scene.scans.map(\.duty) == [100], "\(region.region.name)")
    }
  }

  @Test func aRegionDrawnInAWrongPlaceForbidsRestOnceItIsFound() {
    var scene = Scene.withBeacons([Scene.beaconRegion()]) { $0.beacons.needsPlace = false }
    scene.fix(at: 10, 20_000)
    scene.advert(at: 11)
    scene.fix(at: 12, 20_000)
    scene.run(until: 300)
    scene.fix(at: 301, 20_000)
    #expect(scene.scans.map(\.duty) == [100, 1, 100])
  }

  private static let work = Scene.beaconRegion("Work", at: Scene.place(129_600, 0), major: 9)
}
