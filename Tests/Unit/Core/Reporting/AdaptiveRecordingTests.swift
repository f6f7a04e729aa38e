import Model
import Testing
import Timebase

@testable import Core

#if canImport(Glibc)
  import Glibc
#endif

/// How few points draw a drive, and how well.
struct AdaptiveRecordingTests {
  enum Way: CaseIterable {
    case town, country, motorway, commute, journey

    func pieces(_ chance: inout Chance) -> [RoadDrive.Piece] {
      switch self {
      case .town: RoadDrive.town(&chance, metres: 20_000)
      case .country: RoadDrive.country(&chance, metres: 30_000)
      case .motorway: RoadDrive.motorway(&chance, metres: 60_000)
      case .commute:
        RoadDrive.town(&chance, metres: 5000) + RoadDrive.country(&chance, metres: 15_000)
          + RoadDrive.town(&chance, metres: 3000)
      case .journey:
        RoadDrive.town(&chance, metres: 5000) + RoadDrive.motorway(&chance, metres: 80_000)
          + RoadDrive.country(&chance, metres: 8000)
      }
    }
  }

  // behaviour: Which fix is news
  @Test(arguments: Way.allCases)
  func anEighthOfThePointsDrawsTheWayToTenMetres(_ way: Way) {
    var chance = Chance(9)
    let drive = RoadDrive(way.pieces(&chance))
    let fixes = drive.fixes(seed: 7)
    let kept = Self.kept(fixes)
    let share = Double(kept.count) / Double(fixes.count)
    #expect(share <= 0.12, "\(way): \(kept.count) of \(fixes.count)")
    var worst = 0.0
    for (from, to) in zip(kept, kept.dropFirst()) {
      for index in from..<to { worst = max(worst, Self.off(fixes[index], fixes[from], fixes[to])) }
    }
    #expect(worst <= 10, "\(way): \(worst) m off the line")
    let (corners, found) = Self.corners(drive, fixes, kept)
    #expect(corners == found, "\(way): \(found) of \(corners) corners")
  }

  private static func kept(_ fixes: [Fix]) -> [Int] {
    let rule = AdaptiveRecording(Configuration())
    var kept = [0]
    for index in 1..<fixes.count {
      let last = fixes[kept[kept.count - 1]]
      let isDue = (fixes[index].time - last.time).seconds >= 300
      if isDue || rule.reason(for: fixes[index], after: last) != nil { kept.append(index) }
    }
    return kept
  }

  /// Turns of 60 degrees and more within 50 m, and those that have a point within 25 m.
  private static func corners(_ drive: RoadDrive, _ fixes: [Fix], _ kept: [Int]) -> (Int, Int) {
    let points = drive.points
    var (corners, found) = (0, 0)
    for index in 6..<(points.count - 6) {
      func turn(_ from: Int, _ to: Int) -> Double { (points[to].heading - points[from].heading).magnitude }
      guard turn(index - 3, index + 3) > 60, points[index].metres - points[index - 3].metres < 25,
        turn(index - 1, index + 1) >= turn(index - 2, index),
        turn(index - 1, index + 1) > turn(index, index + 2)
      else { continue }
      corners += 1
      let apex = Scene.place(points[index].east, points[index].north)
      if kept.contains(where: { fixes[$0].coordinate.distance(to: apex) < 25 }) { found += 1 }
    }
    return (corners, found)
  }

  /// Metres from the line between two others.
  private static func off(_ fix: Fix, _ from: Fix, _ to: Fix) -> Double {
    let (px, py) = metres(fix, from)
    let (x, y) = metres(to, from)
    let length = x * x + y * y
    let share = length == 0 ? 0 : max(0, min(1, (px * x + py * y) / length))
    return hypot(px - share * x, py - share * y)
  }

  private static func metres(_ fix: Fix, _ origin: Fix) -> (Double, Double) {
    (
      (fix.coordinate.longitude - origin.coordinate.longitude) * 111_195 * 0.669_130_606,
      (fix.coordinate.latitude - origin.coordinate.latitude) * 111_195
    )
  }

  /// A bend that bends back ends on the old course, and the way between was somewhere else.
  @Test func aBendThatBendsBackIsATurn() {
    let rule = AdaptiveRecording(Configuration())
    let start = fix(0, 0, course: 90)
    #expect(rule.reason(for: fix(300, 0, course: 90), after: start) == nil)
    #expect(rule.reason(for: fix(300, 40, course: 90), after: start) != nil)
  }

  @Test func northIsNoTurn() {
    let rule = AdaptiveRecording(Configuration())
    #expect(rule.reason(for: fix(0, 200, course: 1), after: fix(0, 0, course: 359)) == nil)
  }

  @Test func courseChangeAtLowSpeedIsNoTurn() {
    let rule = AdaptiveRecording(Configuration())
    let start = fix(0, 0, course: 90, speed: 2.1)
    #expect(rule.reason(for: fix(60, 0, course: 180, speed: 1.9), after: start) == nil)
    #expect(rule.reason(for: fix(60, 0, course: 180, speed: 2.1), after: start) != nil)
  }

  // MARK: At the limits

  private static let rule = AdaptiveRecording(distance: 1000, heading: 150, speed: 18)

  @Test func aPointIsDueAtTheDistanceItself() {
    let (start, end) = (fix(0, 0, course: 90), fix(300, 0, course: 90))
    let metres = start.coordinate.distance(to: end.coordinate)
    var rule = Self.rule
    rule.distance = metres
    #expect(rule.reason(for: end, after: start) == .moved(metres: metres, needed: metres))
    rule.distance = metres + 0.001
    #expect(rule.reason(for: end, after: start) == nil)
  }

  /// Too near for a line between the two to say anything.
  @Test(arguments: [(149.0, false), (150, true), (-150, true), (151, true)])
  func aHairpinIsATurnFromTheHeadingOnByItsCoursesAlone(_ course: Double, _ isTurn: Bool) {
    let start = fix(0, 0, course: 0)
    #expect((Self.rule.reason(for: fix(14, 0, course: course), after: start)?.word == "turned") == isTurn)
    // Within a few metres nothing is worth a point.
    #expect(Self.rule.reason(for: fix(2, 0, course: course), after: start) == nil)
  }

  @Test(arguments: [(30.0, 14.9, false), (30, 15, true), (30, 5, true), (10, 15, false)])
  func braking(_ metres: Double, _ speed: Double, isWorthAPoint: Bool) {
    let start = fix(0, 0, course: 90, speed: 10)
    let found = Self.rule.reason(for: fix(metres, 0, course: 90, speed: speed), after: start)
    #expect((found?.word == "speedChanged") == isWorthAPoint)
  }

  /// Two metres a second are enough, and so is a receiver that says no speed at all.
  @Test(arguments: [(nil, true), (1.99, false), (2.0, true)] as [(Double?, Bool)])
  func aCourseCountsFromTwoMetresASecondOn(_ speed: Double?, _ counts: Bool) {
    let start = fix(0, 0, course: 0, speed: speed)
    #expect((Self.rule.reason(for: fix(14, 0, course: 180, speed: speed), after: start) != nil) == counts)
  }

  private func fix(_ east: Double, _ north: Double, course: Double, speed: Double? = 15) -> Fix {
    Fix(
      time: WallTime(seconds: Scene.start), coordinate: Scene.place(east, north), accuracy: 5, speed: speed,
      course: course)
  }
}
