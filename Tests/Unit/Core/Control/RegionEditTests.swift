import Model
import Testing

@testable import Core

/// Regions that somebody at the board makes, changes and names.
struct RegionEditTests {
  private static let area = try? Polygon([Scene.place(0, 0), Scene.place(100, 0), Scene.place(0, 100)])

  private static let yard: Snapshot.KnownRegion = {
    var yard = Scene.home(radius: 75, name: "Yard")
    (yard.region.polygon, yard.region.dwell) = (area, 60)
    return yard
  }()

  private func scene(_ regions: [Snapshot.KnownRegion] = [Self.yard]) -> Scene {
    var scene = Scene(Scene.configuration { $0.reports.monitoring = .manual }, regions: regions)
    scene.fix(at: 0, 5000)
    return scene
  }

  private func text(_ scene: Scene) -> String? {
    switch scene.answers.last {
    case .done(let text): text
    case .failed(let text): "failed: \(text)"
    case _: nil
    }
  }

  /// What becomes of the area, and what is said.
  private func edited(
    _ scene: inout Scene, _ name: String = "Yard", change: (inout ControlRequest.RegionEdit) -> Void
  ) -> (region: Region?, text: String?) {
    var edit = ControlRequest.RegionEdit()
    change(&edit)
    scene.post(.control(.regionSet(region: name, edit), from: 1), at: 10)
    return (scene.tracker.knownRegions.first?.region, text(scene))
  }

  @Test func anotherPlaceOrSizeMakesACircleOfAnArea() {
    let changes: [(inout ControlRequest.RegionEdit) -> Void] = [
      { $0.coordinate = Scene.place(300, 0) }, { $0.isHere = true }, { $0.radius = 150 },
      { $0.beacon = BeaconIdentity(uuid: Scene.uuid) }, { $0.name = "+Yard" },
    ]
    let regions = changes.map { change in
      var scene = scene()
      return edited(&scene, change: change).region
    }
    #expect(regions.allSatisfy { $0 != nil && $0?.polygon == nil })
    #expect(regions[0]?.coordinate == Scene.place(300, 0) && regions[0]?.radius == 75)
    #expect(regions[1]?.coordinate == Scene.place(5000, 0))
    #expect(regions[2]?.radius == 150 && regions[2]?.coordinate == Self.yard.region.coordinate)
    #expect(regions[3]?.beacon?.uuid == Scene.uuid)
  }

  @Test func unspecifiedRegionFieldsAreKept() {
    var scene = scene()
    let (renamed, text) = edited(&scene) { $0.name = "Field" }
    #expect(text == "changed Field (Yard)")
    var expected = Self.yard.region
    expected.name = "Field"
    #expect(renamed == expected)
    #expect(edited(&scene, "Field") { $0.isShared = false }.region?.isShared == false)
    #expect(edited(&scene, "Field") { $0.speedLimit = 50 }.region?.speedLimit == 50)
    #expect(edited(&scene, "Field") { $0.speedLimit = 0 }.region?.speedLimit == nil)
    (expected.isShared, expected.isPrivate) = (false, true)
    #expect(edited(&scene, "Field") { $0.isPrivate = true }.region == expected)
    #expect(edited(&scene, "Field") { $0.isPrivate = true }.text == "nothing to change")
  }

