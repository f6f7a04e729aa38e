import Glibc
import Loop
import TestSupport
import Testing

@testable import Uplink

// behaviour: Several brokers
/// Brokers and addresses in turn, over real sockets.
@Suite struct BrokerFailoverTests {
  @Test func theSecondBrokerIsReachedWhereTheFirstRefuses() throws {
    let scene = try BrokerScene()
    let peer = try ScriptedPeer(scene.loop, port: scene.port)
    scene.configuration.broker.host = "127.0.0.1:\(FreePort.take()), 127.0.0.1"
    scene.start()
    #expect(scene.runs { scene.isConnected })
    #expect(scene.lost == [.refused] && peer.connections == 1)
    #expect(scene.broker.status.mqtt.place?.port == scene.port)
  }

  @Test func theSecondBrokerIsReachedWhereTheFirstSaysNothing() throws {
    let scene = try BrokerScene()
    let silent = FreePort.take()
    let mute = try SilentPeer(port: silent)
    defer { _ = mute }
    let peer = try ScriptedPeer(scene.loop, port: scene.port)
    scene.configuration.broker.host = "127.0.0.1:\(silent) 127.0.0.1"
    scene.configuration.retry.timeout = 1
    // Later than the test waits: it is no matter of the ladder.
    (scene.configuration.retry.least, scene.configuration.retry.most) = (3600, 3600)
    scene.start()
    #expect(scene.runs { scene.isConnected })
    #expect(scene.lost == [.noGreeting(seconds: 1)])
    // The end of a connection that was young.
    peer.hangUp()
    #expect(scene.runs { scene.lost.count == 2 })
  }

  @Test func messagesThatTheFirstHasNotAnsweredAreGivenBackForTheSecond() throws {
    let scene = try BrokerScene()
    let first = try ScriptedPeer(scene.loop, port: scene.port)
    let port = FreePort.take()
    let second = try ScriptedPeer(scene.loop, port: port)
    first.publishReason = nil
    scene.configuration.broker.host = "127.0.0.1, 127.0.0.1:\(port)"
    scene.start()
    #expect(scene.runs { scene.isConnected })
    scene.broker.send(scene.message(1))
    #expect(scene.runs { first.packets.contains { $0.first == 0x32 } })
    first.hangUp()
    #expect(scene.runs { scene.isConnected && second.connections == 1 })
    #expect(scene.failed == [1], "to be sent again")
    scene.broker.send(scene.message(1))
    #expect(scene.runs { scene.acknowledged == [1] })
  }

  /// `localhost` has two addresses: where the first takes connections and says nothing the second is reached.
  @Test(.enabled(if: hasIPv6)) func theSecondAddressOfANameIsReachedWhereTheFirstSaysNothing() throws {
    let mute = try #require(listenOnIPv6())
    defer { close(mute.descriptor) }
    guard BrokerAddresses.look("localhost").found == ["::1", "127.0.0.1"] else { return }
    let scene = try BrokerScene(port: mute.port)
    let peer = try ScriptedPeer(scene.loop, port: scene.port)
    scene.configuration.broker.host = "localhost"
    scene.configuration.retry.timeout = 1
    (scene.configuration.retry.least, scene.configuration.retry.most) = (3600, 3600)
    scene.start()
    #expect(scene.runs { scene.isConnected })
    #expect(scene.broker.status.mqtt.address == "127.0.0.1")
    // The one that was good is tried first.
    peer.hangUp()
    #expect(scene.runs { !scene.isConnected })
    scene.broker.connectSoon()
    #expect(scene.runs { scene.isConnected })
    #expect(scene.lost.count == 2, "\(scene.lost)")
  }

  @Test func theSecondConnectionFollowsTheFirst() throws {
    let second = try StatusConnectionTests.SecondScene()
    let peer = try ScriptedPeer(second.scene.loop, port: second.scene.port)
    // It would be taken as gladly.
    let port = FreePort.take()
    let other = try ScriptedPeer(second.scene.loop, port: port)
    second.scene.configuration.broker.host = "127.0.0.1:\(port), 127.0.0.1"
    second.connection.configure(second.settings)
    let place = second.settings.places[1]
    second.connection.firstConnected(to: place, at: nil)
    #expect(second.scene.runs { second.connection.isStanding })
    #expect(peer.connections == 1 && other.connections == 0 && second.complaints.isEmpty)
  }
}
