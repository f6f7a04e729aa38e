import Model
import Testing
import Timebase

@testable import Core

// behaviour: Batches
/// Which locations leave the queue together, and when.
@Suite struct BatchLaneTests {
  /// What is in a batch can be read here: the numbers of its messages.
  private final class Packer: ReportEncoder {
    var newsTopics: [String] { ["t"] }
    func message(for report: Report) -> Message { fatalError("nothing is reported here") }
    func adopting(_ configuration: Configuration, _ form: ClientIDForm) -> any ReportEncoder { self }

    func batch(of messages: [Message]) -> Message {
      var batch = messages[0]
      batch.topic = "t/batch"
      batch.payload = Array(messages.map { "\($0.sequence)" }.joined(separator: " ").utf8)
      return batch
    }
  }

  /// A queue with a disk that answers at once, and a broker that answers when it is told to.
  private struct Bench {
    var outbox: Outbox
    var deadlines = Deadlines()
    var sent: [String] = []
    private var time = 0.0
    private var newest = 0

    var now: Instant { .zero + .seconds(time) }

    init(span: Double = 60, isConnected: Bool = true) {
      outbox = Outbox(snapshot: Snapshot(), limit: 10_000, byteLimit: 1 << 30, windowLimit: 200)
      outbox.memory = BrokerMemory(span: .zero, topics: ["t"])
      outbox.lane.configured(span: .seconds(span), deadlines: &deadlines, at: now)
      if isConnected { connect() }
    }

    mutating func connect() {
      outbox.connected(receiveMaximum: nil)
      outbox.lane.connected(deadlines: &deadlines, at: now)
      turn()
    }

    mutating func lose(_ kind: ConnectionEnd.Kind = .closed) -> Effect? {
      defer { turn() }
      return outbox.disconnected(ConnectionEnd(kind), deadlines: &deadlines, at: now)
    }

    mutating func add(
      _ topic: String = "t", isEvent: Bool = false, isRetained: Bool = true, qos: Int = 1, bytes: Int = 100
    ) {
      newest += 1
      let message = Message(
        topic: topic, payload: [UInt8](repeating: 0x20, count: bytes), qos: qos, isRetained: isRetained,
        isEvent: isEvent, time: newest)
      outbox.enqueue(message, isPlace: !isEvent, deadlines: &deadlines, at: now)
      turn()
    }

    /// To this second, with every deadline on the way.
    mutating func wait(until end: Double) {
      while let due = deadlines.next, (due - .zero).seconds <= end {
        time = max(time, (due - .zero).seconds)
        deadlines.takeIfDue(.batch, at: now)
        deadlines.takeIfDue(.askAgain, at: now)
        turn()
      }
      time = end
      turn()
    }

    mutating func turn() {
      var effects: [Effect] = []
      repeat {
        effects = []
        outbox.act(deadlines: &deadlines, at: now, packedBy: Packer(), into: &effects)
        for effect in effects {
          if case .send(let message) = effect {
            sent.append(
              message.topic == "t/batch"
                ? String(decoding: message.payload, as: UTF8.self) : "\(message.topic) \(message.sequence)")
          }
          if case .store(let batch, _) = effect { outbox.stored(batch) }
        }
        #expect(outbox.inconsistency == nil)
      } while !effects.isEmpty
    }

    mutating func takeSent() -> [String] {
      defer { sent = [] }
      return sent
    }
  }

  @Test func locationsTravelTogetherOnceTheOldestHasWaited() {
    var bench = Bench()
    bench.add()
    bench.wait(until: 30)
    bench.add()
    bench.wait(until: 59.9)
    bench.add()
    #expect(bench.takeSent() == [])
    bench.wait(until: 60)
    #expect(bench.takeSent() == ["1 2 3"])
    #expect(bench.outbox.window.inFlight == 1)
    bench.outbox.acknowledged([1], deadlines: &bench.deadlines, at: bench.now)
    bench.turn()
    #expect(bench.outbox.count == 0)
    #expect(bench.outbox.window.inFlight == 0)
    // The next one begins a wait of its own.
    bench.add()
    bench.add()
    bench.wait(until: 119)
    #expect(bench.takeSent() == [])
    bench.wait(until: 120)
    #expect(bench.takeSent() == ["4 5"])
  }

  @Test func overAModemOnlyTheLastMinuteTravels() {
    var bench = Bench(span: 100)
    bench.outbox.keepOld(.wifi, at: bench.now)
    bench.add()
    bench.wait(until: 39)
    bench.add()
    bench.wait(until: 41)
    bench.add()
    bench.wait(until: 70)
    bench.add()
    #expect(bench.takeSent() == [])
    bench.wait(until: 100)
    #expect(bench.takeSent() == ["3 4"])
    bench.add("t/event", isEvent: true)
    bench.add()
    #expect(bench.takeSent() == ["t/event 5"])
    bench.outbox.timeChanged(isFree: true, deadlines: &bench.deadlines, at: bench.now)
    bench.turn()
    // Old ones are not for the broker to keep.
    #expect(bench.takeSent() == ["1 2", "t 6"])
  }

