import Model
import Testing
import Timebase

@testable import Core

/// What of a long queue is in memory, what goes back to the disk, and what goes for good.
struct OutboxMemoryTests {
  /// Out of reach, with a disk that answers or does not.
  private func waiting(
    _ count: Int, limit: Int = 10_000, isDiskStuck: Bool = false, policy: Configuration.Backlog = .always
  ) -> OutboxBench {
    var bench = OutboxBench(limit: limit, policy: policy)
    bench.isDiskStuck = isDiskStuck
    for _ in 0..<count { bench.add() }
    bench.pass(1)
    while bench.diskAnswers() {}
    return bench
  }

  private func parts(_ bench: OutboxBench) -> [Int] {
    [bench.outbox.head.count, bench.outbox.backlog.unloaded, bench.outbox.tail.count]
  }

  @Test func headOfLongQueueIsInMemory() {
    #expect(parts(waiting(600)) == [512, 88, 0])
    #expect(parts(waiting(600, isDiskStuck: true)) == [512, 0, 88])
    #expect(parts(waiting(513)) == [512, 1, 0])
  }

  /// What is in the head is not read again; pages begin behind it.
  @Test func restOfQueueIsReadInPagesAfterHead() {
    var bench = waiting(1200)
    bench.connect()
    var loads: [[Int]] = []
    while !bench.outbox.backlog.isEmpty, bench.diskAnswers() || bench.brokerAnswers() {
      if case .load(let after, let limit)? = bench.orders.last, loads.last?.first != Int(after) {
        loads.append([Int(after), limit])
      }
    }
    #expect(loads == [[512, 256], [768, 256], [1024, 256]])
    bench.runDry(for: 60)
    #expect(bench.taken.map(\.sequence) == Array(1...1200))
  }

  /// The disk is slow; each answer of the broker lets one of them follow.
  @Test(arguments: [false, true]) func answeredMessageFreesSlotInHead(isTaken: Bool) {
    var bench = waiting(600, isDiskStuck: true)
    bench.connect()
    for number in UInt64(1)...20 {
      if isTaken {
        bench.brokerAnswers()
      } else {
        _ = bench.outbox.refused(number, deadlines: &bench.deadlines, at: bench.now)
      }
      #expect(parts(bench) == [512, 0, 88 - Int(number)])
    }
    #expect(bench.outbox.backlog.loadedThrough == 532)
    #expect(bench.outbox.inconsistency == nil)
  }

  /// What was made while the last page was on its way goes right behind it.
  @Test func theNewestFollowsTheLastPageAtOnce() {
    var bench = OutboxBench(stored: 10, limit: 1000)
    bench.connect()
    bench.add()
    #expect(bench.sent.isEmpty && parts(bench) == [0, 10, 1])
    bench.diskAnswers()
    #expect(bench.sent == Array(1...11) && parts(bench) == [11, 0, 0])
  }

  @Test func howOldTheOldestIsIsKnownWhereItIsInMemory() {
    var bench = waiting(3)
    #expect(bench.outbox.status(at: bench.now).oldest == 1)
    bench = OutboxBench(stored: 10, limit: 1000)
    bench.add()
    #expect(parts(bench) == [0, 10, 1] && bench.outbox.status(at: bench.now).oldest == nil)
  }

  // MARK: When there is no room

  /// The disk is slow, so that all is in memory: what is thinned there makes room for the tail.
  @Test func aFullQueueInMemoryStaysInOrder() {
    var bench = waiting(600, limit: 600, isDiskStuck: true)
    #expect(parts(bench) == [512, 0, 88])
    bench.add()
    // One too many, and a 32nd of the limit with it.
    #expect(bench.outbox.count == 582 && bench.outbox.record.dropped == 19)
    #expect(parts(bench) == [512, 0, 70])
    bench.add()
    #expect(parts(bench) == [512, 0, 71])
    for _ in 0..<100 { bench.add() }
    #expect(bench.outbox.inconsistency == nil && bench.outbox.head.count <= 512)
    #expect(bench.outbox.count + bench.outbox.record.dropped == 702)
  }

