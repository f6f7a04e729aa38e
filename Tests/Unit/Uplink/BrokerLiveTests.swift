import Glibc
import Model
import Testing
import Timebase

@testable import Uplink

/// With a real mosquitto.
@Suite struct BrokerLiveTests {
  @Test func connectsAsTheAppsDo() throws {
    let scene = try BrokerScene()
    try scene.startMosquitto()
    #expect(scene.isListening())
    scene.start()
    #expect(scene.runs { scene.isConnected })
    #expect(scene.runs { scene.isSubscribed })
    let log = scene.contents("mosquitto.log")
    #expect(log.contains("as jane-pi (p2, c0, k60)."))
    #expect(log.contains("Will message specified (32 bytes) (r0, q1)."))
    #expect(log.contains("\towntracks/jane/pi/cmd (QoS 1)"))
    #expect(scene.broker.status.colour == .green)
  }

  @Test func publishedMessagesAreAcknowledgedInOrder() throws {
    let scene = try BrokerScene()
    try scene.startMosquitto()
    #expect(scene.isListening())
    scene.start()
    #expect(scene.runs { scene.isConnected })
    try scene.startSubscriber()
    for sequence in UInt64(1)...50 { scene.broker.send(scene.message(sequence)) }
    #expect(scene.runs { scene.acknowledged.count == 50 })
    #expect(scene.acknowledged == Array(1...50))
    #expect(scene.runs { scene.heard.count == 50 })
    #expect(scene.heard == (1...50).map { "owntracks/jane/pi 0 m\($0)" })
  }

  @Test(arguments: [0, 2]) func otherQualitiesAreAcknowledgedToo(qos: Int) throws {
    let scene = try BrokerScene()
    try scene.startMosquitto()
    #expect(scene.isListening())
    scene.start()
    #expect(scene.runs { scene.isConnected })
    scene.broker.send(scene.message(7, qos: qos))
    #expect(scene.runs { scene.acknowledged == [7] })
  }

  @Test func neverPublishesWithoutConnection() throws {
    let scene = try BrokerScene()
    scene.start()
    scene.broker.send(scene.message(1))
    #expect(scene.failed == [1])
    try scene.startMosquitto()
    #expect(scene.runs { scene.isConnected })
    try scene.startSubscriber()
    scene.broker.send(scene.message(2))
    #expect(scene.runs { scene.acknowledged == [2] })
    #expect(scene.runs { scene.heard.count == 1 })
    #expect(scene.heard == ["owntracks/jane/pi 0 m2"])
  }

  // behaviour: Connecting
  @Test func aCleanStopLeavesNoWill() throws {
    let scene = try BrokerScene()
    try scene.startMosquitto()
    #expect(scene.isListening())
    scene.start()
    #expect(scene.runs { scene.isConnected })
    try scene.startSubscriber()
    scene.broker.send(scene.message(1))
    scene.broker.shutDown(within: .seconds(2))
    #expect(scene.acknowledged == [1])
    #expect(scene.runs { scene.contents("mosquitto.log").contains("Received DISCONNECT from jane-pi") })
    #expect(scene.runs { !scene.heard.isEmpty })
    #expect(scene.heard == ["owntracks/jane/pi 0 m1"])
  }

  // behaviour: Topics and messages
  @Test func aCutConnectionLeavesTheWill() throws {
    let scene = try BrokerScene()
    try scene.startMosquitto()
    #expect(scene.isListening())
    scene.start()
    #expect(scene.runs { scene.isConnected })
    try scene.startSubscriber()
    scene.cut()
    #expect(scene.runs { !scene.heard.isEmpty })
    #expect(scene.heard.first == #"owntracks/jane/pi 0 {"_type":"lwt","tst":1700000000}"#)
  }

  // behaviour: status and doctor
  @Test func aKeptSessionIsNotSubscribedAgain() throws {
    let scene = try BrokerScene()
    try scene.startMosquitto()
    #expect(scene.isListening())
    scene.start()
    #expect(scene.runs { scene.isConnected })
    #expect(scene.runs { scene.isConnected && scene.broker.status.mqtt.notSubscribed.isEmpty })
    #expect(scene.broker.status.mqtt.subscribed == ["owntracks/jane/pi/cmd", "owntracks/jane/pi/listento"])
    scene.cut()
    #expect(scene.runs { scene.broker.status.connectedSince == nil })
    // What the broker still knows brings nothing now.
    #expect(scene.broker.status.mqtt.subscribed == [])
    #expect(scene.runs { scene.sessionsPresent.count == 2 })
    #expect(scene.sessionsPresent == [false, true])
    scene.broker.send(scene.message(1))
    #expect(scene.runs { scene.acknowledged == [1] })
    let log = scene.contents("mosquitto.log")
    // Each filter has a request of its own.
    #expect(log.split(separator: "\n").count { $0.contains("Received SUBSCRIBE from jane-pi") } == 2)
  }

  @Test func aLostSessionIsSubscribedAgain() throws {
    let scene = try BrokerScene()
    scene.configuration.broker.protocolLevel = 3
    try scene.startMosquitto()
    #expect(scene.isListening())
    scene.start()
    #expect(scene.runs { scene.isConnected })
    scene.cut()
    #expect(scene.runs { scene.sessionsPresent.count == 2 })
    #expect(
      scene.runs {
        scene.contents("mosquitto.log").split(separator: "\n")
          .count { $0.contains("Received SUBSCRIBE from jane-pi") } == 4
      })
  }

  @Test func portZeroOpensNothing() throws {
    let scene = try BrokerScene(port: 0)
    scene.start()
    #expect(scene.broker.status.colour == .blue)
    #expect(scene.worker.pending == 0)
  }

  @Test func settingsOfAnotherSessionClearTheOldOne() throws {
    let scene = try BrokerScene()
    try scene.startMosquitto()
    #expect(scene.isListening())
    scene.start()
    #expect(scene.runs { scene.isConnected })
    scene.configuration.broker.subTopic = "elsewhere/#"
    scene.start()
    #expect(scene.runs { scene.sessionsPresent.count == 2 })
    #expect(scene.sessionsPresent == [false, false])
    let log = scene.contents("mosquitto.log")
    let connects = log.split(separator: "\n").filter { $0.contains("as jane-pi (p2") }
    #expect(connects.map { $0.contains("c1") } == [false, true, false])
  }

  @Test func theSameSettingsChangeNothing() throws {
    let scene = try BrokerScene()
    try scene.startMosquitto()
    #expect(scene.isListening())
    scene.start()
    #expect(scene.runs { scene.isConnected })
    let since = scene.broker.status.connectedSince
    scene.start()
    #expect(scene.broker.status.connectedSince == since)
  }

  @Test func aSwitchedOffBrokerStaysOff() throws {
    let scene = try BrokerScene()
    try scene.startMosquitto()
    #expect(scene.isListening())
    scene.start()
    #expect(scene.runs { scene.isConnected })
    scene.broker.disconnect()
    scene.broker.networkChanged()
    #expect(!scene.runs(1) { scene.isConnected })
    #expect(scene.broker.status.colour == .blue)
    scene.broker.connect()
    #expect(scene.runs { scene.isConnected })
  }
}
