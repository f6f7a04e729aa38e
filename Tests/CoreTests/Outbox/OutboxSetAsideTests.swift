import Model
import Testing
import Timebase

@testable import Core

/// A topic that the broker takes nothing on must not stop the others, however much waits of it.
struct OutboxSetAsideTests {
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
  @Test func whatIsKeptWhileOlderIsReadStopsNothing() {
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
  @Test func whatIsNotOnTheDiskYetDoesNotOvertakeWhatIsReadAgain() {
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
  @Test func aDeadDiskDoesNotStopWhatIsInMemory() {
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

  @Test func clearingForgetsWhatIsSetAsideAndKeepsWhatIsUnderWay() {
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
