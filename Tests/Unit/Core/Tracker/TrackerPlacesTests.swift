import Model
import Testing
import Timebase

@testable import Core

/// Locations that have to wait, and what a power cut leaves of places.
struct TrackerPlacesTests {
  private func ask(_ scene: inout Scene, at time: Double) {
    scene.post(.control(.publish(poi: nil), from: 1), at: time)
  }

  // MARK: What waits for its second

  private func enteredInTheSecondOfAnother() -> Scene {
    var scene = Scene.inMode(.manual, [Scene.home()])
    scene.fix(at: 0, 500)
    ask(&scene, at: 0.1)
    ask(&scene, at: 0.2)
    scene.fix(at: 0.4, 0)
    return scene
  }

  @Test func pendingCrossingIsCoveredByRequestedLocation() {
    var scene = enteredInTheSecondOfAnother()
    #expect(scene.story.last == "@0.4 enter Home" && scene.withheld.contains { $0.reason.word == "sameTime" })
    ask(&scene, at: 1.3)
    scene.run(until: 60)
    #expect(scene.locationTimes == [0, 1, 2])
    #expect(scene.story.last == "@1.3 loc(u)" && !scene.story.contains { $0.hasSuffix("loc(c)") })
  }

  @Test func pendingCrossingIsPublishedASecondLater() {
    var scene = enteredInTheSecondOfAnother()
    scene.run(until: 60)
    #expect(scene.story.last == "@1.4 loc(c)" && scene.locationTimes == [0, 1, 2])
  }

  /// The ignition's word waited for a second, and then nobody wanted it. The next that waits is told of.
  @Test func withheldPendingLocationDoesNotBlockTheNext() {
    var scene = Scene.inMode(.move) { $0.reports.publishLocationOnConnect = true }
    scene.fix(at: 0, 0)
    scene.post(.ignition(true), at: 1)
    scene.post(.ignition(false), at: 9.9)
    scene.fix(at: 14.2, 0)
    for time in [14.3, 14.4] { ask(&scene, at: time) }
    scene.run(until: 15)
    #expect(scene.lastReason == "sameTime")
    scene.post(.control(.mode(.quiet), from: 1), at: 15)
    scene.run(until: 20)
    #expect(scene.lastReason == "modeIsQuiet")
    scene.post(.control(.mode(.manual), from: 1), at: 20)
    // The receiver begins anew, and poorly.
    scene.fix(at: 400, 0, accuracy: 90)
    scene.connect(at: 401)
    #expect(scene.lastReason == "settling")
    scene.run(until: 500)
    #expect(scene.story.last == "@410 loc(-)")
  }

  // MARK: The clock

  /// What was told before is dated by another one, and is no measure of what is new.
  @Test func aPlaceIsNewsThoughAnEarlierLifeHadAClockThatWasFast() {
    var snapshot = Snapshot()
    let fix = Fix(time: WallTime(seconds: Scene.start + 9000), coordinate: Scene.place(0, 0), accuracy: 5)
    (snapshot.position, snapshot.reference) = (fix, fix)
    var scene = Scene.inMode(.manual, snapshot: snapshot) { $0.reports.publishLocationOnConnect = true }
    scene.fix(at: 10, 0)
    scene.connect(at: 12)
    #expect(scene.story == ["@12 loc(-)"])
  }

  // MARK: The disk

  /// A sign of life is no event that would take it there; a power cut would let its second be told once more.
  @Test func theSecondOfASignOfLifeIsOnTheDiskAtOnce() {
    var scene = Scene.inMode(.significant) { $0.reports.ping = 15 }
    scene.connect()
    scene.fix(at: 0, 0)
    scene.run(until: 900.1)
    #expect(scene.story == ["@0 loc(-)", "@900 loc(p)"])
    let references = scene.writes.compactMap {
      if case .reference(let fix) = $0 { fix.time.seconds - Scene.start } else { nil }
    }
    #expect(scene.locationTimes.last == 1 && references.last == 1)
  }

  /// A beacon that is not there crosses nothing, so nothing is told of it.
  @Test func thatABeaconIsNotThereIsOnTheDiskAtOnce() {
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .unknown)])
    scene.run(until: 1)
    scene.writes = []
    scene.run(until: 5)
    #expect(scene.story.isEmpty)
    #expect(scene.writes.map { if case .region(_, .outside) = $0 { true } else { false } } == [true])
  }

  /// What the disk gives to the next start.
  private func stored(_ scene: Scene) -> Snapshot {
    var snapshot = Snapshot()
    for write in scene.writes {
      switch write {
      case .region(let region, let presence): snapshot.regions = [.init(region: region, presence: presence)]
      case .mode(let mode): snapshot.mode = mode
      default: break
      }
    }
    return snapshot
  }

  /// It came from elsewhere, and goes along from the first fix on; nobody is told of that. What has moved a board that
  /// was off is told after the start only where the disk knows from where.
  @Test(arguments: [Event.control(.mode(.significant), from: 1), .stopping, .powerFailing])
  func aFollowRegionIsOnTheDiskWhereItWentSilently(_ event: Event) {
    var scene = Scene.inMode(.manual, [Scene.home(radius: 50, name: "+follow", inside: .unknown)])
    scene.fix(at: 0, 700)
    #expect(scene.story.isEmpty)
    scene.post(event, at: 1)
    var next = Scene.inMode(.manual, snapshot: stored(scene))
    next.fix(at: 100, 2000)
    #expect(next.story == ["@100 loc(C)"])
  }

  /// In move mode no circle tells anything, and what was left there is not left once more.
  @Test func aFollowRegionThatWasLeftInMoveModeIsNotLeftAfterAPowerCut() {
    var scene = Scene.inMode(.move, [Scene.home(radius: 50, name: "+follow", inside: .inside)]) {
      $0.reports.locatorDisplacement = 200
    }
    scene.connect()
    scene.fix(at: 0, 0)
    scene.fix(at: 10, 100)
    #expect(scene.story == ["@0 loc(-)"] && scene.withheld.contains { $0.reason.word == "followInMove" })
    scene.post(.control(.mode(.significant), from: 1), at: 11)
    var next = Scene.inMode(.move, snapshot: stored(scene))
    next.fix(at: 100, 100)
    #expect(next.tracker.mode.mode == .significant && next.story == ["@100 loc(-)"])
  }
}
