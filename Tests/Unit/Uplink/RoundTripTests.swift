import Model
import Testing
import Timebase

@testable import Uplink

/// A `RoundTrip` that expectations may change.
@dynamicMemberLookup
private final class Trial {
  private var trip = RoundTrip()

  init() {
    trip.configured(isWanted: true, isOther: true)
    trip.connected(level: 4)
  }

  subscript<Value>(dynamicMember path: KeyPath<RoundTrip, Value>) -> Value { trip[keyPath: path] }

  func configured(isWanted: Bool, isOther: Bool) { trip.configured(isWanted: isWanted, isOther: isOther) }
  func connected(level: Int) { trip.connected(level: level) }
  func sends(_ topic: String, isCovered: Bool, digest: UInt64, at now: Instant) -> Bool {
    trip.sends(topic, isCovered: isCovered, digest: digest, at: now)
  }
  func asked(_ topic: String, number: Int32?) { trip.asked(topic, number: number) }
  func answered(_ number: Int32, _ codes: [Int32], at now: Instant) { trip.answered(number, codes, at: now) }
  func acknowledged(_ topic: String, qos: Int, at now: Instant) {
    trip.acknowledged(topic, qos: qos, at: now)
  }
  func cameBack(_ topic: String, digest: UInt64, at now: Instant) -> (isForThis: Bool, wasMissing: Bool)? {
    trip.cameBack(topic, digest: digest, at: now)
  }
  func timeIsOver(at now: Instant) -> [String] { trip.timeIsOver(at: now) }
  func ended(isByBroker: Bool, at now: Instant) { trip.ended(isByBroker: isByBroker, at: now) }
  func forgive() { trip.forgive() }
}

// behaviour: Whether what is acknowledged arrives
/// Whether what is acknowledged arrives, where only a message that comes back can tell.
@Suite struct RoundTripTests {
  private static let base = "owntracks/jane/pi"
  private static let event = base + "/event"

  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  private func trip() -> Trial { Trial() }

  /// A message goes out, its topic is granted first, and it is acknowledged.
  private func send(_ trip: Trial, _ topic: String = base, _ digest: UInt64 = 1, at seconds: Double) {
    if trip.sends(topic, isCovered: false, digest: digest, at: at(seconds)) {
      trip.asked(topic, number: 7)
      trip.answered(7, [1], at: at(seconds))
    }
    trip.acknowledged(topic, qos: 1, at: at(seconds))
  }

  // MARK: Step by step

  @Test func theFirstMessageOfEachTopicIsLookedForAndNoOther() {
    let trip = trip()
    for topic in [Self.base, Self.event] {
      #expect(trip.sends(topic, isCovered: false, digest: 1, at: at(0)))
      trip.asked(topic, number: 7)
      #expect(!trip.sends(topic, isCovered: false, digest: 2, at: at(1)))
      trip.answered(7, [1], at: at(1))
      let found = trip.cameBack(topic, digest: 2, at: at(1))
      #expect(found?.isForThis == true && found?.wasMissing == false)
      #expect(!trip.sends(topic, isCovered: false, digest: 3, at: at(2)))
    }
    #expect(trip.sought.isEmpty && trip.finding?.proven == [Self.base, Self.event])
  }

  @Test func messageMissingForTenSecondsIsReportedOnce() {
    let trip = trip()
    send(trip, at: 0)
    #expect(trip.next == at(10))
    #expect(trip.timeIsOver(at: at(9.9)) == [])
    #expect(trip.timeIsOver(at: at(10)) == [Self.base])
    // Neither again, nor on the next connection.
    #expect(trip.timeIsOver(at: at(11)) == [])
    trip.connected(level: 4)
    send(trip, at: 20)
    #expect(trip.next == at(30) && trip.timeIsOver(at: at(30)) == [])
    send(trip, Self.base, 2, at: 300)
    #expect(trip.next == nil && trip.missingTopics == [Self.base])
    #expect(trip.cameBack(Self.base, digest: 2, at: at(301))?.wasMissing == true)
    #expect(trip.missingTopics.isEmpty)
  }

