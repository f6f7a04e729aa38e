import Testing
import Timebase

@testable import Replay

/// Timelines, line by line: what is refused, and with which words.
struct TimelineTests {
  private func refusal(_ lines: String...) -> String? {
    var reader = TimelineReader(file: "drive.jsonl", numberBase: .auto)
    do throws(ReplayError) {
      for line in lines { _ = try reader.entry(Array(line.utf8)) }
      return nil
    } catch {
      return error.sentence
    }
  }

  @Test func aLineIsOneHappening() throws {
    var reader = TimelineReader(file: "drive.jsonl", numberBase: .auto)
    #expect(try reader.entry(Array(" ".utf8)) == nil)
    #expect(try reader.entry(Array(#"{"at":1,"sky":{"hdop":2}}"#.utf8)) == nil)
    let line = #"{"at":1.5,"tpv":{"class":"TPV","mode":2,"lat":1,"lon":2}}"#
    let entry = try #require(try reader.entry(Array(line.utf8)))
    #expect(entry.at == .seconds(1.5) && entry.line == 3)
    guard case .reading(let reading) = entry.what else {
      Issue.record("\(entry)")
      return
    }
    #expect(reading.hdop == 2 && reading.latitude == 1)
  }

  @Test func timeGoesForward() {
    #expect(
      refusal(#"{"at":2,"end":true}"#, #"{"at":1.5,"end":true}"#)
        == "drive.jsonl:2: at: 1.5 is earlier than the line before, which is at 2")
    #expect(
      refusal(#"{"end":true}"#) == "drive.jsonl:1: at: missing, expected seconds since the start, 0 or more")
  }

  @Test func aLineOfTwoKindsIsRefused() {
    #expect(
      refusal(#"{"at":0,"clock":1,"end":true}"#)?.hasPrefix(
        "drive.jsonl:1: beside at there is clock, end, expected exactly one of clock, tpv") == true)
    #expect(
      refusal(#"{"at":0,"broker":"up","sharesAntenna":true}"#)?.hasSuffix("not known beside broker") == true)
  }

  @Test(arguments: [#""2""#, "7200", #""+2:00""#, #""+15:00""#, #"" 02:00""#, #""+01:60""#])
  func invalidZoneIsRefused(_ zone: String) {
    #expect(
      refusal(#"{"at":0,"zone":"# + zone + "}")?.hasSuffix(
        #"expected hours and minutes east of Greenwich such as "+02:00""#) == true)
    #expect(refusal(#"{"at":0,"zone":"-03:30"}"#) == nil)
  }

  @Test func invalidValuesAreNamedWithExpectation() {
    #expect(
      refusal(#"{"at":0,"broker":"left"}"#) == #"drive.jsonl:1: broker: "left", expected "up" or "down""#)
    #expect(
      refusal(#"{"at":0,"battery":{"level":101}}"#)
        == "drive.jsonl:1: battery.level: 101, expected a whole number from 0 to 100, or null")
    #expect(
      refusal(#"{"at":0,"advert":{"uuid":"no"}}"#)
        == #"drive.jsonl:1: advert.uuid: "no", expected 8-4-4-4-12 hexadecimal digits"#)
    #expect(refusal("{")?.hasPrefix("drive.jsonl:1: not JSON: column ") == true)
  }

  @Test func aStoredRegionNeedsItsPlace() {
    #expect(
      refusal(#"{"at":0,"state":{"regions":[{"desc":"Home","rid":"h"}]}}"#)
        == "drive.jsonl:1: state.regions: Home has no place; name it in --config with lat, lon and rad")
    #expect(
      refusal(#"{"at":0,"state":{"mode":7}}"#) == "drive.jsonl:1: state.mode: 7, expected -1, 0, 1 or 2")
  }
}
