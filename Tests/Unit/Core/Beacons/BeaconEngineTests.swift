import Model
import Testing
import Timebase

@testable import Core

/// Which beacon regions the board is in, packet by packet.
struct BeaconEngineTests {
  var engine = BeaconEngine()
  var rules = BeaconEngine.Rules(
    lossTimeout: .seconds(30), holdDown: .seconds(3), reentryGuard: .zero, confirm: 2, enterRSSI: nil,
    leaveRSSI: -90, placeTimeout: .seconds(60))

  init() { engine.setHearing(true, at: .zero) }

  func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  mutating func watch(
    _ known: Snapshot.KnownRegion = Scene.beaconRegion(), isSame: Bool = false, at second: Double = 0
  ) -> Presence {
    engine.put(known.region, presence: known.presence, isSame: isSame, rules: rules, at: at(second))
  }

  mutating func hear(_ second: Double, major: UInt16 = 5, minor: UInt16 = 6) -> BeaconEngine.Found {
    engine.hear(Scene.sighting(major: major, minor: minor), rules: rules, at: at(second))
  }

  mutating func expire(_ second: Double) -> BeaconEngine.Found {
    engine.expire(rules: rules, at: at(second))
  }

  mutating func fix(_ second: Double, _ east: Double, accuracy: Double = 5) -> BeaconEngine.Found {
    let fix = Fix(
      time: WallTime(seconds: Scene.start + second), coordinate: Scene.place(east, 0), accuracy: accuracy)
    return engine.consider(fix, rules: rules, at: at(second))
  }

  func line(_ region: String = "Main") -> BeaconStatus? {
    engine.status(rules: rules, pathLossExponent: 2, at: at(1000)).first { $0.region == region }
  }

  // MARK: Sightings

  @Test mutating func beaconWithForeignUUIDIsIgnored() {
    _ = watch(Scene.beaconRegion(major: 5))
    let other = Scene.sighting()
    let uuid = BeaconUUID(high: 1, low: 2)
    let found = engine.hear(
      Sighting(beacon: BeaconNumber(uuid: uuid, major: 5, minor: 6), power: -59, rssi: -60, address: 0),
      rules: rules, at: at(1))
    #expect(found.isNothing && !found.isInside && !found.isSooner)
    #expect(engine.hear(other, rules: rules, at: at(2)).crossings.map(\.crossing) == [.enter])
  }

  @Test mutating func aPacketThatChangesNothingChangesNothing() {
    _ = watch()
    _ = hear(1)
    let found = hear(2)
    #expect(found.isNothing && found.isInside && !found.isSooner && engine.isIndexed)
  }

  /// One that was heard before there was the other region.
  @Test mutating func aRegionThatComesIsFoundByABeaconThatIsKnown() {
    _ = watch(Scene.beaconRegion("One"))
    _ = hear(1)
    _ = watch(Scene.beaconRegion("Two"), at: 2)
    #expect(hear(3).crossings.map(\.rid) == ["Two"] && engine.heard.map(\.sightings) == [2])
    engine.remove(rid: "One")
    #expect(hear(4).isInside && line("One") == nil)
    engine.remove(rid: "Two")
    #expect(!hear(5).isInside)
  }

  /// Ten seconds after it was noted at an impossible place it is noted again.
  @Test mutating func anImpossiblePlaceIsNotedEveryTenSeconds() {
    _ = watch()
    let noted = [0.0, 9.9, 10, 19.9, 20].map { (second: Double) in
      _ = fix(second, 50_000)
      return hear(second).notes.count
    }
    #expect(noted == [1, 0, 1, 0, 1])
  }

  /// A position of a minute ago counts, and an older one does not.
  @Test(arguments: [(60.0, false), (60.1, true)])
  mutating func howOldAPositionMayBeThatSaysNo(age: Double, isInside: Bool) {
    _ = watch()
    _ = fix(0, 50_000)
    #expect(hear(age).isInside == isInside)
  }

  // MARK: Silence

