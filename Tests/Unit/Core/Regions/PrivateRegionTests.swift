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

  private func engine(_ region: Region, _ presence: Presence) -> RegionEngine {
    var engine = RegionEngine()
    engine.put(region, presence: presence)
    return engine
  }

  @Test func thePlaceAloneIsEnoughBeforeTheCrossingIsConfirmed() {
    let engine = engine(home(), .outside)
    #expect(engine.hidingRegion(at: Scene.place(99, 0))?.rid == "home")
    #expect(engine.hidingRegion(at: Scene.place(101, 0)) == nil && engine.hidingRegion(at: nil) == nil)
  }

  @Test func insideIsInsideUntilTheLeaveIsConfirmed() {
    #expect(engine(home(), .inside).hidingRegion(at: Scene.place(500, 0))?.rid == "home")
    #expect(engine(home { $0.radius = 0 }, .inside).hidingRegion(at: Self.centre) == nil)
  }

  @Test func aFollowRegionHidesNothing() {
    #expect(engine(home { $0.name = "+Home" }, .inside).hidingRegion(at: Self.centre) == nil)
  }

  @Test func publicOrRemovedRegionHidesNothing() {
    var engine = engine(home(), .inside)
    engine.put(home { $0.isPrivate = false }, presence: .inside)
    #expect(engine.hidingRegion(at: Self.centre) == nil && engine.inconsistency == nil)
    engine.put(home(), presence: .inside)
    engine.put(home { $0.rid = "other" }, presence: .outside)
    engine.remove(rid: "home")
    #expect(engine.hidingRegion(at: Self.centre)?.rid == "other" && engine.inconsistency == nil)
  }
}
