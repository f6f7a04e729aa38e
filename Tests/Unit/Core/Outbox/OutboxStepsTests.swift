import Model
import Testing
import Timebase

@testable import Core

/// What the queue does when, to the millisecond, and what of it is in memory.
struct OutboxStepsTests {
  /// Connected, with locations under way.
  private func sending(_ count: Int, isOnTheDisk: Bool = false) -> OutboxBench {
    var bench = OutboxBench(limit: 10_000)
    bench.connect()
    for _ in 0..<count { bench.add() }
    if isOnTheDisk {
      bench.pass(1)
      while bench.diskAnswers() {}
    }
    #expect(bench.disk.count == (isOnTheDisk ? count : 0))
    return bench
  }

  private func isStore(_ effect: Effect?) -> Bool { if case .store? = effect { true } else { false } }

  // MARK: When something is written

  @Test func aLocationIsWrittenAfterNineTenthsOfASecond() {
    let bench = sending(1)
    #expect(bench.deadlines[.groupCommit] == bench.now + .milliseconds(900))
  }

  @Test func deliveryBeforeCommitCancelsGroupCommit() {
    var bench = sending(2)
    bench.brokerAnswers()
    #expect(bench.deadlines[.groupCommit] == bench.now + .milliseconds(900))
    bench.brokerAnswers()
    #expect(bench.deadlines[.groupCommit] == nil && bench.orders.isEmpty)
    #expect(bench.outbox.unwritten.count == 0)
  }

  /// Of one that was taken, or refused and kept; it is not written at once.
  @Test(arguments: [false, true]) func aRemovalWaitsAMomentForCompany(isTaken: Bool) {
    var bench = sending(2, isOnTheDisk: true)
    if isTaken {
      bench.brokerAnswers()
    } else {
      _ = bench.outbox.refused(1, deadlines: &bench.deadlines, at: bench.now)
      #expect(bench.deadlines[.groupCommit] == nil, "it is not kept yet")
      bench.outbox.kept(1, deadlines: &bench.deadlines, at: bench.now)
      bench.turn()
    }
    #expect(bench.deadlines[.groupCommit] == bench.now + .milliseconds(200) && bench.orders.isEmpty)
    bench.pass(0.2)
    #expect(bench.orders.count == 1 && isStore(bench.orders.first))
  }

  @Test func refusalBeforeWriteDoesNotHastenCommit() {
    var bench = sending(2)
    _ = bench.outbox.refused(1, deadlines: &bench.deadlines, at: bench.now)
    #expect(bench.deadlines[.groupCommit] == bench.now + .milliseconds(900))
  }

  @Test func aDiskThatFailedIsTriedAgainAfterTenSeconds() {
    var bench = sending(1)
    bench.isDiskFailing = true
    bench.pass(1)
    bench.diskAnswers()
    #expect(bench.deadlines[.storeRetry] == bench.now + .seconds(10))
    bench.pass(9.9)
    #expect(bench.orders.isEmpty)
    bench.pass(0.2)
    #expect(isStore(bench.orders.first))
  }

  /// Everything that it did not take was delivered meanwhile: whether it takes anything shows with what comes next.
  @Test func aDiskThatIsAskedForNothingAnyMoreIsBelievedAgain() {
    var bench = sending(1)
    bench.isDiskFailing = true
    bench.pass(1)
    bench.diskAnswers()
    bench.brokerAnswers()
    bench.pass(5)
    #expect(bench.outbox.isStoreFailing)
    bench.pass(6)
    #expect(!bench.outbox.isStoreFailing && bench.orders.isEmpty)
  }

  @Test func pointsThatWentWithABatchAreNotWaitedFor() throws {
    var bench = sending(1)
    let here = try #require(Coordinate(latitude: 48, longitude: 11))
    let fix = Fix(time: WallTime(seconds: 1), coordinate: here, accuracy: 5)
    let point = LocationReport(
      fix: fix, time: WallTime(seconds: 1), created: nil, trigger: .automatic, mode: .move)
    bench.outbox.remember(point: .location(point), deadlines: &bench.deadlines, at: bench.now)
    #expect(bench.deadlines[.history] == bench.now + .seconds(60) && bench.outbox.waitingPoints == 1)
    bench.pass(1)
    #expect(isStore(bench.orders.first) && bench.deadlines[.history] == nil)
    #expect(bench.outbox.waitingPoints == 0)
  }

  // MARK: Who is told, and when

  private func said(_ bench: inout OutboxBench) -> String? {
    var effects: [Effect] = []
    bench.outbox.act(deadlines: &bench.deadlines, at: bench.now, into: &effects)
    for case .answer(.done(let text), _) in effects { return text }
    return nil
  }

  @Test func answerWithoutPendingWritesIsImmediate() {
    var bench = OutboxBench(limit: 100)
    bench.outbox.whenDurable(.answer(.done("x"), to: 1))
    #expect(said(&bench) == "x")
  }

  @Test func answerWaitsUntilEventsAreStored() {
    var bench = OutboxBench(limit: 100)
    for _ in 0..<2 { bench.add("e", isEvent: true) }
    bench.outbox.whenDurable(.answer(.done("x"), to: 1))
    #expect(said(&bench) == nil)
    // The second waits for the first to be written.
    bench.outbox.stored(1)
    #expect(said(&bench) == nil)
    bench.outbox.stored(2)
    #expect(said(&bench) == "x")
  }

