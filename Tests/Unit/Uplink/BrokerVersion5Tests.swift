import Glibc
import Model
import Testing
import Timebase

@testable import Uplink

/// MQTT 5.
@Suite struct BrokerVersion5Tests {
  private func connected(_ extra: String = "") throws -> BrokerScene {
    let scene = try BrokerScene()
    scene.configuration.broker.protocolLevel = 5
    try scene.startMosquitto("allow_anonymous true\n" + extra)
    #expect(scene.isListening())
    scene.start()
    #expect(scene.runs { scene.isConnected })
    #expect(scene.runs { scene.isSubscribed })
    return scene
  }

  @Test func theSessionOutlivesTheConnection() throws {
    let scene = try connected()
    scene.cut()
    #expect(scene.runs { scene.sessionsPresent == [false, true] })
  }

  @Test(arguments: [true, false]) func aSessionEndsWithTheConnectionWhereItIsToBeClean(_ isClean: Bool) throws
  {
    let scene = try BrokerScene()
    scene.configuration.broker.protocolLevel = 5
    scene.configuration.broker.cleanSession = isClean
    let peer = try ScriptedPeer(scene.loop, port: scene.port, level: 5)
    scene.start()
    #expect(scene.runs { scene.isConnected })
    #expect(peer.sessionExpiry == (isClean ? 0 : .max))
  }

  // behaviour: Whether commands arrive
  /// One of 60 MB is announced. What it leaves behind would be taken for the session that comes after it, with none of
  /// its filters.
  @Test func theObjectThatClearsTheSessionLeavesNoneBehind() throws {
    let scene = try BrokerScene()
    scene.configuration.broker.protocolLevel = 5
    let peer = try ScriptedPeer(scene.loop, port: scene.port, level: 5)
    scene.start()
    #expect(scene.runs { scene.isConnected && peer.granted.count == 2 })
    peer.say([0x30, 0x80, 0x8E, 0xCE, 0x1C])
    #expect(scene.runs { peer.connections == 3 && scene.isConnected })
    #expect(peer.sessionExpiries == [.max, 0, .max])
    // It says goodbye: otherwise the broker would publish its will.
    let kinds = peer.packets.compactMap(\.first)
    let connects = kinds.indices.filter { kinds[$0] == 0x10 }
    #expect(connects.count == 3 && kinds[connects[1]..<connects[2]].contains(0xE0))
  }

  @Test func receiveMaximumIsShownInStatus() throws {
    let scene = try connected("max_inflight_messages 5")
    #expect(scene.broker.status.mqtt.receiveMaximum == 5)
  }

