import Testing

@testable import homeward

/// Times as people write them. The board of these tests is in Berlin, on Saturday, 30 May 2026, 12:00:00 there.
struct TimeWordsTests {
  private static let noon = 1_780_135_200.0
  /// Summer time until 25 October 2026, 01:00 UTC, and since 29 March 2026, 01:00 UTC.
  private static var berlin: TimeWords {
    TimeWords(now: noon) { unix in (1_774_746_000..<1_792_890_000).contains(unix) ? 7200 : 3600 }
  }

  @Test(arguments: [
    ("2026-05-30 12:00:00+02:00", 0.0), ("2026-05-30 12:00:00", 0), ("2026-05-30 12:00", 0),
    ("2026-05-30T12:00", 0), ("2026-05-30T10:00:00Z", 0), ("2026-05-30T10:00Z", 0),
    ("2026-05-30 10:00:00 Z", 0),
    ("2026-05-30 12:00+02:00", 0), ("2026-05-30T12:00:00 +02:00", 0), ("now", 0), ("1780135200", 0),
    ("@1780135200", 0), (" today 12:00 ", 0),
    ("12:00", 0), ("11:59:30", -30), ("9:30", -9000), ("today", -43_200), ("Today", -43_200),
    ("yesterday", -129_600), ("yesterday 14:00", -79_200), ("2026-05-30", -43_200),
    // It has not been 14:00 yet: that of yesterday.
    ("14:00", -79_200),
    ("2h", -7200), ("2h ago", -7200), ("90 min", -5400), ("1d", -86_400), ("2h30m", -9000), ("1w", -604_800),
  ])
  func commonTimeFormatsAreParsed(_ text: String, _ fromNoon: Double) {
    #expect(Self.berlin.moment(text) == Self.noon + fromNoon)
  }

  @Test func aDayAsAnEndIsWhole() {
    #expect(Self.berlin.moment("yesterday", .end) == Self.noon - 43_200 - 0.001)
    #expect(Self.berlin.moment("2026-05-29", .end) == Self.noon - 43_200 - 0.001)
    #expect(Self.berlin.moment("yesterday 14:00", .end) == Self.noon - 79_200)
  }

  @Test(arguments: [
    ("2026-05-28 14:00", "15:30", "2026-05-28 15:30"),
    ("yesterday 14:00", "18:00:30", "2026-05-29 18:00:30"),
    ("2026-05-28", "15:30", "2026-05-28 15:30"), ("Today", " 23:00 ", "2026-05-30 23:00"),
    ("2026-05-28T12:00:00Z", "15:30", "2026-05-28 15:30"), ("yesterday 14:00", "14:00", "2026-05-29 14:00"),
    // Of the day after, where it would be over before it begins; and over a change of clocks.
    ("2026-05-28 22:00", "06:00", "2026-05-29 06:00"),
    ("2026-10-24 22:00", "06:00", "2026-10-25 06:00"),
    // Where the beginning names no day it is the last that has passed; what names a day is that day.
    ("22:00", "06:00", "2026-05-30 06:00"), ("3d", "15:30", "2026-05-29 15:30"),
    ("2026-05-28 14:00", "2026-05-29 15:30", "2026-05-29 15:30"),
    ("2026-05-28 14:00", "now", "2026-05-30 12:00"),
  ])
  func timeOfDayIsOnTheDayThatTheBeginningNames(_ from: String, _ to: String, _ end: String) throws {
    #expect(Self.berlin.end(to, from: from) == Self.berlin.moment(end))
    let words = try HistorySpan.parse(["--from", from, "--to", to]).words(at: Self.berlin)
    let wanted = try HistorySpan.parse(["--to", end]).words(at: Self.berlin)
    #expect(Array(words.suffix(2)) == wanted)
  }

  @Test func endAloneIsTheLastThatHasPassed() {
    #expect(Self.berlin.end("15:30", from: nil) == Self.berlin.moment("yesterday 15:30"))
    #expect(Self.berlin.end("yesterday", from: "2026-05-28 14:00") == Self.noon - 43_200 - 0.001)
    #expect(Self.berlin.end("soon", from: "yesterday") == nil)
  }

  @Test func theHoursOfAChangeOfClocksAreFound() {
    // 02:30 does not exist on 29 March: an hour later. On 25 October there are two: the first.
    #expect(Self.berlin.moment("2026-03-29 02:30") == 1_774_747_800)
    #expect(Self.berlin.moment("2026-10-25 02:30") == 1_792_888_200)
    #expect(Self.berlin.moment("2026-10-25 03:30") == 1_792_895_400)
  }

  @Test func displayedTimeIsParsed() {
    #expect(TimeWords.present.moment(Readable.time(1_780_135_200)) == 1_780_135_200)
  }

  @Test(arguments: [
    "", "soon", "25:00", "12", "12:60", "2026-02-30", "2026-05-30 ", "2026-05-30 12:00 CEST",
    "yesterday soon", "h",
    "2 weeks from now", "1e12", "--", "12:00:00:00", "2026-13-01 12:00",
  ])
  func invalidTimeIsRejected(_ text: String) {
    // A day with a blank behind it is that day, and 12 a Unix time.
    let isTime = text == "12" || text == "2026-05-30 "
    #expect((Self.berlin.moment(text) == nil) != isTime)
  }

  @Test func aSpanIsSeconds() {
    #expect(TimeWords.span("24h") == 86_400 && TimeWords.span("7 days") == 604_800)
    #expect(TimeWords.span("1h30m15s") == 5415)
    #expect(TimeWords.span("24") == nil && TimeWords.span("h24") == nil && TimeWords.span("-2h") == nil)
  }

  @Test func aPartOfTheHistoryIsAskedForInUnixSeconds() throws {
    #expect(
      try HistorySpan.parse(["--last", "24h"]).words(at: Self.berlin) == ["--from", "1780048800.0"])
    #expect(
      try HistorySpan.parse(["--from", "yesterday", "--to", "11:00"]).words(at: Self.berlin) == [
        "--from", "1780005600.0", "--to", "1780045200.0",
      ])
    #expect(throws: (any Error).self) { try HistorySpan.parse(["--last", "24h", "--from", "today"]) }
    #expect(throws: (any Error).self) { try HistorySpan.parse(["--last", "long"]) }
    #expect(throws: (any Error).self) { try HistorySpan.parse(["--to", "whenever"]) }
  }
}
