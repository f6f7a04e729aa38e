import Model
import Testing

@testable import Core

/// What the region engine is made of: sides, boxes, names, and what was announced.
struct RegionPartsTests {
  private func home(radius: Double = 100, latitude: Double = 48, longitude: Double = 11) -> Region {
    Region(
      rid: "r", name: "Home", coordinate: Coordinate(latitude: latitude, longitude: longitude)!,
      radius: radius,
      created: 1)
  }

  // MARK: Sides

  /// A fix that is worse than 100 m and the circle says only what even its error cannot change.
  @Test func poorFixDecidesOnlyBeyondItsError() {
    func side(_ beyond: Double, _ accuracy: Double, radius: Double) -> RegionSide {
      RegionSide.of(home(radius: radius), beyond: beyond, accuracy: accuracy)
    }
    #expect(side(50, 100, radius: 50) == .between, "exactly as good as it has to be")
    #expect(side(50, 300, radius: 300) == .between)
    #expect(side(-400, 400, radius: 300) == .inside && side(-399.9, 400, radius: 300) == .doubtful)
    #expect(side(400, 400, radius: 300) == .doubtful && side(400.1, 400, radius: 300) == .outside)
  }

  // MARK: Boxes

  private func box(_ region: Region, _ presence: Presence = .outside, contradicting: Int = 0) -> RegionBox {
    RegionBox(RegionEngine.Tracked(region: region, presence: presence, contradicting: contradicting))
  }

  @Test func boxIsFiniteOnlyWhenKnownOutside() {
    let known = box(home())
    #expect(known.south < 48 && known.north > 48 && known.west < 11 && known.east > 11)
    #expect(known.north - known.south < 0.01 && known.east - known.west < 0.01)
    #expect(!box(home(), .inside).north.isFinite && !box(home(), .unknown).north.isFinite)
    #expect(!box(home(), contradicting: 1).north.isFinite)
  }

  @Test func nearAPoleOrTheDateLineItIsLookedAtInAnyCase() {
    #expect(!box(home(latitude: 86)).north.isFinite && !box(home(latitude: -86)).north.isFinite)
    #expect(!box(home(latitude: 0, longitude: 179.5)).north.isFinite)
    #expect(!box(home(latitude: 0, longitude: -179.5)).north.isFinite)
    #expect(box(home(latitude: 84, longitude: 170)).north.isFinite)
  }

  @Test func boxCoversOnlyBoxesWithinIt() {
    let here = box(home())
    #expect(here.covers(here) && RegionBox.open.covers(here) && !here.covers(.open))
    for (latitude, longitude) in [(48.001, 11.0), (47.999, 11), (48, 11.001), (48, 10.999)] {
      #expect(!here.covers(box(home(latitude: latitude, longitude: longitude))), "\(latitude), \(longitude)")
    }
    #expect(here.covers(box(home(radius: 50))))
  }

  // MARK: Names

  @Test(arguments: [
    ("+60follow", 60.0), ("+1.5x", 1.5), ("+1.25", 1.25), ("+.5", 0.5), ("+1.5.5", 1.5), ("+6a7", 6),
    ("+12", 12), ("+follow", 30), ("+0", 30), ("+\u{FF16}0", 30), ("+", 30),
  ])
  func theNumberOfAFollowRegionIsItsSeconds(_ name: String, _ seconds: Double) {
    #expect((RegionName.followSeconds(in: name) - seconds).magnitude < 1e-9)
  }

  @Test func aSideOfTheNameThatIsEmptyChangesNothing() {
    #expect(RegionName.modeSwitch(in: "Home||1") == .init(onEnter: nil, onLeave: .significant))
    #expect(RegionName.modeSwitch(in: "Home|2|") == .init(onEnter: .move, onLeave: nil))
    #expect(RegionName.modeSwitch(in: "Home|2") == nil && RegionName.modeSwitch(in: "Home|2|1|0") == nil)
  }

  // MARK: What was announced

  @Test func leaveOfOneNamesakeKeepsTheOther() {
    var (first, second) = (home(), home())
    first.speedLimit = 50
    (second.rid, second.name) = ("s", "Home|2|1")
    var entered = EnteredRegions([])
    let both = [entered.published(first, .enter), entered.published(second, .enter)]
    #expect(both == [true, true])
    #expect(entered.all.map(\.region.speedLimit) == [nil, nil], "a leave has no limit")
    let left = entered.published(first, .leave)
    #expect(left && entered.all.map(\.region.rid) == ["s"])
  }
}
