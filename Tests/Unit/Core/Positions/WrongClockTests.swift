import Model
import Testing
import Timebase

@testable import Core

// behaviour: Clock
/// Receivers whose clocks are wrong: by years, by minutes, by the leap seconds.
@Suite struct WrongClockTests {
  /// 2027-01-15, within what this program believes without a clock.
  private let plausible = 1_800_000_000.0
  private let week = 7 * 86_400.0

  /// Every fix is told.
  private func scene(isTrusted: Bool) -> Scene {
    var scene = Scene(
      Scene.configuration {
        $0.reports.monitoring = .move
        $0.reports.locatorDisplacement = 0
      }, regions: [Scene.home()])
    scene.hasTrustedClock = isTrusted
    return scene
  }

  private func times(_ scene: Scene) -> [Double] {
    scene.reports.compactMap { _, report in
      if case .location(let location) = report { location.time.seconds } else { nil }
    }
  }

  // MARK: Dates

  /// gpsd knows nothing of a date that its own clock contradicts: 1980-01-06, 1999-08-22, 2019-04-07 with the weeks
  /// of a receiver that has rolled over, and what those become with 1024 weeks more.
  @Test(arguments: [315_964_800.0, 935_280_000, 1_554_595_200, 2_173_910_400, 2_204_000_000])
  func aDateThatNoRolloverMakesPossibleIsRefused(date: Double) {
    var scene = scene(isTrusted: false)
    for second in 0...120 { scene.fix(at: Double(second), 0, claimed: date + Double(second)) }
    #expect(times(scene).isEmpty)
    #expect(scene.lastReason == "dateRefused")
  }

  /// Drives of 2016 and later can be replayed without a clock; older dates are refused as a daemon refuses them, and
  /// not taken for some other year of which there may be drives.
  @Test func aReplayWithoutAClockMovesNoDateToWhereADaemonWouldNot() {
    let calendar = ReceiverCalendar(earliest: 1_451_606_400)
    for date in [315_964_800.0, 935_280_000, 1_451_606_399] { #expect(calendar.date(date) == nil) }
    #expect(calendar.date(1_451_606_400)?.foundation == .asGiven)
    let rolledOver = ReceiverCalendar.built + 86_400 - ReceiverCalendar.rollover
    #expect(calendar.date(rolledOver)?.time == ReceiverCalendar.built + 86_400)
    #expect(calendar.date(rolledOver)?.foundation == .unrolled)
  }

  @Test func datesFromAfterThisProgramAreBelievedForTwoYears() {
    let calendar = ReceiverCalendar(earliest: ReceiverCalendar.built)
    let ahead = { (years: Double) in ReceiverCalendar.built + years * 365.25 * 86_400 }
    #expect(calendar.date(ahead(1.9)) != nil && calendar.date(ahead(2.1)) == nil)
    // A board that has kept a time in the second year goes on into the third and fourth, but not without end.
    let later = ReceiverCalendar(earliest: ReceiverCalendar.built, stored: ahead(1.9))
    #expect(later.date(ahead(3.8)) != nil && later.date(ahead(4)) == nil)
    let wrong = ReceiverCalendar(earliest: ReceiverCalendar.built, stored: ahead(30))
    #expect(wrong.date(ahead(9.9)) != nil && wrong.date(ahead(10.1)) == nil)
  }

  @Test func everyDateOfTheLastThousandWeeksIsRightOrRefused() {
    let calendar = ReceiverCalendar(earliest: ReceiverCalendar.built)
    for back in 1...4 {
      for week in stride(from: 0.0, to: 100, by: 0.37) {
        let truth = ReceiverCalendar.built + week * self.week
        let date = calendar.date(truth - Double(back) * 1024 * self.week)
        #expect(date?.time == truth && date?.foundation == .unrolled)
      }
    }
  }

  // MARK: A clock that was wrong

  /// How long a receiver has been wrong, and by how much: the right one is told within ten seconds.
  @Test(arguments: [4.0, 20, 70], [-2e7, -4000, 250, 4000, 2e7])
  func aClockOfAWrongReceiverGivesWayWithinTenSeconds(wrongFor: Double, error: Double) {
    var scene = scene(isTrusted: false)
    let right = plausible + 2.5e7
    for second in stride(from: 0.0, through: wrongFor, by: 1) {
      scene.fix(at: second, 0, claimed: right + error + second)
    }
    #expect(!times(scene).isEmpty)
    let told = times(scene).count
    for second in stride(from: wrongFor + 10, through: wrongFor + 40, by: 1) {
      scene.fix(at: second, 1000, claimed: right + second)
    }
    let since = times(scene).dropFirst(told)
    #expect(since.first.map { $0 <= right + wrongFor + 19 } == true)
    #expect(since.count >= 23 && since.last == right + wrongFor + 40)
    #expect(
      scene.withheld.contains { $0.reason.word == "clockWasWrong" } == (error.magnitude > 300 || error > 0))
  }

