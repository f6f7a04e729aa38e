import Core
import Model
import Testing
import Timebase

@testable import Simulator

/// What has to hold of regions after each event: who gets it wrong is noticed.
struct RegionWatchTests {
  private let here: Coordinate
  private let yard: Region

  init() throws {
    here = try #require(Coordinate(latitude: 48, longitude: 16))
    yard = Region(rid: "a", name: "Yard", coordinate: here, radius: 100, created: 0)
  }

  private func fix(north: Double = 0, accuracy: Double = 5, speed: Double?) throws -> Fix {
    let place = try #require(Coordinate(latitude: 48 + north / 111_195, longitude: 16))
    return Fix(time: WallTime(seconds: 1), coordinate: place, accuracy: accuracy, speed: speed)
  }

  private func location() throws -> Report {
    .location(
      LocationReport(
        fix: try fix(speed: 1), time: WallTime(seconds: 1), created: nil, trigger: .circular, mode: .move))
  }

  private func crossing() -> Report {
    .transition(
      TransitionReport(
        region: yard, crossing: .leave, coordinate: here, accuracy: 5, time: WallTime(seconds: 1),
        created: nil))
  }

  @Test func aCrossingWithoutItsPlaceIsNoticed() throws {
    let reason = Reason.crossed(region: "Yard", .leave, metres: 110)
    var watch = PlacesOfCrossings()
    watch.told(crossing(), because: reason, isPlaceKnown: true)
    #expect(watch.lonely == reason)
    watch.withheld(.tooNear(metres: 1, needed: 2))
    #expect(watch.lonely == reason)
    watch.withheld(.inaccurate(metres: 20, limit: 10))
    #expect(watch.lonely == nil)
    watch = PlacesOfCrossings()
    watch.told(crossing(), because: reason, isPlaceKnown: true)
    watch.told(try location(), because: reason, isPlaceKnown: true)
    #expect(watch.lonely == nil)
    watch = PlacesOfCrossings()
    watch.told(crossing(), because: .leftSince(region: "Yard", isChanged: true), isPlaceKnown: true)
    #expect(watch.lonely == nil)
  }

  @Test func aCircleThatDoesNotGoAlongIsNoticed() throws {
    func lie(_ name: String, radius: Double, _ fix: Fix) -> String? {
      CirclesThatGoAlong.lie(
        Region(rid: "f", name: name, coordinate: here, radius: radius, created: 0), around: fix)
    }
    #expect(lie("+follow", radius: 300, try fix(speed: 10)) == nil)
    #expect(lie("+follow", radius: 150, try fix(speed: 10)) != nil)
    #expect(lie("+60 around", radius: 600, try fix(speed: 10)) == nil)
    #expect(lie("+1.5x", radius: 50, try fix(speed: 10)) == nil)
    #expect(lie("+follow", radius: 120, try fix(accuracy: 120, speed: nil)) == nil)
    #expect(lie("+follow", radius: 50, try fix(accuracy: 120, speed: nil)) != nil)
    #expect(lie("+follow", radius: 300, try fix(north: 5, speed: 10)) != nil)
  }

  @Test func aSideThatIsForgottenOverAnotherNameIsNoticed() {
    var renamed = yard
    (renamed.name, renamed.isShared) = ("Depot", false)
    let before = [Snapshot.KnownRegion(region: yard, presence: .inside)]
    #expect(ChangedRegions.lie(before, [.init(region: renamed, presence: .inside)]) == nil)
    #expect(ChangedRegions.lie(before, [.init(region: renamed, presence: .unknown)]) != nil)
    renamed.radius = 50
    #expect(ChangedRegions.lie(before, [.init(region: renamed, presence: .unknown)]) == nil)
    #expect(ChangedRegions.lie(before, []) == nil)
  }

  @Test func aBeaconOfWhichNothingIsEverKnownIsNoticed() {
    var watch = UnknownBeacons()
    for _ in 0..<10 { #expect(watch.wait(for: ["a", "b"], listened: 1) == nil) }
    #expect(watch.wait(for: ["b"], listened: 0) == nil)
    #expect(watch.wait(for: ["a", "b"], listened: 1) == "b")
  }
}
