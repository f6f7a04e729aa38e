import Model
import Testing
import Timebase

// behaviour: Mode by network and by time
/// Rules of the day, and the days that are an hour longer or shorter.
@Suite struct LocalTimeTests {
  /// Central Europe around the winter of 2023, Unix seconds.
  private static let autumn = 1_698_541_200
  private static let spring = 1_711_846_800

  private static func offset(_ unix: Int) -> Int { (autumn..<spring).contains(unix) ? 3600 : 7200 }
  private let local = LocalTime(offset: Self.offset)

  /// Hours and minutes of the local day.
  private func time(_ unix: Int) -> String {
    let minute = local.minute(at: unix) % 1440
    return "\(minute / 60):\(minute % 60)"
  }

  private func edges(_ rules: String, from start: Int, to end: Int) -> [Int] {
    guard let rules = TimeModes(rules) else { return [] }
    var found: [Int] = []
    var (now, rule) = (start, rules.rule(at: local.minute(at: start)))
    while let next = local.next(of: rules.edges, after: now), next <= end {
      let then = rules.rule(at: local.minute(at: next))
      if then != rule { found.append(next) }
      (now, rule) = (next, then)
    }
    return found
  }

  @Test func theHourThatComesTwiceHappensOnce() {
    #expect(time(Self.autumn - 1800) == "2:30")
    #expect(time(Self.autumn) == "2:59" && time(Self.autumn + 3599) == "2:59")
    #expect(time(Self.autumn + 3600) == "3:0")
    let day = (Self.autumn - 10_800, Self.autumn + 10_800)
    #expect(edges("02:30-05:00|0|1", from: day.0, to: day.1) == [Self.autumn - 1800, Self.autumn + 10_800])
    #expect(edges("01:00-02:15|0|1", from: day.0, to: day.1) == [Self.autumn - 7200, Self.autumn - 2700])
    #expect(edges("03:00-03:30|0|1", from: day.0, to: day.1) == [Self.autumn + 3600, Self.autumn + 5400])
  }

  @Test func ruleEdgeInSkippedHourIsAtItsEnd() {
    let day = (Self.spring - 10_800, Self.spring + 10_800)
    #expect(edges("02:30-05:00|0|1", from: day.0, to: day.1) == [Self.spring, Self.spring + 7200])
    #expect(edges("01:00-02:30|0|1", from: day.0, to: day.1) == [Self.spring - 3600, Self.spring])
  }

  @Test func overMidnightAndToItsEnd() {
    let midnight = Self.autumn - 10_800
    #expect(local.minute(at: midnight) % 1440 == 0)
    #expect(edges("22:00-24:00|0|1", from: midnight - 10_800, to: midnight) == [midnight - 7200, midnight])
    #expect(TimeModes("22:00-06:00|0|1")?.rule(at: -1)?.onBegin == .manual)
    #expect(TimeModes("22:00-06:00|0|1")?.rule(at: 360) == nil)
  }

  @Test(arguments: [
    "22:00|0|1", "22:00-22:00|0|1", "00:00-24:00|0|1", "24:00-01:00|0|1", "25:00-01:00|0|1",
    "22:60-23:00|0|1",
    "2:00-03:00|0|1", "22:00-06:00|3|1", "22:00-06:00|0", "22:00-06:00|+1|0", "22:00 -06:00|0|1",
    "22:00-06:00-07:00|0|1", "22:00-06:00|0|1|", "٢٢:00-06:00|0|1",
  ])
  func isNoRuleOfTimes(_ text: String) {
    #expect(TimeModes.Daily(text) == nil && TimeModes(text) == nil)
  }

