import Model
import Testing

@testable import Core

/// How the limit of a region comes and stays.
struct SpeedLimitTests {
  private static func town(_ limit: Int?) -> Snapshot.KnownRegion {
    var known = Scene.home(name: "Town", inside: .inside)
    known.region.speedLimit = limit
    return known
  }

  private static func merged(_ before: Int?, with entry: Int?) -> Int? {
    var scene = Scene(regions: [town(before)])
    let region = WaypointEntry(
      rid: "Town", name: "Town", coordinate: Scene.place(0, 0), radius: 100, created: 1_700_000_100,
      speedLimit: entry)
    scene.post(.control(.regionImport([region]), from: 1), at: 1)
    return scene.tracker.knownRegions.first?.region.speedLimit
  }

  @Test func anImportBringsOne() { #expect(Self.merged(nil, with: 30) == 30) }
  @Test func anImportChangesOne() { #expect(Self.merged(50, with: 30) == 30) }
  @Test func anImportThatIsSilentLeavesIt() { #expect(Self.merged(50, with: nil) == 50) }
  @Test func zeroTakesItAway() { #expect(Self.merged(50, with: 0) == nil) }

  @Test func aRegionIsMadeWithOne() {
    var scene = Scene()
    let entry = WaypointEntry(
      name: "Town", coordinate: Scene.place(0, 0), radius: 100, created: 1_700_000_100, speedLimit: 30)
    scene.post(.control(.regionAdd(entry, isHere: false), from: 1), at: 1)
    #expect(scene.tracker.knownRegions.first?.region.speedLimit == 30)
  }
}
