import Testing
import Timebase

@testable import OwnTracks

struct DeadLetterTests {
  private func line(_ payload: [UInt8]?, time: WallTime? = nil, reason: String = "no") throws -> JSON {
    let line = DeadLetter.line(topic: "o/j/p", payload: payload, reason: reason, time: time)
    #expect(!line.contains(10))
    return try JSON.parse(line)
  }

  @Test func tellsTimeTopicReasonAndText() throws {
    let letter = try line(Array(#"{"a":"ü"}"#.utf8), time: WallTime(seconds: 1_700_000_000))
    #expect(letter["time"] == 1_700_000_000 && letter["topic"] == "o/j/p" && letter["reason"] == "no")
    #expect(letter["payload"]?.text == #"{"a":"ü"}"# && letter["base64"] == nil)
  }

  @Test func withoutAClockThereIsNoTime() throws {
    #expect(try line([])["time"] == nil)
  }

  @Test(arguments: [[0xFF, 0xFE], [65, 0, 66]] as [[UInt8]])
  func whatIsNoTextIsBase64(_ payload: [UInt8]) throws {
    let letter = try line(payload)
    #expect(letter["payload"] == nil && letter["base64"]?.text == Base64.text(of: payload))
  }

  @Test func whatMayNotBeToldIsNot() throws {
    let letter = try line(nil)
    #expect(letter["payload"] == nil && letter["base64"] == nil && letter["topic"] == "o/j/p")
  }

  @Test func aReasonIsOneLine() throws {
    #expect(try line([], reason: "a\nb")["reason"]?.text?.contains("\n") == false)
  }
}