  @Test func eventGoesAtOnceBehindTheLocationsBeforeIt() {
    var bench = Bench()
    bench.add()
    bench.add()
    bench.add("t/event", isEvent: true)
    #expect(bench.takeSent() == ["1 2", "t/event 3"])
    // An event of the same topic, as an answer to a person is.
    bench.add()
    bench.add("t", isEvent: true)
    #expect(bench.takeSent() == ["t 4", "t 5"])
  }

  /// Of a topic that was held those between may be on the disk again, until they are read once more.
  @Test func aBatchDoesNotOvertakeThoseThatAreSetAside() {
    var bench = Bench()
    for _ in 0..<4 { bench.add() }
    bench.wait(until: 2)
    let set = bench.outbox.head.remove(at: 1)
    bench.outbox.setAside = Outbox.SetAside(count: 1, first: ["t": set.message.sequence])
    bench.wait(until: 60)
    #expect(bench.takeSent() == ["t 1"])
    (bench.outbox.setAside, bench.outbox.head) = (nil, [bench.outbox.head[0], set] + bench.outbox.head[1...])
    bench.turn()
    bench.wait(until: 120)
    #expect(bench.takeSent() == ["2 3 4"])
  }

  @Test func aBatchPassesOtherTopicsThatAreSetAside() {
    var bench = Bench(isConnected: false)
    bench.add("t/beacon")
    bench.wait(until: 2)
    let set = bench.outbox.head.remove(at: 0)
    bench.outbox.setAside = Outbox.SetAside(count: 1, first: ["t/beacon": set.message.sequence])
    bench.connect()
    bench.add()
    bench.add("t/beacon")
    bench.add()
    #expect(bench.takeSent() == [])
    bench.wait(until: 62)
    #expect(bench.takeSent() == ["2 4"])
  }

  @Test func otherTopicsPassAndLocationsStillWait() {
    var bench = Bench()
    bench.add()
    bench.add("t/beacon")
    bench.add()
    #expect(bench.takeSent() == ["t/beacon 2"])
    bench.wait(until: 60)
    #expect(bench.takeSent() == ["1 3"])
  }

  @Test func fullBatchGoesAtOnce() {
    var bench = Bench()
    for _ in 0..<BatchLimits.most { bench.add() }
    let all = (1...BatchLimits.most).map { "\($0)" }.joined(separator: " ")
    #expect(bench.takeSent() == [all])
    // By bytes: the one that does not fit begins the next.
    for _ in 0..<65 { bench.add(bytes: 1023) }
    #expect(bench.takeSent() == [(241...304).map { "\($0)" }.joined(separator: " ")])
  }

  @Test func aloneItGoesByItself() {
    var bench = Bench()
    bench.add()
    bench.wait(until: 60)
    #expect(bench.takeSent() == ["t 1"])
  }

  @Test func pictureUnacknowledgedAndLaneOffGoAtOnce() {
    var bench = Bench()
    bench.add(bytes: BatchLimits.longest + 1)
    bench.add(qos: 0)
    #expect(bench.takeSent() == ["t 1", "t 2"])
    var off = Bench(span: 0)
    off.add()
    off.add()
    #expect(off.takeSent() == ["t 1", "t 2"])
    #expect(off.deadlines[.batch] == nil)
  }

  @Test func aPlaceTooLargeForABatchOvertakesNoOther() {
    var bench = Bench()
    bench.add()
    bench.add()
    bench.add(bytes: BatchLimits.longest + 1)
    #expect(bench.takeSent() == ["1 2", "t 3"])
  }

  @Test func thoseThatWaitForOthersAreCounted() {
    var bench = Bench()
    bench.add()
    bench.add("t/beacon")
    bench.add()
    #expect(bench.outbox.status(at: bench.now).waitingTogether == 2)
    bench.wait(until: 60)
    #expect(bench.outbox.status(at: bench.now).waitingTogether == 0)
    bench.add()
    #expect(bench.lose() == nil)
    // Without a connection that is all that they wait for.
    #expect(bench.outbox.status(at: bench.now).waitingTogether == 0)
  }

  @Test func retainedAndUnretainedDoNotShareABatch() {
    var bench = Bench()
    bench.add()
    bench.add()
    bench.add(isRetained: false)
    // The run is at its end: what went before the change goes.
    #expect(bench.takeSent() == ["1 2"])
    bench.add(isRetained: false)
    bench.wait(until: 60)
    #expect(bench.takeSent() == ["3 4"])
  }