  @Test func foreignMessageProvesNothing() {
    let trip = trip()
    send(trip, at: 0)
    #expect(trip.cameBack(Self.base, digest: 9, at: at(1)) == nil)
    #expect(trip.cameBack(Self.event, digest: 1, at: at(1)) == nil)
    #expect(trip.timeIsOver(at: at(10)) == [Self.base])
  }

  @Test func acknowledgementBeforeFilterProvesNothing() {
    let trip = trip()
    #expect(trip.sends(Self.base, isCovered: false, digest: 1, at: at(0)))
    trip.asked(Self.base, number: 7)
    trip.acknowledged(Self.base, qos: 1, at: at(0))
    trip.answered(7, [1], at: at(1))
    #expect(trip.next == nil)
    send(trip, Self.base, 2, at: 60)
    #expect(trip.next == at(70))
  }

  @Test(arguments: [[0x80] as [Int32], []])
  func unreadableTopicIsUnknownNotMissing(_ codes: [Int32]) {
    let trip = trip()
    #expect(trip.sends(Self.event, isCovered: false, digest: 1, at: at(0)))
    trip.asked(Self.event, number: 7)
    trip.answered(7, codes, at: at(0))
    #expect(trip.finding?.unreadable == [Self.event] && trip.missingTopics.isEmpty)
    // Not with each connection, and not never.
    trip.ended(isByBroker: false, at: at(5))
    trip.connected(level: 4)
    #expect(!trip.sends(Self.event, isCovered: false, digest: 1, at: at(3_599)))
    #expect(trip.sends(Self.event, isCovered: false, digest: 1, at: at(3_600)))
  }

  /// Once may have been over the message behind it.
  @Test func aConnectionThatEndsOverTheFilterTwiceIsNotAskedForItAgainSoon() {
    let trip = trip()
    for (second, isUnreadable) in [(0.0, false), (60, true)] {
      #expect(trip.sends(Self.base, isCovered: false, digest: 1, at: at(second)))
      trip.asked(Self.base, number: 7)
      #expect(trip.isUnanswered)
      trip.ended(isByBroker: true, at: at(second))
      trip.connected(level: 4)
      #expect(!trip.sends(Self.base, isCovered: false, digest: 1, at: at(second + 59)))
      #expect(!trip.isUnanswered && trip.finding?.unreadable == (isUnreadable ? [Self.base] : []))
    }
    #expect(!trip.sends(Self.base, isCovered: false, digest: 1, at: at(3_659)))
    #expect(trip.sends(Self.base, isCovered: false, digest: 1, at: at(3_660)))
    // What is known needs no second proof.
    trip.asked(Self.base, number: 8)
    trip.ended(isByBroker: true, at: at(3_660))
    trip.connected(level: 4)
    #expect(!trip.sends(Self.base, isCovered: false, digest: 1, at: at(7_259)))
  }

  @Test func anAnswerEndsTheDoubt() {
    let trip = trip()
    for second in [0.0, 60, 120] {
      #expect(trip.sends(Self.base, isCovered: false, digest: 1, at: at(second)))
      trip.asked(Self.base, number: 7)
      if second == 60 { trip.answered(7, [0], at: at(second)) }
      trip.ended(isByBroker: true, at: at(second))
      trip.connected(level: 4)
      #expect(trip.finding?.unreadable == [])
    }
  }

  @Test func aConnectionThatIsLostIsNothing() {
    let trip = trip()
    send(trip, at: 0)
    trip.ended(isByBroker: false, at: at(5))
    trip.connected(level: 4)
    #expect(trip.timeIsOver(at: at(20)) == [] && trip.missingTopics.isEmpty)
    #expect(trip.sends(Self.base, isCovered: false, digest: 1, at: at(21)))
  }

  @Test func missingTopicStaysMissingUntilForgiven() {
    let trip = trip()
    send(trip, at: 0)
    _ = trip.timeIsOver(at: at(10))
    trip.ended(isByBroker: false, at: at(20))
    trip.connected(level: 4)
    #expect(trip.missingTopics == [Self.base])
    send(trip, at: 30)
    #expect(trip.timeIsOver(at: at(40)) == [], "it was told already")
    trip.forgive()
    #expect(trip.missingTopics.isEmpty && trip.finding?.proven == [])
    send(trip, at: 50)
    #expect(trip.timeIsOver(at: at(60)) == [Self.base])
  }

