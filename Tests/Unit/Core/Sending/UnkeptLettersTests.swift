import Model
import Testing
import Timebase

@testable import Core

// behaviour: What the server does not take
/// What is refused for good leaves the store when the disk has it for a person, and not before.
struct UnkeptLettersTests {
  private func bench(refusing refused: Set<UInt64>) -> OutboxBench {
    var bench = OutboxBench(limit: 100_000)
    bench.refusedForGood = refused
    bench.connect()
    return bench
  }

  @Test func aRefusedMessageStaysInTheStoreUntilItIsKept() {
    var bench = bench(refusing: [1])
    for _ in 0..<3 { bench.add(isEvent: true) }
    bench.runDry()
    #expect(bench.letters == [1] && bench.taken.map(\.sequence) == [2, 3])
    #expect(bench.outbox.count == 0 && bench.disk.keys.sorted() == [1])
    bench.keeps(1)
    bench.runDry()
    #expect(bench.disk.isEmpty && bench.outbox.inconsistency == nil)
    bench.keeps(1)
    bench.runDry()
    #expect(bench.letters == [1])
  }

  /// A start finds it there, if the power has gone before it was kept.
  @Test func theNextStartAsksOnceMore() {
    var bench = OutboxBench(stored: 3, limit: 100)
    bench.refusedForGood = [2]
    bench.connect()
    bench.runDry()
    #expect(bench.letters == [2] && bench.disk.keys.sorted() == [2])
  }

  /// Those of a held topic are read once more, and it lies among them.
  @Test func anotherReadingDoesNotBringItBack() {
    var bench = bench(refusing: [1001])
    bench.closed = ["a"]
    for _ in 0..<1000 {
      bench.add("a", isEvent: true)
      bench.diskAnswers()
    }
    bench.add("b", isEvent: true)
    bench.runDry(for: 60)
    #expect(bench.letters == [1001])
    bench.closed = []
    bench.runDry()
    #expect(bench.taken.count == 1000 && bench.letters == [1001])
    #expect(bench.outbox.count == 0 && bench.disk.keys.sorted() == [1001])
  }

  /// The memory does not grow with what is refused while the disk keeps nothing: the rest stays in the queue.
  @Test func aDiskThatKeepsNothingHoldsUpNoOther() {
    var bench = bench(refusing: Set(1...40))
    for _ in 0..<60 { bench.add(isEvent: true) }
    bench.runDry(for: 24 * 3600)
    #expect(bench.letters == Array(1...UInt64(UnkeptLetters.most)))
    #expect(bench.taken.map(\.sequence).sorted() == Array(41...60) && bench.outbox.count == 8)
    #expect(bench.disk.count == 40)
    for letter in bench.letters { bench.keeps(letter) }
    bench.runDry(for: 24 * 3600)
    #expect(Set(bench.letters) == Set(1...40) && bench.outbox.count == 0)
    for letter in bench.letters { bench.keeps(letter) }
    bench.runDry()
    #expect(bench.disk.isEmpty)
  }

  @Test func aLargeOneWaitsAlone() {
    var letters = UnkeptLetters()
    func message(_ sequence: UInt64, _ bytes: Int) -> Message {
      var message = Message(
        topic: "t", payload: [UInt8](repeating: 0, count: bytes), qos: 1, isRetained: false, isEvent: true,
        time: 0)
      message.sequence = sequence
      return message
    }
    #expect(letters.hasRoom(for: message(1, 2 * UnkeptLetters.mostBytes)))
    letters.add(message(1, 2 * UnkeptLetters.mostBytes), isStored: false)
    #expect(!letters.hasRoom(for: message(2, 1)))
    let wasStored = letters.kept(1)
    #expect(!wasStored, "the store never had it")
    #expect(letters.hasRoom(for: message(2, 1)))
  }
}
