import Model
import Timebase

@testable import Core

/// A queue, its disk, the line and the broker, small enough that every order of what may happen to them can be tried
/// (`DeliverySearchTests`). The queue is the real one.
///
///     tracker ──add──▶ Outbox ──send──▶ line ──read──▶ broker
///                        │ ▲                             │
///                  write │ │ stored            acknowledge
///                        ▼ │                             │
///                       disk          Outbox ◀───────────┘
///
/// A message is known by its `time`: numbers are given again where a power cut took the message that had one.
struct DeliveryWorld {
  /// One thing that may happen.
  enum Step: Hashable {
    case add, write, failWrite, read
    /// The answers to so many messages come in one wake-up.
    case acknowledge(Int)
    case connect, disconnect, wait
    /// With the batch that is being written, or without it.
    case cutPower(isWritten: Bool)
  }

  /// How often each may still happen.
  struct Budget: Hashable {
    var connections = 2
    var cuts = 1
    var failures = 1
    var waits = 3
  }

  /// What a message is, and on which topic.
  struct Plan: Hashable {
    var topic: String
    var isEvent: Bool
  }

  private(set) var outbox: Outbox
  private(set) var deadlines = Deadlines()
  private(set) var now = Instant(nanoseconds: 0)
  private(set) var disk: [Message] = []
  private(set) var newestOnDisk: UInt64 = 0
  private(set) var orders: [Effect] = []
  /// Sent and not read by the broker, in order.
  private(set) var line: [Message] = []
  /// Read, and the answer is not there yet.
  private(set) var unanswered: [Message] = []
  /// What the broker has had, in its order, by `time`.
  private(set) var received: [Int] = []
  private(set) var isConnected = false
  private(set) var plans: [Plan]
  private(set) var added = 0
  /// By `time`: what has to arrive, whatever happens.
  private(set) var owed: Set<Int> = []
  /// By `time`: two connections in a row ended over it alone, so that others of its topic may pass it.
  private(set) var endedOver: Set<Int> = []
  var budget: Budget
  /// The first promise that was broken, in words.
  private(set) var breach: String?

  init(plans: [Plan], budget: Budget) {
    (self.plans, self.budget) = (plans, budget)
    outbox = Self.outbox(of: [], newest: 0)
  }

  private static func outbox(of disk: [Message], newest: UInt64) -> Outbox {
    var snapshot = Snapshot()
    snapshot.queued = disk.count
    snapshot.queuedBytes = disk.reduce(0) { $0 + $1.size }
    snapshot.firstSequence = disk.first?.sequence ?? 0
    snapshot.lastSequence = newest
    return Outbox(snapshot: snapshot, limit: 1000, byteLimit: 1 << 20, windowLimit: 200)
  }

  // MARK: What may happen

  var steps: [Step] {
    var steps: [Step] = []
    if added < plans.count { steps.append(.add) }
    if !orders.isEmpty { steps.append(.write) }
    if isWriting, budget.failures > 0 { steps.append(.failWrite) }
    if isConnected, !line.isEmpty { steps.append(.read) }
    if isConnected { steps += (0..<unanswered.count).map { .acknowledge($0 + 1) } }
    if !isConnected, budget.connections > 0 { steps.append(.connect) }
    if isConnected { steps.append(.disconnect) }
    if budget.waits > 0, deadlines.next != nil { steps.append(.wait) }
    if budget.cuts > 0 {
      steps.append(.cutPower(isWritten: false))
      if isWriting { steps.append(.cutPower(isWritten: true)) }
    }
    return steps
  }

  private var isWriting: Bool { if case .store? = orders.first { true } else { false } }

  mutating func take(_ step: Step) {
    switch step {
    case .add: add()
    case .write: write()
    case .failWrite:
      budget.failures -= 1
      guard case .store(let batch, _)? = orders.first else { return }
      orders.removeFirst()
      outbox.storeFailed(batch, deadlines: &deadlines, at: now)
    case .read:
      let message = line.removeFirst()
      received.append(message.time)
      unanswered.append(message)
    case .acknowledge(let count):
      let sequences = unanswered.prefix(count).map(\.sequence)
      unanswered.removeFirst(count)
      outbox.acknowledged(sequences, deadlines: &deadlines, at: now)
    case .connect:
      budget.connections -= 1
      isConnected = true
      outbox.connected(receiveMaximum: nil)
    case .disconnect: disconnect()
    case .wait:
      budget.waits -= 1
      now = max(now, deadlines.next ?? now)
    case .cutPower(let isWritten): cutPower(isWritten: isWritten)
    }
    turn()
  }

  private mutating func add() {
    let plan = plans[added]
    added += 1
    owed.insert(added)
    let message = Message(
      topic: plan.topic, payload: [], qos: 1, isRetained: !plan.isEvent, isEvent: plan.isEvent, time: added)
    outbox.enqueue(message, isPlace: !plan.isEvent, deadlines: &deadlines, at: now)
  }

  private mutating func write() {
    switch orders.removeFirst() {
    case .store(let batch, let writes):
      for write in writes { carryOut(write) }
      outbox.stored(batch)
    case .load(let after, let limit):
      outbox.loaded(Array(disk.filter { $0.sequence > after }.prefix(limit)))
    default: break
    }
  }

