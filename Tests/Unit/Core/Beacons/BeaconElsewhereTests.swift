import Model
import Testing
import Timebase

@testable import Core

/// An advertisement that anybody can send is believed only where the board may be.
struct BeaconElsewhereTests {
  private func scene(
    _ region: Snapshot.KnownRegion = Scene.beaconRegion(), _ change: (inout Configuration) -> Void = { _ in }
  ) -> Scene {
    Scene.withBeacons([region], change)
  }

  private func isInside(_ scene: Scene) -> Bool { scene.tracker.knownRegions.first?.presence == .inside }

  // behaviour: Beacons and GPS
  @Test func farFromItsPlaceABeaconIsNoEnter() {
    var scene = scene()
    scene.fix(at: 0, 5000)
    scene.advert(at: 0.5)
    #expect(!isInside(scene))
    #expect(!scene.story.contains { $0.contains("enter") })
    let reason = scene.withheld.last?.reason
    #expect(reason?.word == "beaconElsewhere")
    #expect(reason?.sentence.hasPrefix("a beacon of Main was heard 5000 m from there: no enter") == true)
    #expect(reason?.details.map(\.name) == ["region", "metres"])
  }

  @Test func itIsNotedEveryTenSecondsAndNotTenTimesASecond() {
    var scene = scene()
    for tick in 0..<250 {
      if tick % 10 == 0 { scene.fix(at: Double(tick) / 10, 5000) }
      scene.advert(at: Double(tick) / 10)
    }
    #expect(scene.withheld.filter { $0.reason.word == "beaconElsewhere" }.count == 3)
  }

  @Test func thereAndNearbyItIsOne() {
    for east in [0.0, 300, 1000] {
      var scene = scene()
      scene.fix(at: 0, east)
      scene.advert(at: 0.5)
      #expect(isInside(scene), "\(east)")
    }
  }

  @Test func anAccuracyThatReachesThereLeavesItOpen() {
    for (accuracy, east, isOpen) in [
      (100.0, 1900.0, false), (950, 1900, true), (1000, 50_000, false), (1001, 50_000, true),
      (1500, 50_000, true),
    ] {
      var scene = scene()
      scene.fix(at: 0, east, accuracy: accuracy)
      scene.advert(at: 0.2)
      #expect(isInside(scene) == isOpen, "\(accuracy)")
    }
  }

  // behaviour: Beacons and GPS
  /// A position of 20 s ago, and two kilometres of motorway.
  @Test func possibleTravelSinceFixIsAllowedFor() {
    var scene = scene()
    scene.fix(at: 0, 2500)
    scene.advert(at: 1)
    #expect(!isInside(scene))
    scene.advert(at: 20)
    #expect(isInside(scene))
  }

  @Test func anOldPositionSaysNothing() {
    var scene = scene { $0.reports.fixTimeout = 5 }
    scene.fix(at: 0, 50_000)
    scene.advert(at: 6)
    #expect(isInside(scene))
  }

  @Test func norDoesOneOfAnEarlierLife() {
    var snapshot = Snapshot()
    snapshot.position = Fix(
      time: WallTime(seconds: Scene.start - 5), coordinate: Scene.place(50_000, 0), accuracy: 5)
    snapshot.regions = [Scene.beaconRegion()]
    var scene = Scene(Scene.configuration(), snapshot: snapshot)
    scene.connect()
    scene.scanner(at: 0, isHearing: true)
    scene.advert(at: 1)
    #expect(isInside(scene))
  }

  @Test func aBeaconThatTravelsHasNoPlace() {
    for region in [
      Scene.beaconRegion(radius: -1), Scene.beaconRegion(at: Coordinate(latitude: 0, longitude: 0)!),
      Scene.beaconRegion("+Van"),
    ] {
      var scene = scene(region)
      scene.fix(at: 0, 50_000)
      scene.advert(at: 0.5)
      #expect(isInside(scene) || region.region.isFollow, "\(region.region)")
      #expect(!scene.withheld.contains { $0.reason.word == "beaconElsewhere" })
    }
  }

  @Test func itCanBeSwitchedOff() {
    var scene = scene { $0.beacons.needsPlace = false }
    scene.fix(at: 0, 50_000)
    scene.advert(at: 0.5)
    #expect(isInside(scene))
  }

  // behaviour: Beacons and GPS
  @Test func aLeaveIsNeverHeldBack() {
    var scene = scene(Scene.beaconRegion(inside: .inside))
    scene.fix(at: 0, 0)
    scene.advert(at: 0.5)
    scene.fix(at: 1, 5000)
    for second in 2..<60 { scene.fix(at: Double(second), 5000) }
    #expect(scene.story.contains { $0.contains("leave Main") })
  }

  /// What was forged is near when the owner changes the region.
  @Test func aRegionThatIsChangedMeanwhileIsNotEnteredSilently() {
    var scene = scene()
    for second in 0..<5 {
      scene.fix(at: Double(second), 5000)
      scene.advert(at: Double(second) + 0.5)
    }
    var edit = ControlRequest.RegionEdit()
    edit.coordinate = Scene.place(10, 0)
    scene.post(.control(.regionSet(region: "Main", edit), from: 1), at: 5)
    #expect(!isInside(scene))
  }
}
