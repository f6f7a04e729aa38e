import Model
import Testing

@testable import homewardd

struct SettingsInForceTests {
  @Test func aDeviceWithoutANameIsCalledAsTheBoard() {
    #expect(SettingsInForce.complete(Configuration(), hostName: "board").deviceId == "board")
    var named = Configuration()
    named.deviceId = "van"
    #expect(SettingsInForce.complete(named, hostName: "board").deviceId == "van")
  }

  @Test func theMessagesFollowTheSettings() throws {
    let settings = try DaemonScene().settings
    #expect(settings.encoder.topics.base == "owntracks/u/board")
    var new = settings.configuration
    new.deviceId = "van"
    settings.adopt(new, .apart)
    #expect(settings.encoder.topics.base == "owntracks/u/van" && settings.configuration.deviceId == "van")
    #expect(settings.encoder.additions === settings.additions)
  }

  @Test func theRuntimeDirectoryIsWhereTheControlSocketIs() throws {
    let settings = try DaemonScene { $0.controlSocket = "/run/homeward/control" }.settings
    #expect(settings.runtimeDirectory == "/run/homeward" && settings.scanner.directory == "/run/homeward")
  }

  @Test func theServerIsNamedWithoutItsSecrets() throws {
    let broker = try DaemonScene { $0.host = "broker.example" }.settings
    #expect(broker.server == "broker.example:\(broker.configuration.port)" && !broker.isHTTP)
    let endpoint = try DaemonScene {
      $0.mode = 3
      $0.url = "https://u:secret@endpoint.example/pub?key=secret"
    }.settings
    #expect(endpoint.server == "https://endpoint.example" && endpoint.isHTTP)
  }
}
