import Model
import Testing
import Timebase

@testable import Core

/// The engine by itself: what one fix after the other makes of the regions, and what it keeps beside them.
struct RegionEngineTests {
  private typealias Found = RegionEngine.Found

  private static func rules(confirm: Int = 1, isResting: Bool = false) -> RegionEngine.Rules {
    .init(confirm: confirm, holdDown: .seconds(60), isReceiverResting: isResting)
  }

  private static func instant(_ seconds: Double) -> Instant {
    Instant(nanoseconds: 1_000_000_000_000) + .seconds(seconds)
  }

  private static func fix(
    _ east: Double, at time: Double = 0, accuracy: Double = 5, speed: Double? = nil
  ) -> Fix {
    Fix(
      time: WallTime(seconds: Scene.start + time), coordinate: Scene.place(east, 0), accuracy: accuracy,
      speed: speed)
  }

  private static func region(
    _ name: String, east: Double = 0, radius: Double = 100, rid: String? = nil,
    _ change: (inout Region) -> Void = { _ in }
  ) -> Region {
    var region = Region(
      rid: rid ?? name, name: name, coordinate: Scene.place(east, 0), radius: radius, created: 1)
    change(&region)
    return region
  }

  private static func engine(_ known: (Region, Presence)...) -> RegionEngine {
    var engine = RegionEngine()
    for (region, presence) in known { engine.put(region, presence: presence) }
    return engine
  }

  private static func words(_ found: Found) -> [String] {
    found.crossings.map { ($0.crossing == .enter ? "enter " : "leave ") + $0.region.rid }
  }

  private func look(
    _ engine: inout RegionEngine, _ east: Double, at time: Double = 0, accuracy: Double = 5,
    speed: Double? = nil, _ verdict: Standstill.Verdict = .free, confirm: Int = 1
  ) -> Found {
    engine.consider(
      Self.fix(east, at: time, accuracy: accuracy, speed: speed), verdict, at: Self.instant(time),
      rules: Self.rules(confirm: confirm))
  }

  // MARK: Confirmation

  @Test func oneFixThatSaysOtherwiseBeginsTheRowAnew() {
    var engine = Self.engine((Self.region("Home"), .outside))
    let first = look(&engine, 20, confirm: 2)
    #expect(first.notes == [.notConfirmed(region: "Home", seen: 1, needed: 2)])
    #expect(!engine.boxes[0].north.isFinite, "half-way over it is looked at wherever the next fix is")
    let other = look(&engine, 400, confirm: 2)
    #expect(other.isNothing && engine.tracked[0].contradicting == 0)
    #expect(engine.boxes[0].north.isFinite)
    let again = look(&engine, 20, confirm: 2)
    #expect(again.notes == [.notConfirmed(region: "Home", seen: 1, needed: 2)])
    #expect(Self.words(look(&engine, 20, confirm: 2)) == ["enter Home"])
  }

  /// Where a receiver is first seen, what is near is taken for so; what was near once and is not any more is not.
  @Test func onlyRegionNearArrivalIsFresh() {
    var engine = Self.engine((Self.region("Home"), .outside))
    _ = look(&engine, 50, accuracy: 500, .arrived)
    #expect(engine.tracked[0].isFresh, "too vague to say anything")
    _ = look(&engine, 5000, .arrived)
    #expect(!engine.tracked[0].isFresh)
    _ = look(&engine, 50, accuracy: 500, .arrived)
    _ = look(&engine, 150, .held(metres: 0))
    #expect(!engine.tracked[0].isFresh, "seen outside, it has to move to get in")
    #expect(look(&engine, 20, .arriving).notes == [.unmoved(region: "Home")])
  }

