import Model
import Testing
import Timebase

@testable import Core

/// A topic that the broker takes nothing on must not stop the others, however much waits of it.
struct OutboxSetAsideTests {
  // behaviour: What the server does not take
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
    #expect(bench.outbox.count == 0 && bench.disk.isEmpty && bench.outbox.setAside == nil)
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
    #expect(bench.taken.count + bench.outbox.record.dropped == 4000)
    #expect(isSorted(bench.inOrder("a")))
    #expect(bench.outbox.count == 0 && bench.disk.isEmpty)
  }

  /// Those that stay to ask may all be turned away: then others ask, the oldest first.
  @Test func manyThatAreNeverTakenHoldBackNothing() {
    var bench = OutboxBench(limit: 100_000, window: 5)
    // The first 20 of "a".
    bench.neverTaken = Set(31...50)
    let others = (1...30).map { "other \($0)" }
    bench.closed = Set(["a"] + others)
    bench.connect()
    for other in others { bench.add(other, isEvent: true) }
    for _ in 0..<1000 {
      bench.add("a", isEvent: true)
      bench.diskAnswers()
    }
    bench.runDry(for: 5)
    #expect(bench.outbox.setAside != nil)
    bench.closed = Set(others)
    bench.runDry(for: 48 * 3600)
    #expect(bench.outbox.count == 20 + 30)
    #expect(isSorted(bench.inOrder("a")))
  }

  /// Entries that kept their place while older ones are read again are no reason not to read.
  @Test func keptEntriesDoNotBlockReloadOfOlder() {
    var bench = benchWithForbidden(1000, window: 500)
    // The window grows.
    for _ in 0..<500 {
      bench.add("b")
      bench.runDry(for: 0)
    }
    for _ in 0..<300 { bench.add("b") }
    #expect(bench.outbox.window.inFlight >= 300 && bench.outbox.setAside != nil)
    bench.closed = []
    repeat { bench.pass(1) } while !bench.brokerAnswers("a")
    #expect(bench.outbox.setAside == nil)
    bench.disconnect()
    bench.connect()
    bench.runDry()
    #expect(bench.outbox.count == 0 && bench.disk.isEmpty)
    #expect(isSorted(bench.inOrder("a")) && isSorted(bench.inOrder("b")))
  }

  /// Its own topic is open again, and those between are still on their way from the disk.
  @Test func unwrittenMessageDoesNotOvertakeReloadedOnes() {
    var bench = benchWithForbidden(1000, window: 500)
    bench.isDiskStuck = true
    bench.add("a")
    let newest = bench.outbox.nextSequence - 1
    bench.closed = []
    repeat { bench.pass(1) } while !bench.brokerAnswers("a")
    #expect(bench.outbox.setAside == nil && bench.outbox.index(of: newest) != nil)
    while bench.brokerAnswers() {}
    #expect(!bench.sent.contains(newest))
    bench.isDiskStuck = false
    bench.runDry()
    #expect(bench.outbox.count == 0 && bench.inOrder("a").last == newest)
    #expect(isSorted(bench.inOrder("a")))
  }

  @Test func manyForbiddenTopicsStopNoOther() {
    var bench = OutboxBench(limit: 100_000)
    let forbidden = ["a", "c", "d", "e", "f", "g"]
    bench.closed = Set(forbidden)
    bench.connect()
    for number in 0..<3000 {
      bench.add(forbidden[number % forbidden.count], isEvent: true)
      bench.diskAnswers()
    }
    bench.runDry(for: 5 * 24 * 3600)
    bench.disconnect()
    for _ in 0..<1000 {
      bench.add("b", isEvent: true)
      bench.diskAnswers()
    }
    bench.connect()
    bench.runDry(for: 60)
    #expect(bench.taken.count == 1000 && isSorted(bench.inOrder("b")))
  }

  /// What is in memory goes without a disk: nothing is given to one that takes nothing.
  @Test func failedDiskDoesNotStopMessagesInMemory() {
    var bench = benchWithForbidden(1000)
    bench.isDiskFailing = true
    bench.outbox.remember(.dropped(1), isUrgent: true)
    bench.add("b", isEvent: true)
    bench.runDry(for: 5)
    bench.isDiskStuck = true
    bench.closed = []
    bench.runDry(for: 60)
    for _ in 0..<600 {
      bench.add("b")
      bench.runDry(for: 1)
    }
    #expect(bench.taken.filter { $0.topic == "b" }.count == 601)
    (bench.isDiskStuck, bench.isDiskFailing) = (false, false)
    bench.runDry()
    #expect(bench.outbox.count == 0 && bench.disk.isEmpty)
  }

  /// A quota that lets something pass every few seconds.
  @Test func aTopicThatOpensAgainAndAgainIsNotReadEachTime() {
    var bench = OutboxBench(stored: 3000, limit: 100_000)
    bench.closed = ["t"]
    bench.connect()
    bench.runDry(for: 60)
    let (readings, start) = (bench.readings, bench.now)
    for _ in 0..<60 {
      bench.closed = []
      repeat { bench.pass(1) } while !bench.brokerAnswers()
      bench.closed = ["t"]
      bench.runDry(for: 10)
    }
    let most = (Int((bench.now - start).seconds) / 300 + 2) * 13
    #expect(bench.readings - readings <= most)
    #expect(bench.taken.count >= 60)
  }

  @Test func clearingDropsSetAsideAndKeepsInFlight() {
    var bench = benchWithForbidden(2000)
    #expect(bench.outbox.setAside != nil)
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

  /// As many as there may be in the head beside a page; one more, and its share stays, and what was under way then.
  @Test func aTopicKeepsItsShareOfTheHead() {
    #expect(benchWithForbidden(256).outbox.setAside == nil)
    let outbox = benchWithForbidden(257).outbox
    #expect(outbox.head.map(\.message.sequence) == Array(1...211))
    #expect(outbox.setAside?.count == 46 && outbox.setAside?.first == ["a": 212])
    #expect(outbox.setAside?.old == nil && outbox.inconsistency == nil)
  }

  /// The newest of all was on its way to the disk, and leaves the head as soon as it is there.
  @Test func theNewestIsSetAsideToo() {
    var bench = benchWithForbidden(20)
    bench.isDiskStuck = true
    for _ in 0..<237 { bench.add("a", isEvent: true) }
    #expect(bench.outbox.head.count == 257 && bench.outbox.setAside == nil)
    bench.isDiskStuck = false
    while bench.diskAnswers() {}
    #expect(bench.outbox.setAside?.count == 65 && bench.outbox.backlog.isEmpty)
    bench.closed = []
    bench.runDry()
    #expect(bench.inOrder("a").last == 257 && bench.taken.count == 257 && bench.outbox.count == 0)
  }

  /// What is under way lies between: the disk is told of what is before and behind it, and of nothing else.
  @Test func clearedRangesOmitMessagesInFlight() {
    var bench = benchWithForbidden(257)
    for sequence in bench.outbox.head.map(\.message.sequence) {
      _ = bench.outbox.refused(sequence, deadlines: &bench.deadlines, at: bench.now)
      bench.outbox.kept(sequence, deadlines: &bench.deadlines, at: bench.now)
    }
    for _ in 0..<2 { bench.add("b", isEvent: true) }
    bench.add("a", isEvent: true)
    bench.pass(1)
    while bench.diskAnswers() {}
    #expect(bench.unanswered.suffix(2).map(\.sequence) == [258, 259] && bench.disk.count == 49)
    #expect(bench.clear() == 47)
    guard case .store(_, let writes)? = bench.orders.last else {
      Issue.record("nothing is written")
      return
    }
    let ranges = writes.filter { if case .removeRange = $0 { true } else { false } }
    #expect(
      ranges == [.removeRange(after: 211, through: 257), .removeRange(after: 259, through: 260)])
    while bench.diskAnswers() {}
    #expect(bench.disk.keys.sorted() == [258, 259] && bench.outbox.count == 2)
    #expect(bench.outbox.inconsistency == nil)
  }

  /// However many they are, each has one that may ask.
  @Test func eachTopicKeepsOneAtLeast() {
    var bench = OutboxBench(limit: 10_000)
    let topics = (1...200).map { "topic \($0)" }
    bench.closed = Set(topics)
    bench.connect()
    for topic in topics + topics.prefix(57) {
      bench.add(topic, isEvent: true)
      while bench.diskAnswers() || bench.brokerAnswers() {}
    }
    #expect(bench.outbox.head.count == 201 && bench.outbox.setAside?.count == 56)
  }

  /// Five minutes lie between two readings, whatever opens.
  @Test func itIsNotReadAgainSoon() {
    var bench = benchWithForbidden(257)
    bench.outbox.reloadedAt = bench.now
    bench.outbox.holds.hasOpened = true
    for (seconds, isRead) in [(0.0, false), (299.9, false), (300, true)] {
      bench.deadlines[.askAgain] = nil
      let time = bench.now + .seconds(seconds)
      bench.outbox.considerReloading(isWithoutProbe: false, &bench.deadlines, at: time)
      #expect((bench.outbox.setAside == nil) == isRead)
      #expect(bench.deadlines[.askAgain] == (isRead ? nil : bench.now + .seconds(300)))
    }
    #expect(bench.outbox.reloadedAt == bench.now + .seconds(300) && bench.outbox.backlog.unloaded == 46)
  }

  @Test func theNextProbeMayBeOneThatIsStillToBeRead() {
    var bench = benchWithForbidden(257)
    let probe = bench.outbox.holds.next(after: bench.now)
    #expect(probe != nil && bench.outbox.nextProbe(after: bench.now) == probe)
    bench.outbox.reloadedAt = bench.now
    let reading = bench.now + .seconds(300)
    #expect(bench.outbox.nextProbe(after: bench.now) == probe)
    #expect(bench.outbox.nextProbe(after: bench.now + .seconds(20)) == reading)
    #expect(bench.outbox.nextProbe(after: reading) == nil)
    bench.outbox.setAside = nil
    #expect(bench.outbox.nextProbe(after: bench.now + .seconds(20)) == nil)
    #expect(!bench.outbox.isWithoutProbe(at: reading))
  }

  /// The broker has refused for good all that stayed to ask.
  @Test func whereAllProbesAreGoneTheRestIsReadAgain() {
    var bench = benchWithForbidden(257)
    for sequence in bench.outbox.head.map(\.message.sequence) {
      _ = bench.outbox.refused(sequence, deadlines: &bench.deadlines, at: bench.now)
      bench.outbox.kept(sequence, deadlines: &bench.deadlines, at: bench.now)
    }
    bench.turn()
    #expect(bench.outbox.count == 46 && bench.outbox.setAside?.count == 46)
    bench.pass(10)
    #expect(bench.outbox.setAside == nil && bench.outbox.backlog.unloaded == 46)
    bench.runDry(for: 5)
    #expect(bench.sent.last == 212)
  }

  /// First goes what waits for the window, for the disk, or to travel alone.
  @Test(arguments: 0..<3) func nothingIsReadAgainWhileSomethingElseWaits(_ reason: Int) {
    var bench = benchWithForbidden(257)
    for sequence in bench.outbox.head.map(\.message.sequence) {
      _ = bench.outbox.refused(sequence, deadlines: &bench.deadlines, at: bench.now)
      bench.outbox.kept(sequence, deadlines: &bench.deadlines, at: bench.now)
    }
    switch reason {
    case 0: for _ in 0..<21 { bench.add("b") }
    case 1:
      bench.isDiskStuck = true
      bench.add("b", isEvent: true)
    default:
      bench.add("b")
      for _ in 0..<2 {
        bench.disconnect(.closed)
        bench.connect()
      }
      #expect(bench.endedOver == [258])
      bench.add("b")
      bench.add("c")
    }
    bench.pass(10)
    #expect(bench.outbox.setAside != nil)
    bench.isDiskStuck = false
    for _ in 0..<40 where bench.diskAnswers() || bench.brokerAnswers("b") {}
    #expect(bench.outbox.setAside == nil)
  }

  /// Nothing of it was opened since: what was opened before has to do with other messages.
  @Test func topicOpenedBeforeSetAsideTriggersNoReload() {
    var bench = OutboxBench(limit: 10_000)
    bench.closed = ["b"]
    bench.connect()
    bench.add("b")
    bench.brokerAnswers()
    bench.closed = ["a"]
    bench.pass(10)
    bench.brokerAnswers()
    #expect(bench.outbox.holds.hasOpened)
    for _ in 0..<257 {
      bench.add("a", isEvent: true)
      bench.diskAnswers()
    }
    bench.runDry(for: 5)
    #expect(bench.outbox.setAside != nil && bench.outbox.reloadedAt == nil)
  }

  /// Anything in any order: each topic arrives whole and in order, and the counts are true.
  @Test(arguments: UInt64(1)...12) func nothingIsLostInAnyOrderOfThings(seed: UInt64) {
    var dice = Dice(seed: seed)
    var bench = OutboxBench(limit: dice.whole(0...1) == 0 ? 100_000 : 700)
    let topics = ["a", "b", "c", "d"]
    bench.connect()
    for step in 0..<6000 {
      switch dice.whole(0...99) {
      case 0: bench.closed.formSymmetricDifference([topics[dice.whole(0...3)]])
      case 1: if bench.isConnected { bench.disconnect() } else { bench.connect() }
      case 2: bench.pass(Double(dice.whole(0...119)))
      case 3...50: bench.add(topics[dice.whole(0...3)], isEvent: dice.whole(0...1) == 0)
      case 51...75: bench.diskAnswers()
      default: bench.brokerAnswers()
      }
      if step % 50 == 0 { #expect(isSorted(bench.outbox.head.map(\.message.sequence))) }
    }
    bench.closed = []
    if !bench.isConnected { bench.connect() }
    bench.runDry()
    #expect(bench.outbox.count == 0 && bench.outbox.backlog.unloaded == 0 && bench.outbox.setAside == nil)
    #expect(bench.outbox.window.inFlight == 0 && bench.disk.isEmpty)
    #expect(Set(bench.taken.map(\.sequence)).count + bench.outbox.record.dropped == bench.made)
    #expect(Set(bench.taken.filter(\.isEvent).map(\.sequence)).count == bench.madeEvents)
    for topic in topics { #expect(isSorted(bench.inOrder(topic)), "\(topic)") }
  }

  /// Connected; events of the topic "a" wait, which is closed.
  private func benchWithForbidden(_ count: Int, window: Int = 200) -> OutboxBench {
    var bench = OutboxBench(limit: 100_000, window: window)
    bench.closed = ["a"]
    bench.connect()
    for _ in 0..<count {
      bench.add("a", isEvent: true)
      bench.diskAnswers()
    }
    bench.runDry(for: 5)
    return bench
  }

  private func isSorted(_ numbers: [UInt64]) -> Bool { zip(numbers, numbers.dropFirst()).allSatisfy(<) }
}
