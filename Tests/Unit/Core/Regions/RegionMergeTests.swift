import Model
import Testing

@testable import Core

/// What a list of regions makes of those that are there, and what a change makes of where the board is to them.
struct RegionMergeTests {
  private func scene(_ regions: [Snapshot.KnownRegion] = [], _ mode: MonitoringMode = .manual) -> Scene {
    Scene(Scene.configuration { $0.reports.monitoring = mode }, regions: regions)
  }

  private static let area = try? Polygon([Scene.place(0, 0), Scene.place(100, 0), Scene.place(0, 100)])

  private func entry(_ change: (inout WaypointEntry) -> Void = { _ in }) -> WaypointEntry {
    var entry = WaypointEntry(
      rid: "Home", name: "Home", coordinate: Scene.place(0, 0), radius: 100, created: 1_700_000_100)
    change(&entry)
    return entry
  }

  private func imported(_ scene: inout Scene, _ entries: WaypointEntry..., at time: Double = 1) -> String? {
    imported(&scene, entries, at: time)
  }

  private func imported(_ scene: inout Scene, _ entries: [WaypointEntry], at time: Double) -> String? {
    scene.post(.control(.regionImport(entries), from: 1), at: time)
    if case .done(let text)? = scene.answers.last { return text }
    return nil
  }

  private func places(_ scene: Scene) -> [Region] {
    scene.reports.compactMap { if case .waypoint(let region) = $0.report { region } else { nil } }
  }

  private static let changes: [@Sendable (inout WaypointEntry) -> Void] = [
    { $0.name = "House" }, { $0.beacon = BeaconIdentity(uuid: Scene.uuid) }, { $0.isShared = false },
    { $0.speedLimit = 30 }, { $0.isPrivate = true }, { $0.dwell = 60 }, { $0.radius = 101 },
    { $0.polygon = area }, { $0.coordinate = Scene.place(1, 0) },
  ]

  @Test(arguments: changes.indices) func differingFieldIsImportedAsAChange(_ index: Int) {
    var scene = scene([Scene.home()])
    #expect(imported(&scene, entry(Self.changes[index])) == "0 added, 1 changed, 0 removed")
    #expect(imported(&scene, entry(Self.changes[index])) == "0 added, 0 changed, 0 removed")
  }

