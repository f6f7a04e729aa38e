import Model
import Testing
import Timebase

@testable import Core

/// How often one beacon is heard, how strong it is, and what follows: packet by packet.
struct BeaconRhythmTests {
  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  // MARK: Gaps

  private func gaps(_ seconds: [Double]) -> BeaconGaps {
    var gaps = BeaconGaps()
    for gap in seconds { gaps.learn(.seconds(gap)) }
    return gaps
  }

  @Test func nothingIsKnownOfOneThatWasHeardOnce() {
    #expect(BeaconGaps().mean == nil && BeaconGaps().timeout == .seconds(60))
    #expect(gaps([4]).mean == 4 && gaps([4]).total == 1)
  }

  /// Ten seconds each: below thirty of them the mean may be larger, and then every sixteenth is asked.
  @Test(arguments: [(1, 300.0), (29, 204.5), (31, 204.5), (32, 172.5), (992, 172.5), (1008, 30)])
  func theTimeoutFollowsTheMeanUntilThereAreAThousand(count: Int, seconds: Double) {
    let known = gaps([Double](repeating: 10, count: count))
    #expect((known.timeout.seconds - seconds).magnitude < (count < 1008 ? 0.1 : .infinity))
    #expect(count < 1008 || known.timeout == .seconds(30))
  }

  /// Of two thousand gaps two are one in a thousand, and the third is what they exceed.
  @Test(arguments: [([60, 60], 30), ([60, 60, 60], 160), ([40, 60, 100], 120)] as [([Double], Double)])
  func timeoutFollowsOneInThousandGap(long: [Double], timeout: Double) {
    #expect(gaps(long + [Double](repeating: 1, count: 2000 - long.count)).timeout == .seconds(timeout))
  }

  @Test func halfIsForgottenAtEightThousand() {
    var known = gaps([Double](repeating: 2, count: 8191))
    #expect(known.total == 8191)
    known.learn(.seconds(2))
    #expect(known.total == 4096 && known.mean == 2)
  }

  /// Of two in one bucket one is remembered, of two in two buckets none; all that are longer than the last begins, or
  /// shorter than the first, are in it. It shows in what one in a thousand exceeds, and when that is asked: at every
  /// sixteenth.
  @Test(
    arguments: [([400, 500], 2, 30), ([500, 600], 2, 50), ([0.02, 0.04], 1, 50)] as [([Double], Int, Double)])
  func halfOfEachBucketIsForgotten(rare: [Double], more: Int, timeout: Double) {
    var known = gaps(rare + [Double](repeating: 16, count: 9))
    var before = 0
    repeat {
      before = known.total
      known.learn(.seconds(1))
    } while known.total > before
    for _ in 0..<more { known.learn(.seconds(1)) }
    #expect(known.timeout == .seconds(timeout), "\(known.total) gaps")
  }

  // MARK: One beacon

  private func heard(_ readings: [Int8?], isPresent: Bool = true) -> HeardBeacon {
    var beacon = HeardBeacon(Scene.sighting(), listened: .zero, at: .zero)
    for (second, rssi) in readings.enumerated() {
      beacon.hear(rssi, at: Double(second), isPresent: isPresent)
    }
    return beacon
  }

  @Test func eachPacketCountsOnceAndEachGapButTheFirst() {
    let beacon = heard([-60, -60, -60])
    #expect(beacon.sightings == 3 && beacon.gaps.total == 2)
  }

  /// It enters at -80 and is faint below -90: the middle of the last five counts, of three at least.
  @Test(
    arguments: [
      ([-60], .between), ([-60, -60], .between), ([-80, -80, -80], .near), ([-81, -81, -81], .between),
      ([-90], .between), ([-91], .faint), ([nil], .between), ([-91, -91, -80], .faint),
      ([-60, -100, -70, -90, -80], .near), ([-60, -100, -70, -90, -81], .between),
      ([-100, -90, -80, -70, -60], .near), ([-100, -100, -100, -80, -80, -80], .near),
      ([-80, -80, -80, -100, -100, -100], .faint), ([-60, -100, -100], .faint),
      ([-100, -90, -80, -70], .near),
    ] as [([Int8?], HeardBeacon.Strength)])
  func theMiddleOfTheLastReadingsIsItsStrength(readings: [Int8?], strength: HeardBeacon.Strength) {
    #expect(heard(readings).strength(enter: -80, leave: -90) == strength)
  }

