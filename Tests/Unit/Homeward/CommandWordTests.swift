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

  @Test func aMisspeltCommandIsGuessed() {
    #expect(Homeward.meant(by: ["statuss"]) == "homeward status")
    #expect(Homeward.meant(by: ["region", "ad", "Barn"]) == "homeward region add")
    #expect(Homeward.meant(by: ["config", "sett", "host", "a"]) == "homeward config set")
    for right in [["status"], ["region", "add", "Barn"], ["mode", "moev"], [], ["completely-else"]] {
      #expect(Homeward.meant(by: right) == nil)
    }
  }
}
