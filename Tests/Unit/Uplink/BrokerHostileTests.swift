import Glibc
import Loop
import Model
import Testing
import Timebase

@testable import Uplink

/// A broker, or somebody behind it, that means ill, and a line that is cut where it hurts.
@Suite struct BrokerHostileTests {
  private static let own = ["owntracks/jane/pi/cmd", "owntracks/jane/pi/listento"]

  private func missing(_ scene: BrokerScene) -> [String] {
    scene.broker.status.mqtt.notSubscribed.map(\.filter)
  }

  /// The header of a PUBLISH of 60 MB.
  private static let giant: [UInt8] = [0x30, 0x80, 0x8E, 0xCE, 0x1C]

  @Test(arguments: [4, 5]) func whereverTheLineIsCutAllIsSubscribedAfterwards(level: Int) throws {
    let scene = try BrokerScene()
    scene.configuration.broker.protocolLevel = level
    let peer = try ScriptedPeer(scene.loop, port: scene.port, level: level)
    peer.keepsSession = true
    // CONNACK, and one SUBACK for each of two filters.
    let whole = level == 5 ? 5 + 2 * 6 : 4 + 2 * 5
    for bytes in 1..<whole {
      // Another client of the same name has never asked for anything.
      scene.configuration.identity.deviceId = "pi\(bytes)"
      let own = ["cmd", "listento"].map { "owntracks/jane/pi\(bytes)/\($0)" }
      peer.cutsAfter = bytes
      let cuts = peer.cuts
      scene.start()
      #expect(scene.runs { peer.cuts > cuts && scene.broker.phase == .waiting })
      peer.cutsAfter = nil
      // In life this takes 2 s.
      scene.broker.attempt()
      #expect(scene.runs { scene.isConnected && missing(scene).isEmpty }, "after a cut at \(bytes)")
      #expect(peer.session.isSuperset(of: own), "after a cut at \(bytes): \(peer.session)")
    }
  }

  /// CONNECT to a broker that is near goes out on the worker: what ends the connection may be met, or the
  /// connection given up, before we know that it stood.
  @Test(arguments: [false, true]) func aCutBeforeTheWorkerIsBackPutsTheSessionInDoubt(isGivenUp: Bool) throws
  {
    let scene = try BrokerScene()
    let peer = try ScriptedPeer(scene.loop, port: scene.port)
    peer.keepsSession = true
    scene.start()
    #expect(scene.runs { scene.isConnected && missing(scene).isEmpty })
    scene.cut()
    #expect(scene.runs { scene.broker.phase == .waiting })
    scene.broker.attempt()
    peer.resetNext()
    #expect(peer.session.isEmpty)
    if isGivenUp {
      scene.configuration.broker.keepalive = 77
      scene.start()
    } else {
      #expect(scene.runs { scene.broker.phase == .waiting })
      scene.broker.attempt()
    }
    #expect(scene.runs { scene.isConnected && missing(scene).isEmpty })
    #expect(peer.session.isSuperset(of: Self.own))
  }

  @Test func aFilterThatEndsTheConnectionIsLeftOutAndNamed() throws {
    let scene = try BrokerScene()
    scene.configuration.friends.isOn = true
    let peer = try ScriptedPeer(scene.loop, port: scene.port)
    peer.hatedFilter = "owntracks/+/+"
    scene.start()
    scene.broker.send(scene.message(1))
    #expect(scene.runs { scene.isConnected && peer.granted.count == 4 })
    #expect(peer.connections <= 3)
    #expect(scene.runs { missing(scene) == ["owntracks/+/+"] })
    #expect(scene.broker.status.mqtt.notSubscribed.first?.word == "ended")
    scene.broker.send(scene.message(2))
    #expect(scene.runs { scene.acknowledged.contains(2) })
  }

  @Test func aPacketTooLongEndsTheConnectionAndTheNextAsksForLess() throws {
    let scene = try BrokerScene()
    scene.configuration.friends.isOn = true
    let peer = try ScriptedPeer(scene.loop, port: scene.port)
    scene.start()
    #expect(scene.runs { scene.isConnected && peer.granted.count == 5 })
    peer.say(Self.giant)
    #expect(scene.runs { scene.lost.contains(.oversized(bytes: 60_000_000)) })
    #expect(scene.runs { scene.isConnected && peer.granted == Self.own })
    #expect(scene.runs { missing(scene).count == 3 })
    #expect(scene.broker.status.mqtt.notSubscribed.allSatisfy { $0.word == "oversized" })
    scene.broker.send(scene.message(1))
    #expect(scene.runs { scene.acknowledged == [1] })
  }

  /// With MQTT 5 a broker is told what we take, and keeps the rest to itself.
  @Test func aPacketTooLongOfOurOwnTopicIsMetWithTheNewerProtocol() throws {
    let scene = try BrokerScene()
    let peer = try ScriptedPeer(scene.loop, port: scene.port)
    scene.start()
    #expect(scene.runs { scene.isConnected && peer.granted == Self.own })
    peer.level = 5
    peer.say(Self.giant)
    #expect(scene.runs { scene.isConnected && peer.levelAsked == 5 && missing(scene).isEmpty })
    #expect(peer.granted == Self.own)
  }

  @Test func aBrokerWithoutItIsAskedForNothingForAWhile() throws {
    let scene = try BrokerScene()
    let peer = try ScriptedPeer(scene.loop, port: scene.port)
    peer.takesLevel5 = false
    peer.afterGrant = Self.giant
    scene.start()
    #expect(
      scene.runs {
        scene.isConnected && scene.broker.status.mqtt.notSubscribed.map(\.word) == ["oversized", "oversized"]
      })
    #expect(missing(scene) == Self.own && peer.granted.isEmpty)
    scene.broker.send(scene.message(1))
    #expect(scene.runs { scene.acknowledged == [1] })
    // The giant is gone, and half a minute later we listen again, on the same connection.
    peer.afterGrant = []
    let connections = peer.connections
    #expect(scene.runs { peer.granted == Self.own && missing(scene).isEmpty })
    #expect(peer.connections == connections)
  }

  /// The library keeps messages of QoS 2 until they are released, however many.
  @Test func messagesThatAreNeverReleasedEndTheConnection() throws {
    let scene = try BrokerScene()
    let peer = try ScriptedPeer(scene.loop, port: scene.port)
    scene.start()
    #expect(scene.runs { scene.isConnected && peer.granted == Self.own })
    let topic = Array("owntracks/jane/pi/cmd".utf8)
    for number in UInt16(1)...900 where scene.isConnected {
      let parts: [[UInt8]] = [
        [0, UInt8(topic.count)], topic, [UInt8(number >> 8), UInt8(number & 255)],
        [UInt8](repeating: 0x78, count: 1500),
      ]
      let body = Array(parts.joined())
      peer.say([0x34, UInt8(body.count & 127) | 128, UInt8(body.count >> 7)] + body)
      scene.loop.runOnce(within: .milliseconds(1))
    }
    #expect(scene.runs { scene.lost.contains(.unreleased) })
    #expect(scene.runs { scene.isConnected })
  }
}