  @Test func onceAnHourItIsLookedForAgain() {
    let trip = trip()
    send(trip, at: 0)
    _ = trip.cameBack(Self.base, digest: 1, at: at(1))
    #expect(!trip.sends(Self.base, isCovered: false, digest: 2, at: at(3_600)))
    #expect(trip.sends(Self.base, isCovered: false, digest: 2, at: at(3_601)))
  }

  /// A right may be taken away meanwhile.
  @Test func whenItCameBackLastIsSaidUntilItIsMissing() {
    let trip = trip()
    send(trip, at: 0)
    _ = trip.cameBack(Self.base, digest: 1, at: at(1))
    #expect(trip.finding?.cameBack == [Self.base: at(1)])
    send(trip, Self.base, 2, at: 3_601)
    #expect(trip.finding?.proven == [Self.base] && trip.finding?.cameBack == [Self.base: at(1)])
    #expect(trip.timeIsOver(at: at(3_611)) == [Self.base])
    #expect(trip.finding?.proven == [] && trip.finding?.cameBack == [:])
    _ = trip.cameBack(Self.base, digest: 2, at: at(3_700))
    #expect(trip.finding?.cameBack == [Self.base: at(3_700)])
  }

  @Test func roundTripIsOffAtLevel5() {
    let trip = trip()
    send(trip, at: 0)
    _ = trip.timeIsOver(at: at(10))
    trip.connected(level: 5)
    #expect(!trip.isOn && trip.missingTopics.isEmpty && trip.finding == nil)
    #expect(!trip.sends(Self.base, isCovered: false, digest: 2, at: at(11)))
  }

  @Test func disablingForgetsMissingTopics() {
    let trip = trip()
    send(trip, at: 0)
    _ = trip.timeIsOver(at: at(10))
    trip.configured(isWanted: false, isOther: false)
    #expect(!trip.isOn && trip.missingTopics.isEmpty)
  }

  @Test func aFilterThatStandsServesAndIsNotTakenBack() {
    let trip = trip()
    #expect(!trip.sends(Self.base, isCovered: true, digest: 1, at: at(0)))
    #expect(trip.sought == [Self.base: true])
    trip.acknowledged(Self.base, qos: 1, at: at(0))
    #expect(trip.cameBack(Self.base, digest: 1, at: at(1))?.isForThis == false)
  }

  @Test func qos0MessageHasSixtySeconds() {
    let trip = trip()
    #expect(trip.sends(Self.base, isCovered: false, digest: 1, at: at(0)))
    trip.asked(Self.base, number: 7)
    trip.answered(7, [0], at: at(1))
    trip.acknowledged(Self.base, qos: 0, at: at(2))
    #expect(trip.next == at(62))
  }

