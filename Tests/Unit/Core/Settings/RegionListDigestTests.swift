import Model
import Testing

@testable import Core

/// A file that says the same as ever brings nothing back that people have removed, whatever version wrote the digest.
struct RegionListDigestTests {
  private static let beacon = BeaconIdentity(uuid: Scene.uuid, major: 5)
  private static let plain = WaypointEntry(
    name: "Home", coordinate: Coordinate(latitude: 48, longitude: 11), radius: 120, created: 1_700_000_000)
  private static let full = WaypointEntry(
    rid: "abc", name: "A \"b\"\nc ü", coordinate: Coordinate(latitude: -0.5, longitude: 179.25), radius: 0,
    beacon: beacon, created: 1, isShared: false, speedLimit: 50, presence: .inside)
  private static let deletion = WaypointEntry(name: "Old", coordinate: nil)

  /// Swift's own text for `plain`, as versions before wrote its digest, without and with the later field.
  private static let earlier = [
    "WaypointEntry(rid: nil, name: \"Home\", coordinate: Optional(Model.Coordinate(latitude: 48.0, longitude: "
      + "11.0)), radius: 120.0, beacon: nil, created: Optional(1700000000), isShared: true, presence: nil)",
    "WaypointEntry(rid: nil, name: \"Home\", coordinate: Optional(Model.Coordinate(latitude: 48.0, longitude: "
      + "11.0)), radius: 120.0, beacon: nil, created: Optional(1700000000), isShared: true, speedLimit: nil, "
      + "presence: nil)",
  ]

  private static let polygon = try? Polygon(
    [(48, 11), (48.1, 11), (48, 11.1)].map { Coordinate(latitude: $0.0, longitude: $0.1)! })

  private func digest(_ text: String) -> String { SHA1.hexPrefix(of: text, count: 40) }

  /// These stand on the disks of boards: a change of the form needs a way for the old one.
  @Test func theFormIsFixed() {
    #expect(RegionListDigest.of([Self.plain]) == "20c67434d234c2cadc1bc5b7c342c846f5fc3641")
    #expect(RegionListDigest.of([Self.full, Self.deletion]) == "cea791bdbeeacc79daaeb723bac13b8a2bc1ce05")
    var area = WaypointEntry(name: "Yard", coordinate: Self.plain.coordinate, radius: 75, created: 2)
    (area.polygon, area.isPrivate, area.dwell) = (Self.polygon, true, 60)
    #expect(RegionListDigest.of([area]) == "4863b6943f3dac34a4c4ec5d3757f62085963db0")
  }

  /// A field that is added has to be added to the digest too, where it is given.
  @Test func everyFieldIsThoughtOf() {
    let known = [
      "rid", "name", "coordinate", "radius", "beacon", "created", "written", "isShared", "speedLimit",
      "polygon", "isPrivate", "dwell", "presence",
    ]
    #expect(Mirror(reflecting: Self.plain).children.compactMap(\.label) == known)
  }

  // behaviour: Private regions
  @Test func everyFieldCounts() {
    let changes: [(inout WaypointEntry) -> Void] = [
      { $0.rid = "x" }, { $0.name = "home" }, { $0.coordinate = nil }, { $0.radius = 121 },
      { $0.coordinate = Coordinate(latitude: 48.000_001, longitude: 11) },
      { $0.beacon = Self.beacon }, { $0.created = nil }, { $0.isShared = false }, { $0.speedLimit = 0 },
      { $0.polygon = Self.polygon }, { $0.presence = .unknown }, { $0.isPrivate = true },
      { $0.isPrivate = false }, { $0.dwell = 0 }, { $0.dwell = 60 },
    ]
    let digests = changes.map { change in
      var entry = Self.plain
      change(&entry)
      return RegionListDigest.of([entry])
    }
    #expect(Set(digests + [RegionListDigest.of([Self.plain])]).count == changes.count + 1)
  }

