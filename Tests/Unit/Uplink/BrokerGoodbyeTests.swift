import Glibc
import Loop
import Testing
import Timebase

@testable import Uplink

/// What is said last arrives, also while the broker is still talking.
@Suite struct BrokerGoodbyeTests {
  /// A publication of the broker that nobody has read when the connection ends: QoS 0, topic `x`.
  private static let chatter: [UInt8] = [0x30, 4, 0, 1, 0x78, 0x79]

  private func talking(_ scene: BrokerScene) throws -> ScriptedPeer {
    let peer = try ScriptedPeer(scene.loop, port: scene.port)
    scene.start()
    try #require(scene.runs { scene.isConnected && peer.subscribed > 0 })
    scene.broker.send(scene.message(1, qos: 0, suffix: "/status"))
    peer.say(Self.chatter)
    return peer
  }

  @Test func theEndOfTheProgramResetsNothing() throws {
    let scene = try BrokerScene()
    let peer = try talking(scene)
    // It runs on the same loop: nobody there closes while we wait.
    let before = SystemClock.read().instant
    scene.broker.shutDown(within: .milliseconds(300))
    let waited = SystemClock.read().instant - before
    #expect(waited > .milliseconds(250))
    #expect(scene.runs { peer.ending != nil })
    #expect(peer.published == 1 && peer.hasHeardGoodbye)
    #expect(peer.ending == 0)
  }

  @Test func noOtherEndResetsAnything() throws {
    let scene = try BrokerScene()
    let peer = try talking(scene)
    scene.broker.disconnect()
    #expect(scene.broker.linger != nil)
    peer.say(Self.chatter)
    #expect(scene.runs { peer.ending != nil })
    #expect(peer.published == 1 && peer.hasHeardGoodbye)
    #expect(peer.ending == 0)
    // The peer has closed as well: nothing is held any longer.
    #expect(scene.runs { scene.broker.linger == nil })
  }

  /// Another transport takes over: nothing is left of this one but what the kernel still has to say.
  @Test func retiredAndReleasedBrokerResetsNothing() throws {
    let scene = try BrokerScene()
    let peer = try talking(scene)
    scene.broker.retire()
    scene.broker = nil
    peer.say(Self.chatter)
    #expect(scene.runs { peer.ending != nil })
    #expect(peer.published == 1 && peer.hasHeardGoodbye)
    #expect(peer.ending == 0)
  }

  @Test func lingerForUnresponsivePeerEnds() throws {
    let scene = try BrokerScene()
    let peer = try talking(scene)
    peer.isDeaf = true
    scene.broker.disconnect()
    #expect(!scene.runs(1) { scene.broker.linger == nil })
    #expect(scene.runs { scene.broker.linger == nil })
  }
}