  /// Half a minute, of the packet before it as well: it knew its rhythm better by then.
  @Test mutating func frequentPacketsShortenLossTimeout() {
    rules.lossTimeout = nil
    _ = watch()
    _ = hear(0)
    #expect(engine.nextDeadline(at: at(0)) == at(60))
    let found = hear(0.5)
    #expect(found.isSooner && engine.nextDeadline(at: at(1)) == at(30.5))
    #expect(expire(30.4).isNothing)
    #expect(expire(30.5).crossings.map(\.because) == [.beaconLost(region: "Main", seconds: 30)])
  }

  /// The one that lasts longest, though the other one was heard last.
  @Test mutating func anotherBeaconTakesNothingOfItsTime() {
    rules.lossTimeout = nil
    _ = watch()
    _ = hear(0, minor: 7)
    #expect(!hear(0.5).isSooner && engine.nextDeadline(at: at(1)) == at(60.5))
    #expect(hear(1).isSooner && engine.nextDeadline(at: at(1)) == at(60))
    #expect(!hear(1).isSooner)
    // The other one takes its word back as well.
    #expect(hear(1, minor: 7).isSooner && engine.nextDeadline(at: at(1)) == at(35.5))
  }

  /// Heard in the moment of the restart it promises what was promised already: it is its word from then on.
  @Test mutating func frequentPacketsAfterRestartShortenLossTimeout() {
    rules.lossTimeout = nil
    _ = watch(Scene.beaconRegion(inside: .inside))
    #expect(!hear(0).isSooner && engine.nextDeadline(at: at(0)) == at(60))
    #expect(hear(0.5).isSooner && engine.nextDeadline(at: at(1)) == at(30.5))
  }

  /// Two time-outs long, and the region was left: a gap of its own, from which it learns.
  @Test mutating func earlyReturnLengthensLossTimeout() {
    rules.lossTimeout = nil
    _ = watch()
    _ = hear(0)
    #expect(expire(60).crossings.count == 1)
    _ = hear(120)
    #expect(line()?.lossTimeout == .seconds(300))
    _ = hear(121)
    #expect(line()?.lossTimeout != .seconds(60))
  }

  @Test mutating func aHoldIsTakenBackByItsBeacon() {
    _ = watch(Scene.beaconRegion("-Keys"))
    _ = hear(0)
    #expect(expire(30).notes == [.heldDown(region: "-Keys")] && engine.nextDeadline(at: at(30)) == at(33))
    let back = hear(31)
    #expect(back.notes == [.reentered(region: "-Keys")] && back.crossings.isEmpty)
    #expect(expire(60.9).isNothing && expire(61).notes.count == 1)
    #expect(expire(64).crossings.map(\.crossing) == [.leave])
  }

  /// By another one than the beacon that was lost: from then on it is the one to answer for the region.
  @Test mutating func frequentPacketsAfterHoldDownShortenTimeout() {
    rules.lossTimeout = nil
    _ = watch(Scene.beaconRegion("-Keys"))
    _ = hear(0, minor: 7)
    #expect(expire(60).notes == [.heldDown(region: "-Keys")])
    #expect(hear(61).notes == [.reentered(region: "-Keys")] && engine.nextDeadline(at: at(61)) == at(121))
    #expect(hear(61.5).isSooner && engine.nextDeadline(at: at(62)) == at(91.5))
  }

  /// At the very moment of the leave, where nothing guards it.
  @Test mutating func withoutAGuardTheNextPacketIsAnEnter() {
    _ = watch()
    _ = hear(0)
    _ = expire(30)
    #expect(hear(30).crossings.map(\.crossing) == [.enter])
  }

  @Test(arguments: [(150.0, false), (150.1, true)])
  mutating func theGuardStandsForItsTime(second: Double, isBack: Bool) {
    rules.reentryGuard = .seconds(120)
    _ = watch()
    _ = hear(0)
    _ = expire(30)
    #expect(hear(second).crossings.isEmpty == !isBack)
  }

  // MARK: The radio

