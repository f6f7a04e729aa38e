import OwnTracks
import Testing
import Timebase

struct CalendarTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0.0), ("2023-11-14T22:13:20Z", 1_700_000_000),
    ("2023-11-14T22:13:20.250Z", 1_700_000_000.25), ("2000-02-29T12:00:00Z", 951_825_600),
    ("2100-03-01T00:00:00Z", 4_107_542_400), ("1969-12-31T23:59:59Z", -1),
    ("2016-12-31T23:59:60Z", 1_483_228_800), ("2023-11-15T00:13:20+02:00", 1_700_000_000),
    ("2023-11-14T18:43:20-03:30", 1_700_000_000), ("0001-01-01T00:00:00Z", -62_135_596_800),
    ("9999-12-31T23:59:59Z", 253_402_300_799),
  ])
  func reads(_ text: String, _ seconds: Double) {
    #expect(ISO8601.time(text)?.seconds == seconds)
  }

  @Test(arguments: [
    "", "2023-11-14", "2023-11-14T22:13:20", "2023-13-01T00:00:00Z", "2023-02-29T00:00:00Z",
    "1900-02-29T00:00:00Z", "2023-04-31T00:00:00Z", "2023-11-14T24:00:00Z", "2023-11-14T22:60:20Z",
    "2023-11-14T22:13:61Z", "2023-11-14T22:13:20Zx", "2023-11-14T22:13:20.Z", "0000-01-01T00:00:00Z",
    "-023-11-14T22:13:20Z", "2023-11-00T00:00:00Z", "2023-11-14 22:13:20Z",
  ])
  func refuses(_ text: String) { #expect(ISO8601.time(text) == nil) }

  /// What other programs have recorded; GPX says that all times are UTC.
  @Test(arguments: [
    "2023-11-14T22:13:20", "2023-11-14T22:13:20Z", "2023-11-14T23:13:20+01", "2023-11-14T23:13:20+0100",
    "2023-11-14 22:13:20", "2023-11-14T18:43:20.000-03:30",
  ])
  func readsTimestampsOfOtherPrograms(_ text: String) {
    #expect(ISO8601.recorded(text) == .time(WallTime(seconds: start)))
  }

  @Test(arguments: [
    ("2023-02-29T22:13:20Z", ISO8601.Written.impossible), ("2023-13-14T22:13:20", .impossible),
    ("2023-11-31T22:13:20", .impossible), ("0000-11-14T22:13:20Z", .impossible),
    ("2023-11-14T24:13:20Z", .impossible), ("2023-11-14T22:60:20Z", .impossible),
    ("2023-11-14T22:13:61Z", .impossible), ("2023-11-14", .unreadable), ("2023-11-14T22:13", .unreadable),
    ("2023-11-14T22:13:20+1", .unreadable), ("2023-11-14T22:13:20 UTC", .unreadable), ("", .unreadable),
    ("2023-11-14T22:13:20+25", .unreadable), ("2023-11-14T22:13:20+01:", .unreadable),
  ])
  func impossibleTimesDifferFromUnreadableOnes(_ text: String, _ written: ISO8601.Written) {
    #expect(ISO8601.recorded(text) == written)
    #expect(ISO8601.time(text) == nil)
  }

  @Test func writes() {
    #expect(ISO8601.text(WallTime(seconds: start)) == "2023-11-14T22:13:20Z")
    #expect(ISO8601.text(WallTime(seconds: start + 0.25), decimals: 2) == "2023-11-14T22:13:20.25Z")
  }

  @Test func roundingCarries() {
    #expect(ISO8601.text(WallTime(seconds: 1_704_067_199.9996), decimals: 3) == "2024-01-01T00:00:00.000Z")
    #expect(ISO8601.text(WallTime(seconds: -0.25), decimals: 2) == "1969-12-31T23:59:59.75Z")
  }

  @Test func unrepresentableTimesAreClamped() {
    #expect(ISO8601.text(WallTime(seconds: .nan)) == "0001-01-01T00:00:00Z")
    #expect(ISO8601.text(WallTime(seconds: 1e300)) == "9999-12-31T23:59:59Z")
  }

  @Test func bothWaysThroughFourCenturies() {
    var seconds = -70_000_000_000.0 + 8_000_000_000
    while seconds < 20_000_000_000 {
      let time = WallTime(seconds: seconds)
      #expect(ISO8601.time(ISO8601.text(time)) == time)
      seconds += 7_654_321
    }
  }

  @Test func aDayThatIsNoneHasNoBeginning() {
    #expect(UTC.midnight(year: 2024, month: 2, day: 29) == 1_709_164_800)
    #expect(UTC.midnight(year: 2023, month: 2, day: 29) == nil)
    for day in [0, 32, -1, Int.max] { #expect(UTC.midnight(year: 2024, month: 1, day: day) == nil) }
    for month in [0, 13, Int.min] { #expect(UTC.midnight(year: 2024, month: month, day: 1) == nil) }
  }

  @Test func firstAndLastDayOfEveryYear() {
    for year in 1...9999 {
      let number = String(year)
      let name = String(repeating: "0", count: 4 - number.count) + number
      for text in ["\(name)-01-01T00:00:00Z", "\(name)-12-31T23:59:59Z"] {
        #expect(ISO8601.time(text).map { ISO8601.text($0) } == text)
      }
    }
  }
}
