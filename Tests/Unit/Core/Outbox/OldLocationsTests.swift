import Model
import Testing
import Timebase

@testable import Core

// behaviour: Old locations
/// The key `backlog`: what becomes of locations that waited for a connection.
struct OldLocationsTests {
  /// A board out of reach: a location every 10 s, an event with each tenth.
  private func driven(_ count: Int, _ policy: Configuration.Backlog, stored: Int = 0) -> OutboxBench {
    var bench = OutboxBench(stored: stored, limit: 1_000_000, policy: policy)
    for number in 1...count {
      bench.pass(10)
      bench.add("t")
      if number % 10 == 0 { bench.add("event", isEvent: true) }
      while bench.diskAnswers() {}
    }
    return bench
  }

  /// The library sends again what was under way, over whatever way out there is then: only where that is all the same
  /// does it stay there.
  @Test(arguments: [.always, .wifi, .never] as [Configuration.Backlog])
  func libraryKeepsInFlightOnlyWithBacklogAlways(_ policy: Configuration.Backlog) {
    var bench = OutboxBench(limit: 1_000_000, policy: policy)
    bench.connect()
    for _ in 0..<5 { bench.add("t") }
    while bench.diskAnswers() {}
    #expect(bench.unanswered.count == 5)
    bench.disconnect(.closed)
    #expect(bench.unanswered.count == (policy == .always ? 5 : 0))
    #expect(bench.outbox.record.resent == (policy == .always ? 0 : 5))
    bench.disconnect(.closed)
    #expect(bench.outbox.record.resent == (policy == .always ? 0 : 5))
  }

  @Test func theHeadIsFilledToItsLimitAndNoFurther() {
    var bench = OutboxBench(limit: 1_000_000)
    bench.isDiskStuck = true
    for _ in 1..<Outbox.headLimit { bench.add("t") }
    #expect(bench.outbox.head.count == Outbox.headLimit - 1 && bench.outbox.tail.isEmpty)
    bench.add("t")
    #expect(bench.outbox.head.count == Outbox.headLimit && bench.outbox.tail.isEmpty)
    bench.add("t")
    #expect(bench.outbox.head.count == Outbox.headLimit && bench.outbox.tail.count == 1)
  }

  private func locations(_ bench: OutboxBench) -> [UInt64] {
    bench.taken.filter { !$0.isEvent }.map(\.sequence)
  }

  /// 30 are in the head, 200 nearly fill it, of 900 most wait on the disk alone.
  @Test(arguments: [30, 200, 900]) func overMobileNothingOldGoesAndOverWiFiAllDoes(count: Int) {
    var bench = driven(count, .wifi)
    let all = bench.made
    bench.connect()
    bench.runDry(for: 600)
    // The youngest is as old as the connection, the sixth before it 60 s.
    #expect(locations(bench).count == 6 && bench.taken.count == 6 + count / 10)
    #expect(bench.news() == .backlogWaits(count: count - 6))
    #expect(bench.outbox.waitingOld == count - 6 && bench.outbox.pending == 0)
    for _ in 0..<20 { bench.add("t") }
    bench.runDry(for: 600)
    #expect(locations(bench).count == 26 && bench.outbox.head.count <= Outbox.headLimit)
    bench.disconnect(.closed)
    bench.pass(100)
    bench.connect()
    bench.runDry(for: 600)
    #expect(locations(bench).count == 26)
    bench.way(isFree: true)
    bench.runDry(for: 600)
    #expect(bench.taken.count == all + 20 && Set(bench.taken.map(\.sequence)).count == all + 20)
    let late = locations(bench).dropFirst(26)
    #expect(Array(late) == late.sorted() && late.count == count - 6)
    #expect(bench.outbox.count == 0 && bench.disk.isEmpty && bench.outbox.setAside == nil)
    #expect(bench.outbox.inconsistency == nil)
  }

  @Test(arguments: [30, 200, 900]) func backlogNeverKeepsLastMinuteAndEvents(count: Int) {
    var bench = driven(count, .never)
    bench.way(isFree: true)
    bench.connect()
    bench.runDry(for: 600)
    #expect(locations(bench).count == 6 && bench.taken.count == 6 + count / 10)
    #expect(bench.news() == .backlogDropped(count: count - 6) && bench.news() == nil)
    bench.runDry(for: 600)
    #expect(bench.outbox.count == 0 && bench.disk.isEmpty)
    #expect(bench.outbox.status(at: bench.now).droppedOld == count - 6)
  }

