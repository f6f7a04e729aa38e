import Model
import Testing

@testable import homewardd

struct SettingsInForceTests {
  @Test func aDeviceWithoutANameIsCalledAsTheBoard() {
    #expect(SettingsInForce.complete(Configuration(), hostName: "board").identity.deviceId == "board")
    var named = Configuration()
    named.identity.deviceId = "van"
    #expect(SettingsInForce.complete(named, hostName: "board").identity.deviceId == "van")
  }

  @Test func theMessagesFollowTheSettings() throws {
    let settings = try DaemonScene().settings
    #expect(settings.encoder.topics.base == "owntracks/u/board")
    var new = settings.configuration
    new.identity.deviceId = "van"
    settings.adopt(new, .apart)
    #expect(
      settings.encoder.topics.base == "owntracks/u/van" && settings.configuration.identity.deviceId == "van")
    #expect(settings.encoder.additions === settings.additions)
  }

  @Test func theRuntimeDirectoryIsWhereTheControlSocketIs() throws {
    let settings = try DaemonScene { $0.board.controlSocket = "/run/homeward/control" }.settings
    #expect(settings.runtimeDirectory == "/run/homeward" && settings.scanner.directory == "/run/homeward")
  }

  @Test func theServerIsNamedWithoutItsSecrets() throws {
    let broker = try DaemonScene { $0.broker.host = "broker.example" }.settings
    #expect(broker.server == "broker.example:\(broker.configuration.broker.port)" && !broker.isHTTP)
    let endpoint = try DaemonScene {
      $0.transport = .http
      $0.http.url = "https://u:secret@endpoint.example/pub?key=secret"
    }.settings
    #expect(endpoint.server == "https://endpoint.example" && endpoint.isHTTP)
  }
}
