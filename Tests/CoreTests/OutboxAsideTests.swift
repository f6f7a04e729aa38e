import Model
import Testing
import Timebase

@testable import Core

/// A topic that the broker takes nothing on must not stop the others, however much waits of it.
struct OutboxAsideTests {
  @Test(arguments: [false, true]) func aLongForbiddenTopicStopsNoOther(isOnTheDisk: Bool) {
    var bench = OutboxBench(limit: 100_000)
    bench.closed = ["a"]
    if !isOnTheDisk { bench.connect() }
    for _ in 0..<3000 {
      bench.add("a", isEvent: true)
      bench.diskAnswers()
    }
    bench.add("b", isEvent: true)
    if isOnTheDisk { bench.connect() }
    bench.runDry(for: 60)
    #expect(bench.taken.map(\.topic) == ["b"])
    #expect(bench.outbox.count == 3000 && bench.disk.count == 3000)
    #expect(bench.outbox.head.count + bench.outbox.tail.count <= Outbox.headLimit)
    bench.closed = []
    bench.runDry()
    #expect(bench.taken.count == 3001)
    #expect(Set(bench.taken.dropFirst().map(\.sequence)) == Set(1...3000))
    #expect(isSorted(bench.inOrder("a")))
    #expect(bench.outbox.count == 0 && bench.disk.isEmpty && bench.outbox.aside == nil)
  }

  /// What was set aside is looked through again when room is made: that is no loop without an end.
  @Test func aForbiddenTopicIsThinnedAndItsEventsStay() {
    var bench = OutboxBench(limit: 1500)
    bench.closed = ["a"]
    bench.connect()
    for number in 0..<4000 {
      bench.add("a", isEvent: number % 10 == 0)
      bench.diskAnswers()
      bench.diskAnswers()
      if number % 500 == 0 { bench.runDry(for: 1) }
    }
    bench.runDry(for: 60)
    #expect(bench.outbox.count <= 1500 && bench.outbox.count == bench.disk.count)
    bench.closed = []
    bench.runDry()
    #expect(bench.taken.filter(\.isEvent).count == 400)
    #expect(bench.taken.count + bench.outbox.dropped == 4000)
    #expect(isSorted(bench.inOrder("a")))
    #expect(bench.outbox.count == 0 && bench.disk.isEmpty)
  }

  /// Those that stay to ask may all be turned away: then others ask, the oldest first.
  @Test func manyThatAreNeverTakenHoldBackNothing() {
    var bench = OutboxBench(limit: 100_000)
    bench.neverTaken = Set(1...30)
    bench.closed = ["a"]
    bench.connect()
    for _ in 0..<1000 {
      bench.add("a", isEvent: true)
      bench.diskAnswers()
    }
    bench.runDry(for: 5)
    #expect(bench.outbox.aside != nil)
    bench.closed = []
    for _ in 0..<200 {
      bench.add("a", isEvent: true)
      bench.runDry(for: 600)
    }
    #expect(bench.outbox.count == 30)
    #expect(isSorted(bench.inOrder("a")))
  }

  @Test func clearingForgetsWhatIsSetAsideAndKeepsWhatIsUnderWay() {
    var bench = OutboxBench(limit: 100_000)
    bench.closed = ["a"]
    bench.connect()
    for _ in 0..<2000 {
      bench.add("a", isEvent: true)
      bench.diskAnswers()
    }
    bench.runDry(for: 5)
    #expect(bench.outbox.aside != nil)
    bench.add("b", isEvent: true)
    while bench.unanswered.isEmpty, bench.diskAnswers() {}
    #expect(bench.unanswered.map(\.topic) == ["b"])
    let forgotten = bench.clear()
    #expect(forgotten == 2000)
    while bench.diskAnswers() {}
    #expect(bench.disk.values.map(\.topic) == ["b"])
    bench.runDry()
    #expect(bench.taken.map(\.topic) == ["b"])
    #expect(bench.outbox.count == 0 && bench.disk.isEmpty)
  }

  /// Anything in any order: each topic arrives whole and in order, and the counts are true.
  @Test(arguments: UInt64(1)...12) func nothingIsLostInAnyOrderOfThings(seed: UInt64) {
    var dice = Dice(seed: seed)
    var bench = OutboxBench(limit: dice.below(2) == 0 ? 100_000 : 700)
    let topics = ["a", "b", "c", "d"]
    bench.connect()
    for step in 0..<6000 {
      switch dice.below(100) {
      case 0: bench.closed.formSymmetricDifference([topics[dice.below(4)]])
      case 1: if bench.isConnected { bench.disconnect() } else { bench.connect() }
      case 2: bench.pass(Double(dice.below(120)))
      case 3...50: bench.add(topics[dice.below(4)], isEvent: dice.below(2) == 0)
      case 51...75: bench.diskAnswers()
      default: bench.brokerAnswers()
      }
      if step % 50 == 0 { #expect(isSorted(bench.outbox.head.map(\.message.sequence))) }
    }
    bench.closed = []
    if !bench.isConnected { bench.connect() }
    bench.runDry()
    #expect(bench.outbox.count == 0 && bench.outbox.unloaded == 0 && bench.outbox.aside == nil)
    #expect(bench.outbox.inFlight == 0 && bench.disk.isEmpty)
    #expect(Set(bench.taken.map(\.sequence)).count + bench.outbox.dropped == bench.made)
    #expect(Set(bench.taken.filter(\.isEvent).map(\.sequence)).count == bench.madeEvents)
    for topic in topics { #expect(isSorted(bench.inOrder(topic)), "\(topic)") }
  }

  private func isSorted(_ numbers: [UInt64]) -> Bool { zip(numbers, numbers.dropFirst()).allSatisfy(<) }

  private struct Dice {
    private var state: UInt64
    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func below(_ limit: Int) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Int(state % UInt64(limit))
    }
  }
}