  @Test func aLongSupportedClockNeedsHalfAMinuteOfContradiction() {
    var scene = scene(isTrusted: false)
    for second in 0...900 { scene.fix(at: Double(second), 0, claimed: plausible + Double(second)) }
    for second in 901...925 { scene.fix(at: Double(second), 0, claimed: plausible + 1e6 + Double(second)) }
    #expect(times(scene).last == plausible + 900)
    for second in 926...932 { scene.fix(at: Double(second), 0, claimed: plausible + 1e6 + Double(second)) }
    #expect(times(scene).last == plausible + 1e6 + 932)
  }

  /// 2028 as 2008, and then the truth.
  @Test func aDateAsGivenOverrulesACorrectedOneInThreeSeconds() {
    var scene = scene(isTrusted: false)
    let rolled = plausible + 3e7 - 1024 * week
    for second in 0...300 { scene.fix(at: Double(second), 0, claimed: rolled + Double(second)) }
    for second in 301...304 { scene.fix(at: Double(second), 0, claimed: plausible + Double(second)) }
    #expect(times(scene).last == plausible + 304)
  }

  @Test func aSynchronisedClockOverrulesAtOnce() {
    var scene = scene(isTrusted: false)
    for second in 0...60 { scene.fix(at: Double(second), 0, claimed: plausible + Double(second)) }
    scene.hasTrustedClock = true
    scene.fix(at: 61, 0)
    #expect(times(scene).last == Scene.start + 61)
    scene.fix(at: 62, 0)
    #expect(times(scene).last == Scene.start + 62)
  }

  /// The clock that a receiver had set 100 s fast, and the right one: the fixes between are no older ones.
  @Test func aSynchronisedClockThatIsBehindSilencesNothing() {
    var scene = scene(isTrusted: false)
    for second in 0...60 { scene.fix(at: Double(second), 0, claimed: plausible + 100 + Double(second)) }
    scene.hasTrustedClock = true
    for second in 61...70 { scene.fix(at: Double(second), 0) }
    #expect(times(scene).last == Scene.start + 70)
  }

  /// What is known is told with the right time at once, not with the next fix.
  @Test func thePlaceInHandIsPutRightWithTheClock() {
    var scene = scene(isTrusted: false)
    for second in 0...60 { scene.fix(at: Double(second), 0, claimed: plausible + Double(second)) }
    scene.hasTrustedClock = true
    scene.post(.control(.publish(poi: nil), from: 1), at: 70)
    #expect(times(scene).last == Scene.start + 60)
    #expect(scene.lastLocation?.created?.seconds == Scene.start + 70)
    #expect(scene.withheld.contains { $0.reason.word == "clockWasWrong" })
  }

  /// A receiver whose reports come minutes late sets a clock, and a good one comes: they are late, and told as before.
  @Test(arguments: [3.0, 60, 200]) func aClockThatIsLaterThanTheFixesSilencesNone(late: Double) {
    var scene = scene(isTrusted: true)
    for second in 0...10 { scene.fix(at: Double(second), 0) }
    for second in 11...120 {
      scene.hasTrustedClock = second > 80
      // Not equally late: that would be an error of the receiver's clock.
      scene.fix(at: Double(second), 0, claimed: Scene.start + Double(second) - late - Double(second % 3))
    }
    #expect(scene.withheld.contains { $0.reason == .clockWasWrong(seconds: late) })
    #expect(scene.reports.filter { $0.at > 80 }.count >= 12)
  }

