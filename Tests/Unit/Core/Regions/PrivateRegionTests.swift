import Model
import Testing
import Timebase

@testable import Core

// behaviour: Private regions
/// Inside of a private region nothing tells where the board is.
struct PrivateRegionTests {
  private static let centre = Scene.place(0, 0)

  private func home(_ change: (inout Region) -> Void = { _ in }) -> Region {
    var region = Region(
      rid: "home", name: "Home", coordinate: Self.centre, radius: 100, created: 1, isPrivate: true)
    change(&region)
    return region
  }

  private func fix(_ east: Double, isHidden: Bool = false) -> Fix {
    var fix = Fix(time: WallTime(seconds: Scene.start), coordinate: Scene.place(east, 0), accuracy: 5)
    fix.isHidden = isHidden
    return fix
  }

  private func engine(_ region: Region, _ presence: Presence) -> RegionEngine {
    var engine = RegionEngine()
    engine.put(region, presence: presence)
    return engine
  }

  @Test func thePlaceAloneIsEnoughBeforeTheCrossingIsConfirmed() {
    let engine = engine(home(), .outside)
    #expect(engine.hidingRegion(at: fix(99))?.rid == "home")
    #expect(engine.hidingRegion(at: fix(101)) == nil && engine.hidingRegion(at: nil) == nil)
  }

  @Test func insideIsInsideUntilTheLeaveIsConfirmed() {
    #expect(engine(home(), .inside).hidingRegion(at: fix(500))?.rid == "home")
    #expect(engine(home { $0.radius = 0 }, .inside).hidingRegion(at: fix(0)) == nil)
  }

  @Test func aFollowRegionHidesNothing() {
    #expect(engine(home { $0.name = "+Home" }, .inside).hidingRegion(at: fix(0)) == nil)
  }

  @Test func publicOrRemovedRegionHidesNothing() {
    var engine = engine(home(), .inside)
    engine.put(home { $0.isPrivate = false }, presence: .inside)
    #expect(engine.hidingRegion(at: fix(0)) == nil && engine.inconsistency == nil)
    engine.put(home(), presence: .inside)
    engine.put(home { $0.rid = "other" }, presence: .outside)
    engine.remove(rid: "home")
    #expect(engine.hidingRegion(at: fix(0))?.rid == "other" && engine.inconsistency == nil)
  }

  // MARK: By radio

  private func garage(_ change: (inout Region) -> Void = { _ in }) -> Region {
    home {
      ($0.rid, $0.name, $0.radius) = ("garage", "Garage", 0)
      $0.beacon = BeaconIdentity(uuid: Scene.uuid)
      change(&$0)
    }
  }

  @Test func placeThatWasHiddenStaysSoOnceTheBeaconIsGone() {
    var engine = engine(garage(), .outside)
    #expect(engine.hidingRegion(at: fix(3)) == nil)
    #expect(engine.hidingRegion(at: fix(3, isHidden: true))?.rid == "garage")
    engine.put(
      garage { ($0.rid, $0.coordinate) = ("office", Scene.place(900, 0)) }, presence: .outside)
    #expect(engine.hidingRegion(at: fix(800, isHidden: true))?.rid == "office", "the one drawn nearest")
    engine.put(garage { $0.isPrivate = false }, presence: .outside)
    engine.remove(rid: "office")
    #expect(engine.hidingRegion(at: fix(3, isHidden: true)) == nil, "nothing hides it any more")
  }

  /// Of the board in the garage, heard until `heard`, with fixes until `seen`.
  private func parked(heard: Double, seen: Double) -> Scene {
    var snapshot = Snapshot()
    snapshot.regions = [.init(region: garage(), presence: .inside)]
    var scene = Scene(
      Scene.configuration {
        ($0.reports.monitoring, $0.reports.ping) = (.significant, 5)
        $0.beacons.lossTimeout = 30
      }, snapshot: snapshot)
    scene.connect()
    scene.scanner(at: 0, isHearing: true)
    for second in stride(from: 1.0, through: max(heard, seen), by: 1) {
      if second <= heard { scene.advert(at: second) }
      if second <= seen { scene.fix(at: second + 0.5, 40) }
    }
    return scene
  }

  private func locations(_ scene: Scene) -> [Double] {
    scene.reports.compactMap { if case .location = $0.report { $0.at } else { nil } }
  }

  @Test func signOfLifeKeepsAHiddenPlaceBack() {
    var scene = parked(heard: 60, seen: 20)
    scene.run(until: 2000)
    #expect(scene.tracker.regions.region(rid: "garage")?.presence == .outside)
    #expect(locations(scene) == [])
    scene.fix(at: 2001, 5000)
    #expect(locations(scene) == [2001])
  }

  /// It is told wherever the board is, and the store keeps no mark of its place.
  @Test func placeOfACallForHelpIsNotHidden() {
    var scene = parked(heard: 20, seen: 20)
    scene.post(.control(.sos(isAcknowledged: false), from: 1), at: 21)
    scene.run(until: 25)
    #expect(scene.tracker.positioning.position?.isHidden == true)
    let start = scene.tracker.journey.sos.state?.start
    #expect(start?.coordinate == Scene.place(40, 0) && start?.isHidden == false)
  }

  @Test func leaveOfTheBeaconBringsThePlaceWithoutIt() {
    var scene = parked(heard: 20, seen: 40)
    scene.run(until: 60)
    #expect(locations(scene) == [50])
  }
}
