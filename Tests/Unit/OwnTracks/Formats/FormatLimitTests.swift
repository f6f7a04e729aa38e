import Model
import Testing
import Timebase

@testable import OwnTracks

/// Where JSON, times, zones and base64 end.
struct FormatLimitTests {
  private func failure(_ text: String, limit: Int = 1000, values: Int = .max) -> JSONError? {
    do {
      _ = try JSON.parse(bytes(text), limit: limit, values: values)
      return nil
    } catch {
      return error
    }
  }

  // MARK: JSON

  @Test func aTextThatIsTooLongSaysByHowMuch() {
    #expect(failure("[1,2,3]", limit: 7) == nil)
    #expect(
      failure("[1,2,3]", limit: 6)
        == JSONError(line: 1, column: 1, reason: "7 bytes are too many, at most 6 are read"))
  }

  @Test func valueCountIgnoresPunctuationInStrings() {
    #expect(failure("[1,2,3]", values: 4) == nil && failure(#"{"a":["[,{","\","]}"#, values: 4) == nil)
    #expect(
      failure("[1,2,3]", values: 3)
        == JSONError(line: 1, column: 1, reason: "4 values are too many, at most 3 are read"))
    #expect(failure(#"["",[],{}]"#, values: 5)?.reason.hasPrefix("6 values") == true)
  }

  @Test func theBracketThatIsTooDeepIsPointedAt() {
    let reason = "nested deeper than 32 levels"
    let deep = String(repeating: "[", count: 33)
    #expect(failure(deep) == JSONError(line: 1, column: 33, reason: reason))
    #expect(failure("\n\n " + deep) == JSONError(line: 3, column: 34, reason: reason))
    // Neither what was closed before nor what is text counts, and an empty text ends where it begins.
    let rest = String(repeating: "[", count: 31) + String(repeating: "]", count: 32)
    #expect(failure(#"["",[],{}, "[[[","# + rest) == nil)
    #expect(failure(#"[""# + "\"," + deep.dropFirst())?.reason == reason)
    #expect(failure(#"["\\","# + deep.dropFirst())?.reason == reason)
  }

  @Test func reasonsOfTheParserAreTextWithoutItsEnd() throws {
    let error = try #require(failure("[1,]"))
    #expect(error.line == 1 && !error.reason.isEmpty && !error.reason.contains("near"))
    do {
      _ = try JSON.parse(bytes(#"{"host":1,"host":2}"#), refusingDuplicates: true)
      Issue.record("taken")
    } catch {
      #expect(error.reason.utf8.allSatisfy { $0 >= 32 } && error.reason.contains("host"))
    }
  }

  @Test func controlCharactersAreFourDigits() {
    let text = String(String.UnicodeScalarView((UInt8(0)..<32).map { Unicode.Scalar($0) }))
    #expect(
      JSON.string(text).description == """
        "\\u0000\\u0001\\u0002\\u0003\\u0004\\u0005\\u0006\\u0007\\u0008\\t\\n\\u000b\\u000c\\r\\u000e\\u000f\
        \\u0010\\u0011\\u0012\\u0013\\u0014\\u0015\\u0016\\u0017\\u0018\\u0019\\u001a\\u001b\\u001c\\u001d\\u001e\\u001f"
        """)
  }

  @Test func wholeNumbersOfAllLengths() {
    for number in [0, 1, -1, 9, 10, 11, 99, 100, -100, 101, Int64.max, .min] {
      #expect(JSON.integer(number).description == String(number))
    }
  }

  @Test(arguments: [
    (0.0, 6, "0.0"), (-0.0000004, 6, "0.0"), (0.0000005, 6, "0.000001"), (-1.5, 0, "-2.0"), (10, 1, "10.0"),
    (10.05, 2, "10.05"), (-10.1, 3, "-10.1"), (1e17, 2, "1e+17"), (.infinity, 2, "null"),
  ])
  func decimalsAreRoundedAndNeverPadded(_ number: Double, _ decimals: Int, _ expected: String) {
    var writer = JSONWriter(capacity: 1)
    writer.fixed(number, decimals: decimals)
    #expect(text(writer.bytes) == expected)
  }

  @Test(arguments: [(1.5, 2, "1.50"), (-11, 6, "-11.000000"), (0.125, 3, "0.125"), (.nan, 2, "null")])
  func unlessTheyAreAskedFor(_ number: Double, _ decimals: Int, _ expected: String) {
    var writer = JSONWriter(capacity: 1)
    writer.padded(number, decimals: decimals)
    #expect(text(writer.bytes) == expected)
  }

  @Test func indentedTextKeepsItsOrder() {
    let json: JSON = ["b": ["d": [1], "c": 2], "a": []]
    #expect(
      text(json.pretty()) == """
        {
          "b": {
            "d": [
              1
            ],
            "c": 2
          },
          "a": []
        }

        """)
    #expect(json["a"]?[0] == nil && JSON.array([1])[0] == 1 && JSON.array([1])[1] == nil)
    #expect(JSON.null.isNull && !JSON.integer(0).isNull)
  }

  // MARK: Times

  @Test(arguments: [
    ("2023-11-14t22:13:20z", 1_700_000_000.0), ("2023-11-14T22:13:20.05Z", 1_700_000_000.05),
    ("2023-11-14T22:13:20.900000000000777Z", 1_700_000_000.9), ("2023-11-14T23:59:59Z", 1_700_006_399),
    ("2023-11-15T22:12:20+23:59", 1_700_000_000), ("2023-11-14T22:13:20+00:00", 1_700_000_000),
    ("2023-09-09T09:09:09Z", 1_694_250_549), ("2023-12-31T00:00:00Z", 1_703_980_800),
  ])
  func timesAreRead(_ text: String, _ seconds: Double) {
    #expect(ISO8601.time(text)?.seconds == seconds)
  }

  @Test(arguments: [
    "2023-11-1:T22:13:20Z", "2023-11-14T22:13:20.5:Z", "2023-11-14T22:13:20+24:00",
    "2023-11-14T22:13:20+02:60", "2023-11-14T22:13:20+0200", "2023-11-14T22:13:20+02", "2023/11/14T22:13:20Z",
    "2023-11-14T22-13-20Z", "2023-11-14T22:13:2Z", "2023-11-14T22:13:/0Z", "2023-00-14T22:13:20Z",
    "2023-11-14T22:13:20.:Z",
  ])
  func malformedTimesAreRejected(_ text: String) { #expect(ISO8601.time(text) == nil) }

  @Test func timesAreWrittenWithTheDecimalsThatAreAskedFor() {
    let time = WallTime(seconds: start + 0.25)
    #expect(ISO8601.text(time, decimals: 1) == "2023-11-14T22:13:20.3Z")
    #expect(ISO8601.text(time, decimals: 9) == "2023-11-14T22:13:20.250000000Z")
    #expect(ISO8601.text(time, decimals: -1) == "2023-11-14T22:13:20Z")
    #expect(ISO8601.text(WallTime(seconds: start + 0.004), decimals: 2) == "2023-11-14T22:13:20.00Z")
    #expect(ISO8601.text(WallTime(seconds: -62_135_596_801)) == "0001-01-01T00:00:00Z")
    #expect(ISO8601.text(WallTime(seconds: 253_402_300_799.9)) == "9999-12-31T23:59:59Z")
    #expect(UTC.midnight(year: 1, month: 1, day: 1) == -62_135_596_800)
    #expect(UTC.midnight(year: 9999, month: 12, day: 31) == 253_402_214_400)
    #expect(
      UTC.midnight(year: 0, month: 1, day: 1) == nil && UTC.midnight(year: 10_000, month: 1, day: 1) == nil)
  }

  // MARK: Zones

  @Test(arguments: [
    (0, "+00:00"), (7200, "+02:00"), (-12_600, "-03:30"), (50_400, "+14:00"), (-3600, "-01:00"),
    (20_700, "+05:45"), (-50_400, "-14:00"), (540, "+00:09"), (39_540, "+10:59"), (42_300, "+11:45"),
  ])
  func aZoneIsWrittenAndReadBack(_ seconds: Int, _ text: String) {
    #expect(LocalZone.text(seconds) == text && LocalZone.seconds(text) == seconds)
  }

  @Test(arguments: [
    "", "+0200", "02:00", " 02:00", "+02:60", "+14:01", "-15:00", "+2:00", "+02:000", "+02:0", "+0a:00",
    "+02-00",
    "+02:0:", "+0/:00", "+ 2:00", "+:2:00", "+02:0a", "*02:00", "+:::00",
  ])
  func malformedZonesAreRejected(_ text: String) { #expect(LocalZone.seconds(text) == nil) }

  @Test func theZoneOfThisMachineIsOneOfTheEarths() {
    let offset = LocalZone.offset(at: 1_700_000_000)
    #expect(LocalZone.seconds(LocalZone.text(offset)) == offset)
    // No calendar goes so far.
    #expect(LocalZone.offset(at: .max) == 0)
  }

  // MARK: Base64

  @Test func everyDigitStandsForItself() {
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    let bytes = Base64.bytes(of: alphabet) ?? []
    #expect(bytes.count == 48 && Base64.text(of: bytes) == alphabet)
    #expect((alphabet + "=").utf8.allSatisfy { Base64.isDigit($0) })
    #expect("-_ \n@[`{:.,\u{e4}\0".utf8.allSatisfy { !Base64.isDigit($0) })
  }

  @Test(arguments: [
    ("Zm9v\r\nYmFy\n", "foobar"), ("Zm9vYg==", "foob"), ("Zm9vYg = =\t", "foob"), ("fn5+", "~~~"),
    ("fn5 fn5-", "~~~~~~"), ("", ""), ("=", ""),
  ])
  func linesPaddingAndFormsDoNotMatter(_ text: String, _ plain: String) {
    #expect(Base64.bytes(of: text).map { String(decoding: $0, as: UTF8.self) } == plain)
  }

  @Test(arguments: ["A", "Zm9vY", "Zm9v!", "!", "AA=A", "Zm\u{0}9"])
  func malformedBase64IsRejected(_ text: String) { #expect(Base64.bytes(of: text) == nil) }
}
