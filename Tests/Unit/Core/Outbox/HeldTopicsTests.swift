import Model
import Testing
import Timebase

@testable import Core

// behaviour: What the server does not take
/// What the broker does not take for now: kept, tried again after a while, and in the way of nothing else.
struct HeldTopicsTests {
  /// A queue with a clock turned by hand, and a broker that answers as `verdict` says.
  private struct Bench {
    var outbox: Outbox
    var deadlines = Deadlines()
    var sent: [(at: Double, sequence: UInt64)] = []
    /// Whether the broker takes it, by sequence number and topic.
    var takes: (UInt64, String) -> Bool = { _, _ in true }
    var answers = true
    /// It says so of the message alone.
    var letsOthersPass = false

    private func instant(_ seconds: Double) -> Instant { Instant(nanoseconds: 0) + .seconds(seconds) }

    init(window: Int = 200) {
      outbox = Outbox(snapshot: Snapshot(), limit: 10_000, byteLimit: 1 << 20, windowLimit: window)
      outbox.connected(receiveMaximum: nil)
    }

    mutating func add(_ topic: String, at time: Double, count: Int = 1) {
      for _ in 0..<count {
        let message = Message(topic: topic, payload: [], qos: 1, isRetained: false, isEvent: false, time: 0)
        outbox.enqueue(message, deadlines: &deadlines, at: instant(time))
      }
      turn(at: time)
    }

    mutating func turn(at time: Double) {
      var effects: [Effect] = []
      outbox.act(deadlines: &deadlines, at: instant(time), into: &effects)
      var isMore = false
      for case .send(let message) in effects {
        sent.append((time, message.sequence))
        guard answers else { continue }
        isMore = true
        if takes(message.sequence, message.topic) {
          outbox.acknowledged([message.sequence], deadlines: &deadlines, at: instant(time))
        } else {
          outbox.postponed(
            message.sequence, letsOthersPass: letsOthersPass, deadlines: &deadlines, at: instant(time))
        }
      }
      for case .store(let batch, _) in effects { outbox.stored(batch) }
      if isMore { turn(at: time) }
    }

    /// Every deadline at its own time.
    mutating func run(from start: Double, to end: Double) {
      var time = start
      while let due = deadlines.next, case let at = (due - instant(0)).seconds, at <= end {
        time = max(time, at)
        turn(at: time)
      }
    }

    mutating func connect(at time: Double) {
      _ = outbox.disconnected(ConnectionEnd(.left), deadlines: &deadlines, at: instant(time))
      outbox.connected(receiveMaximum: nil)
      turn(at: time)
    }

    func times(of sequence: UInt64) -> [Double] { sent.filter { $0.sequence == sequence }.map(\.at) }
  }

  @Test func nothingIsLost() {
    var bench = Bench()
    bench.takes = { _, _ in false }
    bench.add("a", at: 1, count: 50)
    bench.run(from: 1, to: 3600)
    #expect(bench.outbox.count == 50 && bench.outbox.record.refused == 0 && bench.outbox.window.inFlight == 0)
    #expect(bench.outbox.status(at: .zero).held == ["a"])
    #expect(bench.outbox.status(at: .zero).passedBy.isEmpty)
    bench.takes = { _, _ in true }
    bench.run(from: 3600, to: 3600 + 600)
    #expect(bench.outbox.count == 0)
    #expect(bench.outbox.status(at: .zero).held.isEmpty)
  }

  /// Nothing would ask for the topic any more, and people would be told of it without end.
  @Test func clearedQueueHoldsNoTopic() {
    var bench = Bench()
    bench.takes = { _, _ in false }
    bench.add("a", at: 1, count: 5)
    #expect(bench.outbox.status(at: .zero).held == ["a"])
    #expect(bench.outbox.clear() == 5)
    #expect(bench.outbox.status(at: .zero).held.isEmpty)
  }

  @Test func otherTopicsPassBy() {
    var bench = Bench()
    bench.takes = { _, topic in topic == "b" }
    bench.add("a", at: 1, count: 100)
    bench.add("b", at: 2, count: 30)
    #expect(bench.sent.filter { $0.sequence > 100 }.map(\.at) == Array(repeating: 2, count: 30))
    #expect(bench.outbox.count == 100)
  }

  @Test func itIsTriedAgainOneAtATimeAndEverLessOften() {
    var bench = Bench()
    bench.takes = { _, _ in false }
    bench.add("a", at: 0, count: 100)
    let first = bench.sent.count
    bench.run(from: 0, to: 3600)
    let times = bench.times(of: 1).dropFirst()
    #expect(times.prefix(6) == [10, 30, 70, 150, 310, 610])
    #expect(zip(times.dropFirst(6), times.dropFirst(5)).allSatisfy { $0 - $1 == 300 })
    // From the sixth time on another one goes right after it, each of them ever less often.
    let others = bench.sent.dropFirst(first).filter { $0.sequence > 1 }
    #expect(others.allSatisfy { times.dropFirst(5).contains($0.at) })
    #expect(Set(others.map(\.at)).count == others.count && others.count < times.count)
  }

  @Test func oneThatIsNeverTakenDoesNotHoldBackItsTopic() {
    var bench = Bench()
    bench.takes = { sequence, _ in sequence != 1 }
    for second in 0..<200 { bench.add("a", at: Double(second)) }
    bench.run(from: 199, to: 1200)
    #expect(bench.outbox.count == 1)
    #expect(bench.times(of: 1).count < 10)
    let status = bench.outbox.status(at: .zero + .seconds(1200))
    #expect(status.passedBy == ["a"] && status.held.isEmpty)
  }