  @Test func aNameMayHaveBarsAndBlanks() throws {
    let rule = try #require(NetworkModes.rule("my | net|-1|"))
    #expect(rule.what == "my | net" && rule.onBegin == .quiet && rule.onEnd == nil)
    #expect(NetworkModes("a|1|2\na|0|0")?.rule(of: "a")?.onEnd == .move)
    #expect(
      NetworkModes.rule("|1|2") == nil && NetworkModes.rule(String(repeating: "x", count: 33) + "||") == nil)
    #expect(NetworkModes(String(repeating: "a|1|2\n", count: 21)) == nil)
  }

  // MARK: When it is told

  @Test func localTimeIsReportedAtEdgesAndClockChanges() {
    let rules = LocalTimes(Written("22:00-06:00|0|1"))
    var schedule = LocalTimeSchedule(offset: Self.offset)
    let start = Instant.zero + .seconds(1000)
    // 20:00 of a winter's day.
    let evening = 1_700_000_000 - 13_400 + 10_800
    #expect(time(evening) == "22:30")
    func look(_ seconds: Double, clock: Double = 0, _ rules: LocalTimes) -> Int? {
      schedule.look(
        rules, wall: WallTime(seconds: Double(evening) - 3600 + seconds + clock),
        at: start + .seconds(seconds))
    }
    #expect(schedule.look(rules, wall: nil, at: start) == nil && schedule.due == nil)
    #expect(look(0, rules) == local.minute(at: evening - 3600))
    #expect(schedule.due == start + .seconds(1800))
    #expect(look(1, rules) == nil && look(100, clock: 0.5, rules) == nil && look(1799, rules) == nil)
    #expect(look(1800, rules) == local.minute(at: evening - 1800))
    #expect(look(1801, clock: 3600, rules) == local.minute(at: evening + 1801))
    let none = LocalTimes(Written(""))
    #expect(look(1802, clock: 3600, none) != nil && look(1803, clock: 3600, none) == nil)
    #expect(schedule.due == nil)
  }

  @Test func timesOfTheBacklogAreEdgesToo() {
    var schedule = LocalTimeSchedule { _ in 0 }
    let rules = Written<TimeModes>("22:00-06:00|0|1")
    let both = LocalTimes(rules, Written("01:00-01:30\n02:00-05:00"))
    let hour = 3600.0
    #expect(schedule.look(both, wall: WallTime(seconds: 0.5 * hour), at: .zero) == 30)
    #expect(schedule.due == .zero + .seconds(0.5 * hour))
    #expect(
      schedule.look(LocalTimes(rules), wall: WallTime(seconds: 0.5 * hour + 1), at: .zero + .seconds(1)) == 30
    )
    #expect(schedule.due == .zero + .seconds(5.5 * hour))
  }

  @Test func aPeriodMayGoOverMidnight() {
    let times = BacklogTimes("23:00-01:00\n12:00-24:00")
    #expect([0, 59, 720, 1439, -1, 1440].allSatisfy { times?.hold(at: $0) == true })
    #expect([60, 719, 1500].allSatisfy { times?.hold(at: $0) == false })
    #expect(BacklogTimes("23:00-23:00") == nil && BacklogTimes("") != nil)
    #expect(BacklogTimes(String(repeating: "01:00-02:00\n", count: 21)) == nil)
  }

  @Test func withoutRulesTheZoneIsNotAsked() {
    var schedule = LocalTimeSchedule { _ in
      Issue.record("asked for the zone")
      return 0
    }
    let none = LocalTimes(Written(""))
    #expect(schedule.look(none, wall: WallTime(seconds: 120), at: .zero) == 2)
    #expect(schedule.look(none, wall: WallTime(seconds: 500), at: .zero) == nil && schedule.due == nil)
  }

  @Test func anotherZoneIsNoticedWithinAMinute() {
    var zone = 0
    withUnsafeMutablePointer(to: &zone) { zone in
      nonisolated(unsafe) let zone = zone
      var schedule = LocalTimeSchedule { _ in zone.pointee }
      let rules = LocalTimes(Written("22:00-06:00|0|1"))
      func look(_ seconds: Double) -> Int? {
        schedule.look(rules, wall: WallTime(seconds: 600 + seconds), at: .zero + .seconds(seconds))
      }
      #expect(look(0) == 10)
      zone.pointee = 3600
      #expect(look(59) == nil && look(61) == 71)
    }
  }
}