  /// A question says nothing of the disk; an order does, where the disk takes nothing.
  @Test(arguments: [false, true]) func onlyAnswersWithWritesSayInMemoryOnly(isOrder: Bool) {
    var bench = OutboxBench(limit: 100)
    bench.isDiskFailing = true
    if isOrder { bench.add("e", isEvent: true) }
    bench.outbox.whenDurable(.answer(.done("x"), to: 1))
    bench.outbox.storeFailed(0, deadlines: &bench.deadlines, at: bench.now)
    #expect(said(&bench)?.contains("in memory only") == isOrder)
  }

  // MARK: What is sent again

  @Test func returnedMessageIsResentAfterOneSecond() {
    var bench = sending(1)
    bench.outbox.sendFailed(1, deadlines: &bench.deadlines, at: bench.now)
    #expect(bench.deadlines[.sendAgain] == bench.now + .seconds(1))
    bench.pass(0.9)
    #expect(bench.sent == [1])
    bench.pass(0.2)
    #expect(bench.sent == [1, 1] && bench.outbox.record.resent == 1)
  }

  /// Each topic is asked for in its own time.
  @Test func twoClosedTopicsAreProbedEachInItsTurn() {
    var bench = OutboxBench(limit: 100)
    bench.closed = ["a", "b"]
    bench.connect()
    bench.add("a")
    bench.brokerAnswers()
    bench.pass(4)
    bench.add("b")
    bench.brokerAnswers()
    #expect(bench.deadlines[.askAgain] == bench.now + .seconds(6))
    bench.pass(6)
    bench.brokerAnswers()
    #expect(bench.deadlines[.askAgain] == bench.now + .seconds(4))
    bench.pass(4)
    #expect(bench.sent == [1, 2, 1, 2])
  }

  @Test func aRefusalOpensNoTopic() {
    var bench = OutboxBench(limit: 100)
    bench.closed = ["a"]
    bench.connect()
    for _ in 0..<3 { bench.add("a") }
    while bench.brokerAnswers() {}
    bench.pass(10)
    #expect(bench.sent == [1, 2, 3, 1])
    _ = bench.outbox.refused(1, deadlines: &bench.deadlines, at: bench.now)
    #expect(bench.outbox.status(at: bench.now).held == ["a"])
  }

  @Test func topicOfQueuedMessageIsFoundBySequence() {
    var bench = OutboxBench(limit: 100)
    for topic in ["a", "b"] { bench.add(topic) }
    #expect(bench.outbox.topic(of: 1) == "a" && bench.outbox.topic(of: 2) == "b")
    #expect(bench.outbox.topic(of: 3) == nil)
    bench.connect()
    bench.brokerAnswers("a")
    #expect(bench.outbox.topic(of: 1) == nil && bench.outbox.topic(of: 2) == "b")
  }

  // MARK: Connections that end over a message

  /// Two connections have ended over the first message of "a".
  private func overTheFirst() -> OutboxBench {
    var bench = OutboxBench(limit: 100)
    bench.connect()
    bench.add("a")
    for _ in 0..<2 {
      bench.disconnect(.closed)
      bench.connect()
    }
    #expect(bench.endedOver == [1])
    return bench
  }

  /// It is under way by itself, and nothing else goes until its answer is there, or it comes back.
  @Test(arguments: [false, true]) func messageOnSuspectTopicTravelsAlone(comesBack: Bool) {
    var bench = overTheFirst()
    bench.add("a")
    #expect(bench.sent.last == 2)
    bench.add("b")
    #expect(bench.sent.last == 2)
    if comesBack {
      bench.outbox.sendFailed(2, deadlines: &bench.deadlines, at: bench.now)
      bench.add("b")
      #expect(bench.sent == [1, 2])
      bench.pass(1)
      #expect(bench.sent == [1, 2, 2] && bench.outbox.window.inFlight == 1)
    } else {
      bench.brokerAnswers("a")
      #expect(bench.sent.last == 3)
    }
  }

  /// It was not taken either: what comes after it still travels alone.
  @Test func turnedAwayItAcquitsItselfAndNotItsTopic() {
    var bench = overTheFirst()
    bench.closed = ["a"]
    bench.add("a")
    bench.brokerAnswers("a")
    let next = Message(topic: "a", payload: [], qos: 1, isRetained: false, isEvent: false, time: 0)
    #expect(!bench.outbox.suspects.hasRoom(for: next, whileInFlight: 1))
  }

  /// An answer came between two ends: they have nothing to do with it.
  @Test func postponedMessageIsNotBlamedForConnectionEnds() {
    var bench = OutboxBench(limit: 100)
    bench.closed = ["a"]
    bench.connect()
    bench.add("a")
    bench.disconnect(.closed)
    bench.connect()
    bench.brokerAnswers()
    bench.pass(10)
    #expect(bench.sent == [1, 1])
    bench.disconnect(.closed)
    #expect(bench.endedOver.isEmpty)
  }

  /// Nobody answers it: no connection ends over it, and there is nothing to be taken back.
  @Test func qosZeroMessageIsNotTakenBackOnDisconnect() {
    var outbox = Outbox(
      snapshot: Snapshot(), limit: 100, byteLimit: 1000, windowLimit: 20, policy: .wifi)
    var deadlines = Deadlines()
    var effects: [Effect] = []
    outbox.connected(receiveMaximum: nil)
    outbox.enqueue(
      Message(topic: "t", payload: [], qos: 0, isRetained: false, isEvent: false, time: 0), isPlace: true,
      deadlines: &deadlines, at: .zero)
    outbox.act(deadlines: &deadlines, at: .zero, into: &effects)
    #expect(outbox.window.inFlight == 1)
    for _ in 0..<2 {
      let order = outbox.disconnected(ConnectionEnd(.closed), deadlines: &deadlines, at: .zero)
      #expect(order == nil)
      outbox.connected(receiveMaximum: nil)
    }
  }
}
