import Model
import Testing
import Timebase

@testable import Core

/// What crossings mean, and what is on the disk of regions that come, change and go.
struct TrackerRegionsTests {
  private func scene(_ regions: [Snapshot.KnownRegion] = []) -> Scene {
    Scene(Scene.configuration { $0.reports.monitoring = .manual }, regions: regions)
  }

  private func transitions(_ scene: Scene) -> [TransitionReport] {
    scene.reports.compactMap { if case .transition(let one) = $0.report { one } else { nil } }
  }

  private func reasons(_ scene: Scene) -> [Reason] {
    scene.tracker.journal.entries.filter { $0.isPublished && !$0.isCompanion }.map(\.reason)
  }

  // MARK: Crossings

  /// A leave has waited for nothing.
  @Test func onlyTheEnterOfADwellIsBecauseOfIt() {
    var home = Scene.home()
    home.region.dwell = 60
    var scene = scene([home])
    scene.fix(at: 0, 500)
    scene.fix(at: 10, 0)
    scene.fix(at: 80, 0)
    scene.fix(at: 90, 500)
    let told = reasons(scene)
    #expect(told.first == .dwelt(region: "Home", seconds: 60) && told.count == 2)
    guard case .crossed("Home", .leave, let metres?)? = told.last else {
      Issue.record("\(told)")
      return
    }
    #expect((metres - 500).magnitude < 1)
  }

  /// A transition that is told of an old place does not claim to have been made there just now.
  @Test func onlyCrossingAtFreshFixHasCreationTime() {
    for pause in [10.0, 5000] {
      var scene = Scene.withBeacons([Scene.beaconRegion()])
      scene.fix(at: 1, 0)
      scene.advert(at: 1 + pause)
      let created = transitions(scene).map(\.created)
      #expect(created == [pause == 10 ? WallTime(seconds: Scene.start + 11) : nil])
    }
  }

  // MARK: What is on the disk

  @Test func aRegionIsMadeAndRemovedOnceTheDiskSaysSo() {
    var scene = scene()
    scene.fix(at: 0, 5000)
    scene.isDiskSlow = true
    let entry = WaypointEntry(
      rid: "shed", name: "Shed", coordinate: Scene.place(0, 0), radius: 50, created: 1, isShared: false)
    scene.post(.control(.regionAdd(entry, isHere: false), from: 1), at: 1)
    #expect(scene.answers.isEmpty)
    scene.finishWrites(at: 2)
    #expect(scene.answers.count == 1 && scene.tracker.knownRegions.count == 1)
    let isMade = scene.writes.contains {
      if case .region(let it, .outside) = $0 { it.rid == "shed" } else { false }
    }
    #expect(isMade)
    scene.post(.control(.regionRemove(region: "Shed"), from: 1), at: 3)
    #expect(scene.answers.count == 1)
    scene.finishWrites(at: 4)
    #expect(scene.answers.count == 2 && scene.writes.contains(.regionRemoved(rid: "shed")))
  }

  // MARK: The same place

  /// One that goes along is wherever its beacon is; any other is learnt anew at its new place.
  @Test(arguments: [(-1.0, Presence.inside), (0, .unknown)])
  func aBeaconsRegionThatIsDrawnElsewhereIsLearntAnew(_ radius: Double, _ presence: Presence) {
    var scene = Scene.withBeacons([Scene.beaconRegion(radius: radius, inside: .inside)])
    var edit = ControlRequest.RegionEdit()
    edit.coordinate = Scene.place(900, 0)
    scene.post(.control(.regionSet(region: "Main", edit), from: 1), at: 1)
    #expect(scene.tracker.knownRegions.map(\.presence) == [presence])
  }

  @Test func anotherBeaconIsLearntAnew() {
    var scene = Scene.withBeacons([Scene.beaconRegion(major: 5, inside: .inside)])
    var edit = ControlRequest.RegionEdit()
    (edit.beacon, edit.speedLimit) = (BeaconIdentity(uuid: Scene.uuid, major: 5), 30)
    scene.post(.control(.regionSet(region: "Main", edit), from: 1), at: 1)
    #expect(scene.tracker.knownRegions.map(\.presence) == [.inside])
    edit.beacon = BeaconIdentity(uuid: Scene.uuid, major: 6)
    scene.post(.control(.regionSet(region: "Main", edit), from: 1), at: 2)
    #expect(scene.tracker.knownRegions.map(\.presence) == [.unknown])
  }
}
