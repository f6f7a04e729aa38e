import Model
import Testing
import Timebase

@testable import Core

/// What stands and what moves, fix by fix: a receiver on the equator, so that metres are exact.
struct StandstillTests {
  private var standstill = Standstill()
  /// When the last fix came, seconds.
  private var now = 0.0

  private typealias Verdict = Standstill.Verdict

  private static func place(_ east: Double, from longitude: Double = 0) -> Coordinate {
    let east = longitude + east / Standstill.Metres.perDegree
    return Coordinate(latitude: 0, longitude: east > 180 ? east - 360 : east)!
  }

  private func fix(_ second: Double, _ east: Double, _ speed: Double?, accuracy: Double = 5) -> Fix {
    Fix(
      time: WallTime(seconds: Scene.start + second), coordinate: Self.place(east), accuracy: accuracy,
      speed: speed)
  }

  private mutating func say(
    at second: Double, _ east: Double, _ speed: Double? = 0, accuracy: Double = 5, isGated: Bool = true,
    isLeap: Bool = false
  ) -> Verdict {
    now = second
    return standstill.consider(fix(second, east, speed, accuracy: accuracy), isGated: isGated, isLeap: isLeap)
  }

  /// A fix each second, for so many of them; the last verdict.
  private mutating func stay(_ seconds: Int, _ east: Double, _ speed: Double? = 0) -> Verdict {
    var verdict = Verdict.free
    for _ in 0..<seconds { verdict = say(at: now + 1, east, speed) }
    return verdict
  }

  /// The second of the first verdict that is like this, from now on; nil: none of so many.
  private mutating func wait(
    _ seconds: Int, _ east: Double, _ speed: Double? = 0, until isIt: (Verdict) -> Bool
  ) -> Double? {
    let began = now
    for _ in 0..<seconds where isIt(say(at: now + 1, east, speed)) { return now - began }
    return nil
  }

  /// Metres to the east.
  private static func settled(_ verdict: Verdict) -> Double? {
    guard case .settled(let fix) = verdict else { return nil }
    return fix.coordinate.longitude * Standstill.Metres.perDegree
  }

  /// Seen for so long, and calm.
  private mutating func park(_ seconds: Int = 100, _ speed: Double? = 0) {
    _ = say(at: 0, 0, speed)
    _ = stay(seconds, 0, speed)
  }

  /// Parked, and then on the way at ten metres a second until so many metres.
  private mutating func drive(to metres: Double, _ speed: Double? = 10) {
    park(100, speed == nil ? nil : 0)
    for east in stride(from: 10.0, through: metres, by: 10) { _ = say(at: now + 1, east, speed) }
  }

  // MARK: Arrivals

