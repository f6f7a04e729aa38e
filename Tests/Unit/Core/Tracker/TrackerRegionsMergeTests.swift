import Model
import Testing

@testable import Core

/// What of a list is the same as what is there, and what of it is taken.
struct TrackerRegionsMergeTests {
  private static let area = try? Polygon([Scene.place(0, 0), Scene.place(100, 0), Scene.place(0, 100)])

  private func scene(_ regions: [Snapshot.KnownRegion] = []) -> Scene {
    Scene(Scene.configuration { $0.reports.monitoring = .manual }, regions: regions)
  }

  private func entry(
    _ name: String = "Home", radius: Double = 100, at place: Coordinate = Scene.place(0, 0),
    _ change: (inout WaypointEntry) -> Void = { _ in }
  ) -> WaypointEntry {
    var entry = WaypointEntry(
      rid: name, name: name, coordinate: place, radius: radius, created: 1_700_000_100)
    change(&entry)
    return entry
  }

  /// Added, changed, removed.
  private func imported(_ scene: inout Scene, _ entries: WaypointEntry...) -> [Int]? {
    scene.post(.control(.regionImport(entries), from: 1), at: 1)
    guard case .done(let text)? = scene.answers.last else { return nil }
    return text.split(separator: " ").compactMap { Int($0) }
  }

  // MARK: What exports round

  private static let radii: [(Double, Double, Bool)] = [
    (99.6, 100, true), (99.6, 99, false), (99.6, 1, false), (100.4, 100, true), (100.4, 101, false),
    (0.2, 1, true), (0.2, 0, false), (0.2, -1, false), (0, 1, false), (1, 0, false), (0.5, 1, true),
    (-0.2, -1, true), (-0.2, 1, false), (-0.2, 0, false), (-2.4, -2, true), (-2.4, -1, false),
  ]

  /// Whole metres; less than half of one is told as 1: 0 would be a pin, and the sign says that it goes along.
  @Test(arguments: radii)
  func aRadiusThatComesBackInWholeMetresIsTheSame(_ known: Double, _ told: Double, _ isSame: Bool) {
    var scene = scene([Scene.beaconRegion(radius: known)])
    let back = entry("Main", radius: told) { $0.beacon = BeaconIdentity(uuid: Scene.uuid) }
    #expect(imported(&scene, back) == [0, isSame ? 0 : 1, 0])
    #expect(scene.tracker.knownRegions.map(\.region.radius) == [isSame ? known : told])
  }

  private static let steps: [(Double, Double, Bool)] = [
    (0.03, 0, true), (0, 0.05, true), (0.03, 0.05, true), (1, 0, false), (0, 1, false),
  ]

  /// Six decimals of a degree are a tenth of a metre.
  @Test(arguments: steps)
  func aPlaceThatComesBackInSixDecimalsIsTheSame(_ east: Double, _ north: Double, _ isSame: Bool) {
    var scene = scene([Scene.home()])
    #expect(imported(&scene, entry(at: Scene.place(east, north))) == [0, isSame ? 0 : 1, 0])
  }

  /// A list says where a pin is; where one is that goes along with its beacon, nobody but the board knows.
  @Test func listMovesPinButNotTravellingBeaconRegion() {
    let beacon = BeaconIdentity(uuid: Scene.uuid)
    for radius in [-1.0, 0] {
      var scene = scene([Scene.beaconRegion(radius: radius)])
      let moved = entry("Main", radius: radius, at: Scene.place(900, 0)) { $0.beacon = beacon }
      #expect(imported(&scene, moved) == [0, radius < 0 ? 0 : 1, 0])
      let place = radius < 0 ? Scene.place(0, 0) : Scene.place(900, 0)
      #expect(scene.tracker.knownRegions.map(\.region.coordinate) == [place])
    }
  }

  // MARK: Edges

  /// A beacon's region has no edge, and one that follows the board keeps none.
  @Test func beaconAndFollowRegionsKeepNoPolygon() {
    let entries = [
      entry { $0.polygon = Self.area },
      entry { ($0.polygon, $0.beacon) = (Self.area, BeaconIdentity(uuid: Scene.uuid)) },
      entry("+Home") { $0.polygon = Self.area },
    ]
    for (index, entry) in entries.enumerated() {
      var scene = scene()
      #expect(imported(&scene, entry) == [1, 0, 0])
      #expect((scene.tracker.knownRegions.first?.region.polygon != nil) == (index == 0))
    }
  }

  // MARK: What is taken

  @Test func missingFieldsInListGetDefaults() {
    var scene = scene()
    let bare = WaypointEntry(name: "Yard", coordinate: Scene.place(0, 0), radius: 50)
    #expect(imported(&scene, bare) == [1, 0, 0])
    let yard = scene.tracker.knownRegions.first?.region
    #expect(yard?.isPrivate == false && yard?.isShared == true && yard?.created == 0)
    #expect(yard?.rid == RegionIdentity.computed(name: "Yard", created: 0))
  }

  /// An entry that has nothing but a name is the region that had that name first.
  @Test func theFirstOfANameIsTheOneThatAListMeans() {
    var second = Scene.home(name: "Second")
    second.region.name = "Home"
    var scene = scene([Scene.home(), second])
    let third = entry("Third") { $0.name = "Home" }
    let nameless = WaypointEntry(name: "Home", coordinate: Scene.place(900, 0), radius: 50)
    #expect(imported(&scene, third, nameless) == [1, 1, 0])
    let moved = scene.tracker.knownRegions.filter { $0.region.coordinate == Scene.place(900, 0) }
    #expect(moved.map(\.region.rid) == ["Home"])
  }

  @Test(arguments: [(Region.limit - 1, 0), (Region.limit, 1)])
  func oneThatThereIsNoRoomForIsSaidToBe(_ known: Int, _ refused: Int) {
    var scene = scene((0..<known).map { Scene.home(name: "R\($0)") })
    scene.post(.configured(scene.tracker.settings, waypoints: [entry()]), at: 1)
    #expect(scene.news.map(\.news) == (refused > 0 ? [.regionsRefused(refused, .file)] : []))
    #expect(scene.tracker.knownRegions.count == Region.limit)
  }

  /// A thousand areas with a thousand corners each would be more memory than the daemon has for them.
  @Test func cornersHaveALimitOfTheirOwn() throws {
    func area(_ name: String, _ count: Int) throws -> WaypointEntry {
      let polygon = try Polygon(
        (0..<count).map { Scene.place(5000 + Double($0), $0.isMultiple(of: 2) ? 0 : 100) })
      return entry(name) { $0.polygon = polygon }
    }
    let most = Region.cornerLimit / Polygon.most
    var scene = scene([])
    let areas = try (0..<most).map { try area("A\($0)", Polygon.most) }
    scene.post(.configured(scene.tracker.settings, waypoints: areas), at: 1)
    #expect(scene.news.isEmpty && scene.tracker.knownRegions.count == most)
    scene.post(.configured(scene.tracker.settings, waypoints: areas + [try area("B", 3)]), at: 2)
    #expect(scene.news.map(\.news) == [.regionsRefused(1, .file)])
    // One that has fewer corners than before makes room.
    scene.post(
      .configured(scene.tracker.settings, waypoints: [try area("A0", 500), try area("B", 500)]), at: 3)
    #expect(scene.tracker.knownRegions.count == most + 1)
  }
}
