import Glibc
import Model
import Testing
import Timebase

@testable import homewardd

/// Which way a message leaves, and as what.
struct ServerConnectionTests {
  private func connection(of scene: DaemonScene) -> ServerConnection {
    let inbound = InboundMessages(
      settings: scene.settings, host: scene.host, friends: scene.friends, extensions: scene.extensions,
      log: scene.log
    )
    return ServerConnection(
      loop: scene.loop, worker: scene.worker, disk: scene.worker, settings: scene.settings, host: scene.host,
      inbound: inbound, log: scene.log)
  }

  private let message = Message(
    topic: "owntracks/u/board", payload: Array(#"{"_type":"location"}"#.utf8), qos: 1, isRetained: false,
    isEvent: false, time: 0)

  @Test func theSystemsClockDatesAWillOnlyWhereItWasKept() {
    #expect(ServerConnection.plausible(WallTime(seconds: 0)) == nil)
    #expect(ServerConnection.plausible(WallTime(seconds: 1_800_000_000)) != nil)
  }

  @Test func itIsThereOnceItIsConfiguredAndUntilItIsForgotten() throws {
    let scene = try DaemonScene { $0.broker.port = 0 }
    let connection = connection(of: scene)
    #expect(connection.status == nil)
    connection.configure()
    #expect(connection.status != nil && connection.statusWill == nil)
    connection.retire()
    connection.forget()
    #expect(connection.status == nil)
  }

  @Test func aPresenceThatIsKeptWantsASecondConnection() throws {
    let scene = try DaemonScene {
      $0.broker.port = 0
      $0.dashboard.availability = true
    }
    let connection = connection(of: scene)
    connection.configure()
    #expect(connection.statusWill?.isPlaced == false)
    connection.retire()
  }

  /// Without the library that encrypts, or with it: in clear it does not leave.
  @Test func aRefusedMessageIsKeptAsItWentOut() throws {
    let scene = try DaemonScene {
      $0.transport = .http
      $0.http.url = "http://127.0.0.1:9/pub"
    }
    let connection = connection(of: scene)
    connection.keep(message, because: "too large")
    withExtendedLifetime(connection) { scene.worker.finish() }
    let line = scene.text("refused.jsonl")
    #expect(line.contains("too large") && line.contains(#"topic":"owntracks/u/board"#))
    let said = scene.lines()
    #expect(said.count == 1, "\(said)")
    #expect(said.first?.contains("http://127.0.0.1:9 refuses message 0 for good: too large") == true)
    #expect(said.first?.hasSuffix("it is kept in \(scene.directory.path)/refused.jsonl") == true)
    #expect(scene.host.waiting == ["kept 0"])
  }

  /// Nor does the tracker hear that it is.
  @Test func aLetterThatTheDiskDoesNotTakeIsNotSaidToBeKept() throws {
    let scene = try DaemonScene()
    mkdir(scene.directory.path + "/refused.jsonl", 0o700)
    let connection = connection(of: scene)
    connection.keep(message, because: "too large")
    withExtendedLifetime(connection) { scene.worker.finish() }
    let said = scene.lines()
    #expect(said.count == 1 && said.first?.contains("/refused.jsonl yet: ") == true, "\(said)")
    #expect(scene.host.waiting.isEmpty)
  }

  @Test func anEncryptedMessageIsKeptEncrypted() throws {
    let scene = try DaemonScene { $0.messages.encryptionKey = "secret" }
    let connection = connection(of: scene)
    connection.seal()
    connection.keep(message, because: "too large")
    withExtendedLifetime(connection) { scene.worker.finish() }
    #expect(connection.isEncrypted && !scene.text("refused.jsonl").contains("location"))
  }
}
