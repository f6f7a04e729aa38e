import Model
import Testing
import Timebase

@testable import Uplink

/// What a broker says to us, byte for byte.
@Suite struct BrokerReceivedTests {
  private func text(_ text: String) -> [UInt8] {
    [UInt8(text.utf8.count / 256), UInt8(text.utf8.count % 256)] + Array(text.utf8)
  }

  /// PUBLISH, at level 4.
  private func packet(_ kind: UInt8, _ topic: [UInt8], _ payload: [UInt8]) -> [UInt8] {
    var length = topic.count + payload.count
    var bytes = [kind]
    repeat {
      bytes.append(UInt8(length % 128) | (length >= 128 ? 128 : 0))
      length /= 128
    } while length > 0
    return bytes + topic + payload
  }

  private func received(_ scene: BrokerScene) -> [String] {
    scene.events.compactMap {
      guard case .received(let topic, let payload, let isRetained) = $0 else { return nil }
      return payload.count > 100
        ? "\(topic) \(payload.count) \(isRetained)"
        : "\(topic) \(String(decoding: payload, as: UTF8.self)) \(isRetained)"
    }
  }

  private func connected() throws -> (BrokerScene, ScriptedPeer) {
    let scene = try BrokerScene()
    let peer = try ScriptedPeer(scene.loop, port: scene.port)
    scene.start()
    #expect(scene.runs { scene.isConnected && scene.broker.status.mqtt.notSubscribed.isEmpty })
    return (scene, peer)
  }

  @Test func aMessageIsPassedOnAsItCame() throws {
    let (scene, peer) = try connected()
    peer.say(packet(0x30, text("a/b"), Array("new".utf8)) + packet(0x31, text("c"), Array("old".utf8)))
    peer.say(packet(0x30, text("d"), []))
    #expect(scene.runs { received(scene).count == 3 })
    #expect(received(scene) == ["a/b new false", "c old true", "d  false"])
    #expect(scene.broker.status.counters.received == 3)
  }

  @Test func ownMessageComingBackIsNotPassedOn() throws {
    let (scene, peer) = try connected()
    let before = scene.broker.client?.echoes
    peer.say(packet(0x30, text("owntracks/jane/pi"), [1]) + packet(0x30, text("owntracks/jane/pix"), [0x32]))
    #expect(scene.runs { received(scene).count == 1 })
    #expect(received(scene) == ["owntracks/jane/pix 2 false"] && scene.broker.status.counters.received == 1)
    #expect(before == 0 && scene.broker.client?.echoes == 1)
  }

  @Test func aPayloadOf256KiBIsTheLongestThatIsTaken() throws {
    let (scene, peer) = try connected()
    let limit = 256 * 1024
    for count in [limit, limit + 1] {
      // In pieces, as the kernel has room for them.
      let bytes = packet(0x30, text("a"), [UInt8](repeating: 1, count: count))
      for start in stride(from: 0, to: bytes.count, by: 32_768) {
        peer.say(Array(bytes[start..<min(bytes.count, start + 32_768)]))
        scene.runs(0.005) { false }
      }
    }
    #expect(scene.runs { scene.broker.status.counters.oversized == 1 })
    #expect(received(scene) == ["a \(limit) false"] && scene.isConnected)
    #expect(scene.broker.status.counters.received == 1 && scene.broker.status.counters.malformed == 0)
  }

  /// The library ends the connection over it, before anybody here could count it.
  @Test func aTopicThatIsNoTextEndsTheConnection() throws {
    let (scene, peer) = try connected()
    peer.say(packet(0x30, [0, 2, 0xC3, 0x28], [1]))
    #expect(scene.runs { !scene.isConnected })
    #expect(received(scene).isEmpty && scene.lost.count == 1)
    #expect(scene.broker.status.counters.malformed == 0)
  }

  // MARK: What it says of our messages

  /// Connected, with one message under way that gets this reason.
  private func publishing(answeredWith reason: UInt8) throws -> (BrokerScene, ScriptedPeer) {
    let scene = try BrokerScene()
    scene.configuration.broker.protocolLevel = 5
    scene.configuration.broker.sub = false
    let peer = try ScriptedPeer(scene.loop, port: scene.port, level: 5)
    peer.publishReason = reason
    scene.start()
    #expect(scene.runs { scene.isConnected })
    scene.broker.send(scene.message(1))
    return (scene, peer)
  }

  @Test func aMessageThatAConnectionEndedOverCountsAsPostponed() throws {
    let scene = try BrokerScene()
    for (isOverMessage, count) in [(false, 0), (true, 1)] {
      scene.broker.takeBack(isOverMessage: isOverMessage)
      #expect(scene.broker.status.counters.postponed == count)
    }
  }

