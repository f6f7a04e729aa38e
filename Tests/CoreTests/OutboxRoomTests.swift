import Model
import Testing
import Timebase

@testable import Core

/// A queue that is full while the store still answers what it was asked before.
struct OutboxRoomTests {
  /// A queue, and a disk that answers when it is told to: in order, as the store does.
  private struct Bench {
    var outbox: Outbox
    var deadlines = Deadlines()
    var disk: [UInt64: Message] = [:]
    var orders: [Effect] = []
    var sent: [UInt64] = []
    /// Sent and not yet acknowledged.
    var unanswered: [UInt64] = []
    var time = 0.0

    private var now: Instant { Instant(nanoseconds: 0) + .seconds(time) }

    /// `stored` messages from an earlier life.
    init(stored: Int, limit: Int) {
      for number in 1...UInt64(stored) { disk[number] = Self.message(number) }
      var snapshot = Snapshot()
      snapshot.queued = stored
      snapshot.queuedBytes = disk.values.reduce(0) { $0 + $1.size }
      snapshot.firstSequence = 1
      snapshot.lastSequence = UInt64(stored)
      outbox = Outbox(snapshot: snapshot, limit: limit, byteLimit: 1 << 20, windowLimit: 200)
    }

    private static func message(_ number: UInt64) -> Message {
      var message = Message(
        topic: "t", payload: [], qos: 1, isRetained: false, isEvent: false, time: Int(number))
      message.sequence = number
      return message
    }

    mutating func connect() {
      outbox.connected(receiveMaximum: nil)
      turn()
    }

    mutating func add() {
      time += 1
      outbox.enqueue(Self.message(UInt64(time) + 1_000_000), deadlines: &deadlines, at: now)
      turn()
    }

    mutating func turn() {
      var effects: [Effect] = []
      outbox.act(deadlines: &deadlines, at: now, into: &effects)
      for effect in effects {
        if case .send(let message) = effect {
          sent.append(message.sequence)
          unanswered.append(message.sequence)
        } else {
          orders.append(effect)
        }
      }
    }

    /// The disk carries out what it was ordered first; false: nothing is ordered.
    mutating func answerOne() -> Bool {
      guard !orders.isEmpty else { return false }
      func page(_ after: UInt64, _ limit: Int) -> ArraySlice<Message> {
        disk.values.filter { $0.sequence > after }.sorted { $0.sequence < $1.sequence }.prefix(limit)
      }
      switch orders.removeFirst() {
      case .store(let batch, let writes):
        for write in writes {
          switch write {
          case .insert(let message): disk[message.sequence] = message
          case .remove(let sequences): for sequence in sequences { disk[sequence] = nil }
          case .removeRange(let after, let through):
            disk = disk.filter { $0.key <= after || $0.key > through }
          default: break
          }
        }
        outbox.stored(batch)
      case .load(let after, let limit): outbox.loaded(Array(page(after, limit)))
      case .loadIndex(let after, let limit):
        outbox.indexed(
          page(after, limit).map {
            QueueEntry(sequence: $0.sequence, time: $0.time, isEvent: $0.isEvent, size: $0.size)
          })
      default: break
      }
      turn()
      return true
    }

    mutating func acknowledge() {
      let sequences = unanswered
      unanswered = []
      outbox.acknowledged(sequences, deadlines: &deadlines, at: now)
      turn()
    }

    mutating func answerFirst() { _ = answerOne() }

    /// Until nothing moves any more.
    mutating func runDry() {
      for _ in 0..<1000 {
        let mayGoOn = answerOne()
        if !unanswered.isEmpty {
          acknowledge()
        } else if !mayGoOn {
          guard let due = deadlines.next, due > now else { return }
          time = (due - Instant(nanoseconds: 0)).seconds
          turn()
        }
      }
    }
  }

  /// The page that is on its way begins behind what was given back to the disk meanwhile.
  @Test func aPageThatWasAskedForBeforeRoomWasMadeLosesNothing() {
    var bench = Bench(stored: 600, limit: 600)
    bench.connect()
    bench.answerFirst()
    #expect(bench.orders.contains { if case .load(after: 256, _) = $0 { true } else { false } })
    bench.add()
    bench.runDry()
    #expect(bench.sent == bench.sent.sorted())
    #expect(bench.outbox.count == 0)
    #expect(bench.disk.count == 0)
    #expect(bench.sent.count + bench.outbox.dropped == 601)
  }

  /// What a person throws away is not read back by a question of before.
  @Test func aPageThatWasAskedForBeforeTheQueueWasClearedIsForgotten() {
    var bench = Bench(stored: 600, limit: 1000)
    bench.connect()
    bench.answerFirst()
    let left = bench.outbox.clear()
    #expect(left == 580)
    bench.turn()
    bench.runDry()
    #expect(bench.sent.count == 20)
    #expect(bench.outbox.count == 0)
    #expect(bench.disk.count == 0)
  }
}