  // behaviour: The configuration file
  /// Or a file that was only touched would bring back what people have removed.
  @Test func whenTheFileWasWrittenDoesNotCount() {
    var entry = Self.plain
    entry.created = nil
    let digest = RegionListDigest.of([entry])
    entry.written = 1_700_000_001
    #expect(RegionListDigest.of([entry]) == digest)
  }

  @Test func aNameCannotPassForAField() {
    let named = WaypointEntry(name: "a rid 1:b", coordinate: nil)
    let identified = WaypointEntry(rid: "b", name: "a", coordinate: nil)
    #expect(RegionListDigest.of([named]) != RegionListDigest.of([identified]))
  }

  @Test func theEarlierFormsAreKnown() {
    for text in Self.earlier {
      #expect(RegionListDigest.isEarlierForm(digest(text), of: [Self.plain]))
      #expect(!RegionListDigest.isEarlierForm(digest(text), of: [Self.plain, Self.plain]))
    }
    let full =
      "WaypointEntry(rid: Optional(\"abc\"), name: \"A \\\"b\\\"\\nc ü\", coordinate: Optional(Model.Coordinate("
      + "latitude: -0.5, longitude: 179.25)), radius: 0.0, beacon: Optional(Model.BeaconIdentity(uuid: "
      + "\"CA271EAE-5FA8-4E80-8F08-2A302A95A959\", major: Optional(5), minor: nil)), created: Optional(1), "
      + "isShared: false, speedLimit: Optional(50), presence: Optional(Model.Presence.inside))"
    let deletion =
      "WaypointEntry(rid: nil, name: \"Old\", coordinate: nil, radius: 0.0, beacon: nil, created: nil, "
      + "isShared: true, speedLimit: nil, presence: nil)"
    #expect(RegionListDigest.isEarlierForm(digest("\(full)\n\(deletion)"), of: [Self.full, Self.deletion]))
  }

  // MARK: At the start

  /// What a start with that file and that digest on the disk leads to.
  private func start(_ stored: String?, _ file: [WaypointEntry]) -> (regions: [String], written: [String]) {
    var snapshot = Snapshot()
    snapshot.imported = stored
    var scene = Scene(snapshot: snapshot)
    scene.post(.configured(Scene.configuration(), waypoints: file), at: 0)
    let written = scene.writes.compactMap { if case .imported(let digest) = $0 { digest } else { nil } }
    return (scene.tracker.knownRegions.map(\.region.name), written)
  }

  @Test func aRegionThatWasRemovedStaysRemoved() {
    let now = start("20c67434d234c2cadc1bc5b7c342c846f5fc3641", [Self.plain])
    #expect(now.regions.isEmpty && now.written.isEmpty)
  }

  @Test func soItDoesAfterAnUpgradeAndTheDigestIsWrittenAnew() {
    for text in Self.earlier {
      let upgraded = start(digest(text), [Self.plain])
      #expect(upgraded.regions.isEmpty && upgraded.written == [RegionListDigest.of([Self.plain])])
    }
  }

  @Test func aFileThatWasEditedCounts() {
    var edited = Self.plain
    edited.radius = 200
    for stored in [nil, RegionListDigest.of([Self.plain]), digest(Self.earlier[1])] {
      let merged = start(stored, [edited])
      #expect(merged.regions == ["Home"] && merged.written == [RegionListDigest.of([edited])])
    }
  }

  @Test func aFileWithoutRegionsSaysNothingOfThem() {
    let silent = start("20c67434d234c2cadc1bc5b7c342c846f5fc3641", [])
    #expect(silent.regions.isEmpty && silent.written.isEmpty)
  }

  /// Of any major and minor; the form is on disks as well.
  @Test func aBeaconOfAnyNumbersHasADigestOfItsOwn() {
    let any = WaypointEntry(name: "Van", coordinate: nil, beacon: BeaconIdentity(uuid: Scene.uuid))
    #expect(RegionListDigest.of([any]) == "5a153ffb1209dfa3833576ad4c3d9b47c36b554d")
  }
}