  @Test func fixOnBoxEdgeCountsAsNear() throws {
    let box = Self.engine((Self.region("Home"), .outside)).boxes[0]
    let (latitude, longitude) = (Double(box.south + box.north) / 2, Double(box.west + box.east) / 2)
    let north = Coordinate(latitude: Double(box.north), longitude: longitude)
    let south = Coordinate(latitude: Double(box.south), longitude: longitude)
    let east = Coordinate(latitude: latitude, longitude: Double(box.east))
    let west = Coordinate(latitude: latitude, longitude: Double(box.west))
    for (side, place) in [("north", north), ("south", south), ("east", east), ("west", west)] {
      var engine = Self.engine((Self.region("Home"), .outside))
      let fix = Fix(time: WallTime(seconds: Scene.start), coordinate: try #require(place), accuracy: 500)
      let found = engine.consider(fix, .arrived, at: Self.instant(0), rules: Self.rules())
      #expect(found.isNothing && engine.tracked[0].isFresh, "in the \(side)")
    }
  }

  @Test func crossingAfterArrivalEndsFreshness() {
    var engine = Self.engine((Self.region("Home"), .inside))
    #expect(!engine.tracked[0].isFresh)
    #expect(Self.words(look(&engine, 500, .arrived)) == ["leave Home"])
    #expect(!engine.tracked[0].isFresh && engine.boxes[0].north.isFinite)
    #expect(look(&engine, 20, .arriving).notes == [.unmoved(region: "Home")])
  }

  @Test func followRegionOfUnknownPresenceIsRecentredSilently() {
    var engine = Self.engine((Self.region("+Van"), .unknown))
    let found = look(&engine, 900)
    #expect(found.followed.isEmpty && found.crossings.isEmpty)
    #expect(engine.tracked[0].region.coordinate == Scene.place(900, 0))
    #expect(engine.tracked[0].presence == .inside && engine.isInsideFollow)
  }

  // MARK: Order

  /// Two circles are left and two entered with one fix, put in no order.
  @Test func leavesComeFirstAndThenByName() {
    var engine = Self.engine(
      (Self.region("D", east: 500), .outside), (Self.region("B"), .inside),
      (Self.region("C", east: 500), .outside), (Self.region("A"), .inside))
    #expect(Self.words(look(&engine, 500)) == ["leave A", "leave B", "enter C", "enter D"])
    var two = Self.engine((Self.region("In", east: 500), .outside), (Self.region("Out"), .inside))
    #expect(Self.words(look(&two, 500)) == ["leave Out", "enter In"])
    var same = Self.engine((Self.region("A", rid: "2"), .inside), (Self.region("A", rid: "1"), .inside))
    #expect(Self.words(look(&same, 500)) == ["leave 1", "leave 2"])
  }

  @Test func holdDownsThatEndTogetherComeByName() {
    var engine = Self.engine((Self.region("-B"), .inside), (Self.region("-A"), .inside))
    let held = look(&engine, 500)
    #expect(held.notes == [.heldDown(region: "-B"), .heldDown(region: "-A")] && held.crossings.isEmpty)
    #expect(engine.inconsistency == nil, "held down it is still inside")
    #expect(engine.expire(at: Self.instant(59.9), rules: Self.rules()).isNothing)
    #expect(Self.words(engine.expire(at: Self.instant(60), rules: Self.rules())) == ["leave -A", "leave -B"])
    #expect(engine.inside.isEmpty && engine.inconsistency == nil)
    #expect(engine.nextExpiry(rules: Self.rules()) == nil)
  }

  @Test func comingBackEndsAHoldDownAndSaysSo() {
    var engine = Self.engine((Self.region("-Home"), .inside))
    _ = look(&engine, 500)
    let back = look(&engine, 20, at: 10)
    #expect(back.notes == [.reentered(region: "-Home")] && engine.nextExpiry(rules: Self.rules()) == nil)
  }

  // MARK: Coming and going of regions

  @Test func regionIndicesFollowPutAndRemove() {
    var engine = Self.engine(
      (Self.region("A"), .inside), (Self.region("B", east: 900), .outside), (Self.region("+C"), .inside),
      (Self.region("D") { $0.isPrivate = true }, .inside))
    #expect(engine.inconsistency == nil)
    engine.remove(rid: "B")
    #expect(engine.insideNow == [0, 1, 2] && engine.follows == [1] && engine.hidingRegions == [2])
    engine.remove(rid: "A")
    #expect(engine.insideNow == [0, 1] && engine.follows == [0] && engine.hidingRegions == [1])
    #expect(engine.inconsistency == nil)
    engine.put(Self.region("C", rid: "+C"), presence: .outside)
    #expect(engine.insideNow == [1] && engine.follows.isEmpty && engine.boxes[0].north.isFinite)
    engine.put(Self.region("+C"), presence: .inside)
    #expect(engine.insideNow == [0, 1] && engine.follows == [0] && !engine.boxes[0].north.isFinite)
    #expect(engine.inconsistency == nil)
  }

  @Test func aRegionThatIsNewToTheBoardIsWhereTheFixSays() {
    var engine = Self.engine((Self.region("Far", east: 900), .unknown), (Self.region("Here"), .unknown))
    engine.place(rid: "Far", Self.fix(0), before: nil)
    engine.place(rid: "Here", Self.fix(0), before: nil)
    #expect(engine.tracked.map(\.presence) == [.outside, .inside])
  }

  @Test func aFollowCircleIsPutAroundTheBoardAnew() {
    let beacon = Self.region("+Key", radius: 0) {
      $0.beacon = BeaconIdentity(uuid: Scene.uuid)
    }
    var engine = Self.engine((Self.region("+10Van"), .inside), (beacon, .inside))
    _ = look(&engine, 500, confirm: 2)
    #expect(engine.tracked[0].contradicting == 1)
    engine.recentre(on: Self.fix(500, speed: 20))
    #expect(engine.tracked[0].region.coordinate == Scene.place(500, 0))
    #expect(engine.tracked[0].region.radius == 200 && engine.tracked[0].contradicting == 0)
    #expect(engine.tracked[1].region.coordinate == Scene.place(0, 0), "a beacon's has no circle")
    engine.recentre(on: Self.fix(500, accuracy: 60))
    #expect(engine.tracked[0].region.radius == 60)
    engine.recentre(on: Self.fix(500, speed: 1))
    #expect(engine.tracked[0].region.radius == 50)
  }

  @Test func aFollowCircleThatWasLeftIsInsideAgainWhereItIsPut() {
    var engine = Self.engine((Self.region("+Van"), .inside))
    #expect(look(&engine, 500).followed.map(\.rid) == ["+Van"])
    #expect(engine.tracked[0].presence == .outside)
    engine.recentre(on: Self.fix(500))
    #expect(engine.tracked[0].presence == .inside && engine.inconsistency == nil)
  }

  // MARK: Questions

  @Test func onlyACircleThatFollowsIsAFollowCircle() {
    let beacon = Self.region("+Key", radius: 0) {
      $0.beacon = BeaconIdentity(uuid: Scene.uuid)
    }
    #expect(!Self.engine((beacon, .inside)).isInsideFollow)
    #expect(!Self.engine((Self.region("Home"), .inside)).isInsideFollow)
    #expect(!Self.engine((Self.region("+Van"), .outside)).isInsideFollow)
    #expect(Self.engine((Self.region("+Van"), .inside)).isInsideFollow)
  }

  @Test func theSmallestLimitHoldsAndOfTwoTheOlderIsNamed() {
    let engine = Self.engine(
      (Self.region("Town") { $0.speedLimit = 50 }, .inside),
      (Self.region("Zone") { $0.speedLimit = 50 }, .inside),
      (Self.region("Road") { $0.speedLimit = 70 }, .inside))
    #expect(engine.speedLimit == SpeedWatch.Limit(speed: 50, region: "Town"))
    let hidden = Self.engine((Self.region("Depot") { ($0.speedLimit, $0.isShared) = (10, false) }, .inside))
    #expect(hidden.speedLimit == SpeedWatch.Limit(speed: 10, region: nil))
  }

  @Test func theEdgeItselfIsHidden() {
    let place = Scene.place(100, 0)
    let region = Self.region("Home") {
      $0.isPrivate = true
      $0.radius = $0.coordinate.distance(to: place)
    }
    #expect(Self.engine((region, .outside)).circle(hiding: place)?.rid == "Home")
  }

  // MARK: Dwelling

  /// What drives on a road through a yard may be out of it again by when the dwell is over.
  @Test(arguments: [(20.0, 50.0, false), (20, 50.1, true), (10, 50, true), (10.1, 50, false)])
  func dwellTimerNeedsSlowOrRecentFix(speed: Double, last: Double, isDue: Bool) {
    var engine = Self.engine((Self.region("Yard") { $0.dwell = 60 }, .outside))
    _ = look(&engine, 20, speed: 20)
    let inside = look(&engine, 20, at: last, speed: speed)
    #expect(inside.notes == [.dwelling(region: "Yard", seconds: last, needed: 60)])
    #expect(engine.nextExpiry(rules: Self.rules()) == (isDue ? Self.instant(60) : nil))
  }

  @Test func aDwellThatIsOverIsNotWaitedFor() {
    var engine = Self.engine((Self.region("Yard") { $0.dwell = 60 }, .outside))
    _ = look(&engine, 20)
    #expect(look(&engine, 20, at: 60).notes.isEmpty)
    #expect(engine.tracked[0].dwell == .seconds(60))
    #expect(RegionEngine.Tracked(region: Self.region("Home"), presence: .inside).dwell == .zero)
  }
}
