import Model
import Testing
import Timebase

@testable import Core

// behaviour: A broker that has lost its memory
/// What the broker acknowledged, and what of it is sent again.
@Suite struct BrokerMemoryTests {
  private static let topics = ["t", "t/event"]

  private static func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  /// A location a second, as they are written.
  private static func place(_ time: Int, isRetained: Bool = true) -> Message {
    let text = #"{"_type":"location","acc":5,"lat":48.1234\#(time % 100),"lon":11.5,"tst":\#(time)}"#
    return Message(
      sequence: UInt64(time), topic: "t", payload: Array(text.utf8), qos: 1, isRetained: isRetained,
      isEvent: false, time: time)
  }

  private static func event(_ time: Int) -> Message {
    Message(
      sequence: UInt64(time), topic: "t/event",
      payload: Array(#"{"_type":"transition","tst":\#(time)}"#.utf8),
      qos: 1, isRetained: false, isEvent: true, time: time)
  }

  private static func unnumbered(_ message: Message, isRetained: Bool) -> Message {
    var message = message
    (message.sequence, message.isRetained) = (0, isRetained)
    return message
  }

  // MARK: What is kept

  private func rows(_ kept: AcknowledgedMessages, from: UInt64 = 0, limit: Int = .max) -> [Message] {
    kept.rows(from: from, limit: limit) { _ in true }.rows.map(\.message)
  }

  @Test func messagesComeBackByteForByte() {
    let texts = [
      "", ",", "{}", #"{"a":1,"b":2}"#, #"{"a":1,"b":3}"#, #"{"a":1,"b":3}"#, #"{"a":1,"b":3,"c":4}"#,
      ",,,,,,,,,,",
      ",,,,1,,,,,2,", String(repeating: "x,", count: 3000), String(repeating: "y,", count: 3000),
      "\u{0}\u{7F},é",
    ]
    var kept = AcknowledgedMessages(topics: Self.topics)
    var expected: [Message] = []
    for round in 0..<50 {
      for (index, text) in texts.enumerated() {
        let message = Message(
          topic: Self.topics[index % 2], payload: Array(text.utf8), qos: index % 3,
          isRetained: index % 4 == 0,
          isEvent: index % 5 == 0, time: 1_800_000_000 - round * 1000 + index)
        let isKept = kept.append(message, at: Self.at(Double(round)))
        #expect(isKept)
        expected.append(message)
      }
    }
    let found = rows(kept)
    #expect(found.count > 100)
    #expect(found == Array(expected.suffix(found.count)))
  }

  /// Of few letters, so that much is the same and nothing is where it was.
  @Test func anyPayloadsComeBackByteForByte() {
    var state: UInt64 = 7
    func draw(_ below: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % below
    }
    let letters = Array(",,ab1".utf8)
    var kept = AcknowledgedMessages(topics: Self.topics)
    var expected: [[UInt8]] = []
    for time in 0..<20_000 {
      let payload = (0..<draw(40)).map { _ in letters[draw(letters.count)] }
      let message = Message(
        topic: "t", payload: payload, qos: 1, isRetained: false, isEvent: false, time: time)
      _ = kept.append(message, at: Self.at(Double(time)))
      expected.append(payload)
    }
    let found = rows(kept).map(\.payload)
    #expect(found.count > 1000 && found == Array(expected.suffix(found.count)))
  }

  @Test func halfAnHourAtOneASecondFits() {
    var kept = AcknowledgedMessages(topics: Self.topics)
    for time in 1_800_000_000..<1_800_001_800 {
      _ = kept.append(Self.place(time), at: Self.at(Double(time - 1_800_000_000)))
    }
    #expect(rows(kept).count == 1800)
  }

  @Test func largeMessagesTakeTheRoomOfOldOnesAndPicturesNone() {
    var kept = AcknowledgedMessages(topics: Self.topics)
    func message(_ size: Int, _ time: Int) -> Message {
      let payload = [UInt8](repeating: UInt8(time % 256), count: size)
      return Message(topic: "t", payload: payload, qos: 1, isRetained: false, isEvent: true, time: time)
    }
    for time in 0..<100 {
      _ = kept.append(message(16_384, time), at: Self.at(Double(time)))
    }
    let found = rows(kept)
    let bytes = found.reduce(0) { $0 + $1.payload.count }
    #expect(bytes > AcknowledgedMessages.mostBytes / 2 && bytes <= AcknowledgedMessages.mostBytes + 20_000)
    #expect(found.last?.time == 99)
    let isKept = kept.append(message(16_385, 100), at: Self.at(100))
    #expect(!isKept)
  }

  @Test func otherTopicsAreNotKept() {
    var kept = AcknowledgedMessages(topics: Self.topics)
    let answer = Message(
      topic: "t/cmd/answer", payload: [], qos: 1, isRetained: false, isEvent: true, time: 1)
    let isKept = kept.append(answer, at: Self.at(0))
    #expect(!isKept && kept.isEmpty)
  }

  @Test func oldOnesGoChunkByChunkAndNumbersStay() {
    var kept = AcknowledgedMessages(topics: Self.topics)
    for time in 0..<1000 { _ = kept.append(Self.place(time), at: Self.at(Double(time))) }
    kept.prune(before: Self.at(900))
    let left = rows(kept)
    let first = left.first?.time ?? 0
    #expect(first > 700 && first <= 900)
    #expect(left.map(\.time) == Array(first..<1000))
    let (some, next) = kept.rows(from: 950, limit: 10) { $0.message.time % 2 == 0 }
    #expect(some.map(\.message.time) == Array(stride(from: 950, to: 970, by: 2)) && next == 969)
    #expect(some.first?.at == Self.at(950))
    #expect(kept.rows(from: 990, limit: 100) { _ in true }.next == 1000)
  }

  // MARK: What is owed

  /// One that expectations may change.
  private final class Bench {
    var memory = BrokerMemory(span: .seconds(1800), topics: BrokerMemoryTests.topics)
    var deadlines = Deadlines()
    private var sequence: UInt64 = 10_000_000

    func shown(_ finding: KeptPlace, at seconds: Double) {
      memory.shown(finding, deadlines: &deadlines, at: BrokerMemoryTests.at(seconds))
    }

    func acknowledged(_ times: some Sequence<Int>) {
      for time in times { memory.acknowledged(place(time), at: BrokerMemoryTests.at(Double(time))) }
    }

    func takeReport() -> Int? { memory.takeReport() }

    /// All portions, acknowledged in turn.
    func sentAgain(at seconds: Double) -> [Message] {
      memory.graceIsOver()
      var sent: [Message] = []
      while memory.isDue {
        var portion = memory.portion(first: sequence)
        for index in portion.indices {
          sent.append(portion[index])
          portion[index].sequence = sequence
          sequence += 1
          memory.acknowledged(portion[index], at: BrokerMemoryTests.at(seconds))
        }
      }
      return sent
    }
  }

  @Test func brokerWithoutAnythingGetsTheLastHalfHourAgain() {
    let bench = Bench()
    bench.acknowledged(0..<4000)
    bench.shown(.nothing, at: 4000)
    #expect(bench.takeReport() == 1801)
    #expect(bench.takeReport() == nil, "once")
    let sent = bench.sentAgain(at: 4200)
    let expected = (2199..<4000).map { Self.unnumbered(Self.place($0), isRetained: $0 == 3999) }
    #expect(sent == expected, "in order, the same bytes, and the newest is retained")
  }

  @Test func brokerWithAnEarlierPlaceGetsLaterOnes() {
    let bench = Bench()
    bench.acknowledged(0..<1000)
    bench.shown(.place(time: 900), at: 1000)
    #expect(bench.sentAgain(at: 1200).map(\.time) == Array(841..<1000))
  }

  /// A region is dated by when it was made, the end of a trip by the arrival.
  @Test func messagesWithAnEarlierTimeThanThePlaceGoByTheirAcknowledgement() {
    let bench = Bench()
    bench.acknowledged(100..<420)
    bench.memory.acknowledged(Self.event(7), at: Self.at(420))
    bench.acknowledged(420..<500)
    bench.memory.acknowledged(Self.event(8), at: Self.at(500))
    bench.acknowledged([501])
    bench.memory.acknowledged(Self.event(9), at: Self.at(900))
    bench.acknowledged([901])
    bench.shown(.place(time: 501), at: 1000)
    #expect(bench.sentAgain(at: 1200).map(\.time) == Array(442..<500) + [8, 501, 9, 901])
  }

  @Test func placeOfSoLongAgoThatItIsNotKeptCostsAllThatIs() {
    let bench = Bench()
    bench.acknowledged([10])
    bench.acknowledged(5000..<5100)
    bench.memory.acknowledged(Self.event(7), at: Self.at(5100))
    bench.acknowledged(9000..<9002)
    bench.shown(.place(time: 10), at: 9010)
    #expect(bench.sentAgain(at: 9200).map(\.time) == [9000, 9001])
    let other = Bench()
    other.acknowledged(5000..<5003)
    other.memory.acknowledged(Self.event(7), at: Self.at(5003))
    other.shown(.place(time: 10), at: 5010)
    #expect(other.sentAgain(at: 5200).map(\.time) == [5000, 5001, 5002, 7])
  }

  @Test(arguments: [999, 1000, 2_000_000_000]) func brokerWithTheNewestPlaceOwesNothing(time: Int) {
    let bench = Bench()
    bench.acknowledged(0..<1000)
    bench.shown(.place(time: time), at: 1000)
    #expect(bench.deadlines[.brokerMemory] == nil && bench.takeReport() == nil)
    #expect(bench.sentAgain(at: 1200) == [])
  }

  @Test func clockThatWasSetBackIsNoLoss() {
    let bench = Bench()
    bench.acknowledged([0, 1, 500_000])
    bench.memory.acknowledged(Self.place(2), at: Self.at(500_001))
    bench.shown(.place(time: 2), at: 500_002)
    #expect(bench.takeReport() == nil)
  }

  @Test func acknowledgementsBeforeListenersAreBackAreOwedAsWell() {
    let bench = Bench()
    bench.acknowledged(0..<100)
    bench.shown(.nothing, at: 100)
    #expect(bench.deadlines[.brokerMemory] == Self.at(220))
    bench.acknowledged(100..<220)
    #expect(bench.sentAgain(at: 220).map(\.time) == Array(0..<220))
    #expect(bench.sentAgain(at: 221) == [], "and once only")
  }

  @Test func secondLossBeginsAnew() {
    let bench = Bench()
    bench.acknowledged(0..<100)
    bench.shown(.nothing, at: 100)
    bench.memory.graceIsOver()
    let portion = bench.memory.portion(first: 20_000_000)
    #expect(portion.count == BrokerMemory.portion)
    bench.memory.disconnected(deadlines: &bench.deadlines)
    #expect(bench.deadlines[.brokerMemory] == nil && !bench.memory.isDue)
    bench.memory.connected(deadlines: &bench.deadlines, at: Self.at(150))
    #expect(bench.deadlines[.brokerMemory] == Self.at(270))
    bench.shown(.place(time: 50), at: 150)
    #expect(bench.sentAgain(at: 300).map(\.time) == Array(0..<100), "the first loss is not made good")
  }

  @Test func endOfConnectionGoesOnWhereItWas() {
    let bench = Bench()
    bench.acknowledged(0..<100)
    bench.shown(.nothing, at: 100)
    bench.memory.graceIsOver()
    let first = bench.memory.portion(first: 20_000_000).map(\.time)
    bench.memory.disconnected(deadlines: &bench.deadlines)
    bench.memory.connected(deadlines: &bench.deadlines, at: Self.at(150))
    #expect(first + bench.sentAgain(at: 300).map(\.time) == Array(0..<100))
  }

  @Test func eventsGoAgainBetweenThePlacesAndAreNotRetained() {
    let bench = Bench()
    bench.acknowledged(0..<10)
    bench.memory.acknowledged(Self.event(10), at: Self.at(10))
    bench.acknowledged(11..<20)
    bench.shown(.unknown, at: 20)
    let sent = bench.sentAgain(at: 200)
    #expect(sent.map(\.time) == Array(0..<20))
    #expect(sent.dropFirst(10).first == Self.unnumbered(Self.event(10), isRetained: false))
  }

  @Test func parkedBoardGivesBackItsPlace() {
    let bench = Bench()
    bench.acknowledged([0])
    for time in 1..<200 { bench.memory.acknowledged(Self.event(time), at: Self.at(Double(time))) }
    for time in 5000..<5200 { bench.memory.acknowledged(Self.event(time), at: Self.at(Double(time))) }
    bench.shown(.nothing, at: 9000)
    let sent = bench.sentAgain(at: 9200)
    #expect(sent.dropLast().map(\.time) == Array(5000..<5200))
    #expect(sent.last?.payload == Self.place(0).payload && sent.last?.isRetained == true)
  }

  @Test func nothingIsKeptOfQoSZeroOrWithoutASpan() {
    let bench = Bench()
    var message = Self.place(1)
    message.qos = 0
    bench.memory.acknowledged(message, at: Self.at(1))
    bench.shown(.unknown, at: 2)
    #expect(bench.takeReport() == nil)
    bench.memory = BrokerMemory(span: .zero, topics: Self.topics)
    bench.acknowledged(0..<10)
    bench.shown(.unknown, at: 20)
    #expect(bench.takeReport() == nil)
  }

  @Test(arguments: [true, false]) func anotherBrokerIsOwedNothing(isOther: Bool) {
    let bench = Bench()
    bench.acknowledged(0..<10)
    bench.memory.configured(span: .seconds(600), topics: Self.topics, isOther: isOther)
    bench.shown(.unknown, at: 20)
    #expect(bench.takeReport() == (isOther ? nil : 10))
  }

  // MARK: With the tracker

  private func scene(_ change: (inout Configuration) -> Void = { _ in }) -> Scene {
    var scene = Scene(
      Scene.configuration {
        $0.reports.monitoring = .move
        change(&$0)
      })
    scene.connect(at: 0)
    for second in 1...60 { scene.fix(at: Double(second), Double(second) * 20, speed: 20) }
    scene.run(until: 100)
    return scene
  }

  private func breakAndReturn(_ scene: inout Scene, _ finding: KeptPlace?) {
    scene.post(.brokerLost(), at: 101)
    scene.connect(at: 102)
    if let finding { scene.post(.keptPlace(finding), at: 102) }
  }

  @Test func lostOnesAreSentAgainTwoMinutesAfterTheReturn() {
    var scene = scene()
    let before = scene.sent.map(\.time)
    #expect(before.count > 3)
    breakAndReturn(&scene, .unknown)
    scene.run(until: 221)
    #expect(scene.sent.count == before.count)
    scene.run(until: 223)
    #expect(scene.sent.dropFirst(before.count).map(\.time) == before)
    #expect(scene.withheld.last?.reason == .brokerForgot(count: before.count))
  }

  @Test func nothingIsSentAgainWithoutALoss() {
    var scene = scene()
    let before = scene.sent.count
    breakAndReturn(&scene, nil)
    scene.run(until: 1000)
    #expect(scene.sent.count == before)
  }

  @Test(arguments: [(Configuration.Backlog.never, false), (.wifi, false), (.wifi, true)])
  func lostOnesGoTheWayOfOldLocations(_ backlog: Configuration.Backlog, _ isFree: Bool) {
    var scene = scene { $0.queue.backlog = backlog }
    scene.post(.networkChanged(isFree ? .wired : .mobile), at: 60)
    let before = scene.sent.count
    breakAndReturn(&scene, .unknown)
    scene.run(until: 300)
    #expect(scene.sent.count == (isFree ? 2 * before : before))
    scene.post(.networkChanged(.wired), at: 301)
    #expect(scene.sent.count == (backlog == .wifi ? 2 * before : before))
  }
}
