import Model
import Testing
import Timebase

@testable import Uplink

/// A broker that turns us away in its own way: what the person is told.
@Suite struct BrokerWordsTests {
  private func refused(level: Int, by greeting: [UInt8]) throws -> BrokerCause? {
    let scene = try BrokerScene()
    scene.configuration.broker.protocolLevel = level
    let peer = try ScriptedPeer(scene.loop, port: scene.port, level: level)
    peer.greeting = greeting
    scene.start()
    #expect(scene.runs { !scene.lost.isEmpty })
    return scene.lost.first
  }

  @Test func unknownPortClosingEarlyMayExpectTLS() throws {
    #expect(try refused(level: 4, by: []) == .closedEarly)
    #expect(BrokerCause.closedEarly.description.contains("not an MQTT port, or it expects TLS"))
  }

  @Test func atLevel5TheLevelMayBeTheReason() throws {
    let cause = try refused(level: 5, by: [])
    #expect(cause == .closedAtLevel5(isTLS: false))
    #expect(cause?.description.contains("try mqttProtocolLevel 4") == true)
  }

  @Test(arguments: [4, 5]) func knownBrokerClosingEarlyTakesNoConnections(level: Int) throws {
    let scene = try BrokerScene()
    scene.configuration.broker.protocolLevel = level
    let peer = try ScriptedPeer(scene.loop, port: scene.port, level: level)
    scene.start()
    #expect(scene.runs { scene.isConnected })
    peer.greeting = []
    scene.cut()
    #expect(scene.runs { scene.lost.last == .takesNoConnections })
    #expect(scene.broker.status.colour == .amber)
    // Another way to the same host is another matter.
    scene.configuration.broker.protocolLevel = 9 - level
    scene.start()
    let other: BrokerCause = level == 4 ? .closedAtLevel5(isTLS: false) : .closedEarly
    #expect(scene.runs { scene.lost.last == other })
  }

  @Test func anotherClientIDIsNamedAsTheReason() throws {
    // Receive Maximum 10, then the id "x1".
    let greeting: [UInt8] = [0x20, 11, 0, 0, 8, 0x21, 0, 10, 0x12, 0, 2, 0x78, 0x31]
    let cause = try refused(level: 5, by: greeting)
    #expect(cause == .clientIDReplaced && cause?.description.contains("mqttProtocolLevel to 4") == true)
  }

  @Test func malformedGreetingIsNotMQTT() throws {
    #expect(try refused(level: 5, by: [0x20, 4, 0, 0, 1, 0x21]) == .notMQTT)
  }

  // behaviour: Connecting
  /// A network's login page answers on any port.
  @Test(arguments: [4, 5]) func aWebServerIsNamed(level: Int) throws {
    let answer = "HTTP/1.1 302 Found\r\nLocation: http://login/\r\n\r\n"
    let cause = try refused(level: level, by: Array(answer.utf8))
    #expect(cause == .answersHTTP && cause?.description.contains("this network wants a login") == true)
    #expect(cause?.colour == .red)
    let remedy = BrokerRemedy(Configuration()).words(for: .answersHTTP)
    #expect(remedy.hasPrefix("log in to this network with a browser"), "\(remedy)")
  }

  /// Nothing else of the program notices.
  @Test func aPropertyThatThereIsNotEndsTheConnectionAlone() throws {
    #expect(try refused(level: 5, by: [0x20, 5, 0, 0, 2, 0x7F, 1])?.word == "reason")
  }

  @Test func everyPropertyBeforeTheIdIsPassedOver() {
    let properties: [UInt8] =
      [0x11, 0, 0, 0, 9, 0x24, 1, 0x26, 0, 1, 0x61, 0, 1, 0x12, 0x1F, 0, 1, 0x62, 0x16, 0, 0]
    let id: [UInt8] = [0x12, 0, 1, 0x63]
    func greeting(_ properties: [UInt8]) -> [UInt8] {
      [0x20, UInt8(properties.count + 3), 0, 0, UInt8(properties.count)] + properties
    }
    #expect(RejectedGreeting.namesClientID(greeting(properties + id)))
    #expect(!RejectedGreeting.namesClientID(greeting(properties)))
    let whole = greeting(properties + id)
    for count in whole.indices where count < whole.count - 3 {
      #expect(!RejectedGreeting.namesClientID(Array(whole.prefix(count))))
    }
  }

  @Test func aLimitThatNothingFitsInIsNoReasonToGiveMessagesUp() throws {
    let scene = try BrokerScene()
    scene.configuration.broker.protocolLevel = 5
    scene.configuration.broker.sub = false
    let peer = try ScriptedPeer(scene.loop, port: scene.port, level: 5)
    peer.greeting = [0x20, 8, 0, 0, 5, 0x27, 0, 0, 0, 10]
    scene.start()
    #expect(scene.runs { scene.isConnected })
    scene.broker.send(scene.message(1))
    scene.broker.send(scene.message(0))
    #expect(scene.postponed == [1] && scene.failed == [0] && scene.refused.isEmpty)
    #expect(
      scene.broker.status.text.hasPrefix("connected, but the broker takes no packets of more than 10 bytes"))
    #expect(scene.broker.status.colour == .amber)
  }

  @Test func oneTooLargeForADecentLimitIsRefusedAlone() throws {
    let scene = try BrokerScene()
    scene.configuration.broker.protocolLevel = 5
    scene.configuration.broker.sub = false
    let peer = try ScriptedPeer(scene.loop, port: scene.port, level: 5)
    peer.greeting = [0x20, 8, 0, 0, 5, 0x27, 0, 0, 4, 0]
    scene.start()
    #expect(scene.runs { scene.isConnected })
    scene.broker.send(scene.message(1, text: String(repeating: "x", count: 1000)))
    scene.broker.send(scene.message(2))
    #expect(scene.refused == [1] && scene.runs { scene.acknowledged == [2] })
    #expect(scene.broker.status.colour == .green)
  }
}
