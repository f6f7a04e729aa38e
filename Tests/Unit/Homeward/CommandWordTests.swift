import OwnTracks
import Replay
import Testing

@testable import homeward

/// The words that go to the daemon, made of a person's command line.
struct CommandWordTests {
  @Test func aPlaceIsHereOrAtItsCoordinate() throws {
    #expect(try PlaceOptions.parse(["--here"]).words == ["--here"])
    #expect(
      try PlaceOptions.parse(["--lat", "-48.1", "--lon", "11.5"]).words == [
        "--lat", "-48.1", "--lon", "11.5",
      ])
    #expect(try PlaceOptions.parse([]).words.isEmpty)
  }

  @Test func aShapeKeepsTheOrderOfTheManual() throws {
    let words = try ShapeOptions.parse(["--minor", "2", "--uuid", "U", "--radius", "100"]).words
    #expect(words == ["--radius", "100", "--uuid", "U", "--minor", "2"])
  }

  @Test func aSettingHasAValueOrGoesBackToItsDefault() {
    #expect(throws: Never.self) { try ConfigSet.parse(["locatorInterval", "60"]) }
    #expect(throws: Never.self) { try ConfigSet.parse(["locatorInterval", "--default"]) }
    #expect(throws: Never.self) { try ConfigSet.parse(["tlsClientCert", "/a", "tlsClientKey", "/b"]) }
    #expect(throws: (any Error).self) { try ConfigSet.parse(["tlsClientCert", "/a", "tlsClientKey"]) }
    #expect(throws: (any Error).self) { try ConfigSet.parse(["host", "a", "beaconEnterRssi", "--", "-3"]) }
    #expect(throws: (any Error).self) { try ConfigSet.parse(["locatorInterval"]) }
    #expect(throws: (any Error).self) { try ConfigSet.parse(["locatorInterval", "60", "--default"]) }
  }

  @Test func aSettingOfAReplayIsAPair() throws {
    let settings = try ReplaySettings(file: nil, overrides: ["username=me", "clientId=a=b"])
    #expect(
      settings.configuration.identity.username == "me" && settings.configuration.identity.clientId == "a=b")
    #expect { try ReplaySettings(file: nil, overrides: ["username"]) } throws: {
      ($0 as? Failure)?.text == "--set username: expected KEY=VALUE"
    }
    #expect { try ReplaySettings(file: nil, overrides: ["locatorInterval=often"]) } throws: {
      ($0 as? Failure)?.text.hasPrefix("--set: locatorInterval") == true && ($0 as? Failure)?.status == .usage
    }
  }

  // behaviour: The control socket
  /// After an update the daemon of before may still run, or a terminal that watches.
  @Test func aDaemonOfAnotherVersionIsNamedWhereItDoesNotUnderstand() {
    func text(_ version: JSON?, _ number: JSON?) -> String {
      var answer: JSON = ["ok": false, "error": "unknown command \"fly\""]
      answer.set("version", version)
      answer.set("protocol", number)
      return DaemonConnection.refusal(OutcomeRecord(answer: answer) ?? [:], own: "1.2.0")
    }
    let own = JSON.integer(Int64(Request.protocolNumber))
    let other =
      "unknown command \"fly\" (the daemon is version 1.1.0, this is 1.2.0; to start the installed one:"
      + " sudo systemctl restart homeward)"
    #expect(text("1.1.0", own) == other && text("1.1.0", nil) == other)
    #expect(text("1.2.0", 7).contains("the daemon is version 1.2.0"))
    #expect(text("1.2.0", own) == "unknown command \"fly\"" && text(nil, nil) == "unknown command \"fly\"")
    #expect(DaemonConnection.refusal(["ok": false], own: "1.2.0").hasPrefix("the daemon refused"))
  }

  @Test func aMisspeltCommandIsGuessed() {
    #expect(Homeward.meant(by: ["statuss"]) == "homeward status")
    #expect(Homeward.meant(by: ["region", "ad", "Barn"]) == "homeward region add")
    #expect(Homeward.meant(by: ["config", "sett", "host", "a"]) == "homeward config set")
    for right in [["status"], ["region", "add", "Barn"], ["mode", "moev"], [], ["completely-else"]] {
      #expect(Homeward.meant(by: right) == nil)
    }
  }
}