  @Test func byDefaultAllGoesInOrder() {
    var bench = driven(1000, .always)
    bench.connect()
    bench.runDry(for: 600)
    #expect(bench.taken.count == 1100 && bench.taken.map(\.sequence) == Array(1...1100))
    #expect(bench.taken.allSatisfy { $0.isRetained != $0.isEvent } && bench.news() == nil)
  }

  /// The driver of a car that was parked without coverage wants to see where it is.
  @Test(arguments: [Configuration.Backlog.wifi, .never])
  func theNewestLocationGoesHoweverOldItIs(policy: Configuration.Backlog) {
    var bench = driven(100, policy)
    bench.pass(3600)
    bench.connect()
    bench.runDry(for: 60)
    #expect(locations(bench) == [109])
  }

  @Test(arguments: [Configuration.Backlog.wifi, .never])
  func aShortGapKeepsNothingBack(policy: Configuration.Backlog) {
    var bench = OutboxBench(limit: 1000, policy: policy)
    for _ in 0..<59 {
      bench.add("t")
      bench.pass(1)
    }
    bench.connect()
    bench.runDry(for: 60)
    #expect(bench.taken.count == 59 && bench.taken.allSatisfy(\.isRetained))
  }

  /// A broker that keeps the last location would show the first place of a drive as the present one.
  @Test func oldLocationsAreSentUnretained() {
    var bench = driven(100, .wifi)
    bench.connect()
    bench.runDry(for: 60)
    bench.way(isFree: true)
    bench.runDry(for: 60)
    let kept = bench.taken.filter(\.isRetained).map(\.sequence)
    #expect(kept == Array(104...109) && bench.taken.count == 110)
  }

  /// What the library has in its hands would go with the next connection, whatever that goes over.
  @Test func aDrainThatIsCutGoesNoFurtherOverMobile() {
    var bench = driven(2000, .wifi)
    bench.way(isFree: true)
    bench.connect()
    for _ in 0..<500 where bench.diskAnswers() || bench.brokerAnswers() {}
    #expect(bench.unanswered.count > 20)
    bench.way(isFree: false)
    bench.disconnect(.closed)
    #expect(bench.unanswered.isEmpty)
    let before = locations(bench).count
    bench.pass(5)
    bench.connect()
    bench.runDry(for: 600)
    // The newest, and what is younger than a minute.
    #expect(locations(bench).count - before == 6)
    bench.way(isFree: true)
    bench.runDry(for: 600)
    #expect(Set(bench.taken.map(\.sequence)).count == 2200 && bench.outbox.count == 0)
  }

  @Test func queueFromEarlierStartIsOld() {
    var bench = OutboxBench(stored: 1000, limit: 10_000, policy: .wifi)
    bench.connect()
    bench.add("t")
    bench.runDry(for: 60)
    #expect(locations(bench) == [1001])
    bench.way(isFree: true)
    bench.runDry(for: 60)
    #expect(bench.taken.count == 1001 && bench.taken.dropFirst().allSatisfy { !$0.isRetained })
  }

  /// Unless it is the last place that was told.
  @Test func theLastPlaceOfAnEarlierStartGoes() throws {
    let place = try #require(Coordinate(latitude: 48, longitude: 11))
    let told = Fix(time: WallTime(seconds: 1000.4), coordinate: place, accuracy: 5)
    var bench = OutboxBench(stored: 1000, limit: 10_000, policy: .never, lastPublished: told)
    bench.connect()
    bench.runDry(for: 60)
    #expect(locations(bench) == [1000] && bench.outbox.count == 0 && bench.disk.isEmpty)
  }

  /// A disk that takes nothing: what waits fills the memory, and must not hold up what is new.
  @Test func aBrokenDiskDoesNotHoldUpTheNew() {
    var bench = OutboxBench(limit: 100_000, policy: .wifi)
    bench.isDiskFailing = true
    for _ in 0..<1200 {
      bench.pass(10)
      bench.add("t")
      while bench.diskAnswers() {}
    }
    bench.connect()
    bench.add("t")
    bench.runDry(for: 30)
    #expect(locations(bench).count == 7)
    #expect(bench.outbox.waitingOld == 1194)
    bench.isDiskFailing = false
    bench.runDry(for: 60)
    bench.way(isFree: true)
    bench.runDry(for: 60)
    #expect(bench.taken.count == 1201 && bench.outbox.count == 0 && bench.disk.isEmpty)
  }