  @Test func filterMatchesTopicsWithWildcards() {
    for (filter, topic, isCovered) in [
      ("a/b", "a/b", true), ("a/+", "a/b", true), ("a/#", "a/b/c", true), ("a/#", "a", true),
      ("#", "a", true),
      ("a/+", "a/b/c", false), ("a/b", "a", false), ("a", "a/b", false), ("a/+/c", "a/b/d", false),
      ("a/+", "a", false),
    ] { #expect(TopicFilter.covers(filter, topic) == isCovered, "\(filter) \(topic)") }
  }

  // MARK: On a connection

  private func scene() throws -> (BrokerScene, ScriptedPeer) {
    let scene = try BrokerScene()
    scene.configuration.broker.roundTrip = true
    let peer = try ScriptedPeer(scene.loop, port: scene.port)
    scene.start()
    #expect(scene.runs { scene.isConnected && peer.granted.count == 2 })
    return (scene, peer)
  }

  private func missing(_ scene: BrokerScene) -> [String] {
    scene.events.compactMap { if case .missing(let topic) = $0 { topic } else { nil } }
  }

  @Test func itIsSubscribedToUntilItComesBack() throws {
    let (scene, peer) = try scene()
    peer.passesOn = { _ in true }
    for (sequence, suffix) in [(UInt64(1), ""), (2, "/event")] {
      scene.broker.send(scene.message(sequence, suffix: suffix))
      #expect(scene.runs { peer.unsubscribed.contains(Self.base + suffix) })
    }
    #expect(scene.runs { scene.acknowledged == [1, 2] })
    scene.broker.send(scene.message(3))
    #expect(scene.runs { scene.acknowledged == [1, 2, 3] })
    // Our commands, and each of the two once.
    #expect(peer.subscribed == 4 && peer.granted == [Self.base + "/cmd", Self.base + "/listento"])
    #expect(scene.broker.status.mqtt.roundTrip?.proven == [Self.base, Self.base + "/event"])
    #expect(scene.broker.colour == .green && scene.broker.status.counters.received == 0)
  }

  @Test func droppedTopicIsAmberUntilItComesBack() throws {
    let (scene, peer) = try scene()
    peer.passesOn = { $0 == Self.base }
    scene.broker.send(scene.message(1))
    scene.broker.send(scene.message(2, suffix: "/event"))
    #expect(scene.runs { scene.acknowledged == [1, 2] })
    #expect(scene.broker.colour == .green)
    #expect(scene.runs { scene.broker.colour == .amber })
    #expect(missing(scene) == [Self.event] && scene.isConnected && !scene.broker.isOut)
    #expect(
      scene.broker.status.text.hasPrefix("connected, but it acknowledges what is published on \(Self.event) ")
    )
    let cause = try #require(scene.broker.status.cause)
    let remedy = BrokerRemedy(scene.configuration).words(for: cause)
    #expect(remedy.contains("\"topic readwrite \(Self.base)/#\"") && remedy.contains("mqttProtocolLevel 5"))
    peer.passesOn = { _ in true }
    scene.broker.send(scene.message(3, suffix: "/event"))
    #expect(scene.runs { scene.broker.colour == .green })
    #expect(scene.runs { peer.unsubscribed == [Self.base, Self.event] })
  }

  @Test func retainedOrForeignMessageIsNotTakenForOwn() throws {
    let (scene, peer) = try scene()
    (peer.passesOn, peer.saysInstead) = ({ _ in true }, Array("another".utf8))
    peer.kept = [Self.base: Array("m1".utf8)]
    scene.broker.send(scene.message(1))
    #expect(scene.runs { scene.acknowledged == [1] })
    #expect(scene.runs { missing(scene) == [Self.base] })
    #expect(peer.unsubscribed.isEmpty && scene.broker.status.counters.received == 0)
  }

  @Test func aRefusalIsNoAlarm() throws {
    let (scene, peer) = try scene()
    peer.refusedFilter = Self.base
    scene.broker.send(scene.message(1))
    #expect(scene.runs { scene.broker.status.mqtt.roundTrip?.unreadable == [Self.base] })
    scene.runs(1) { false }
    #expect(scene.broker.colour == .green && scene.acknowledged == [1])
  }

  @Test func messageIsSentWithoutFilterThatEndsConnection() throws {
    let (scene, peer) = try scene()
    peer.hatedFilter = Self.base
    scene.broker.send(scene.message(1))
    #expect(scene.runs { scene.acknowledged == [1] })
    #expect(peer.connections == 2 && scene.broker.colour == .green)
    #expect(scene.broker.status.mqtt.roundTrip?.unreadable == [])
  }

  @Test func announcementsAndForeignTopicsAreNotSought() throws {
    let (scene, peer) = try scene()
    scene.broker.send(scene.message(0, suffix: "/status"))
    scene.broker.send(
      Message(
        sequence: 1, topic: "owntracks/jane/pixel", payload: [], qos: 1, isRetained: true, isEvent: false,
        time: 0))
    #expect(scene.runs { scene.acknowledged.contains(1) })
    #expect(peer.subscribed == 2)
  }

  @Test func theSwitchIsTakenOverWithoutANewConnection() throws {
    let (scene, peer) = try scene()
    scene.broker.send(scene.message(1))
    #expect(scene.runs { scene.broker.colour == .amber })
    scene.configuration.broker.roundTrip = false
    scene.start()
    #expect(scene.broker.colour == .green && peer.connections == 1)
  }
}
