import Model
import Testing
import Timebase

@testable import Core

// behaviour: Connections that end over a message
/// In which order messages reach the broker over connections that end in the middle of sending.
struct OutboxOrderTests {
  /// Numbers that are the same each time.
  private struct Dice {
    var state: UInt64

    mutating func below(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(limit))
    }
  }

  private func bench(_ count: Int) -> OutboxBench {
    var bench = OutboxBench(limit: 100_000)
    for _ in 0..<count { bench.add() }
    while bench.diskAnswers() {}
    bench.connect()
    return bench
  }

  /// The broker reads until it comes to one that it ends the connection over. How many connections that took.
  private func run(_ bench: inout OutboxBench, over forbidden: (Message) -> Bool, for seconds: Double) -> Int
  {
    var ends = 0
    let until = bench.now + .seconds(seconds)
    while bench.now < until {
      if bench.diskAnswers() { continue }
      guard let next = bench.unanswered.first else {
        bench.pass(1)
        continue
      }
      if forbidden(next) {
        ends += 1
        bench.disconnect(.closed)
        bench.pass(2)
        bench.connect()
      } else {
        bench.brokerAnswers()
      }
    }
    return ends
  }

  @Test func resetsInTheMiddleOfSendingTurnNothingRound() {
    for seed in UInt64(1)...60 {
      var dice = Dice(state: seed)
      var bench = bench(1500)
      for _ in 0..<dice.below(12) {
        for _ in 0..<dice.below(300) where bench.diskAnswers() || bench.brokerAnswers() {}
        guard bench.unanswered.count > 1 else { continue }
        // The broker has read some of it, and no answer came.
        bench.disconnect(.closed, read: dice.below(bench.unanswered.count))
        bench.pass(2)
        bench.connect()
      }
      #expect(bench.outbox.inconsistency == nil)
      bench.runDry()
      let arrived = bench.inOrder("t")
      #expect(arrived == arrived.sorted() && arrived.count == 1500, "seed \(seed)")
      #expect(bench.endedOver.isEmpty, "seed \(seed)")
    }
  }

  @Test func aMessageThatEndsTheConnectionHoldsUpNoOther() {
    for count in [1, 9, 150, 600] {
      var bench = bench(count)
      let forbidden = UInt64(count / 3 + 1)
      let ends = run(&bench, over: { $0.sequence == forbidden }, for: 5)
      _ = run(&bench, over: { $0.sequence == forbidden }, for: 30)
      #expect(Set(bench.endedOver) == [forbidden] && ends <= 7, "\(count): \(ends)")
      // All the others, in their order.
      let arrived = bench.inOrder("t")
      #expect(arrived == arrived.sorted() && arrived.count == count - 1, "\(count)")
      // It asks again ever less often, and is not forgotten.
      let later = run(&bench, over: { $0.sequence == forbidden }, for: 3600)
      #expect(later >= 4 && later < 20 && bench.outbox.count == 1, "\(count): \(later)")
      _ = run(&bench, over: { _ in false }, for: 7200)
      #expect(bench.outbox.count == 0)
    }
  }

  /// Everything on it ends the connection: when that is over nothing has been turned round.
  @Test func aForbiddenTopicKeepsItsOrderAndOthersGoOn() {
    var bench = OutboxBench(limit: 10_000)
    bench.connect()
    for _ in 0..<20 { bench.add("denied") }
    for _ in 0..<20 { bench.add("t") }
    let ends = run(&bench, over: { $0.topic == "denied" }, for: 3600)
    #expect(bench.inOrder("t") == Array(21...40))
    #expect(ends < 60, "\(ends)")
    _ = run(&bench, over: { _ in false }, for: 600)
    #expect(bench.inOrder("denied") == Array(1...20))
  }
}
