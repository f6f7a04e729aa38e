import Model
import OwnTracks
import Testing

@testable import Replay

/// A timeline from its first line to the state that the replay ends with.
struct PlayerTests {
  /// What is printed, parsed; lines about what was published without their payload.
  private func play(_ lines: String...) throws -> [JSON] {
    let printed = Printed()
    var configuration = Configuration()
    (configuration.identity.username, configuration.identity.deviceId, configuration.reports.monitoring) = (
      "u", "d", .move
    )
    let settings = ReplaySettings(configuration, waypoints: [], hostName: "h")
    var recording = try Recording(
      Array(lines.joined(separator: "\n").utf8), .timeline, file: "drive.jsonl", numberBase: .auto)
    var player = Player(
      settings, file: "drive.jsonl", state: StoredState(),
      output: ReplayOutput(
        explains: false, write: { printed.lines.append($0) }, warn: { Issue.record("\($0)") }))
    let isUpBefore = recording.isBrokerUpBefore
    while let entry = try recording.next(), try player.play(entry, isUpBefore: isUpBefore) {}
    player.finish(isUpBefore: isUpBefore)
    return try printed.lines.map { try JSON.parse(Array($0.utf8)) }
  }

  private final class Printed {
    var lines: [String] = []
  }

  private let fix = #""tpv":{"class":"TPV","mode":3,"time":"2023-11-14T22:13:20Z","lat":48,"lon":11,"eph":5}"#

  @Test func aFixIsPublishedAndDelivered() throws {
    let lines = try play(#"{"at":0,"clock":1700000000}"#, #"{"at":1,\#(fix)}"#, #"{"at":5,"end":true}"#)
    let location = lines.first { $0["publish"]?["payload"]?["_type"]?.text == "location" }
    #expect(location?["at"]?.double == 1)
    #expect(location?["publish"]?["topic"]?.text == "owntracks/u/d")
    #expect(lines.contains { $0["delivered"]?.int == 1 && $0["at"]?.double == 1.05 })
    #expect(lines.last?["state"]?["queue"]?.int == 0)
  }

  // behaviour: status and doctor
  @Test func controlCommandsAreAnswered() throws {
    let lines = try play(
      #"{"at":0,"clock":1700000000}"#, #"{"at":1,\#(fix)}"#, #"{"at":2,"control":["mode"]}"#,
      #"{"at":3,"control":["beacons"]}"#,
      #"{"at":4,"control":["region","add","--radius","50","--","-Keys|5|1"]}"#, #"{"at":5,"end":true}"#)
    let answers = lines.compactMap { $0["answer"] }
    #expect(answers.count == 3 && answers.allSatisfy { $0["ok"]?.flag == true })
    #expect(answers.first?["status"]?["mode"]?.text == "move" && answers[1]["beacons"]?.elements == [])
    // A name that does not switch as it may be meant to is taken, and that is said.
    #expect(answers[2]["text"]?.text?.contains(#""5" switches to no mode"#) == true)
  }

  @Test func unacknowledgedMessagesSurviveRestart() throws {
    let lines = try play(
      #"{"at":0,"clock":1700000000}"#, #"{"at":0,"broker":"down"}"#, #"{"at":1,\#(fix)}"#,
      #"{"at":5,"restart":true}"#, #"{"at":6,"control":["queue"]}"#, #"{"at":8,"end":true}"#)
    #expect(!lines.contains { $0["delivered"] != nil })
    let queue = lines.compactMap { $0["answer"]?["status"]?["queue"] }.first
    #expect((queue?["count"]?.int ?? 0) >= 1)
    #expect(lines.last?["state"]?["queue"]?.int == queue?["count"]?.int)
  }

  /// The same keys as the daemon gives, and none with a null.
  @Test func aStatusIsTheDaemons() throws {
    let lines = try play(#"{"at":0,"clock":1700000000}"#, #"{"at":1,"control":["status"]}"#)
    let status = lines.compactMap { $0["answer"]?["status"] }.first
    #expect(status?["network"] == "unknown" && status?["history"] == 0)
    #expect(status?["identity"]?["topic"] == "owntracks/u/d")
    #expect(status?["queue"]?["oldest"] == nil && status?["queue"]?["count"] == 0)
  }

  @Test func wrongWordsAreAnAnswer() throws {
    let lines = try play(#"{"at":0,"control":["mode","fast"]}"#)
    #expect(lines.first?["answer"]?["ok"]?.flag == false)
  }
}