  /// Longer than its time-out, and what it was before says nothing.
  @Test(
    arguments: [
      (60.0, -60, [-100], .near), (61, -60, [-100], .faint), (61, -100, [-60], .between),
      (61, -100, [nil], .between),
      (61, -60, [-60, -60], .between), (61, -60, [-60, -60, -60], .near),
    ] as [(Double, Int8, [Int8?], HeardBeacon.Strength)])
  func aSilenceMakesReadingsOld(seconds: Double, before: Int8, after: [Int8?], strength: HeardBeacon.Strength)
  {
    var beacon = heard([before, before, before], isPresent: false)
    for (index, rssi) in after.enumerated() {
      beacon.hear(rssi, at: 2 + seconds + Double(index), isPresent: false)
    }
    #expect(beacon.strength(enter: -80, leave: -90) == strength)
  }

  /// Its region was left meanwhile: up to three time-outs are a gap of its own, longer ones an absence.
  @Test(arguments: [(180.0, 1), (181, 0)])
  func aSilenceThatLookedLikeALeaveTeaches(seconds: Double, learnt: Int) {
    var beacon = heard([-60], isPresent: false)
    beacon.hear(-60, at: seconds, isPresent: false)
    beacon.returned()
    #expect(beacon.gaps.total == learnt)
    beacon.returned()
    #expect(beacon.gaps.total == learnt)
  }

  @Test(arguments: [(29, 30), (30, 30)]) func beaconWithThirtyGapsIgnoresAbsence(before: Int, after: Int) {
    var beacon = heard([Int8?](repeating: -60, count: before + 1))
    #expect(beacon.gaps.total == before)
    beacon.hear(-60, at: Double(before) + 40, isPresent: false)
    beacon.returned()
    #expect(beacon.gaps.total == after)
  }

  @Test(arguments: [(59.0, 1), (60, 0)]) func aGapAsLongAsTheTimeoutIsNone(seconds: Double, learnt: Int) {
    var beacon = heard([-60])
    beacon.hear(-60, at: seconds, isPresent: true)
    #expect(beacon.gaps.total == learnt)
  }

  // MARK: After a leave

  private func admits(_ packets: [(Double, Int8?)], stay: Float? = -70) -> (isBack: Bool, seen: Int) {
    var guarding = ReentryGuard(leftAt: .zero, stay: stay)
    var isBack = false
    for (second, rssi) in packets { isBack = guarding.admits(rssi: rssi, listened: .seconds(second)) }
    return (isBack, guarding.seen)
  }

  @Test func threePacketsWithinTenSecondsAreNoStray() {
    #expect(admits([(0, -90)]) == (false, 1) && admits([(0, -90), (10, -90)]) == (false, 2))
    #expect(admits([(0, -90), (10.1, -90)]) == (false, 1))
    #expect(admits([(0, -90), (5, -90), (10, -90)]) == (true, 3))
    #expect(admits([(0, -90), (5, -90), (10.1, -90)]) == (false, 2))
    #expect(admits([(0, -90), (20, -90), (40, -90)]) == (false, 1))
  }

  /// By 6 dB, to 10 dB below what the stay was, at least; a packet of no strength in between takes nothing away.
  @Test func norIsOneThatRises() {
    #expect(admits([(0, -86), (20, -80)]).isBack && !admits([(0, -85), (20, -80)]).isBack)
    #expect(!admits([(0, -90), (20, -81)]).isBack && !admits([(0, -90), (20, -60)], stay: nil).isBack)
    #expect(admits([(0, -86), (20, nil), (40, -80)]).isBack)
  }

  // MARK: Listening time