  /// The list says again what it said before: by its name and date it still means the region that got another name.
  @Test func aRegionThatWasRenamedIsStillTheLists() {
    var scene = scene()
    let listed = entry { $0.rid = nil }
    #expect(imported(&scene, listed) == "1 added, 0 changed, 0 removed")
    let made = scene.tracker.knownRegions.map(\.region.rid)
    #expect(
      imported(&scene, entry { ($0.rid, $0.name) = (made.first, "House") }) == "0 added, 1 changed, 0 removed"
    )
    #expect(imported(&scene, listed) == "0 added, 1 changed, 0 removed")
    #expect(scene.tracker.knownRegions.map(\.region.rid) == made && made.count == 1)
  }

  @Test func aPinThatIsMovedIsMoved() {
    var scene = scene([Scene.home(radius: 0)])
    _ = imported(&scene, entry { ($0.radius, $0.coordinate) = (0, Scene.place(900, 0)) })
    #expect(scene.tracker.knownRegions.first?.region.coordinate == Scene.place(900, 0))
  }

  @Test(arguments: [0.2, 99.6, 100.4]) func theSameRadiusIsTheSame(_ radius: Double) {
    var scene = scene([Scene.home(radius: radius)])
    #expect(imported(&scene, entry { $0.radius = radius }) == "0 added, 0 changed, 0 removed")
  }

  @Test func anEntryWithoutAPlaceRemovesItsRegion() {
    var scene = scene([Scene.home()])
    #expect(imported(&scene, entry { $0.coordinate = nil }) == "0 added, 0 changed, 1 removed")
    #expect(scene.tracker.knownRegions.isEmpty && scene.writes.contains(.regionRemoved(rid: "Home")))
  }

  private func branch(_ metres: Double, created: Int? = nil, written: Int? = nil) -> WaypointEntry {
    WaypointEntry(
      name: "Gym", coordinate: Scene.place(metres, 0), radius: 50, created: created, written: written)
  }

  // behaviour: How regions come and go
  /// With one date or with none, and the next time the same list comes it means the same three.
  @Test(arguments: [1_700_000_000, nil]) func namesakesInOneListAreSeveralRegions(_ created: Int?) {
    var scene = scene()
    let places: [Double] = [0, 500, 1000]
    let list: [WaypointEntry] = places.map { branch($0, created: created) }
    #expect(imported(&scene, list[0], list[1], list[2]) == "3 added, 0 changed, 0 removed")
    let known = scene.tracker.knownRegions.map(\.region)
    #expect(known.map(\.coordinate) == places.map { Scene.place($0, 0) })
    // By its date every program that knows regions tells one from the other.
    let first = created ?? 0
    #expect(known.map(\.created) == [first, first + 1, first + 2])
    #expect(known.map(\.rid) == known.map { RegionIdentity.computed(name: "Gym", created: $0.created) })
    #expect(imported(&scene, list[0], list[1], list[2]) == "0 added, 0 changed, 0 removed")
    let moved = branch(1500, created: created)
    #expect(imported(&scene, list[0], list[1], moved) == "0 added, 1 changed, 0 removed")
    #expect(scene.tracker.knownRegions.last?.region.coordinate == Scene.place(1500, 0))
    #expect(scene.tracker.knownRegions.map(\.region.rid) == known.map(\.rid))
    #expect(scene.tracker.knownRegions.map(\.region.created) == known.map(\.created))
  }

  // behaviour: How regions come and go
  /// A file of another day, as a map program writes it: each name once more, in the same order.
  @Test func namesakesThatComeAgainWithALaterDateAreTheSame() {
    var scene = scene()
    _ = imported(&scene, branch(0, created: 100), branch(500, created: 100))
    let again = imported(&scene, branch(0, created: 900), branch(600, created: 900))
    #expect(again == "0 added, 1 changed, 0 removed")
    #expect(scene.tracker.knownRegions.map(\.region.coordinate) == [Scene.place(0, 0), Scene.place(600, 0)])
  }

  static let ids: [[String?]] = [
    [nil, "bbbbbb"], ["aaaaaa", nil, "bbbbbb"], [nil, nil, "bbbbbb"], ["aaaaaa", "bbbbbb", nil],
  ]

  /// In whichever order they stand in the list, and when it comes again.
  @Test(arguments: ids) func namesakesWithAndWithoutAnIDAreSeveral(_ ids: [String?]) {
    var scene = scene()
    let list = ids.enumerated().map { index, rid in
      var entry = branch(Double(index) * 500, created: 1_700_000_000)
      entry.rid = rid
      return entry
    }
    for (time, words) in [(1.0, "\(ids.count) added, 0 changed"), (2, "0 added, 0 changed")] {
      #expect(imported(&scene, list, at: time) == words + ", 0 removed")
      #expect(scene.tracker.knownRegions.count == ids.count)
    }
    #expect(Set(scene.tracker.knownRegions.map(\.region.rid)).isSuperset(of: ids.compactMap { $0 }))
  }

  @Test func aDeletionByNameMeansTheFirst() {
    var scene = scene()
    _ = imported(&scene, branch(0, created: 100), branch(500, created: 100))
    #expect(imported(&scene, WaypointEntry(name: "Gym", coordinate: nil)) == "0 added, 0 changed, 1 removed")
    #expect(scene.tracker.knownRegions.map(\.region.coordinate) == [Scene.place(500, 0)])
  }

  // behaviour: Private regions
  /// Whatever their order is in the list.
  @Test(arguments: [false, true]) func waypointInPrivateRegionOfSameListIsWithheld(isPrivateLast: Bool) {
    var scene = scene()
    let shed = entry {
      ($0.rid, $0.name, $0.radius) = ("Shed", "Shed", 20)
      $0.coordinate = Scene.place(50, 0)
    }
    let far = entry { ($0.rid, $0.name, $0.coordinate) = ("Far", "Far", Scene.place(900, 0)) }
    let home = entry { $0.isPrivate = true }
    _ = isPrivateLast ? imported(&scene, shed, far, home) : imported(&scene, home, shed, far)
    let told = places(scene).map(\.name)
    #expect(told == (isPrivateLast ? ["Far", "Home"] : ["Home", "Far"]))
  }

  @Test func duplicateInListYieldsOneWaypoint() {
    var scene = scene()
    _ = imported(&scene, entry(), entry { $0.radius = 150 })
    #expect(places(scene).map(\.radius) == [150])
  }

  @Test func regionTurnedPinLosesDwell() {
    var yard = Scene.home()
    yard.region.dwell = 60
    var scene = scene([yard])
    _ = imported(&scene, entry { $0.radius = 0 })
    #expect(scene.tracker.knownRegions.first?.region.dwell == nil)
  }

  // MARK: Where the board is to it

  /// Long after its last fix: another place or size is learnt anew.
  @Test(arguments: changes.indices) func whereItIsStaysWhereItIsTheSamePlace(_ index: Int) {
    var scene = scene([Scene.home(inside: .inside)])
    scene.fix(at: 0, 10)
    scene.run(until: 1000)
    _ = imported(&scene, entry(Self.changes[index]), at: 1001)
    let isSame = [0, 2, 3, 4, 5].contains(index)
    #expect(scene.tracker.knownRegions.first?.presence == (isSame ? .inside : .unknown))
  }

  @Test func aRegionThatIsMadeHereKnowsThatTheBoardIsInIt() {
    var scene = scene()
    scene.fix(at: 0, 0)
    scene.post(.control(.regionAdd(entry(), isHere: true), from: 1), at: 1)
    #expect(scene.tracker.knownRegions.map(\.presence) == [.inside])
    let written = scene.writes.contains {
      if case .region(let it, .inside) = $0 { it.rid == "Home" } else { false }
    }
    #expect(written)
  }

  private func entered(_ mode: MonitoringMode = .manual) -> Scene {
    var scene = scene([Scene.home()], mode)
    scene.fix(at: 0, 500)
    scene.fix(at: 60, 0)
    return scene
  }

  private func kept(_ scene: Scene) -> [String]? {
    for case .entered(let all) in scene.writes.reversed() {
      return all.map { $0.region.eventName + ($0.isChanged ? " (changed)" : "") }
    }
    return nil
  }

  @Test func renamedOrUnsharedRegionIsLeft() {
    var renamed = entered()
    #expect(kept(renamed) == ["Home"])
    _ = imported(&renamed, entry { $0.name = "House" }, at: 61)
    #expect(renamed.story.suffix(2) == ["@61 leave Home", "@61 wp House"] && kept(renamed) == [])
    var hidden = entered()
    _ = imported(&hidden, entry { $0.isShared = false }, at: 61)
    #expect(hidden.story.last == "@61 leave Home")
    var larger = entered()
    _ = imported(&larger, entry { $0.radius = 120 }, at: 61)
    #expect(!larger.story.contains { $0.contains("leave") })
  }

  @Test func aLeaveThatIsOwedIsOnTheDisk() {
    var scene = entered()
    scene.post(.control(.mode(.quiet), from: 1), at: 61)
    _ = imported(&scene, entry { $0.name = "House" }, at: 62)
    #expect(kept(scene) == ["Home (changed)"])
  }

  @Test func aHoldDownEndsWithItsRegion() {
    var scene = scene([Scene.home(name: "-Keys", inside: .inside)])
    scene.fix(at: 0, 0)
    scene.fix(at: 10, 500)
    #expect(scene.tracker.deadlines[.holdDown] != nil)
    scene.post(.control(.regionRemove(region: "-Keys"), from: 1), at: 11)
    #expect(scene.tracker.deadlines[.holdDown] == nil)
  }

  // MARK: What is told

  private func transition(_ scene: Scene) -> TransitionReport? {
    for case .transition(let transition) in scene.reports.map(\.report) { return transition }
    return nil
  }

  /// It is crossed somewhere; where, its centre hides.
  @Test(arguments: [false, true]) func privateTransitionHasCentreInsteadOfFix(_ isPrivate: Bool) {
    var home = Scene.home()
    home.region.isPrivate = isPrivate
    var scene = scene([home])
    scene.fix(at: 0, 500)
    scene.fix(at: 60, 30)
    #expect(transition(scene)?.coordinate == (isPrivate ? Scene.place(0, 0) : Scene.place(30, 0)))
    #expect(transition(scene)?.accuracy == (isPrivate ? 100 : 5) && transition(scene)?.created != nil)
  }

  @Test func aPrivateRegionThatIsNotSharedIsCrossedInSilence() {
    var home = Scene.home()
    (home.region.isPrivate, home.region.isShared) = (true, false)
    var scene = scene([home], .move)
    scene.fix(at: 0, 500)
    scene.fix(at: 60, 30)
    #expect(scene.story == ["@0 loc(-)"] && scene.lastReason == "insidePrivateRegion")
  }

  @Test func waypointInKnownPrivateRegionIsWithheld() {
    var home = Scene.home()
    home.region.isPrivate = true
    var scene = scene([home])
    let desk = WaypointEntry(rid: "d", name: "Desk", coordinate: Scene.place(0, 0), radius: 5, created: 1)
    _ = imported(&scene, desk)
    #expect(scene.story.isEmpty && scene.lastReason == "insidePrivateRegion")
    _ = imported(&scene, entry { ($0.isPrivate, $0.speedLimit) = (true, 30) })
    #expect(scene.story == ["@1 wp Home"], "its own place is known")
  }

  @Test func aFollowRegionSaysNothingBesideACrossing() {
    var scene = scene([Scene.home(), Scene.home(radius: 50, name: "+follow", inside: .inside)], .significant)
    scene.fix(at: 0, 5000)
    scene.fix(at: 30, 0)
    #expect(scene.story.suffix(2) == ["@30 enter Home", "@30 loc(c)"])
    #expect(scene.withheld.isEmpty)
  }

  @Test func aNewRegionIsShown() {
    var scene = Scene(Scene.configuration { $0.dashboard.discovery = true })
    scene.connect()
    scene.post(.control(.regionAdd(entry(), isHere: false), from: 1), at: 5)
    #expect(scene.story.contains("@5 show region_Home"))
  }
}
