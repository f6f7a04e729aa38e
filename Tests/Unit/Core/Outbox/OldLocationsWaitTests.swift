import Model
import Testing
import Timebase

@testable import Core

/// Old locations in the queue, with a disk that does not answer, other ways out and another wish of the owner's.
struct OldLocationsWaitTests {
  private func parts(_ bench: OutboxBench) -> [Int] { [bench.outbox.head.count, bench.outbox.tail.count] }

  @Test func thoseThatWaitTakeNoRoomFromOthers() {
    var bench = OutboxBench(limit: 10_000, policy: .wifi)
    bench.isDiskStuck = true
    bench.way(isFree: true)
    for _ in 0..<600 { bench.add() }
    bench.pass(61)
    for _ in 0..<700 { bench.add() }
    #expect(parts(bench) == [512, 788] && bench.outbox.waitingOld == 0)
    // Over HTTP no connection comes up with it. The old ones join, and as many others as there is room for.
    bench.way(isFree: false)
    #expect(parts(bench) == [600 + 512, 188])
    #expect(bench.outbox.waitingOld == 600 && bench.outbox.pending == 700)
    bench.add()
    #expect(parts(bench) == [600 + 512, 189] && bench.outbox.inconsistency == nil)
  }

  @Test func aConnectionFindsOutWhichWait() {
    var bench = OutboxBench(limit: 10_000, policy: .wifi)
    bench.isDiskStuck = true
    for _ in 0..<600 { bench.add() }
    bench.pass(61)
    #expect(parts(bench) == [512, 88] && bench.outbox.waitingOld == 0)
    bench.connect()
    #expect(parts(bench) == [600, 0] && bench.outbox.waitingOld == 599 && bench.sent == [600])
  }

  /// Only a connection decides what goes for good.
  @Test func anotherWayOutDropsNothing() {
    var bench = OutboxBench(limit: 100, policy: .never)
    for _ in 0..<3 { bench.add() }
    bench.pass(61)
    bench.way(isFree: true)
    #expect(bench.outbox.old.through == 0 && bench.outbox.count == 3)
    bench.connect()
    #expect(bench.outbox.old.through == 3 && bench.outbox.count == 1 && bench.sent == [3])
  }

  @Test func anotherWishCountsFromTheNextConnectionOnWhereThereIsNone() {
    var bench = OutboxBench(limit: 100)
    for _ in 0..<5 { bench.add() }
    bench.pass(61)
    bench.keepOld(.never)
    #expect(bench.outbox.count == 5)
    bench.connect()
    #expect(bench.outbox.count == 1 && bench.outbox.status(at: bench.now).droppedOld == 4)
  }

  /// Two may be under way at once; what goes leaves the disk in company.
  @Test func inFlightLocationsAreNotDropped() {
    var bench = OutboxBench(limit: 100, window: 2)
    bench.connect()
    for _ in 0..<5 { bench.add() }
    #expect(bench.deadlines[.groupCommit] == bench.now + .milliseconds(900))
    bench.pass(61)
    #expect(bench.deadlines[.groupCommit] == nil)
    bench.keepOld(.never)
    #expect(bench.outbox.head.map(\.message.sequence) == [1, 2, 5] && bench.outbox.window.inFlight == 2)
    #expect(bench.outbox.status(at: bench.now).droppedOld == 2)
    #expect(bench.deadlines[.groupCommit] == bench.now + .milliseconds(200))
    // The same wish once more changes nothing.
    bench.pass(61)
    bench.keepOld(.never)
    #expect(bench.outbox.count == 3 && bench.deadlines[.groupCommit] == nil)
  }

  /// They are looked for on the disk as soon as nothing holds them back, so that they are there with the connection.
  @Test func setAsideOldLocationsReturnToBacklogOnWiFi() {
    var bench = OutboxBench(limit: 10_000, policy: .wifi)
    for _ in 0..<600 { bench.add() }
    bench.pass(61)
    while bench.diskAnswers() {}
    bench.connect()
    bench.runDry(for: 5)
    #expect(bench.taken.map(\.sequence) == [600] && bench.outbox.setAside?.old?.count == 599)
    bench.disconnect()
    bench.way(isFree: true)
    #expect(bench.outbox.setAside == nil && bench.outbox.backlog.unloaded == 599)
    #expect(bench.outbox.inconsistency == nil)
  }

  /// A topic that was open again before they were set aside has nothing to do with them.
  @Test func openedTopicDoesNotReloadOldLocations() {
    var bench = OutboxBench(stored: 10, limit: 100, policy: .wifi)
    bench.outbox.holds.hasOpened = true
    bench.connect()
    while bench.diskAnswers() {}
    #expect(bench.outbox.setAside?.count == 10 && bench.outbox.setAside?.old?.first == 1)
    #expect(bench.readings == 1 && bench.outbox.reloadedAt == nil)
  }

  /// Of a queue from an earlier start, once all of it has been read.
  @Test func waitingCountIsReportedOnceQueueIsRead() {
    var bench = OutboxBench(stored: 10, limit: 100, policy: .wifi)
    bench.connect()
    #expect(bench.news() == nil)
    while bench.diskAnswers() {}
    #expect(bench.outbox.waitingOld == 10 && bench.outbox.pending == 0)
    #expect(bench.news() == .backlogWaits(count: 10) && bench.news() == nil)
    bench.disconnect()
    bench.connect()
    bench.disconnect()
    #expect(bench.news() == nil)
  }

  @Test(arguments: [.always, .wifi, .never] as [Configuration.Backlog])
  func whereNothingIsOldNothingWaits(policy: Configuration.Backlog) {
    var bench = OutboxBench(limit: 100, policy: policy)
    for _ in 0..<3 { bench.add() }
    bench.connect()
    #expect(bench.outbox.waitingOld == 0 && bench.outbox.pending == 3 && bench.news() == nil)
    #expect(bench.unanswered.allSatisfy(\.isRetained) && bench.unanswered.count == 3)
  }

  @Test func whereNothingWasDroppedNothingIsWritten() {
    var bench = OutboxBench(limit: 100, policy: .never)
    bench.connect()
    #expect(bench.deadlines.next == nil)
  }

  /// What was refused once and goes again is no place, however new its number is.
  @Test func resentMessageDoesNotMakeLastLocationOld() {
    var bench = OutboxBench(limit: 100, policy: .never)
    bench.add()
    let again = Message(topic: "e", payload: [], qos: 1, isRetained: false, isEvent: true, time: 1)
    let first = bench.outbox.firstOfRefused
    // A million more may be made before it is there.
    #expect(first == 2 + 1 << 20)
    bench.outbox.takeAgain(
      RefusedMessages(first: first, messages: [again]), deadlines: &bench.deadlines, at: bench.now)
    bench.pass(61)
    while bench.diskAnswers() {}
    bench.connect()
    #expect(bench.sent == [1, first] && bench.outbox.nextSequence == first + 1)
  }
}
