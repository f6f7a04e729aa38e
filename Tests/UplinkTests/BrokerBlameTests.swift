import Glibc
import Model
import Testing
import Timebase

@testable import Uplink

/// Which message a broker ends the connection over, as far as that can be known without one.
@Suite struct BrokerBlameTests {
  private func message(_ sequence: UInt64, _ topic: String = "a") -> Message {
    Message(
      sequence: sequence, topic: topic, payload: [1], qos: 1, isRetained: false, isEvent: false, time: 0)
  }

  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  private func ends(_ blame: inout BrokerBlame, _ count: Int, at seconds: Double) -> BrokerBlame.Verdict {
    let verdict = blame.ended(unanswered: count, lastSent: at(seconds), at: at(seconds))
    if verdict == .isolate { _ = blame.takeWaiting() }
    return verdict
  }

  /// Two connections were ended with three messages unanswered.
  private func isolated() -> BrokerBlame {
    var blame = BrokerBlame()
    #expect(ends(&blame, 3, at: 0) == .accident)
    #expect(ends(&blame, 3, at: 2) == .isolate)
    return blame
  }

  @Test func oneEndIsAnAccident() {
    var blame = BrokerBlame()
    #expect(ends(&blame, 3, at: 0) == .accident)
    let together = blame.lets(message(1), whileInFlight: 20)
    #expect(together)
  }

  @Test func anEndLongAgoIsForgotten() {
    var blame = BrokerBlame()
    #expect(ends(&blame, 3, at: 0) == .accident)
    #expect(ends(&blame, 3, at: 601) == .accident)
  }