  @Test mutating func aPlaceIsYoungForHalfAMinute() {
    #expect(say(at: 0, 0) == .arrived)
    for second in 1...30 { #expect(say(at: Double(second), 0) == .arriving) }
    #expect(say(at: 31, 0) == .held(metres: 0))
  }

  @Test mutating func aPlaceIsYoungForThreeFixesHoweverFarApart() {
    let verdicts = [0.0, 20, 40, 60].map { say(at: $0, 0) }
    #expect(verdicts == [.arrived, .arriving, .arriving, .held(metres: 0)])
  }

  /// Its clock was set back: it begins anew.
  @Test(arguments: [0.0, -1, -500]) mutating func fixThatIsNotLaterIsNewArrival(later seconds: Double) {
    park()
    #expect(say(at: now + seconds, 0) == .arrived)
  }

  /// Nobody has seen how it came from the one place to the other; what is known of the receiver is that it wanders.
  @Test(arguments: [
    (10.0, 5.0, 50.0, false), (11, 5, 49, false), (11, 5, 50, true), (11, 60, 59, false), (11, 60, 60, true),
  ])
  mutating func whereItIsAfterAPauseItHasArrived(
    pause: Double, accuracy: Double, metres: Double, hasArrived: Bool
  ) {
    park()
    #expect((say(at: now + pause, metres, accuracy: accuracy) == .arrived) == hasArrived)
  }

  @Test(arguments: [true, false]) mutating func withoutTheGateItIsWhereItIsSaidToBe(isGated: Bool) {
    park()
    #expect((say(at: now + 1, 60, isGated: isGated) == .arrived) == !isGated)
  }

  /// What the gate refused was heard: the receiver was not silent.
  @Test mutating func refusedFixesDoNotCountAsPause() {
    park()
    for second in 1...20 { standstill.refused(fix(now + Double(second), 200, 0)) }
    #expect(say(at: now + 21, 200).isStanding)
  }

  /// The smoothed place is 50 m off with the second of these fixes.
  @Test(arguments: [(29.0, true), (30, false)])
  mutating func onlyAYoungPlaceIsDoubted(from second: Double, isDoubted: Bool) {
    _ = say(at: 0, 0)
    _ = stay(Int(second) - 1, 0)
    #expect(say(at: now + 1, 200) != .arrived)
    #expect((say(at: now + 1, 200) == .arrived) == isDoubted)
  }

  @Test(arguments: [(49.0, false), (50, true)])
  mutating func aProvenJumpOfAYoungPlaceIsBelievedAtOnce(metres: Double, isBelieved: Bool) {
    _ = say(at: 0, 0)
    _ = stay(10, 0)
    #expect((say(at: now + 1, metres, isLeap: true) == .arrived) == isBelieved)
  }

  /// It was seen to come to rest there.
  @Test mutating func aPlaceThatWasDrivenToIsNotDoubted() {
    drive(to: 500)
    #expect(wait(20, 500, until: \.isStanding) != nil)
    for _ in 1...20 { #expect(say(at: now + 1, 700).isStanding) }
  }

  /// Slowly, in two steps: what was taken for the first place is put right a minute after.
  @Test(arguments: [(1.0, nil, []), (2, 80.0, [50])])
  mutating func placeIsCorrectedAfterSlowRollInTwoSteps(steps: Double, place: Double?, after seconds: [Int]) {
    _ = (say(at: 0, 0, 0.3), stay(9, 0, 0.3), stay(15, 40, 0.3))
    let verdicts = (1...100).map { _ in say(at: now + 1, 40 * steps, 0.3) }
    #expect((1...100).filter { Self.settled(verdicts[$0 - 1]) != nil } == seconds)
    #expect(((verdicts.compactMap(Self.settled).first ?? 0) - (place ?? 0)).magnitude < 5)
  }

  /// What its place is, it tells twenty seconds after, and only once more for what was too near to tell.
  @Test mutating func aYoungPlaceThatWasWrongIsLeftForTheNext() {
    _ = say(at: 0, 0)
    _ = stay(15, 0)
    #expect(wait(20, 200) { $0 == .arrived } == 2)
    let told = (1...200).filter { _ in Self.settled(say(at: now + 1, 200)) != nil }
    #expect(told == [19, 59])
  }

  /// A receiver that tells no speeds: twice it may be a mistake.
  @Test mutating func continuedMotionFromYoungPlaceIsMovement() {
    _ = say(at: 0, 0, nil)
    let verdicts = (1...30).map { say(at: Double($0), 15 * Double($0), nil) }
    #expect(verdicts.filter { $0 == .arrived }.count == 1)
    let first = verdicts.firstIndex(of: .free) ?? 30
    #expect(verdicts.firstIndex(of: .arrived) ?? 30 < first && verdicts[first...].allSatisfy { $0 == .free })
    #expect(wait(60, 450, nil, until: \.isStanding) == 26)
  }

  // MARK: Departures

  /// The speed of the one fix that is so far off has to make up for half of the way, and for not much more than it.
  @Test(arguments: [(19.9, 10.0, false), (20, 10, true), (20, 9.9, false), (20, 50, true), (20, 51, false)])
  mutating func aDepartureIsExplainedByItsSpeeds(metres: Double, speed: Double, departs: Bool) {
    park()
    #expect((say(at: now + 1, metres, speed) == .free) == departs)
    #expect((say(at: now + 1, metres + speed, speed) == .free) || !departs)
  }

  @Test mutating func atSpeedZeroNothingDeparts() {
    park()
    for second in 1...9 { #expect(say(at: now + 1, 15 * Double(second), 0).isStanding) }
  }

  /// For ten seconds it counts as a receiver that tells speeds: the place alone is no departure.
  @Test mutating func noDepartureByPlaceTenSecondsAfterSpeed() {
    park()
    #expect(say(at: now + 10, 100, nil).isStanding)
  }

  /// Three metres a second out of nothing, again and again for an hour.
  @Test mutating func speedsOfLongAgoExplainNothing() {
    park()
    for _ in 1...6 {
      _ = stay(20, 0, 3)
      _ = stay(580, 0, 0)
    }
    let verdicts = (1...3).map { say(at: now + 1, 10 * Double($0), 10) }
    #expect(verdicts.map(\.isStanding) == [true, true, false])
  }

  /// Who has said for half an hour that it goes at a metre a second, and did not, has to say more.
  @Test(arguments: [(0, 11), (1800, nil)]) mutating func theNoiseOfSpeedsIsLearnt(
    for seconds: Int, departsAfter: Int?
  ) {
    park()
    _ = stay(seconds, 0, 1)
    #expect((1...30).first { say(at: now + 1, 2 * Double($0), 2) == .free } == departsAfter)
  }

  // MARK: Departures without speeds

  /// Metres a second that it gains each second, up to thirty: no vehicle gains five.
  @Test(arguments: [(1.0, 15), (2, 11), (3, 10), (4, 9)])
  mutating func withoutSpeedsTheWayItselfIsTheDeparture(gain: Double, seconds: Int) {
    park(200, nil)
    var (east, speed) = (0.0, 0.0)
    let departed = (1...40).first { _ in
      speed = min(speed + gain, 30)
      east += speed
      return say(at: now + 1, east, nil) == .free
    }
    #expect(departed == seconds)
  }

  @Test(arguments: [(0.1, nil), (0.3, 458), (0.7, 106), (1.4, 53), (5, 18)])
  mutating func slowerDriftDepartsLaterOrNever(speed: Double, seconds: Int?) {
    park(200, nil)
    #expect((1...500).first { say(at: now + 1, speed * Double($0), nil) == .free } == seconds)
  }

  /// Half-way for so long: from there it has a minute and a half.
  @Test(arguments: [(60, 13), (81, 14), (82, nil)])
  mutating func longPauseHalfwayPreventsDeparture(for pause: Int, seconds: Int?) {
    park(200, nil)
    for second in 1...10 { _ = say(at: now + 1, 4 * Double(second), nil) }
    #expect(stay(pause, 40, nil).isStanding)
    #expect((1...30).first { say(at: now + 1, 40 + 4 * Double($0), nil) == .free } == seconds)
  }

  @Test mutating func returnFromHalfwayRestartsDeparture() {
    park(200, nil)
    for second in 1...10 { _ = say(at: now + 1, 4 * Double(second), nil) }
    _ = stay(10, 40, nil)
    _ = stay(100, 0, nil)
    let departed = (1...30).first { say(at: now + 1, 5 * Double($0), nil) == .free }
    #expect(departed == 18)
  }

  /// Meanwhile it has said that it stands.
  @Test mutating func speedsEndAWayThatWasMadeWithoutThem() {
    park(200, nil)
    for second in 1...10 { _ = say(at: now + 1, 4 * Double(second), nil) }
    _ = stay(10, 40, nil)
    _ = stay(100, 40, 0)
    _ = stay(15, 40, nil)
    let departed = (1...30).first { say(at: now + 1, 40 + 4 * Double($0), nil) == .free }
    #expect(departed == 15)
  }

  /// Of a calm receiver fifteen metres are one.
  @Test(arguments: [60.0, 15]) mutating func fifteenStepsThatNoVehicleTakesAreAWay(of metres: Double) {
    park(200, nil)
    let verdicts = (1...15).map { say(at: now + 1, metres * Double($0), nil) }
    #expect(verdicts.map(\.isStanding) == [Bool](repeating: true, count: 14) + [false])
  }

  @Test mutating func theyAreCountedFromTheFirstOneOn() {
    drive(to: 500, nil)
    #expect(wait(100, 500, nil, until: \.isStanding) != nil)
    #expect((1...20).first { say(at: now + 1, 500 + 60 * Double($0), nil) == .free } == 15)
  }

  /// Now and then, that is, in between it stands as others do.
  @Test mutating func fifteenOfThemThatAreNotInARowAreNone() {
    park(200, nil)
    for step in 1...40 {
      #expect(say(at: now + 1, step % 2 == 0 ? 0 : 60, nil).isStanding)
      #expect(say(at: now + 1, step % 2 == 0 ? 0 : 60, nil).isStanding)
    }
  }

  @Test mutating func aReceiverThatAlwaysJumpsIsNoVehicle() {
    park(200, nil)
    for second in 1...120 { #expect(say(at: now + 1, second % 2 == 0 ? 0 : 8, nil).isStanding) }
  }

  @Test mutating func aJumpIsNoWay() {
    park(200, nil)
    #expect(wait(200, 100, nil) { $0 == .free } == nil)
  }

  /// Bit by bit, until it is where it was; to the other side it is no further than it ever was.
  @Test mutating func aJumpThatIsTakenBackIsForgotten() {
    park(200, nil)
    _ = stay(200, 100, nil)
    for step in 1...100 { #expect(say(at: now + 1, 100 - Double(step), nil).isStanding) }
    _ = stay(100, 0, nil)
    #expect((1...60).first { say(at: now + 1, -5 * Double($0), nil) == .free } == 18)
  }

  // MARK: Noise

  /// Three hours of it, forty metres off every other second: a pause and 70 m say nothing then.
  @Test(arguments: [(0.0, true), (40, false)])
  mutating func howFarThePlacesReachIsLearnt(metres: Double, hasArrived: Bool) {
    park()
    for second in 1...10_800 { _ = say(at: now + 1, second % 2 == 0 ? metres : -metres) }
    _ = stay(60, 0)
    #expect((say(at: now + 20, 70) == .arrived) == hasArrived)
  }

  // MARK: Far off

  @Test mutating func tenMinutesFarOffIsArrival() {
    park()
    #expect(wait(700, 100) { $0 == .arrived } == 609)
  }

  @Test mutating func returnRestartsTenMinutesToArrival() {
    park()
    _ = (stay(400, 100), stay(60, 0))
    #expect(wait(700, 100) { $0 == .arrived } == 611)
  }

  @Test(arguments: [(1500.0, nil), (3000, 603)])
  mutating func fartherThanAnyDriftItMayWander(metres: Double, seconds: Int?) {
    park()
    _ = stay(500, 1000)
    let arrived = (1...700).first { say(at: now + 1, $0 / 10 % 2 == 0 ? metres : metres + 100) == .arrived }
    #expect(arrived == seconds)
  }

  // MARK: Coming to rest

  @Test mutating func itSettlesTwentySecondsAfterItCameToRestAndAMinuteAfter() {
    drive(to: 500)
    #expect(wait(20, 500, until: \.isStanding) != nil)
    var told: [Int: Double] = [:]
    for second in 1...100 {
      // What is said last is not where it is on the whole.
      told[second] = Self.settled(say(at: now + 1, (16...20).contains(second) ? 520 : 500))
    }
    #expect(told.keys.sorted() == [20, 60] && told.values.allSatisfy { ($0 - 500).magnitude < 2 })
  }

  /// Slowly in a queue, with a receiver that has ceased to tell speeds, and with one that never did.
  @Test(arguments: [(10, 0.6, 76.0), (10, nil, 36), (nil, nil, 29)])
  mutating func lackOfProgressBecomesStandstill(_ before: Double?, _ speed: Double?, after seconds: Double) {
    drive(to: 500, before)
    #expect(wait(100, 500, speed, until: \.isStanding) == seconds)
  }

  @Test(arguments: [(299.0, false), (300, true)]) mutating func fiveMinutesWithoutFixIsArrival(
    seconds: Double, hasArrived: Bool
  ) {
    drive(to: 500)
    #expect((say(at: now + seconds, 900, 10) == .arrived) == hasArrived)
  }

  // MARK: Jumps of what moves

  @Test mutating func jumpWhileMovingIsYoungForOneMinute() {
    drive(to: 500)
    #expect(say(at: now + 1, 900, 10, isLeap: true) == .leapt(seconds: 0))
    for second in 1..<60 {
      #expect(say(at: now + 1, 900 + 10 * Double(second), 10) == .leapt(seconds: Double(second)))
    }
    #expect(say(at: now + 1, 1500, 10) == .free)
    // One too poor to say anything.
    #expect(say(at: now + 1, 1510, 10, accuracy: 200) == .free)
  }

  /// The smoothed place would have been 200 m behind.
  @Test mutating func settledPlaceAfterJumpDoesNotLag() {
    drive(to: 500)
    _ = say(at: now + 1, 900, 2, isLeap: true)
    let told = (1...60).compactMap { _ in Self.settled(say(at: now + 1, 900, 0)) }
    #expect(told.count == 1 && ((told.first ?? 0) - 900).magnitude < 2)
  }

  // MARK: Poor fixes

  /// Metres from where it rests, by the smoothed place: a poor fix moves it where its error leaves no doubt.
  @Test(arguments: [(100.0, 30.0, 5.0), (101, 30, 0), (110, 329.9, 0), (110, 330, 55)])
  mutating func aPoorFixCountsWhereItsErrorLeavesNoDoubt(accuracy: Double, metres: Double, moved: Double) {
    park()
    #expect(say(at: now + 1, metres, accuracy: accuracy) == .held(metres: moved))
  }

  // MARK: Where longitudes end

  /// A stop on either side of the line, and the last fixes on the other.
  @Test(arguments: [-60.0, 60]) mutating func atTheDateLineAMetreIsAMetre(_ east: Double) {
    let end = 180 + east / Standstill.Metres.perDegree
    var places: [Double] = []
    for second in 0..<200 {
      let metres = second < 100 ? 0 : second < 110 ? 10 * Double(second - 99) : 100
      var one = fix(Double(second), 0, (101..<110).contains(second) ? 10 : 0)
      one.coordinate = Self.place(east < 0 ? metres : -metres, from: end)
      if case .settled(let fix) = standstill.consider(one, isGated: true, isLeap: false) {
        places.append(fix.coordinate.longitude)
      }
    }
    let stopped = (east < 0 ? -1 : 1) * (180 - 40 / Standstill.Metres.perDegree)
    #expect(places.count == 2 && places.allSatisfy { ($0 - stopped).magnitude < 5e-5 })
  }
}