  /// An endpoint that answers each message by itself: four others show whether it is this one, and no more are burnt.
  @Test func whereAnAnswerIsCheapFourOthersAreTriedInItsPlace() {
    var bench = Bench(window: 1)
    bench.letsOthersPass = true
    bench.takes = { _, _ in false }
    bench.add("a", at: 0, count: 12)
    #expect(bench.sent.map(\.sequence) == [1, 2, 3, 4, 5])
    bench.run(from: 0, to: 40)
    // Each of the four then rests for twice as long as the topic: 5 was the last of its turn, and its rest is the topic's.
    let later = bench.sent.dropFirst(5)
    #expect(later.filter { $0.at == 10 }.map(\.sequence) == [1, 5, 6, 7, 8])
    #expect(later.filter { $0.at == 30 }.map(\.sequence) == [1, 2, 3, 4, 8])
    #expect(later.count == 10)
  }

  @Test func retriedMessagesKeepTheirOrder() {
    var bench = Bench()
    var isOpen = false
    bench.takes = { sequence, _ in isOpen || sequence < 30 }
    bench.add("a", at: 0, count: 150)
    for time in 1...40 { bench.add("a", at: Double(time) * 4) }
    let closed = bench.sent.count
    bench.run(from: 160, to: 400)
    #expect(bench.sent.dropFirst(closed).map(\.sequence) == [30], "alone")
    isOpen = true
    let before = bench.sent.count
    bench.run(from: 400, to: 1000)
    #expect(bench.outbox.count == 0)
    #expect(bench.sent.dropFirst(before).map(\.sequence) == Array(30...190))
  }

  /// A quota that lasts: one is taken every 15 s. What was not sent when one was turned away never passes it.
  @Test func aQuotaThatLastsTurnsNothingRound() {
    var bench = OutboxBench(limit: 10_000, window: 20)
    bench.connect()
    for _ in 0..<120 { bench.add() }
    var next = 0.0
    var turnedAway: [UInt64: Set<UInt64>] = [:]
    var wrong = 0
    for _ in 0..<30_000 where bench.outbox.count > 0 {
      if bench.diskAnswers() { continue }
      guard let message = bench.unanswered.first else {
        bench.pass(1)
        continue
      }
      let time = (bench.now - Instant(nanoseconds: 0)).seconds
      let isTaken = time >= next
      bench.closed = isTaken ? [] : ["t"]
      let beside = Set(bench.unanswered.map(\.sequence))
      bench.brokerAnswers()
      if isTaken {
        next = time + 15
        let passed = turnedAway.filter { $0.key < message.sequence && !$0.value.contains(message.sequence) }
        wrong += passed.count
        turnedAway[message.sequence] = nil
      } else {
        turnedAway[message.sequence, default: []].formUnion(beside)
      }
    }
    #expect(bench.outbox.count == 0 && wrong == 0)
  }

  /// Nor do a few of them, each of which rests no longer than its topic.
  @Test func aFewThatAreNeverTakenDoNotHoldBackTheirTopic() {
    var bench = Bench()
    bench.takes = { sequence, _ in sequence > 5 }
    bench.add("a", at: 0, count: 5)
    bench.run(from: 0, to: 6 * 3600)
    bench.add("a", at: 6 * 3600)
    bench.run(from: 6 * 3600, to: 8 * 3600)
    #expect(bench.outbox.count == 5)
    #expect(bench.times(of: 6).count == 1)
  }

  /// There are brokers that end the connection with each message that they turn away.
  @Test func anotherConnectionAsksNoSooner() {
    var bench = Bench()
    bench.takes = { _, _ in false }
    bench.add("a", at: 1)
    for time in stride(from: 2.0, through: 10, by: 2) { bench.connect(at: time) }
    #expect(bench.times(of: 1) == [1])
    bench.run(from: 10, to: 40)
    #expect(bench.times(of: 1) == [1, 11, 31])
  }

  @Test func aQuestionThatGotLostIsAskedAgain() {
    var bench = Bench()
    bench.takes = { _, _ in false }
    bench.add("a", at: 1)
    bench.answers = false
    bench.run(from: 1, to: 30)
    #expect(bench.times(of: 1).count == 2)
    bench.outbox.sendFailed(1, deadlines: &bench.deadlines, at: Instant(nanoseconds: 0) + .seconds(40))
    bench.run(from: 40, to: 50)
    #expect(bench.times(of: 1).count == 3)
  }

  @Test func refusedMessageIsCountedOnce() {
    var bench = OutboxBench(limit: 100)
    bench.connect()
    for _ in 0..<3 { bench.add("a") }
    #expect(bench.outbox.refused(2, deadlines: &bench.deadlines, at: bench.now)?.sequence == 2)
    #expect(bench.outbox.refused(2, deadlines: &bench.deadlines, at: bench.now) == nil)
    let status = bench.outbox.status(at: bench.now)
    #expect(status.refused == 1 && status.count == 2)
  }

  @Test func refusedMessageBecomesDeadLetterWithReason() {
    var scene = Scene()
    scene.acknowledges = false
    scene.connect()
    scene.fix(at: 2, 0)
    let sequence = scene.sent.first?.sequence ?? 0
    scene.post(.refused(sequence, because: "too large"), at: 3)
    scene.post(.refused(sequence, because: "too large"), at: 4)
    #expect(
      scene.letters.map(\.message.sequence) == [sequence] && scene.letters.map(\.reason) == ["too large"])
    let queue = scene.tracker.status(at: scene.now).queue
    #expect(sequence > 0 && queue.count == 0 && queue.refused == 1)
  }
}