  /// While a fix has set the clock: that some are late proves nothing, and what is ahead by little proves that it is
  /// behind.
  @Test func aFewLateFixesSetNoClock() {
    var scene = scene(isTrusted: false)
    for second in 0...60 { scene.fix(at: Double(second), 0, claimed: plausible + Double(second)) }
    for (at, claimed) in [(64.3, 61), (73.4, 62.0), (74.0, 71.0)] {
      scene.fix(at: at, 0, claimed: plausible + claimed)
    }
    #expect(!scene.withheld.contains { $0.reason.word == "clockWasWrong" })
    for second in 75...90 { scene.fix(at: Double(second), 0, claimed: plausible + Double(second)) }
    #expect(times(scene).suffix(16) == (75...90).map { plausible + Double($0) }[...])
  }

  @Test func aClockThatALateFixHasSetIsPutRight() {
    var scene = scene(isTrusted: false)
    for second in 0...4 { scene.fix(at: Double(second) + 4, 0, claimed: plausible + Double(second)) }
    for second in 9...60 { scene.fix(at: Double(second), 0, claimed: plausible + Double(second)) }
    #expect(times(scene).last == plausible + 60)
    #expect(times(scene).suffix(40) == (21...60).map { plausible + Double($0) }[...])
  }

  // MARK: Ahead

  /// Of two hundred fixes one is ahead: it is not told, and all others are.
  @Test(arguments: [true, false], [2.5, 3, 18, 120, 299, 1e5])
  func singleFixAheadIsWithheldAlone(isTrusted: Bool, ahead: Double) {
    var scene = scene(isTrusted: isTrusted)
    let start = isTrusted ? Scene.start : plausible
    for second in 0...200 {
      let error = second == 66 ? ahead : 0
      scene.fix(at: Double(second), second < 100 ? 1000 : 0, claimed: start + Double(second) + error)
    }
    let expected = (0...200).filter { $0 != 66 }.map { start + Double($0) }
    #expect(times(scene) == expected)
    #expect(scene.story.contains("@100 enter Home"))
    let reason = ahead > 300 ? "dateRefused" : "receiverClockOff"
    #expect(scene.withheld.contains { $0.reason.word == reason })
  }

  @Test(arguments: [true, false]) func aSecondAheadIsNoError(isTrusted: Bool) {
    var scene = scene(isTrusted: isTrusted)
    let start = isTrusted ? Scene.start : plausible
    for second in 0...20 {
      scene.fix(at: Double(second), 0, claimed: start + Double(second) + (second == 9 ? 0.4 : 0))
    }
    #expect(times(scene).count == 21)
  }

  // MARK: Leap seconds