  @Test func newConnectionTakesAllThatWaits() {
    var bench = Bench()
    bench.add()
    bench.add()
    #expect(bench.lose() == nil)
    bench.add()
    bench.wait(until: 100)
    #expect(bench.takeSent() == [])
    bench.connect()
    #expect(bench.takeSent() == ["1 2 3"])
  }

  @Test func shorterWaitOrNoneTakesAllThatWaits() {
    var bench = Bench()
    bench.add()
    bench.add()
    bench.outbox.lane.configured(span: .zero, deadlines: &bench.deadlines, at: bench.now)
    bench.turn()
    #expect(bench.takeSent() == ["t 1", "t 2"])
    #expect(bench.deadlines[.batch] == nil)
  }

  @Test func lastWordsTakeAllThatWaits() {
    var bench = Bench()
    bench.add()
    bench.add()
    bench.outbox.lane.hurry(&bench.deadlines, at: bench.now)
    bench.turn()
    #expect(bench.takeSent() == ["1 2"])
  }

  @Test(arguments: [true, false]) func turnedAwayTheyGoOneByOneUntilTheNextConnection(isForGood: Bool) {
    var bench = Bench()
    bench.add()
    bench.add()
    bench.wait(until: 60)
    #expect(bench.takeSent() == ["1 2"])
    #expect(bench.outbox.topic(of: 1) == "t/batch")
    if isForGood {
      #expect(bench.outbox.refused(1, deadlines: &bench.deadlines, at: bench.now) == nil)
    } else {
      bench.outbox.postponed(1, deadlines: &bench.deadlines, at: bench.now)
    }
    bench.turn()
    #expect(bench.takeSent() == ["t 1", "t 2"])
    #expect(bench.outbox.status(at: bench.now).held.isEmpty)
    #expect(bench.outbox.status(at: bench.now).refused == 0)
    bench.add()
    #expect(bench.takeSent() == ["t 3"])
    bench.outbox.acknowledged([1, 2, 3], deadlines: &bench.deadlines, at: bench.now)
    #expect(bench.lose() == nil)
    bench.connect()
    bench.add()
    bench.add()
    #expect(bench.takeSent() == [])
    bench.wait(until: 120)
    #expect(bench.takeSent() == ["4 5"])
  }

  @Test func batchThatWasNotSentIsMadeAgain() {
    var bench = Bench()
    bench.add()
    bench.add()
    bench.wait(until: 60)
    bench.outbox.sendFailed(1, deadlines: &bench.deadlines, at: bench.now)
    bench.add()
    #expect(bench.takeSent() == ["1 2"])
    bench.wait(until: 62)
    // It has waited for long enough; the third goes along.
    #expect(bench.takeSent() == ["1 2 3"])
  }

  @Test func connectionsThatEndOverABatchHaveItTakenApart() {
    var bench = Bench()
    for _ in 0..<3 { bench.add() }
    bench.wait(until: 60)
    #expect(bench.takeSent() == ["1 2 3"])
    #expect(bench.lose() == nil)
    bench.connect()
    guard case .takeBack(over: nil) = bench.lose() else {
      Issue.record("not taken back")
      return
    }
    bench.outbox.sendFailed(1, deadlines: &bench.deadlines, at: bench.now)
    bench.connect()
    bench.wait(until: 70)
    // A suspect goes alone.
    #expect(bench.takeSent() == ["t 1"])
  }

  @Test func acknowledgedBatchIsRememberedWithoutARetainedPlace() {
    var bench = Bench()
    bench.outbox.memory = BrokerMemory(span: .seconds(1800), topics: ["t"])
    bench.add()
    bench.add()
    bench.wait(until: 60)
    bench.outbox.acknowledged([1], deadlines: &bench.deadlines, at: bench.now)
    // An expander that lags leaves an earlier place: that is no loss.
    bench.outbox.memory.shown(.place(time: 0), deadlines: &bench.deadlines, at: bench.now)
    bench.outbox.memory.graceIsOver()
    #expect(bench.outbox.memory.takeReport() == nil)
    // A session that is gone is one, and all of it comes again in order.
    bench.outbox.memory.shown(.unknown, deadlines: &bench.deadlines, at: bench.now)
    bench.outbox.memory.graceIsOver()
    #expect(bench.outbox.memory.takeReport() == 2)
    #expect(bench.outbox.memory.portion(first: 3).map(\.time) == [1, 2])
  }

  @Test func nothingIsCollectedWhereABatchCouldNotBeRead() {
    var configuration = Configuration()
    configuration.queue.batchSeconds = 300
    #expect(configuration.batchSpan == .seconds(300))
    configuration.messages.qos = 0
    #expect(configuration.batchSpan == .zero)
    configuration.messages.qos = 2
    configuration.messages.encryptionKey = "key"
    #expect(configuration.batchSpan == .zero)
    configuration.messages.encryptionKey = ""
    configuration.transport = .http
    #expect(configuration.batchSpan == .zero)
  }
}
