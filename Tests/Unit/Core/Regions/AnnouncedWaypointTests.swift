import Model
import Testing

@testable import Core

// behaviour: How regions come and go
/// Which regions are published as `waypoint` when they are made (key `announceWaypoints`).
struct AnnouncedWaypointTests {
  /// One of each kind.
  private static let entries: [WaypointEntry] = [
    entry("Home", radius: 100), entry("+60follow", radius: 50),
    entry("Garage", radius: 0, beacon: BeaconIdentity(uuid: Scene.uuid)), entry("Pin", radius: 0),
    entry("Secret", radius: 100, isShared: false),
  ]

  private static func entry(
    _ name: String, radius: Double, beacon: BeaconIdentity? = nil, isShared: Bool = true
  ) -> WaypointEntry {
    var entry = WaypointEntry(
      rid: name, name: name, coordinate: Scene.place(0, 0), radius: radius, created: 1_700_000_100)
    (entry.beacon, entry.isShared) = (beacon, isShared)
    return entry
  }

  private func told(_ change: (inout Configuration) -> Void) -> [String] {
    var scene = Scene.inMode(.manual) { change(&$0) }
    scene.connect()
    scene.post(.control(.regionImport(Self.entries), from: 1), at: 1)
    return scene.reports.compactMap { if case .waypoint(let region) = $0.report { region.name } else { nil } }
  }

  private static let shared = ["Home", "+60follow", "Garage", "Pin"]

  @Test func allThatAreSharedWhereNothingIsSaid() {
    #expect(told { _ in } == Self.shared)
  }

  /// Home Assistant would make a zone of each, and show the board by its name.
  @Test func noneWhileTheBoardIsDescribedToHomeAssistant() {
    #expect(told { $0.dashboard.discovery = true }.isEmpty)
    #expect(
      told {
        $0.dashboard.discovery = true
        $0.transport = .http
      } == Self.shared)
  }

  @Test(arguments: [true, false]) func asIsWanted(_ isDiscovered: Bool) {
    func told(_ wanted: Configuration.AnnouncedWaypoints) -> [String] {
      self.told { ($0.dashboard.discovery, $0.dashboard.announceWaypoints) = (isDiscovered, wanted) }
    }
    #expect(told(.all) == Self.shared)
    #expect(told(.circles) == ["Home"])
    #expect(told(.none).isEmpty)
  }
}
