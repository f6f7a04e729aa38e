import Model
import Testing
import Timebase

@testable import OwnTracks

struct DeadLetterTests {
  private func line(_ payload: [UInt8]?, time: WallTime? = nil, reason: String = "no") throws -> JSON {
    let line = DeadLetter.line(topic: "o/j/p", payload: payload, reason: reason, time: time)
    #expect(!line.contains(10))
    return try JSON.parse(line)
  }

  @Test func lineHasTimeTopicReasonAndText() throws {
    let letter = try line(Array(#"{"a":"ü"}"#.utf8), time: WallTime(seconds: 1_700_000_000))
    #expect(letter["time"] == 1_700_000_000 && letter["topic"] == "o/j/p" && letter["reason"] == "no")
    #expect(letter["payload"]?.text == #"{"a":"ü"}"# && letter["base64"] == nil)
  }

  @Test func withoutAClockThereIsNoTime() throws {
    #expect(try line([])["time"] == nil)
  }

  @Test(arguments: [[0xFF, 0xFE], [65, 0, 66]] as [[UInt8]])
  func binaryPayloadIsWrittenAsBase64(_ payload: [UInt8]) throws {
    let letter = try line(payload)
    #expect(letter["payload"] == nil && letter["base64"]?.text == Base64.text(of: payload))
  }

  @Test func withheldPayloadIsOmitted() throws {
    let letter = try line(nil)
    #expect(letter["payload"] == nil && letter["base64"] == nil && letter["topic"] == "o/j/p")
  }

  @Test func aReasonIsOneLine() throws {
    #expect(try line([], reason: "a\nb")["reason"]?.text?.contains("\n") == false)
  }

  private func again(_ line: [UInt8], _ key: Encryption? = nil) throws -> Message {
    try DeadLetter.message(line, opening: key)
  }

  // behaviour: Once more
  @Test func resentMessageIsAnUnretainedEvent() throws {
    let payload = Array(#"{"_type":"location","lat":1.10,"tst":1700000000}"#.utf8)
    for posted in [payload, HTTPBody.request(payload, topic: "o/j/p")] {
      let line = DeadLetter.line(topic: "o/j/p", payload: posted, reason: "no", time: nil)
      #expect(
        try again(line)
          == Message(
            topic: "o/j/p", payload: payload, qos: 1, isRetained: false, isEvent: true, time: 1_700_000_000))
    }
  }

  // behaviour: Once more
  @Test func encryptedLetterIsOpenedOnlyWithItsKey() throws {
    let key = try Encryption(secret: "s1kr3t")
    let payload = Array(#"{"_type":"transition"}"#.utf8)
    let sealed = key.sealed(HTTPBody.request(payload, topic: "o/j/p"))
    let line = DeadLetter.line(topic: "o/j/p", payload: sealed, reason: "no", time: nil)
    #expect(try again(line, key).payload == payload)
    #expect(throws: DeadLetter.Unusable.self) { try again(line) }
    let other = try Encryption(secret: "other")
    #expect(throws: DeadLetter.Unusable.self) { try again(line, other) }
  }

  @Test(arguments: [
    "", "{\"tor", "[]", "7", #"{"topic":"a"}"#, #"{"payload":"{\"a\":1}"}"#,
    #"{"topic":"a/#","payload":"{\"a\":1}"}"#,
    #"{"topic":"","payload":"{\"a\":1}"}"#, #"{"topic":"a","payload":"publish"}"#,
    #"{"topic":"a","payload":"{}"}"#,
    #"{"topic":"a","base64":"QUJD"}"#, #"{"topic":"a\u0000b","payload":"{\"a\":1}"}"#,
  ])
  func unusableLineIsRejected(_ line: String) {
    #expect(throws: DeadLetter.Unusable.self) { try again(Array(line.utf8)) }
  }
}
