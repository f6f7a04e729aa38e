import Model
import Testing
import Timebase

@testable import Uplink

/// What is shown of a connection, by itself.
@Suite struct BrokerStatusTests {
  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  @Test func atFirstNothingIsKnownAndNothingCounted() {
    let status = UplinkStatus()
    #expect(status.colour == .blue && status.cause == nil && status.since == .zero && status.attempts == 0)
    #expect(!status.mqtt.isSessionPresent && !status.isInsecure && status.inFlight == 0)
    #expect(status.text == "connecting")
    let counters = status.counters
    let counts = [
      counters.sent, counters.acknowledged, counters.refused, counters.postponed, counters.failed,
      counters.received, counters.malformed, counters.oversized, counters.connections,
    ]
    #expect(counts == Array(repeating: 0, count: 9))
  }

  @Test func statusTextNamesConnectionAndTrouble() {
    var status = UplinkStatus()
    status.cause = .refused
    #expect(status.text == "\(BrokerCause.refused)")
    status.connectedSince = at(1)
    #expect(status.text == "connected, but \(BrokerCause.refused)")
    status.cause = nil
    #expect(status.text == "connected")
    status.mqtt.isQoSReduced = true
    #expect(status.text == "connected, with the lower QoS that this broker takes")
    status.mqtt.isQoSReduced = false
    status.isInsecure = true
    #expect(status.text == "connected (INSECURE: allowinvalidcerts, certificates are not checked)")
  }

  // behaviour: No way out for long
  @Test func anOutageLastsFromTheFirstAttemptOverRedMomentsUntilAConnectionStands() {
    var status = UplinkStatus()
    #expect(!status.isOut, "nothing is wanted yet")
    status.show(nil, at: at(1))
    #expect(status.isOut, "the first attempt")
    for cause in [BrokerCause.refused, .nameNotFound(host: "h"), .timedOut, .answersHTTP, .refused] {
      status.show(cause, at: at(2))
      #expect(status.isOut, "\(cause)")
    }
    status.show(.badCredentials, at: at(3))
    #expect(!status.isOut)
    status.connected(BrokerClient.Greeting(), level: 5, at: at(7))
    #expect(!status.isOut)
    status.show(standing: .publishForbidden(topic: "t"), at: at(8))
    #expect(!status.isOut, "it is reached")
  }

  @Test func sinceMovesWithTheTroubleAndNotWithItsSeconds() {
    var status = UplinkStatus()
    status.show(.noGreeting(seconds: 3), at: at(1))
    #expect(status.since == at(1) && status.colour == .amber)
    status.show(.noGreeting(seconds: 4), at: at(2))
    #expect(status.since == at(1) && status.cause == .noGreeting(seconds: 4))
    // The same in another colour is other news, and so is another trouble in the same one.
    status.show(.noGreeting(seconds: 4), as: .red, at: at(3))
    #expect(status.since == at(3) && status.colour == .red)
    status.show(.refused, as: .red, at: at(4))
    #expect(status.since == at(4) && status.cause == .refused)
    status.show(.refused, as: .red, at: at(5))
    #expect(status.since == at(4))
    status.show(nil, at: at(6))
    #expect(status.cause == nil && status.colour == .amber && status.since == at(6))
  }

  @Test func aConnectionIsGreenUnlessSomethingIsWrongAndIsForgottenAtItsEnd() {
    var status = UplinkStatus()
    status.attempts = 4
    let greeting = BrokerClient.Greeting(code: 0, isSessionPresent: true, receiveMaximum: 9)
    status.connected(greeting, level: 5, at: at(7))
    #expect(status.attempts == 0 && status.connectedSince == at(7) && status.mqtt.isSessionPresent)
    #expect(status.mqtt.protocolLevel == 5 && status.mqtt.receiveMaximum == 9)
    #expect(status.colour == .green && status.cause == nil && status.since == at(7))
    status.show(standing: .packetLimit(bytes: 9), at: at(8))
    #expect(status.colour == BrokerCause.packetLimit(bytes: 9).colour && status.since == at(8))
    status.ended()
    #expect(
      status.connectedSince == nil && status.mqtt.protocolLevel == nil && status.mqtt.receiveMaximum == nil)
    #expect(status.mqtt.isSessionPresent)
  }

  @Test func disconnectedStatusListsOnlyLeftOutFilters() {
    var subscriptions = BrokerSubscriptions(["a", "b", "c"], own: [])
    _ = subscriptions.due(at: at(0))
    for (index, filter) in ["a", "b", "c"].enumerated() { subscriptions.asked(filter, number: Int32(index)) }
    subscriptions.answered(0, [1], at: at(1))
    subscriptions.answered(1, [0x80], at: at(1))
    var status = UplinkStatus()
    status.note(subscriptions, isConnected: true)
    #expect(
      status.mqtt.notSubscribed.map(\.description) == [
        "b (the broker refuses it: see its access rules)", "c (the broker has not confirmed it yet)",
      ])
    #expect(status.mqtt.notSubscribed.map(\.word) == ["refused", "unanswered"])
    status.note(subscriptions, isConnected: false)
    #expect(status.mqtt.notSubscribed.map(\.filter) == ["b"])
    subscriptions.overran(evenOwn: true, at: at(2))
    status.note(subscriptions, isConnected: false)
    #expect(status.mqtt.notSubscribed.map(\.filter) == ["a", "b", "c"])
    #expect(
      status.mqtt.notSubscribed.first?.why
        == "left out: more comes there than is taken in (a message over 256 KiB, or many of QoS 2 at once); "
        + "asked for again later")
  }
}