  @Test func aNewClockListensAllTheTimeOnceItHears() {
    var clock = ListeningClock()
    #expect(clock.listened(at: at(10)) == .zero && clock.instant(showing: .seconds(5), from: at(0)) == nil)
    clock.set(isHearing: true, at: at(10))
    #expect(clock.listened(at: at(20)) == .seconds(10))
    #expect(clock.instant(showing: .seconds(15), from: at(20)) == at(25))
  }

  @Test(arguments: [(0, 0.0, nil), (1, 1, 3000), (30, 30, 100)])
  func atAShareOfTheTimeItGoesAtThatSpeed(duty: Int, listened: Double, seconds: Double?) {
    var clock = ListeningClock()
    clock.set(isHearing: true, duty: duty, at: at(0))
    #expect(clock.listened(at: at(100)) == .seconds(listened))
    #expect(
      clock.instant(showing: .seconds(30), from: at(0)) == seconds.map { at($0) + Span(nanoseconds: 100) })
  }

  // MARK: Distances

  private let rules = BeaconRanging.Rules(pathLossExponent: 2, interval: .seconds(5))

  private func sighting(_ rssi: Int8 = -59, minor: UInt16 = 6) -> Sighting {
    Scene.sighting(minor: minor, rssi: rssi)
  }

  @Test func aSecondIsLookedAtALittleEarly() {
    var ranging = BeaconRanging()
    #expect(ranging.hear(sighting(), rules: rules, at: at(0)) != nil)
    #expect(ranging.hear(sighting(), rules: rules, at: at(0.949)) == nil)
    #expect(ranging.hear(sighting(), rules: rules, at: at(0.95)) != nil)
  }

  /// 20 dB less: a third of it after ten seconds, and all of it where there was silence for longer.
  @Test(arguments: [(10.0, 2.0), (10.1, 10)]) func aMeanIsOldAfterTenSeconds(seconds: Double, metres: Double)
  {
    var ranging = BeaconRanging()
    _ = ranging.hear(sighting(), rules: rules, at: at(0))
    let estimate = ranging.hear(sighting(-79), rules: rules, at: at(seconds))
    #expect(((estimate?.distance ?? 0) - metres).magnitude < 0.01)
  }

  @Test func eachSecondIsAThirdOfTheWay() {
    var ranging = BeaconRanging()
    _ = ranging.hear(sighting(), rules: rules, at: at(0))
    let metres = (1...3).map { ranging.hear(sighting(-79), rules: rules, at: at(Double($0)))?.distance ?? 0 }
    #expect(zip(metres, [1.995, 3.236, 4.539]).allSatisfy { ($0 - $1).magnitude < 0.001 })
  }

  @Test(arguments: [(4.9, false), (5, true)]) func messagesKeepTheirInterval(seconds: Double, isTold: Bool)
    throws
  {
    var ranging = BeaconRanging()
    let heard = ranging.hear(sighting(), rules: rules, at: at(0))
    let first = try #require(heard)
    ranging.published(first, of: sighting().beacon, at: at(0))
    let next = ranging.hear(sighting(-79), rules: rules, at: at(seconds))
    #expect((next != nil) == isTold && (!isTold || next?.before == first.distance))
  }

  /// A hundred and twenty-eight; the next takes the place of the one that was heard least lately.
  @Test func theLongestSilentIsForgotten() throws {
    var ranging = BeaconRanging()
    for minor in 1...129 as ClosedRange<UInt16> {
      let one = sighting(minor: minor)
      let heard = ranging.hear(one, rules: rules, at: at(Double(minor)))
      let estimate = try #require(heard)
      ranging.published(estimate, of: one.beacon, at: at(Double(minor)))
    }
    #expect(ranging.hear(sighting(minor: 2), rules: rules, at: at(200)) == nil)
    #expect(ranging.hear(sighting(minor: 1), rules: rules, at: at(201)) != nil)
  }
}

extension HeardBeacon {
  fileprivate mutating func hear(_ rssi: Int8?, at second: Double, isPresent: Bool) {
    note(
      Scene.sighting(rssi: rssi), isPresent: isPresent, listened: .seconds(second),
      at: .zero + .seconds(second))
  }
}