  /// One that goes along is where its beacon is.
  @Test(arguments: [(-1.0, true), (0, false), (20, false)])
  func onlyABeaconGoesAlong(_ radius: Double, _ isRefused: Bool) {
    var circle = scene([Scene.home()])
    let refused = edited(&circle, "Home") { $0.radius = radius }
    #expect(
      (refused.text == "failed: not changed: only a region with a beacon may have a radius below 0")
        == isRefused)
    #expect(refused.region?.radius == (isRefused ? 100 : radius))
    var beacon = scene([Scene.beaconRegion()])
    #expect(edited(&beacon, "Main") { $0.radius = radius }.region?.radius == radius)
  }

  @Test func withoutAPositionThereIsNoHere() {
    var scene = Scene(regions: [Self.yard])
    #expect(edited(&scene) { $0.isHere = true }.text?.hasPrefix("failed: no position is known yet") == true)
    #expect(edited(&scene) { $0.radius = 50 }.region?.radius == 50)
  }

  /// Said when the name is given, and not each time.
  @Test func aNameThatSwitchesNothingIsSaidToBeWhenItIsGiven() {
    var scene = scene([Scene.home()])
    let named = edited(&scene, "Home") { $0.name = "Home|x|" }
    #expect(named.text?.contains("; note: Home|x|: \"x\" switches to no mode") == true)
    #expect(edited(&scene, "Home") { $0.radius = 20 }.text == "changed Home|x| (Home)")
  }

  // MARK: Which one

  @Test func aRegionIsFoundByItsFullNameAndByTheOneThatEventsUse() {
    var office = Scene.home(name: "Office")
    office.region.name = "Home"
    var scene = scene([Scene.home(name: "Home|2|1"), office])
    scene.post(.control(.regionRemove(region: "Home"), from: 1), at: 1)
    #expect(text(scene) == "removed Home (Office)", "it has that name in full")
    scene.post(.control(.regionRemove(region: "Home"), from: 1), at: 2)
    #expect(text(scene) == "removed Home|2|1 (Home|2|1)")
    scene.post(.control(.regionRemove(region: "Home"), from: 1), at: 3)
    #expect(text(scene) == "failed: no region is called Home")
  }

  private func entry(_ name: String, radius: Double = 50, _ change: (inout WaypointEntry) -> Void = { _ in })
    -> ControlRequest
  {
    var entry = WaypointEntry(name: name, coordinate: Scene.place(0, 0), radius: radius, created: 7)
    change(&entry)
    return .regionAdd(entry, isHere: false)
  }

  /// Of one second; their ids are all that tells them apart.
  @Test func namesakesHaveIdsOfTheirOwn() {
    var scene = scene([])
    let ids = ["Van", "Van#1", "Van#2"].map { RegionIdentity.computed(name: $0, created: 7) }
    for _ in ids { scene.post(.control(entry("Van"), from: 1), at: 1) }
    #expect(scene.tracker.knownRegions.map(\.region.rid) == ids)
    #expect(
      text(scene) == "added Van (\(ids[2])); \(ids[0]) has the same name, and each reports its own crossings"
    )
    scene.post(.control(entry("Car"), from: 1), at: 2)
    #expect(text(scene)?.contains("same name") == false)
    #expect(scene.tracker.knownRegions.allSatisfy { !$0.region.isPrivate })
    scene.post(.control(.regionRemove(region: "Van"), from: 1), at: 3)
    #expect(text(scene)?.hasPrefix("failed: 3 regions are called Van: use an id") == true)
  }

  /// Only what has neither a size nor a beacon.
  @Test func aPinIsSaidToBeOne() {
    var scene = scene([])
    func isPin(_ request: ControlRequest) -> Bool {
      scene.post(.control(request, from: 1), at: 1)
      return text(scene)?.contains("it is a pin that is never entered") == true
    }
    #expect(isPin(entry("a", radius: 0)))
    #expect(!isPin(entry("b")))
    #expect(!isPin(entry("c", radius: 0) { $0.beacon = BeaconIdentity(uuid: Scene.uuid) }))
    #expect(!isPin(entry("+d", radius: 0)))
  }

  @Test func regionImportReportsItsCounts() {
    var scene = scene([])
    var entries = [1, 2].map {
      WaypointEntry(rid: "\($0)", name: "R\($0)", coordinate: Scene.place(0, 0), created: 1)
    }
    scene.post(.control(.regionImport(entries), from: 1), at: 1)
    #expect(text(scene) == "2 added, 0 changed, 0 removed")
    (entries[0].radius, entries[1].coordinate) = (50, nil)
    scene.post(.control(.regionImport(entries), from: 1), at: 2)
    #expect(text(scene) == "0 added, 1 changed, 1 removed")
    #expect(scene.tracker.knownRegions.map(\.region.rid) == ["1"])
    #expect(scene.tracker.knownRegions.map(\.region.radius) == [50])
  }

  // MARK: The history, and friends

  @Test func aHistoryThatIsClearedIsEmptyAtOnce() {
    var scene = scene()
    scene.connect()
    scene.post(.control(.publish(poi: nil), from: 1), at: 1)
    #expect(scene.tracker.history.count == 1)
    scene.post(.control(.historyClear, from: 1), at: 2)
    #expect(scene.tracker.history.count == 0)
    #expect(scene.writes.contains(.pruneHistory(keep: 0, since: nil)))
  }

  @Test func forgettingFriendNeedsConfiguredBroker() {
    var scene = scene()
    scene.post(.control(.friendForget(topic: "owntracks/a/b"), from: 1), at: 1)
    #expect(text(scene) == "forgotten, and removed from the broker")
    #expect(scene.story == ["@1 forget owntracks/a/b"])
    var offline = Scene(Scene.configuration { $0.broker.port = 0 })
    offline.post(.control(.friendForget(topic: "owntracks/a/b"), from: 1), at: 1)
    #expect(text(offline) == "failed: nothing is published: offline" && offline.story.isEmpty)
  }
}