  /// Three seconds after an outage at least, or a tenth of its time-out; held or not.
  @Test(arguments: [(30.0, 3.0), (300, 30)])
  mutating func anOutageGivesAMoment(timeout: Double, moment: Double) {
    rules.lossTimeout = .seconds(timeout)
    _ = watch()
    _ = watch(Scene.beaconRegion("-Keys", major: 5))
    _ = hear(0)
    _ = expire(timeout)
    engine.overslept(at: at(timeout + 1))
    #expect(engine.nextDeadline(at: at(timeout + 1)) == at(timeout + 1 + moment))
  }

  /// Deaf for a minute: when it hears again, what is left of the time-out goes on.
  @Test mutating func deafnessIsNoSilence() {
    _ = watch()
    _ = hear(0)
    engine.setHearing(false, at: at(10))
    #expect(engine.nextDeadline(at: at(10)) == nil)
    engine.setHearing(true, at: at(70))
    #expect(engine.nextDeadline(at: at(70)) == at(90))
    engine.setHearing(false, at: at(89))
    engine.setHearing(true, at: at(200))
    #expect(engine.nextDeadline(at: at(200)) == at(203))
  }

  /// Somebody shortens the time-out while the radio is deaf: by the new one it is over already.
  @Test mutating func graceAfterOutageSurvivesTimeoutChange() {
    rules.lossTimeout = .seconds(90)
    _ = watch()
    _ = hear(0)
    engine.setHearing(false, at: at(40))
    let old = rules
    rules.lossTimeout = .seconds(30)
    engine.rulesChanged(to: rules, from: old)
    engine.setHearing(true, at: at(100))
    #expect(engine.nextDeadline(at: at(100)) == at(103))
    #expect(expire(102.9).isNothing && expire(103).crossings.map(\.crossing) == [.leave])
  }

  // MARK: Positions

  /// Two in a row, 500 m off beyond their accuracy; a beacon heard five seconds ago is here all the same.
  @Test mutating func positionsHaveToAgreeBeforeTheyOverruleTheRadio() {
    _ = watch()
    _ = hear(0)
    #expect(fix(4, 600).isNothing && fix(5, 600).isNothing)
    #expect(fix(6, 600).isNothing)
    #expect(fix(7, 400).isNothing && fix(8, 600).isNothing)
    #expect(fix(9, 600).crossings.map(\.crossing) == [.leave])
  }

  /// Inside since before a restart, and nothing was heard yet.
  @Test mutating func beforeTheFirstPacketTheyHaveToAgreeToo() {
    _ = watch(Scene.beaconRegion(inside: .inside))
    #expect(fix(1, 600).isNothing && fix(2, 600).crossings.map(\.crossing) == [.leave])
  }

  @Test mutating func aPacketInBetweenBeginsTheRowAnew() {
    _ = watch()
    _ = hear(0)
    _ = fix(6, 600)
    _ = hear(7)
    #expect(fix(13, 600).isNothing && fix(14, 600).crossings.count == 1)
    // And so does a leave.
    rules.placeTimeout = nil
    _ = hear(20)
    #expect(fix(26, 600).isNothing && fix(27, 600).crossings.count == 1)
  }

  @Test(arguments: [(5.0, false), (5.5, true)])
  mutating func fixOverrulesBeaconSilentOverFiveSeconds(second: Double, hasLeft: Bool) {
    rules.confirm = 1
    _ = watch()
    _ = hear(0)
    #expect((fix(second, 600).crossings.count == 1) == hasLeft)
  }

  /// Heard there a second and a half ago at most: then it is there.
  @Test(arguments: [(1.5, 0), (1.6, 1)])
  mutating func placeIsLearntFromFixRightAfterPacket(second: Double, leaves: Int) {
    rules.placeTimeout = nil
    rules.confirm = 1
    _ = watch()
    _ = hear(0)
    _ = fix(second, 3000)
    #expect(fix(10, 3000).crossings.count == leaves)
  }