  /// What fills the head may not be sent, what waits behind it may: it goes as soon as there is room.
  @Test func aMessageThatIsGivenRoomInMemoryGoesAtOnce() {
    var bench = OutboxBench(limit: 600)
    bench.isDiskStuck = true
    bench.closed = ["a"]
    bench.connect()
    for number in 1...600 { bench.add(number == 513 ? "b" : "a") }
    while bench.brokerAnswers() {}
    #expect(parts(bench) == [512, 0, 88] && !bench.sent.contains(513))
    bench.add("a")
    #expect(bench.outbox.record.dropped == 19 && bench.sent.contains(513))
    #expect(bench.outbox.inconsistency == nil)
  }

  /// On the disk alone they are told apart by their index, and all the rest goes back there for that.
  @Test func aFullQueueOnTheDiskIsLookedThroughThere() {
    var bench = waiting(600, limit: 600)
    bench.add()
    #expect(parts(bench) == [0, 600, 1] && bench.outbox.record.dropped == 0)
    bench.pass(1)
    while bench.diskAnswers() {}
    #expect(bench.outbox.count == 582 && bench.outbox.record.dropped == 19)
    #expect(bench.disk.count == 582 && bench.outbox.inconsistency == nil)
  }

  /// A board that is out of reach for long writes with the next batch how many went.
  @Test func dropsInMemoryAreWrittenWithNextBatch() {
    var bench = OutboxBench(limit: 10)
    for _ in 0..<10 { bench.add() }
    #expect(bench.outbox.count == 10 && bench.outbox.record.dropped == 0)
    bench.add()
    #expect(bench.outbox.count == 10 && bench.outbox.record.dropped == 1 && bench.orders.isEmpty)
    bench.pass(1)
    guard case .store(_, let writes)? = bench.orders.last else {
      Issue.record("nothing is written")
      return
    }
    #expect(writes.contains(.dropped(1)) && writes.count == 11)
  }

