import Model
import OwnTracks
import Testing
import Timebase

/// What the sender of a command reads.
struct CommandResultMessageTests {
  private let encoder: Encoder = {
    var configuration = Configuration()
    (configuration.identity.username, configuration.identity.deviceId) = ("jane", "van")
    return Encoder(configuration, hostName: "van")
  }()

  private func text(_ result: CommandResult) -> String {
    String(decoding: encoder.encode(.result(result)).payload, as: UTF8.self)
  }

  @Test func aWholeAnswer() {
    var result = CommandResult(id: .number(7), action: "dump", .partly, reason: "a \"b\"")
    result.time = WallTime(seconds: 1_700_000_000)
    #expect(
      text(result)
        == #"{"_type":"answer","action":"dump","id":7,"ok":false,"reason":"a \"b\"","result":"partly","tst":1700000000}"#
    )
    let message = encoder.encode(.result(result))
    #expect(message.topic == "owntracks/jane/van/cmd/answer" && message.isEvent && !message.isRetained)
  }

  @Test func resultOmitsUnknownFields() {
    #expect(
      text(.init(id: .unusable, action: nil, .refused))
        == #"{"_type":"answer","id":null,"ok":false,"result":"refused"}"#)
    #expect(text(.init(id: .text("é"), action: "x", .done)).contains(#""id":"é","ok":true"#))
  }

  @Test func aRequestIsPublishedAsItIs() {
    var result = CommandResult(id: .number(1), action: nil, .done)
    result.request = "a\nb"
    #expect(text(result).contains(#""request":"a\nb""#))
  }

  @Test func aTopicOfItsOwnWins() {
    var result = CommandResult(id: .number(1), action: nil, .done)
    result.topic = "x/cmd/answer"
    #expect(encoder.encode(.result(result)).topic == "x/cmd/answer")
  }
}