  /// A position as good as 100 m says where the beacon is, and a worse one does not.
  @Test(arguments: [(100.0, 1), (100.1, 0)])
  mutating func aPlaceIsLearntFromGoodPositions(accuracy: Double, leaves: Int) {
    rules.confirm = 1
    _ = watch(Scene.beaconRegion(at: Coordinate(latitude: 0, longitude: 0)!))
    _ = hear(0)
    _ = fix(1, 0, accuracy: accuracy)
    #expect(fix(10, 3000).crossings.count == leaves)
  }

  /// It goes with the board until the region is left, and has a place again in the next stay.
  @Test mutating func travellingBeaconGetsFixedPlaceAfterLeave() {
    rules.placeTimeout = nil
    rules.confirm = 1
    _ = watch()
    _ = hear(0)
    _ = fix(1, 0)
    _ = hear(2)
    _ = fix(3, 3000)
    #expect(fix(20, 9000).isNothing)
    _ = expire(40)
    _ = hear(50)
    _ = fix(51, 9000)
    #expect(fix(60, 20_000).crossings.count == 1)
  }

  // MARK: Many beacons

  mutating func flood(
    _ minors: ClosedRange<UInt16>, major: UInt16 = 5, times: Int = 1, from second: Double
  ) -> Double {
    var now = second
    for minor in minors {
      for _ in 0..<times {
        now += 0.01
        _ = hear(now, major: major, minor: minor)
      }
    }
    return now
  }

  func known() -> Set<UInt16> { Set(engine.heard.map(\.number.minor)) }

  /// All keep the region inside, none is familiar: the longest silent one goes, and is new when it comes back.
  @Test mutating func theLongestSilentBeaconIsForgotten() {
    _ = watch()
    var now = flood(1...129, from: 0)
    #expect(engine.heard.count == 128 && known() == Set(2...129))
    now = flood(1...1, from: now)
    #expect(known() == Set(3...129).union([1]))
    now = flood(129...129, from: now)
    #expect(engine.heard.count == 128 && engine.heard.first { $0.number.minor == 129 }?.sightings == 2)
  }

  /// Ten sightings make one familiar, and those stay.
  @Test mutating func aFamiliarBeaconStays() {
    _ = watch()
    let now = flood(1...1, times: 10, from: 0)
    _ = flood(2...2, times: 9, from: now)
    _ = flood(3...130, from: now + 1)
    #expect(known() == Set(4...130).union([1]))
  }

  /// One that keeps its region inside is worth as much.
  @Test mutating func aBeaconThatKeepsARegionInsideStays() {
    rules.reentryGuard = .seconds(1000)
    _ = watch(Scene.beaconRegion("One", major: 5, minor: 1))
    _ = watch(Scene.beaconRegion("Far", at: Scene.place(90_000, 0)))
    _ = fix(0, 0)
    let now = flood(1...1, from: 0)
    _ = flood(2...130, from: now)
    #expect(known() == Set(4...130).union([1]))
  }

  /// And is worth no more than a familiar one: of those the longest silent goes, whichever it is.
  @Test mutating func silentPresenceBeaconIsEvictedBeforeFamiliarOne() {
    _ = watch(Scene.beaconRegion("One", major: 5, minor: 1))
    _ = watch(Scene.beaconRegion("Far", at: Scene.place(90_000, 0)))
    _ = fix(0, 0)
    var now = flood(1...1, from: 0)
    now = flood(2...128, times: 10, from: now)
    _ = flood(129...129, from: now)
    #expect(known() == Set(2...129))
  }

  @Test mutating func silentFamiliarBeaconIsEvictedBeforePresenceOne() {
    _ = watch(Scene.beaconRegion("Here", major: 5))
    _ = watch(Scene.beaconRegion("Far", at: Scene.place(90_000, 0), major: 9))
    _ = fix(0, 0)
    let now = flood(999...999, major: 9, times: 10, from: 0)
    #expect(known() == [999])
    _ = flood(1...128, from: now)
    #expect(known() == Set(1...128))
  }
}
