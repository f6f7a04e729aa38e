import Model
import Testing
import Timebase

@testable import Core

// behaviour: Presence and Home Assistant
/// The last location is told once more to a broker that has lost it, and where the regions with it have become others.
struct PlaceAgainTests {
  private func scene(
    _ regions: [Snapshot.KnownRegion] = [], snapshot: Snapshot = .init(),
    _ change: @escaping (inout Configuration) -> Void = { _ in }
  ) -> Scene {
    Scene.inMode(.significant, regions, snapshot: snapshot, change)
  }

  private func repeated(_ scene: Scene) -> [LocationReport] {
    scene.announced.compactMap { report in
      if case .location(let location) = report { location } else { nil }
    }
  }

  /// A connection that the broker has no session for.
  private func connectAnew(_ scene: inout Scene, at time: Double) {
    scene.post(.brokerLost(), at: time)
    scene.post(.discoveryDoubted(isBirth: false), at: time)
    scene.connect(at: time)
  }

  private func told() -> Snapshot {
    var stored = Snapshot()
    stored.reference = Fix(
      time: WallTime(seconds: Scene.start - 500), coordinate: Scene.place(3, 4), accuracy: 7)
    stored.position = stored.reference
    return stored
  }

  @Test func lostRetainedLocationIsRepeatedWithItsTime() throws {
    var scene = scene([Scene.home(inside: .inside)])
    scene.connect()
    scene.fix(at: 0, 10, accuracy: 5, speed: 3)
    let first = try #require(scene.lastLocation)
    connectAnew(&scene, at: 100)
    #expect(repeated(scene).count == 1 && scene.locationTimes == [0])
    let again = try #require(repeated(scene).first)
    #expect(again.isRepeat && !first.isRepeat)
    #expect(again.time == first.time && again.fix.coordinate == first.fix.coordinate)
    #expect(again.fix.accuracy == 5 && again.fix.speed == nil && again.inside.map(\.rid) == ["Home"])
    #expect(again.created?.seconds == Scene.start + 100)
  }

  @Test func locationIsNotRepeatedWhileBrokerKeepsSession() {
    var scene = scene()
    scene.connect()
    scene.fix(at: 0, 10)
    scene.post(.brokerLost(), at: 100)
    scene.connect(at: 110)
    scene.post(.discoveryDoubted(isBirth: true), at: 120)
    #expect(repeated(scene).isEmpty)
  }

  @Test func afterAStartItIsTheOneThatTheStoreKnows() {
    var scene = scene(snapshot: told())
    connectAnew(&scene, at: 1)
    #expect(repeated(scene).map(\.time.seconds) == [Scene.start - 500])
    #expect(repeated(scene).map(\.fix.coordinate) == [Scene.place(3, 4)])
    scene.connect(at: 60)
    #expect(repeated(scene).count == 1)
  }

  @Test func nothingIsRepeatedBeforeFirstLocation() {
    var scene = scene()
    connectAnew(&scene, at: 1)
    #expect(scene.announced.isEmpty)
    scene.fix(at: 10, 10)
    connectAnew(&scene, at: 20)
    #expect(repeated(scene).map(\.time.seconds) == [Scene.start + 10])
  }

  @Test func aLocationThatWaitsSaysItItself() {
    var scene = scene()
    scene.acknowledges = false
    scene.connect()
    scene.fix(at: 0, 10)
    connectAnew(&scene, at: 100)
    #expect(repeated(scene).isEmpty && scene.locationTimes == [0])
  }

  @Test func quietHiddenOrNotRetainedItIsNotRepeated() {
    var secret = Scene.home(inside: .outside)
    secret.region.isPrivate = true
    let scenes = [
      scene(snapshot: told()) { $0.reports.monitoring = .quiet }, scene([secret], snapshot: told()),
      scene(snapshot: told()) { $0.messages.retain = false },
    ]
    for var scene in scenes {
      connectAnew(&scene, at: 1)
      #expect(repeated(scene).isEmpty)
    }
  }

  private func add(_ name: String, to scene: inout Scene, at time: Double) {
    let entry = WaypointEntry(
      rid: name, name: name, coordinate: Scene.place(0, 0), radius: 60, created: 1_700_000_200)
    scene.post(.control(.regionAdd(entry, isHere: false), from: 1), at: time)
  }

  @Test func newRegionAroundBoardRepeatsLocationWithDiscovery() {
    for isShown in [true, false] {
      var scene = scene { $0.dashboard.discovery = isShown }
      scene.connect()
      scene.fix(at: 0, 10)
      add("Drive", to: &scene, at: 10)
      #expect(repeated(scene).map { $0.inside.map(\.name) } == (isShown ? [["Drive"]] : []))
      #expect(scene.locationTimes == [0])
    }
  }

  @Test func farFromTheLastLocationAnotherOneIsOnItsWay() {
    var scene = scene { $0.dashboard.discovery = true }
    scene.connect()
    scene.fix(at: 0, 400)
    scene.fix(at: 10, 10)
    add("Drive", to: &scene, at: 11)
    #expect(repeated(scene).isEmpty)
  }
}