  /// How far off, and how long a fix is under way.
  @Test(arguments: [-19, -18, -17, 3, 5, 15, 18, 19, 20], [0.1, 0.3, 0.9])
  func leapSecondsAreSeenAgainstATrustedClock(error: Double, latency: Double) {
    var scene = scene(isTrusted: true)
    for second in 0...60 {
      scene.fix(at: Double(second) + latency, 0, claimed: Scene.start + Double(second) + error)
    }
    let told = times(scene)
    #expect(
      told == (3...60).map { Scene.start + Double($0) } || told == (4...60).map { Scene.start + Double($0) })
    #expect(scene.withheld.contains { $0.reason == .receiverPutRight(seconds: Int(error)) })
    // It learns them.
    for second in 61...70 {
      scene.fix(at: Double(second) + latency, 0, claimed: Scene.start + Double(second))
    }
    #expect(times(scene).suffix(10) == (61...70).map { Scene.start + Double($0) }[...])
  }

  /// A store that opens late hands over at once what came meanwhile, each less late than the one before.
  @Test func aReceiverIsPutRightAfterALateStartToo() {
    var scene = scene(isTrusted: true)
    for second in 0..<30 { scene.fix(at: 30, 0, claimed: Scene.start + Double(second) - 18) }
    for second in 30...60 {
      scene.fix(at: Double(second) + 0.2, 0, claimed: Scene.start + Double(second) - 18)
    }
    #expect(scene.withheld.contains { $0.reason == .receiverPutRight(seconds: -18) && $0.at < 36 })
    #expect(times(scene).last == Scene.start + 60)
  }

  @Test func fixesThatAreEquallyLateForTenSecondsAreOfAClockThatIsOff() {
    var scene = scene(isTrusted: true)
    for second in 0...60 { scene.fix(at: Double(second) + 0.2, 0, claimed: Scene.start + Double(second) - 5) }
    #expect(times(scene).last == Scene.start + 60)
    let wrong = times(scene).filter { $0 < Scene.start + 5 }
    #expect(wrong.count <= 10)
  }

  /// A board that is looked at once a minute: twice the same is no proof, and late is late.
  @Test func fixesThatAreEquallyLateNowAndThenAreLate() {
    var scene = scene(isTrusted: true)
    for minute in 0...10 {
      scene.fix(at: Double(minute) * 60 + 0.2, 0, claimed: Scene.start + Double(minute) * 60 - 5)
    }
    let late: [Double] = (0...10).map { (minute: Int) in Scene.start - 5 + Double(minute * 60) }
    #expect(times(scene) == late)
  }

  /// The receiver pauses while its line is about as late as it gets: three looks in ten seconds are no proof either.
  @Test func aPauseOfALateLineIsNoError() {
    var scene = scene(isTrusted: true)
    let looks = [(0.0, 0.2), (1, 4), (2, 8.4), (3, 9.4), (4, 9.8), (13, 9.5), (14, 9), (15, 8.6)]
    for (second, late) in looks {
      scene.fix(at: second + late, 0, claimed: Scene.start + second)
    }
    #expect(times(scene) == looks.map { Scene.start + $0.0 })
    #expect(!scene.withheld.contains { $0.reason == .receiverPutRight(seconds: -9) })
  }

  /// A drive that waited somewhere and comes all at once is late, and not wrong.
  @Test func lateFixesKeepTheirTimes() {
    var scene = scene(isTrusted: true)
    for second in 0...9 { scene.fix(at: Double(second), 0) }
    for second in 10...30 {
      scene.fix(at: 30 + Double(second) / 1000, 0, claimed: Scene.start + Double(second))
    }
    for second in 31...40 { scene.fix(at: Double(second), 0) }
    let told = times(scene)
    #expect(told.allSatisfy { $0 == $0.rounded() } && told.last == Scene.start + 40)
    // Those that might be wrong are three at most.
    #expect(told.count >= 38)
  }

  /// While a fix has set the clock: what it knew of the leap seconds was right.
  @Test func aReceiverThatForgetsTheLeapSecondsIsPutRight() {
    var scene = scene(isTrusted: false)
    for second in 0...60 { scene.fix(at: Double(second), 0, claimed: plausible + Double(second)) }
    for second in 61...400 { scene.fix(at: Double(second), 0, claimed: plausible + 18 + Double(second)) }
    for second in 401...420 { scene.fix(at: Double(second), 0, claimed: plausible + Double(second)) }
    #expect(times(scene).allSatisfy { $0 <= plausible + 420 })
    #expect(times(scene).count >= 418)
  }

  /// It has told for a while what it knew, and is set right by the almanac: nobody waits for longer than that.
  @Test func aReceiverThatLearnsTheLeapSecondsIsSilentNoLongerThanTheyAre() {
    var scene = scene(isTrusted: false)
    for second in 0...60 { scene.fix(at: Double(second), 0, claimed: plausible + 18 + Double(second)) }
    for second in 61...120 { scene.fix(at: Double(second), 1000, claimed: plausible + Double(second)) }
    let told = times(scene)
    #expect(told.last == plausible + 120)
    #expect(scene.reports.contains { $0.at > 60 && $0.at <= 79 })
    #expect(Set(told).count == told.count)
  }
}