  @Test func reasonCodeDecidesTheOutcome() throws {
    for (reason, word): (UInt8, String) in [
      (0, "acknowledged"), (0x10, "acknowledged"), (0x80, "postponed"), (0x83, "postponed"),
      (0x87, "postponed"), (0x90, "refused"), (0x91, "postponed"), (0x97, "postponed"), (0x99, "refused"),
    ] {
      let (scene, peer) = try publishing(answeredWith: reason)
      #expect(scene.broker.status.inFlight == 1)
      #expect(scene.runs { scene.broker.status.inFlight == 0 })
      let told = ["acknowledged": scene.acknowledged, "postponed": scene.postponed, "refused": scene.refused]
      let counters = scene.broker.status.counters
      let counted = [
        "acknowledged": counters.acknowledged, "postponed": counters.postponed, "refused": counters.refused,
      ]
      for (kind, sequences) in told {
        #expect(
          sequences == (kind == word ? [1] : []) && counted[kind] == sequences.count, "\(reason) \(kind)")
      }
      #expect(scene.broker.status.mqtt.unheard == (reason == 0x10 ? ["owntracks/jane/pi"] : []))
      // Once it is heard, that is forgotten.
      guard reason == 0x10 else { continue }
      peer.publishReason = 0
      scene.broker.send(scene.message(2, suffix: "/event"))
      #expect(scene.runs { scene.acknowledged == [1, 2] })
      #expect(scene.broker.status.mqtt.unheard == ["owntracks/jane/pi"])
      scene.broker.send(scene.message(3))
      #expect(scene.runs { scene.acknowledged == [1, 2, 3] } && scene.broker.status.mqtt.unheard.isEmpty)
    }
  }

  @Test func withHoldUnheardMessagesWithoutSubscribersWaitUnlessTheyAreRetained() throws {
    let scene = try BrokerScene()
    scene.configuration.broker.protocolLevel = 5
    scene.configuration.messages.holdsUnheard = true
    let peer = try ScriptedPeer(scene.loop, port: scene.port, level: 5)
    peer.publishReason = 0x10
    scene.start()
    #expect(scene.runs { scene.isConnected })
    var kept = scene.message(2)
    kept.isRetained = true
    // One that is not in the queue has nowhere to wait.
    for message in [scene.message(1), kept, scene.message(0, suffix: "/status")] {
      scene.broker.send(message)
    }
    #expect(scene.runs { scene.broker.status.inFlight == 0 })
    #expect(scene.postponed == [1] && scene.acknowledged == [2, 0])
    scene.broker.send(scene.message(3))
    #expect(scene.runs { scene.postponed == [1, 3] })
    let waiting = scene.broker.status.mqtt
    #expect(waiting.untaken["owntracks/jane/pi"]?.isForWantOfSubscribers == true)
    #expect(waiting.unheard == ["owntracks/jane/pi/status"], "not both at once")
    peer.publishReason = 0
    scene.broker.send(scene.message(1))
    #expect(scene.runs { scene.acknowledged == [2, 0, 1] } && scene.broker.status.mqtt.untaken.isEmpty)
    // The setting needs no new connection.
    scene.configuration.messages.holdsUnheard = false
    scene.start()
    peer.publishReason = 0x10
    scene.broker.send(scene.message(4))
    #expect(scene.runs { scene.acknowledged == [2, 0, 1, 4] } && peer.connections == 1)
  }

  @Test func aTopicThatIsRefusedIsNoLongerListedAsUnheard() throws {
    let (scene, peer) = try publishing(answeredWith: 0x10)
    #expect(scene.runs { scene.broker.status.mqtt.unheard == ["owntracks/jane/pi"] })
    for (reason, sequence) in [(UInt8(0x87), UInt64(2)), (0x99, 3)] {
      peer.publishReason = reason
      scene.broker.send(scene.message(sequence))
      #expect(scene.runs { scene.postponed + scene.refused == (sequence == 2 ? [2] : [2, 3]) })
      #expect(scene.broker.status.mqtt.unheard.isEmpty)
    }
  }

  /// The library of Debian 12 hands it on, that of Debian 13 ends the connection over it.
  @Test func aReasonThatNoAcknowledgementHasIsTakenOrEndsTheConnection() throws {
    for (reason, word): (UInt8, String) in [(0x7F, "acknowledged"), (0x95, "refused")] {
      let (scene, peer) = try publishing(answeredWith: reason)
      defer { withExtendedLifetime(peer) {} }
      #expect(scene.runs { scene.broker.status.inFlight == 0 || scene.lost.count == 1 })
      let told = ["acknowledged": scene.acknowledged, "postponed": scene.postponed, "refused": scene.refused]
      for (kind, sequences) in told {
        #expect(sequences == (kind == word && scene.lost.isEmpty ? [1] : []), "\(reason) \(kind)")
      }
    }
  }

  @Test func atMost32UnheardTopicsAreListed() throws {
    let scene = try BrokerScene()
    scene.configuration.broker.protocolLevel = 5
    scene.configuration.broker.sub = false
    let peer = try ScriptedPeer(scene.loop, port: scene.port, level: 5)
    peer.publishReason = 0x10
    scene.start()
    #expect(scene.runs { scene.isConnected })
    for sequence in UInt64(1)...40 { scene.broker.send(scene.message(sequence, suffix: "/\(sequence)")) }
    #expect(scene.runs { scene.acknowledged.count == 40 })
    #expect(scene.broker.status.mqtt.unheard.count == 32)
    scene.cut()
    #expect(
      scene.runs { peer.connections == 2 && scene.isConnected } && scene.broker.status.mqtt.unheard.isEmpty)
  }

  /// Another session: what was under way has to be sent again, and nothing is in flight any more.
  @Test func messagesInFlightAreReturnedOnSessionChange() throws {
    let (scene, peer) = try connected()
    peer.publishReason = nil
    for sequence in UInt64(1)...2 { scene.broker.send(scene.message(sequence)) }
    #expect(scene.runs { peer.published == 2 } && scene.broker.status.inFlight == 2)
    scene.configuration.identity.clientId = "other"
    scene.start()
    #expect(scene.failed == [1, 2] && scene.broker.status.inFlight == 0)
    #expect(scene.broker.status.counters.failed == 2 && scene.broker.status.counters.sent == 2)
    // A message that goes then has the connection to itself.
    let isOther = { String(decoding: peer.greeted, as: UTF8.self).contains("other") }
    #expect(scene.runs { isOther() && scene.isConnected })
    peer.publishReason = 0
    scene.broker.send(scene.message(1))
    #expect(scene.runs { scene.acknowledged == [1] } && scene.broker.status.inFlight == 0)
    scene.broker.send(scene.message(3))
    #expect(scene.broker.status.inFlight == 1)
  }
}