  @Test func anEndWithoutMessagesAccusesNobody() {
    var blame = BrokerBlame()
    for second in 0..<5 { #expect(ends(&blame, 0, at: Double(second)) == .none) }
  }

  @Test func anEndLongAfterTheLastOfManyAccusesNobody() {
    var blame = BrokerBlame()
    for second in [0.0, 20, 40] {
      #expect(blame.ended(unanswered: 3, lastSent: at(second), at: at(second + 10)) == .none)
    }
  }

  /// A large one may take minutes, and some brokers only fall silent.
  @Test func theOneThatTravelsAloneIsGuiltyHoweverLongItTakes() {
    var blame = isolated()
    _ = blame.lets(message(1), whileInFlight: 0)
    #expect(blame.ended(unanswered: 1, lastSent: at(3), at: at(203)) == .guilty(message(1)))
    _ = blame.takeWaiting()
    _ = blame.lets(message(2), whileInFlight: 0)
    #expect(blame.guilty(unanswered: 1) == message(2))
  }

  /// Nobody waits for its answer: its going is no sign that the broker takes anything.
  @Test func aMessageWithoutAnswerNeitherWaitsNorProvesAnything() {
    var blame = isolated()
    var free = message(9)
    free.qos = 0
    _ = blame.lets(message(1), whileInFlight: 0)
    for _ in 0..<5 {
      let goes = blame.lets(free, whileInFlight: 1)
      #expect(goes)
      blame.answered(9, isByBroker: false)
    }
    #expect(blame.guilty(unanswered: 1) == message(1))
    _ = blame.takeWaiting()
    // The others still go one at a time.
    let next = (2...3).map { blame.lets(message($0, "b"), whileInFlight: $0 == 2 ? 0 : 1) }
    #expect(next == [true, false])
  }

  @Test func afterTwoTheyGoOneAtATimeAndTheLastOneIsGuilty() {
    var blame = isolated()
    var goes = (1...3).map { blame.lets(message($0), whileInFlight: $0 == 1 ? 0 : 1) }
    #expect(goes == [true, false, false])
    #expect(blame.next(whileInFlight: 1) == nil)
    blame.answered(1)
    #expect(blame.next(whileInFlight: 0) == message(2))
    #expect(ends(&blame, 1, at: 5) == .guilty(message(2)))
    #expect(blame.takeWaiting() == [3])
    // The rest still goes by itself: another one may be guilty, too.
    goes = (3...4).map { blame.lets(message($0, "b"), whileInFlight: $0 == 3 ? 0 : 1) }
    #expect(goes == [true, false])
  }

  @Test func afterAsManyAnswersAllIsAsBefore() {
    var blame = isolated()
    for sequence in UInt64(1)...3 {
      let goes = blame.lets(message(sequence), whileInFlight: 0)
      #expect(goes)
      blame.answered(sequence)
    }
    let together = blame.lets(message(4), whileInFlight: 20)
    #expect(together)
    // What was before does not count again.
    #expect(ends(&blame, 3, at: 4) == .accident)
  }

  @Test func aTopicThatWasToBlameTravelsAlone() {
    var blame = isolated()
    _ = blame.lets(message(1), whileInFlight: 0)
    #expect(ends(&blame, 1, at: 3) == .guilty(message(1)))
    _ = blame.takeWaiting()
    for sequence in UInt64(2)...4 {
      _ = blame.lets(message(sequence, "b"), whileInFlight: 0)
      blame.answered(sequence)
    }
    var goes = [blame.lets(message(5, "b"), whileInFlight: 9), blame.lets(message(1), whileInFlight: 10)]
    #expect(goes == [true, false])
    // In order: what comes after it waits behind it.
    goes = [blame.lets(message(6, "b"), whileInFlight: 10)]
    #expect(goes == [false])
    #expect(blame.next(whileInFlight: 1) == nil)
    #expect(blame.next(whileInFlight: 0) == message(1))
    #expect(blame.next(whileInFlight: 1) == nil)
    blame.answered(1)
    #expect(blame.next(whileInFlight: 0) == message(6, "b"))
    // It was taken: nothing is said against its topic any more.
    goes = [blame.lets(message(7), whileInFlight: 10)]
    #expect(goes == [true])
  }

  @Test func aTopicThatIsToBlameAgainIsKnownAtOnce() {
    var blame = isolated()
    _ = blame.lets(message(1), whileInFlight: 0)
    #expect(ends(&blame, 1, at: 3) == .guilty(message(1)))
    _ = blame.takeWaiting()
    _ = blame.lets(message(1), whileInFlight: 0)
    #expect(ends(&blame, 1, at: 700) == .guilty(message(1)))
  }
}

/// The same with brokers: what the outbox does is done here as it does it.
@Suite struct BrokerBlameLiveTests {
  /// Sends what waits, in order, whenever there is a connection.
  private func pump(
    _ scene: BrokerScene, _ messages: [Message], seconds: Double, until isSo: () -> Bool
  ) -> Bool {
    var waiting = messages
    var seen = scene.events.count
    return scene.runs(seconds) {
      for event in scene.events[seen...] {
        guard case .sendFailed(let sequence) = event else { continue }
        waiting += messages.filter { $0.sequence == sequence }
      }
      seen = scene.events.count
      guard scene.isConnected else { return isSo() }
      waiting.sort { $0.sequence < $1.sequence }
      let now = waiting
      waiting = []
      for message in now { scene.broker.send(message) }
      return isSo()
    }
  }

  /// mosquitto ends a connection of MQTT 3.1.1 over a packet that is too large, without a word.
  @Test func aMessageThatEndsTheConnectionHoldsUpNoOther() throws {
    let scene = try BrokerScene(port: 21_176)
    scene.configuration.broker.protocolLevel = 4
    try scene.startMosquitto("allow_anonymous true\nmax_packet_size 500")
    #expect(scene.isListening())
    scene.start()
    #expect(scene.runs { scene.isConnected })
    var messages = (UInt64(1)...9).map { scene.message($0) }
    messages[3] = scene.message(4, suffix: "/large", text: String(repeating: "x", count: 900))
    #expect(pump(scene, messages, seconds: 30) { scene.acknowledged.count >= 8 })
    #expect(Set(scene.acknowledged) == [1, 2, 3, 5, 6, 7, 8, 9])
    #expect(scene.postponed == [4])
    #expect(scene.broker.status.counters.connections <= 4)
    #expect(!scene.lost.contains(.clientIDInUse))

    // It asks again: known at once for what it is, with one connection lost.
    let connections = scene.broker.status.counters.connections
    let again = [scene.message(10), messages[3], scene.message(11)]
    #expect(pump(scene, again, seconds: 20) { scene.acknowledged.count >= 10 })
    #expect(scene.postponed == [4, 4])
    #expect(scene.broker.status.counters.connections == connections + 1)
    #expect(Set(scene.acknowledged.suffix(2)) == [10, 11])
  }
}