  private mutating func carryOut(_ write: StoreWrite) {
    switch write {
    case .insert(let message):
      disk.append(message)
      disk.sort { $0.sequence < $1.sequence }
      newestOnDisk = max(newestOnDisk, message.sequence)
    case .remove(let sequences):
      for message in disk where sequences.contains(message.sequence) && !received.contains(message.time) {
        breaks("OnlyTheBrokerRemoves: message \(message.time) left the disk, and the broker never had it")
      }
      disk.removeAll { sequences.contains($0.sequence) }
    default: break
    }
  }

  private mutating func disconnect() {
    isConnected = false
    let order = outbox.disconnected(ConnectionEnd(.closed), deadlines: &deadlines, at: now)
    // The library sends again what had no answer, in its order, unless it has to give it back.
    let lost = unanswered + line
    (unanswered, line) = ([], lost)
    if case .takeBack(let message)? = order {
      if let message { endedOver.insert(message.time) }
      line = []
      for message in lost { outbox.sendFailed(message.sequence, deadlines: &deadlines, at: now) }
    }
  }

  private mutating func cutPower(isWritten: Bool) {
    budget.cuts -= 1
    if isWritten, case .store(_, let writes)? = orders.first { for write in writes { carryOut(write) } }
    let kept = Set(disk.map(\.time)).union(received)
    // What was never on the disk is lost with the memory; events wait there until they are, and are not sent before.
    owed.formIntersection(kept)
    outbox = Self.outbox(of: disk, newest: newestOnDisk)
    (deadlines, orders, line, unanswered, isConnected) = (Deadlines(), [], [], [], false)
  }

  private mutating func turn() {
    var effects: [Effect] = []
    outbox.act(deadlines: &deadlines, at: now, into: &effects)
    for effect in effects {
      guard case .send(let message) = effect else {
        orders.append(effect)
        continue
      }
      if !isConnected { breaks("SentOnlyWhileConnected: message \(message.time)") }
      if message.isEvent, !outbox.isStoreFailing, !disk.contains(where: { $0.time == message.time }) {
        breaks("EventsAreDurableFirst: event \(message.time) was sent before it was on the disk")
      }
      line.append(message)
    }
  }

  private mutating func breaks(_ promise: String) { breach = breach ?? promise }

  // MARK: What is promised

  /// Everything that may still happen happens well: what is owed arrives, in the order of its topic, and then nothing
  /// is left anywhere.
  func settled() -> DeliveryWorld {
    var world = self
    world.budget = Budget(connections: 1, cuts: 0, failures: 0, waits: .max)
    if !world.isConnected { world.take(.connect) }
    var rounds = 0
    while world.breach == nil, rounds < 200 {
      rounds += 1
      if !world.orders.isEmpty {
        world.take(.write)
      } else if !world.line.isEmpty {
        world.take(.read)
      } else if !world.unanswered.isEmpty {
        world.take(.acknowledge(world.unanswered.count))
      } else if world.deadlines.next != nil, world.outbox.count > 0 || !world.disk.isEmpty {
        world.take(.wait)
      } else {
        break
      }
    }
    world.judge()
    return world
  }

  private mutating func judge() {
    let missing = owed.subtracting(received)
    if !missing.isEmpty { breaks("AtLeastOnce: \(missing.sorted()) never arrived") }
    if outbox.count > 0 || !disk.isEmpty || outbox.window.inFlight > 0 {
      breaks("NothingIsLeft: \(outbox.count) in the queue, \(disk.count) on the disk")
    }
    for topic in Set(plans.map(\.topic)) {
      var seen: Set<Int> = []
      let first = received.filter {
        plans[$0 - 1].topic == topic && !endedOver.contains($0) && seen.insert($0).inserted
      }
      if first != first.sorted() { breaks("OrderOfATopic: \(topic) arrived as \(first)") }
    }
  }

  /// Two worlds with the same are the same from here on.
  var key: [Int] {
    var key = [added, budget.connections, budget.cuts, budget.failures, budget.waits, isConnected ? 1 : 0]
    func put(_ messages: [Message]) {
      key += [messages.count] + messages.flatMap { [$0.time, Int($0.sequence)] }
    }
    func put(_ entries: [Outbox.Entry]) {
      key.append(entries.count)
      for entry in entries { key += [entry.message.time, entry.isSent ? 1 : 0, "\(entry.disk)".hashValue] }
    }
    put(disk)
    put(line)
    put(unanswered)
    put(outbox.head)
    put(outbox.tail)
    key += [received.count] + received + [owed.count] + owed.sorted() + endedOver.sorted()
    key += [outbox.backlog.unloaded, Int(outbox.backlog.loadedThrough)]
    key += [outbox.window.inFlight, outbox.window.width]
    key += ["\(outbox.writes)\(outbox.suspects)\(outbox.holds)\(orders)".hashValue]
    key += Purpose.allCases.map { deadlines[$0].map { Int(($0 - now).seconds * 1000) } ?? -1 }
    return key
  }
}