  @Test func aChangeOfTheKeyCountsAtOnce() {
    var bench = driven(1000, .wifi)
    bench.connect()
    bench.runDry(for: 60)
    #expect(bench.outbox.waitingOld == 994)
    bench.keepOld(.always)
    bench.runDry(for: 60)
    #expect(bench.taken.count == 1100 && bench.outbox.count == 0)
    var other = driven(1000, .wifi)
    other.connect()
    other.runDry(for: 60)
    other.keepOld(.never)
    other.runDry(for: 60)
    #expect(other.taken.count == 106 && other.outbox.count == 0 && other.disk.isEmpty)
  }

  @Test func aFullQueueIsThinnedWhileOldLocationsWait() {
    var bench = OutboxBench(limit: 600, policy: .wifi)
    bench.connect()
    for round in 0..<6 {
      bench.disconnect(.closed)
      for _ in 0..<200 {
        bench.pass(10)
        bench.add("t")
        while bench.diskAnswers() {}
      }
      bench.connect()
      bench.runDry(for: 60)
      #expect(locations(bench).count == 6 * (round + 1))
    }
    #expect(bench.outbox.count <= 600 && bench.outbox.record.dropped > 400)
    bench.way(isFree: true)
    bench.runDry(for: 600)
    #expect(bench.taken.count + bench.outbox.record.dropped == 1200 && bench.outbox.count == 0)
  }

  /// Whatever comes between: over mobile nothing old goes, in the end everything has gone, and nothing disagrees.
  @Test(arguments: 1...6) func aLongJourneyWithEveryHindrance(seed: Int) {
    var journey = Journey(seed: UInt64(seed))
    for _ in 0..<100 { journey.step() }
    #expect(journey.wrong.isEmpty, "\(journey.wrong.prefix(3))")
    journey.arrive()
    #expect(Set(journey.bench.taken.map(\.sequence)) == Set(1...UInt64(journey.bench.made)))
    #expect(journey.bench.outbox.count == 0 && journey.bench.disk.isEmpty)
    #expect(journey.oldSent > 0 || journey.heldBack > 0)
  }

  /// A board that goes in and out of reach of modem and WiFi, and keeps a record of its own of what is old.
  private struct Journey {
    var bench = OutboxBench(limit: 1_000_000, policy: .wifi)
    var wrong: [String] = []
    private(set) var oldSent = 0
    private(set) var heldBack = 0
    private var state: UInt64
    private var made: [(at: Instant, isEvent: Bool)] = []
    private var isFree = false
    private var old: Int = 0
    private var seen = 0

    init(seed: UInt64) { state = seed }

    private mutating func below(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(limit))
    }

    mutating func step() {
      switch below(9) {
      case 0...2: drive(for: below(60))
      case 3: drive(for: below(300))
      case 4: bench.isConnected ? disconnect() : connect()
      case 5: changeWay()
      case 6: for _ in 0..<below(300) { bench.diskAnswers() }
      case 7: for _ in 0..<below(100) { bench.brokerAnswers() }
      default: bench.runDry(for: Double(below(30)))
      }
      check()
    }

    private mutating func drive(for count: Int) {
      for _ in 0..<count {
        bench.pass(5)
        let isEvent = below(8) == 0
        bench.add(isEvent ? "e" : "t", isEvent: isEvent)
        made.append((bench.now, isEvent))
        if below(2) == 0 { bench.diskAnswers() }
        check()
      }
    }

    private mutating func connect() {
      // A second more or less is of no account.
      old = max(old, made.lastIndex { bench.now - $0.at > .seconds(61) }.map { $0 + 1 } ?? 0)
      if !isFree { heldBack += bench.outbox.count }
      bench.connect()
    }

    private mutating func disconnect() {
      let kinds: [ConnectionEnd.Kind] = [.closed, .closed, .left, .silent]
      bench.disconnect(kinds[below(4)], read: below(bench.unanswered.count + 1))
    }

    private mutating func changeWay() {
      isFree.toggle()
      bench.way(isFree: isFree)
      if bench.isConnected { disconnect() }
      bench.pass(2)
      connect()
    }

    private mutating func check() {
      if let fault = bench.outbox.inconsistency { wrong.append(fault) }
      let newest = made.lastIndex { !$0.isEvent }.map { $0 + 1 } ?? 0
      for sequence in bench.sent[seen...].map(Int.init) where sequence <= old && !made[sequence - 1].isEvent {
        if isFree { oldSent += 1 } else if sequence != newest { wrong.append("\(sequence) of \(old) is old") }
      }
      seen = bench.sent.count
    }

    mutating func arrive() {
      if !isFree { changeWay() }
      if !bench.isConnected { connect() }
      bench.runDry(for: 24 * 3600)
    }
  }
}
