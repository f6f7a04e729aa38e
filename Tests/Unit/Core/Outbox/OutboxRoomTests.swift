import Model
import Testing
import Timebase

@testable import Core

/// A queue that is full while the store still answers what it was asked before.
struct OutboxRoomTests {
  /// The page that is on its way begins behind what was given back to the disk meanwhile.
  @Test func aPageThatWasAskedForBeforeRoomWasMadeLosesNothing() {
    var bench = OutboxBench(stored: 600, limit: 600)
    bench.connect()
    bench.diskAnswers()
    #expect(bench.orders.contains { if case .load(after: 256, _) = $0 { true } else { false } })
    bench.pass(1)
    bench.add()
    bench.runDry()
    #expect(bench.sent == bench.sent.sorted())
    #expect(bench.outbox.count == 0)
    #expect(bench.disk.count == 0)
    #expect(bench.sent.count + bench.outbox.record.dropped == 601)
  }

  /// What a person throws away is not read back by a question of before.
  @Test func aPageThatWasAskedForBeforeTheQueueWasClearedIsForgotten() {
    var bench = OutboxBench(stored: 600, limit: 1000)
    bench.connect()
    bench.diskAnswers()
    let left = bench.clear()
    #expect(left == 580)
    bench.runDry()
    #expect(bench.sent.count == 20)
    #expect(bench.outbox.count == 0)
    #expect(bench.disk.count == 0)
  }

  /// The disk shows what was cleared until it has carried that out: nobody counts it any more.
  @Test func clearedMessagesAreNotCountedAgain() {
    var bench = OutboxBench(stored: 600, limit: 1000)
    #expect(!bench.outbox.uncounted(500))
    bench.isDiskFailing = true
    #expect(bench.outbox.clear() == 600)
    #expect(bench.outbox.uncounted(500))
    bench.turn()
    #expect(bench.outbox.uncounted(500))
    bench.diskAnswers()
    #expect(bench.outbox.uncounted(500))
    bench.isDiskFailing = false
    bench.runDry()
    #expect(bench.disk.count == 0)
  }

  /// However many come with one wake-up: those, and no others.
  @Test(arguments: 1...9) func eachAcknowledgementTakesItsOwnMessage(count: Int) {
    var bench = OutboxBench(limit: 1000)
    bench.connect()
    for _ in 0..<10 { bench.add() }
    while bench.diskAnswers() {}
    let answered = bench.unanswered.prefix(count).map(\.sequence)
    bench.outbox.acknowledged(answered, deadlines: &bench.deadlines, at: bench.now)
    #expect(bench.outbox.head.map(\.message.sequence) == (UInt64(count) + 1...10).map(\.self))
    bench.pass(1)
    while bench.diskAnswers() {}
    #expect(bench.disk.keys.sorted() == (UInt64(count) + 1...10).map(\.self))
    #expect(bench.outbox.window.inFlight == 10 - count)
  }
}