  @Test func aliasesStandForTopicsUpToTheBrokersMaximum() throws {
    let scene = try connected("max_topic_alias 1")
    try scene.startSubscriber()
    #expect(scene.broker.aliases.maximum == 1)
    scene.broker.send(scene.message(1))
    scene.broker.send(scene.message(2))
    scene.broker.send(scene.message(3, suffix: "/event"))
    #expect(scene.runs { scene.acknowledged == [1, 2, 3] })
    #expect(scene.runs { scene.heard.count == 3 })
    #expect(
      scene.heard == [
        "owntracks/jane/pi 0 m1", "owntracks/jane/pi 0 m2", "owntracks/jane/pi/event 0 m3",
      ])
  }

  @Test func anAliasIsNeverSentAgainOnAnotherConnection() throws {
    let scene = try BrokerScene()
    scene.configuration.broker.protocolLevel = 5
    let broker = try scene.startMosquitto()
    #expect(scene.isListening())
    scene.start()
    #expect(scene.runs { scene.isConnected })
    scene.broker.send(scene.message(1))
    #expect(scene.runs { scene.acknowledged == [1] })
    broker.signal(SIGSTOP)
    scene.broker.send(scene.message(2))
    broker.signal(SIGKILL)
    broker.wait()
    // Its topic was only a number: the outbox has to send it anew.
    #expect(scene.runs { scene.failed == [2] })
    try scene.startMosquitto()
    #expect(scene.runs { scene.isConnected })
    scene.broker.send(scene.message(2))
    #expect(scene.runs { scene.acknowledged == [1, 2] })
    #expect(scene.broker.status.counters.connections == 2)
  }

  @Test func aForbiddenTopicIsNoVerdict() throws {
    let scene = try BrokerScene()
    scene.configuration.broker.protocolLevel = 5
    let path = try scene.write("acl", "topic read #\n")
    try scene.startMosquitto("allow_anonymous true\nacl_file \(path)")
    #expect(scene.isListening())
    scene.start()
    #expect(scene.runs { scene.isConnected })
    scene.broker.send(scene.message(1))
    #expect(scene.runs { scene.postponed == [1] })
    #expect(scene.broker.status.counters.refused == 0 && scene.acknowledged.isEmpty)
  }

  // behaviour: What the server does not take
  /// A person has to act: the light is the one that it has under 3.1.1, where nothing comes back.
  @Test func whereNoLocationMayBePublishedTheLightIsAmberUntilOneIsTaken() throws {
    let scene = try BrokerScene()
    scene.configuration.broker.protocolLevel = 5
    let peer = try ScriptedPeer(scene.loop, port: scene.port, level: 5)
    scene.start()
    #expect(scene.runs { scene.isConnected })
    peer.publishReason = 0x87
    scene.broker.send(scene.message(1, suffix: "/event"))
    #expect(scene.runs { scene.postponed == [1] } && scene.broker.status.colour == .green)
    scene.broker.send(scene.message(2))
    #expect(scene.runs { scene.postponed == [1, 2] })
    let forbidden = BrokerCause.publishForbidden(topic: "owntracks/jane/pi")
    #expect(scene.broker.status.cause == forbidden && scene.broker.status.colour == .amber)
    // It is reached: no outage.
    #expect(!scene.broker.isOut)
    // Neither another connection nor a person's word lets anything through.
    scene.cut()
    #expect(scene.runs { !scene.lost.isEmpty } && scene.runs { scene.isConnected })
    scene.broker.askAnew()
    #expect(scene.broker.status.cause == forbidden)
    peer.publishReason = 0
    scene.broker.send(scene.message(3, suffix: "/event"))
    #expect(scene.runs { scene.acknowledged == [3] } && scene.broker.status.cause == forbidden)
    scene.broker.send(scene.message(4))
    #expect(scene.runs { scene.acknowledged == [3, 4] } && scene.broker.status.colour == .green)
  }

  // behaviour: What the server does not take
  @Test func aFullBrokerForbidsNothing() throws {
    #expect(try answered(0x97).broker.status.colour == .green)
  }

  @Test func aTakeoverIsNamedAtOnce() throws {
    let scene = try BrokerScene()
    scene.configuration.broker.protocolLevel = 5
    let peer = try ScriptedPeer(scene.loop, port: scene.port, level: 5)
    scene.start()
    #expect(scene.runs { scene.isConnected })
    // DISCONNECT, session taken over. mosquitto 2.0 just closes.
    peer.say([0xE0, 0x02, 0x8E, 0x00])
    #expect(scene.runs { !scene.lost.isEmpty })
    #expect(scene.lost == [.clientIDInUse])
  }

  /// What became of a message that is turned away with a reason.
  private func answered(_ reason: UInt8) throws -> BrokerScene {
    let scene = try BrokerScene()
    scene.configuration.broker.protocolLevel = 5
    let peer = try ScriptedPeer(scene.loop, port: scene.port, level: 5)
    scene.start()
    #expect(scene.runs { scene.isConnected })
    peer.publishReason = reason
    scene.broker.send(scene.message(1))
    #expect(scene.runs { !scene.postponed.isEmpty || !scene.refused.isEmpty })
    #expect(scene.broker.status.inFlight == 0 && scene.failed.isEmpty && scene.acknowledged.isEmpty)
    return withExtendedLifetime(peer) { scene }
  }

  /// Unspecified, implementation specific, not authorised, number in use, quota exceeded.
  @Test(arguments: [0x80, 0x83, 0x87, 0x91, 0x97] as [UInt8])
  func aReasonThatMayPassIsNoVerdict(_ reason: UInt8) throws {
    #expect(try answered(reason).postponed == [1])
  }

  /// Topic name invalid, payload format invalid.
  @Test(arguments: [0x90, 0x99] as [UInt8]) func aReasonInTheMessageIsAVerdict(_ reason: UInt8) throws {
    #expect(try answered(reason).refused == [1])
  }

  @Test func aMessageOverTheBrokersSizeIsRefused() throws {
    let scene = try connected("max_packet_size 1000")
    scene.broker.send(scene.message(1, text: String(repeating: "x", count: 2000)))
    #expect(scene.broker.status.counters.refused == 1)
    scene.broker.send(scene.message(2))
    #expect(scene.runs { scene.acknowledged == [2] })
  }
}
