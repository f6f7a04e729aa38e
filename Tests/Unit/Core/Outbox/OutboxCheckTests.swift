import Model
import Testing
import Timebase

@testable import Core

/// The check of what must agree notices each thing that does not.
struct OutboxCheckTests {
  private func outbox(_ change: (inout Outbox) -> Void = { _ in }) -> Outbox {
    var outbox = Outbox(snapshot: Snapshot(), limit: 1000, byteLimit: 1 << 20, windowLimit: 20)
    var deadlines = Deadlines()
    for time in 1...3 {
      let message = Message(
        topic: "t", payload: [1, 2], qos: 1, isRetained: false, isEvent: time == 2, time: time)
      outbox.enqueue(message, deadlines: &deadlines, at: .zero)
    }
    change(&outbox)
    return outbox
  }

  @Test func consistentOutboxPassesCheck() { #expect(outbox().inconsistency == nil) }

  @Test func outboxInconsistencyIsDescribed() {
    let changes: [(String, (inout Outbox) -> Void)] = [
      ("4 messages", { $0.size.add(bytes: 0) }), ("-1 unloaded", { $0.backlog.leave(-1) }),
      ("bytes", { $0.size.keep(3, bytes: 5) }),
      ("in flight", { $0.head[0].isSent = true }), ("head: ", { $0.head.swapAt(0, 1) }),
      ("unwritten", { $0.head[0].disk = .durable }), ("the next is", { $0.nextSequence = 3 }),
      ("behind the tail's", { $0.tail = [$0.head.removeFirst()] }),
      ("behind the tail's", { $0.tail = [$0.head[2]] }), ("head: ", { $0.head[0] = $0.head[1] }),
    ]
    for (word, change) in changes {
      let found = outbox(change).inconsistency
      #expect(found?.contains(word) == true, "\(word): \(found ?? "nothing")")
    }
  }
}
