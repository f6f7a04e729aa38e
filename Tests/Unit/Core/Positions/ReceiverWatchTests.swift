import Model
import Testing
import Timebase

@testable import Core

/// What is noticed of a receiver, and how it is let rest, call by call.
struct ReceiverWatchTests {
  private var deadlines = Deadlines()

  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  private func fix(_ second: Double, accuracy: Double = 5, speed: Double? = nil) -> Fix {
    Fix(
      time: WallTime(seconds: Scene.start + second), coordinate: Scene.place(0, 0), accuracy: accuracy,
      speed: speed)
  }

  // MARK: Fixes that cease

  private mutating func loss(after seconds: [Double]) -> FixLoss {
    var loss = FixLoss()
    for second in seconds { loss.fixArrived(deadlines: &deadlines, at: at(second)) }
    return loss
  }

  /// Fixes for a quarter of a minute, ten seconds apart at most: 20 s without one are a loss.
  @Test(
    arguments: [([0, 5, 10, 15], 35), ([0, 5, 10, 14.9], nil), ([0, 10, 20], 40), ([0, 10.1, 20], nil)]
      as [([Double], Double?)])
  mutating func onlyARunOfFixesCanBeLost(fixes: [Double], due: Double?) {
    var loss = loss(after: fixes)
    #expect(deadlines[.fixLoss] == due.map { at($0) })
    #expect(
      loss.silence(pause: .zero, deadlines: &deadlines, at: at(40)).map(\.seconds) == due.map { 60 - $0 })
    // Once.
    #expect(loss.silence(pause: .zero, deadlines: &deadlines, at: at(50)) == nil)
  }

  @Test mutating func aLossThatComesSoonWaits() {
    var loss = loss(after: [0, 8, 16])
    loss.reported(at: at(10))
    #expect(loss.silence(pause: .seconds(45), deadlines: &deadlines, at: at(54)) == nil)
    #expect(deadlines[.fixLoss] == at(55))
    #expect(loss.silence(pause: .seconds(45), deadlines: &deadlines, at: at(55)) == .seconds(39))
    #expect(FixLoss.pause == (move: .seconds(45), other: .seconds(120)))
  }

  // MARK: A receiver that says nothing

  @Test mutating func halfAMinuteOfSilenceIsNoticedAndItsEnd() {
    var silence = ReceiverSilence()
    silence.start(deadlines: &deadlines, at: at(5))
    #expect(deadlines[.receiverSilence] == at(35))
    #expect(
      silence.reported(deadlines: &deadlines, at: at(20)) == nil && deadlines[.receiverSilence] == at(35))
    #expect(silence.fellDue(isResting: false, deadlines: &deadlines, at: at(35)) == nil)
    #expect(deadlines[.receiverSilence] == at(50))
    deadlines[.receiverSilence] = nil
    #expect(silence.fellDue(isResting: false, deadlines: &deadlines, at: at(50)) == .seconds(30))
    #expect(silence.reported(deadlines: &deadlines, at: at(60)) == .seconds(40))
    #expect(
      deadlines[.receiverSilence] == at(90) && silence.reported(deadlines: &deadlines, at: at(61)) == nil)
  }

  @Test mutating func fromTheStartOnAReceiverIsWaitedFor() {
    var silence = ReceiverSilence()
    silence.start(deadlines: &deadlines, at: at(5))
    #expect(silence.fellDue(isResting: true, deadlines: &deadlines, at: at(35)) == nil)
    #expect(silence.fellDue(isResting: false, deadlines: &deadlines, at: at(35)) == .seconds(30))
  }

  @Test mutating func aReceiverThatWentAwayInItsRestIsMissedOnce() {
    var silence = ReceiverSilence()
    silence.start(deadlines: &deadlines, at: at(5))
    // A look in which it has reported.
    _ = silence.reported(deadlines: &deadlines, at: at(631))
    #expect(silence.lookEnded(begun: at(600), at: at(660)) == nil)
    // One that ended too soon to say.
    #expect(silence.lookEnded(begun: at(1200), at: at(1229)) == nil)
    #expect(silence.lookEnded(begun: at(1800), at: at(1830)) == .seconds(30))
    #expect(silence.lookEnded(begun: at(2400), at: at(2460)) == nil)
    #expect(silence.reported(deadlines: &deadlines, at: at(3000)) == .seconds(2369))
    #expect(silence.lookEnded(begun: at(3600), at: at(3660)) == .seconds(60))
  }

  // MARK: Rest

  private mutating func run(
    _ duty: inout ReceiverDuty, _ second: Double, _ rest: ReceiverDuty.Rest = .between(.seconds(300))
  ) -> [Bool] { step(&duty, second, rest).receiver }

  /// What the receiver is told, and what of a look that was asked for.
  private mutating func step(
    _ duty: inout ReceiverDuty, _ second: Double, _ rest: ReceiverDuty.Rest
  ) -> (receiver: [Bool], found: Occasion?) {
    var effects: [Effect] = []
    let found = duty.runDue(rest, deadlines: &deadlines, at: at(second), into: &effects)
    return (effects.compactMap { if case .setReceiver(let isAwake, _) = $0 { isAwake } else { nil } }, found)
  }

  private mutating func see(
    _ duty: inout ReceiverDuty, _ second: Double, accuracy: Double = 5,
    _ rest: ReceiverDuty.Rest = .between(.seconds(300)), needed: Double? = nil
  ) {
    duty.fixArrived(
      accuracy: accuracy, rest: rest, needed: needed.map { at($0) }, deadlines: &deadlines, at: at(second))
  }

  @Test mutating func aLookEndsAfterAMinuteWithoutAFix() {
    var duty = ReceiverDuty()
    #expect(run(&duty, 0).isEmpty && deadlines[.receiverRest] == at(60))
    #expect(run(&duty, 59).isEmpty && run(&duty, 60) == [false] && duty.isResting)
    #expect(deadlines[.receiverWake] == at(360) && deadlines[.receiverRest] == nil)
    #expect(run(&duty, 359).isEmpty && run(&duty, 360) == [true] && !duty.isResting)
    #expect(deadlines[.receiverWake] == nil && deadlines[.receiverRest] == at(420))
  }

  /// One of 50 m, or worse ones for ten seconds.
  @Test(arguments: [(50.0, 5.0), (51, 15)]) mutating func aLookEndsWithAGoodFix(
    accuracy: Double, rests: Double
  ) {
    var duty = ReceiverDuty()
    _ = run(&duty, 0)
    var second = 5.0
    while second < 60, !duty.isResting {
      see(&duty, second, accuracy: accuracy)
      if run(&duty, second).isEmpty { second += 1 }
    }
    #expect(second == rests)
  }

  @Test mutating func receiverRestWaitsForBetterFix() {
    var duty = ReceiverDuty()
    _ = run(&duty, 0)
    see(&duty, 5, needed: 8)
    #expect(deadlines[.receiverRest] == at(8))
    see(&duty, 9, needed: 8)
    #expect(deadlines[.receiverRest] == at(9))
  }

  /// One that may not rest is woken.
  @Test mutating func aReceiverThatNeverRestsIsAwake() {
    var duty = ReceiverDuty()
    see(&duty, 0, .never)
    #expect(deadlines[.receiverRest] == nil)
    _ = run(&duty, 0)
    #expect(deadlines[.receiverRest] == at(60) && run(&duty, 0, .never).isEmpty)
    #expect(deadlines[.receiverRest] == nil)
    _ = run(&duty, 10)
    see(&duty, 11)
    #expect(run(&duty, 11) == [false])
    #expect(run(&duty, 12, .never) == [true] && !duty.isResting)
    #expect(deadlines[.receiverWake] == nil && deadlines[.receiverRest] == nil)
    #expect(run(&duty, 500, .never).isEmpty)
  }

  // behaviour: Battery steps
  @Test mutating func aReceiverThatIsOffWaitsForNothing() {
    var duty = ReceiverDuty()
    #expect(run(&duty, 0, .untilAsked) == [false] && duty.isResting && deadlines.next == nil)
    #expect(run(&duty, 1e6, .untilAsked).isEmpty && deadlines.next == nil)
    // One that may look now and then has not looked for long.
    #expect(run(&duty, 1e6 + 1) == [true])
  }

  @Test mutating func aReceiverThatRestsIsOffFromNowOn() {
    var duty = ReceiverDuty()
    _ = run(&duty, 0)
    see(&duty, 1)
    #expect(run(&duty, 1) == [false] && deadlines[.receiverWake] == at(301))
    #expect(run(&duty, 5, .untilAsked).isEmpty && deadlines.next == nil)
  }

  // behaviour: Battery steps
  @Test mutating func aRequestedLookEndsWithItsFix() {
    var duty = ReceiverDuty()
    _ = run(&duty, 0, .untilAsked)
    duty.ask(.user)
    #expect(run(&duty, 100, .untilAsked) == [true] && deadlines[.receiverRest] == at(160))
    see(&duty, 110, accuracy: 80, .untilAsked)
    let early = step(&duty, 110, .untilAsked)
    #expect(early.receiver.isEmpty && early.found == nil)
    see(&duty, 111, .untilAsked)
    let end = step(&duty, 111, .untilAsked)
    #expect(end.receiver == [false] && end.found == .user && deadlines.next == nil)
    #expect(step(&duty, 112, .untilAsked).found == nil)
  }

  @Test mutating func aLookWithoutAFixIsNoOccasion() {
    var duty = ReceiverDuty()
    _ = run(&duty, 0, .untilAsked)
    duty.ask(.remote)
    _ = run(&duty, 100, .untilAsked)
    let end = step(&duty, 160, .untilAsked)
    #expect(end.receiver == [false] && end.found == nil)
    #expect(run(&duty, 200, .untilAsked).isEmpty)
  }

  /// The first fix of each look begins the ten seconds.
  @Test mutating func theNextLookBeginsAnew() {
    var duty = ReceiverDuty()
    _ = run(&duty, 0)
    for second in [5.0, 15] { see(&duty, second, accuracy: 80) }
    #expect(run(&duty, 15) == [false] && run(&duty, 315) == [true])
    see(&duty, 320, accuracy: 80)
    #expect(run(&duty, 320).isEmpty)
  }

  // MARK: The first fixes

  @Test mutating func tenSecondsOfPoorFixesEndWithTheBest() {
    var settling = Settling()
    let fixes = [fix(0, accuracy: 90), fix(5, accuracy: 60), fix(9, accuracy: 60), fix(10, accuracy: 80)]
    #expect(settling.fixArrived(fixes[0], deadlines: &deadlines, at: at(0)) == fixes[0])
    #expect(deadlines[.settling] == at(10))
    #expect(settling.fixArrived(fixes[1], deadlines: &deadlines, at: at(5)) == fixes[1])
    #expect(
      settling.fixArrived(fixes[2], deadlines: &deadlines, at: at(9)) == fixes[2] && settling.isUnderWay)
    // Of two that are equally good the later one.
    #expect(settling.fixArrived(fixes[3], deadlines: &deadlines, at: at(10)) == fixes[2])
    #expect(!settling.isUnderWay && deadlines[.settling] == nil)
  }

  @Test mutating func fiveMinutesWithoutAFixAreAStart() {
    var settling = Settling()
    _ = settling.fixArrived(fix(0, accuracy: 50), deadlines: &deadlines, at: at(0))
    #expect(!settling.isUnderWay && deadlines[.settling] == nil)
    _ = settling.fixArrived(fix(299, accuracy: 80), deadlines: &deadlines, at: at(299))
    #expect(!settling.isUnderWay)
    _ = settling.fixArrived(fix(599, accuracy: 80), deadlines: &deadlines, at: at(599))
    #expect(settling.isUnderWay && deadlines[.settling] == at(609))
  }

  /// Nothing is told twice: neither when the time is over again, nor what was told meanwhile.
  @Test mutating func settlingEndsOnceAndSkipsPublishedFix() {
    var settling = Settling()
    _ = settling.fixArrived(fix(0, accuracy: 80), deadlines: &deadlines, at: at(0))
    var other = settling
    #expect(settling.end() == fix(0, accuracy: 80) && settling.end() == nil && !settling.isUnderWay)
    other.published()
    #expect(other.isUnderWay && other.end() == nil)
  }

  // MARK: The best of a window

  @Test mutating func windowYieldsBestFixUnlessShut() {
    var window = BestOfWindow()
    let publication = Publication(reason: .firstFix, time: WallTime(seconds: 1))
    window.begin(publication, fix(0, accuracy: 50), for: .seconds(10), deadlines: &deadlines, at: at(0))
    window.consider(fix(1, accuracy: 20))
    window.consider(fix(2, accuracy: 30))
    #expect(window.until == at(10) && deadlines[.window] == at(10))
    #expect(window.end()?.fix == fix(1, accuracy: 20) && window.end() == nil && window.until == nil)
    window.begin(publication, fix(20), for: .seconds(10), deadlines: &deadlines, at: at(20))
    window.shut(deadlines: &deadlines)
    #expect(window.end() == nil && deadlines[.window] == nil)
  }

  // MARK: What is a fix

  private func reading(_ change: (inout Reading) -> Void) -> Fix? {
    var reading = Reading()
    (reading.mode, reading.time) = (3, WallTime(seconds: 1))
    (reading.latitude, reading.longitude, reading.eph) = (48, 11, 5)
    change(&reading)
    return try? FixFilter.usable(reading).get()
  }

  /// Errors and speeds of a million, and heights of a hundred kilometres.
  @Test func numbersThatMeanNothingAreNone() {
    #expect(reading { $0.eph = 999_999 }?.accuracy == 999_999 && reading { $0.eph = 1_000_000 } == nil)
    #expect(reading { $0.altitude = -99_999 }?.altitude == -99_999)
    #expect(reading { $0.altitude = 100_000 }.map { $0.altitude == nil } == true)
    #expect(reading { $0.time = WallTime(seconds: 0) } == nil && reading { $0.mode = 1 } == nil)
    #expect(reading { $0.mode = 2 } != nil && reading { $0.eph = 0 }?.accuracy == 0)
  }

  /// Of a fix that is told while there is none: it may have moved since, unless it stood.
  @Test(arguments: [(0.5, 65.0), (0.4, 6.0), (nil, 65)] as [(Double?, Double)])
  func stalePositionIsMoreAccurateIfStanding(speed: Double?, accuracy: Double) {
    let old = StalePosition.of(fix(0, speed: speed), age: 60)
    #expect(old.accuracy == accuracy && old.speed == nil)
  }
}