  /// So many messages, or so many bytes: each is one of the topic.
  @Test(arguments: [false, true]) func anotherLimitCountsAtOnce(isOfBytes: Bool) {
    var bench = OutboxBench(limit: 20)
    for _ in 0..<20 { bench.add() }
    if isOfBytes { bench.outbox.byteLimit = 19 } else { bench.outbox.limit = 15 }
    bench.turn()
    #expect(bench.outbox.count == (isOfBytes ? 19 : 15))
    #expect(
      bench.outbox.byteLimit == (isOfBytes ? 19 : 1 << 30) && bench.outbox.limit == (isOfBytes ? 20 : 15))
  }

  @Test func anotherWindowCountsFromTheNextConnectionOn() {
    var bench = OutboxBench(limit: 100)
    bench.connect()
    bench.outbox.windowLimit = 3
    for _ in 0..<9 { bench.add() }
    #expect(bench.sent.count == 9 && bench.outbox.windowLimit == 3)
    bench.disconnect()
    bench.connect()
    bench.pass(1)
    #expect(bench.outbox.window.inFlight == 3)
  }

  /// Ten thousand, however many the settings allow.
  @Test(arguments: [10_000, 10_001]) func aDiskThatTakesNothingFillsNoMoreMemory(count: Int) {
    var outbox = Outbox(snapshot: Snapshot(), limit: 100_000, byteLimit: 1 << 30, windowLimit: 20)
    var deadlines = Deadlines()
    var effects: [Effect] = []
    outbox.storeFailed(0, deadlines: &deadlines, at: .zero)
    for time in 0..<count {
      let message = Message(topic: "t", payload: [], qos: 1, isRetained: true, isEvent: false, time: time)
      outbox.enqueue(message, deadlines: &deadlines, at: .zero)
    }
    outbox.act(deadlines: &deadlines, at: .zero, into: &effects)
    #expect(outbox.count == 10_000 && outbox.record.dropped == count - 10_000)
  }

  /// As many as a page has: others may come after them.
  @Test func afterAFullPageOfEventsTheNextIsLookedAt() {
    var bench = OutboxBench(stored: 2000, limit: 100)
    bench.turn()
    let page = (UInt64(1)...1024).map { QueueEntry(sequence: $0, time: 1, isEvent: true, size: 1) }
    bench.outbox.indexed(page)
    bench.turn()
    guard case .loadIndex(after: 1024, limit: 1024)? = bench.orders.last else {
      Issue.record("\(bench.orders)")
      return
    }
  }

  /// The disk is to carry it out at once: with the power they would be back.
  @Test func dropsOnDiskAreWrittenAtOnce() {
    var bench = OutboxBench(stored: 200, limit: 100)
    bench.turn()
    // The first sweep finds out what is nearest.
    bench.diskAnswers()
    bench.diskAnswers()
    #expect(bench.outbox.record.dropped == 99 && bench.outbox.count == 101)
    guard case .store(_, let writes)? = bench.orders.first else {
      Issue.record("\(bench.orders)")
      return
    }
    #expect(writes.contains(.dropped(99)) && bench.outbox.inconsistency == nil)
    while bench.diskAnswers() {}
    #expect(bench.outbox.count == 100 && bench.disk.count == 100)
  }

  /// A queue of events was looked through for nothing. It is worth another look when something new comes, or something
  /// more is on the disk alone; not when something goes.
  @Test func aSearchForNothingIsNotRepeatedBeforeThereIsMore() {
    var bench = waiting(600, isDiskStuck: true)
    bench.connect()
    func isFutile() -> Bool { bench.outbox.thinning.isFutile }
    func findNothing() {
      _ = bench.outbox.thinning.victims(in: [], wanted: 1, isEnd: true)
      #expect(isFutile())
    }
    findNothing()
    bench.brokerAnswers()
    #expect(isFutile())
    bench.isDiskStuck = false
    while bench.diskAnswers() {}
    #expect(parts(bench)[2] == 0 && !isFutile())
    findNothing()
    bench.runDry(for: 60)
    #expect(parts(bench) == [0, 0, 0] && isFutile())
    bench.add()
    #expect(!isFutile())
  }

  // MARK: What a person throws away

  @Test(arguments: [5, 600]) func clearedMessagesAreDeletedFromDiskAtOnce(count: Int) {
    var bench = waiting(count)
    #expect(bench.disk.count == count && bench.clear() == count)
    let status = bench.outbox.status(at: bench.now)
    #expect(status.count == 0 && status.bytes == 0 && status.oldest == nil)
    #expect(bench.orders.count == 1 && bench.outbox.inconsistency == nil)
    bench.diskAnswers()
    #expect(bench.disk.isEmpty)
    // And what comes next has its place behind it.
    bench.add()
    bench.connect()
    #expect(bench.sent == [UInt64(count) + 1])
  }

  /// Left by an earlier start, and not read yet.
  @Test func clearingDeletesUnreadMessagesByRange() {
    var bench = OutboxBench(stored: 10, limit: 100)
    #expect(bench.clear() == 10 && bench.orders.count == 1)
    guard case .store(_, let writes)? = bench.orders.first else {
      Issue.record("\(bench.orders)")
      return
    }
    #expect(writes == [.removeRange(after: 0, through: 10)])
    #expect(bench.outbox.count == 0 && bench.outbox.inconsistency == nil)
  }

  @Test func clearingUnwrittenMessagesNeedsNoWrite() {
    var bench = OutboxBench(limit: 1000)
    for _ in 0..<5 { bench.add() }
    #expect(bench.clear() == 5 && bench.orders.isEmpty)
    bench.pass(1)
    #expect(bench.orders.isEmpty && bench.outbox.inconsistency == nil)
  }
}
