import Model
import Timebase

@testable import Core

/// A queue with a clock turned by hand; a disk and a broker that answer when they are told to, in order.
struct OutboxBench {
  var outbox: Outbox
  var deadlines = Deadlines()
  var disk: [UInt64: Message] = [:]
  /// What the disk was asked for and has not answered.
  private(set) var orders: [Effect] = []
  private(set) var sent: [UInt64] = []
  /// What the broker took, in its order.
  private(set) var taken: [Message] = []
  /// What it turned away: these come when they come.
  private var turnedAway: Set<UInt64> = []
  /// Sent and not yet answered.
  private(set) var unanswered: [Message] = []
  var isConnected = false
  /// Topics that nothing is taken on for now.
  var closed: Set<String> = []
  /// Messages that it takes at no time.
  var neverTaken: Set<UInt64> = []
  /// Messages that it refuses for good, and those that are then to be kept for a person.
  private var refusals: (planned: Set<UInt64>, letters: [UInt64]) = ([], [])
  private var time = 0.0
  private var newest: UInt64
  private(set) var made = 0
  /// How often the disk was read.
  private(set) var readings = 0
  var isDiskFailing = false
  /// Nothing that is asked of the disk is answered.
  var isDiskStuck = false
  private(set) var madeEvents = 0
  /// What connections are said to have ended over.
  private(set) var endedOver: [UInt64] = []

  var now: Instant { Instant(nanoseconds: 0) + .seconds(time) }

  /// `stored` messages from an earlier life.
  init(
    stored: Int = 0, limit: Int, window: Int = 200, policy: Configuration.Backlog = .always,
    lastPublished: Fix? = nil
  ) {
    var snapshot = Snapshot()
    newest = UInt64(stored)
    if stored > 0 {
      for number in 1...UInt64(stored) {
        var message = Self.message("t", isEvent: false, time: Int(number))
        message.sequence = number
        disk[number] = message
      }
      snapshot.queued = stored
      snapshot.queuedBytes = disk.values.reduce(0) { $0 + $1.size }
      snapshot.firstSequence = 1
      snapshot.lastSequence = newest
    }
    snapshot.reference = lastPublished
    outbox = Outbox(
      snapshot: snapshot, limit: limit, byteLimit: 1 << 30, windowLimit: window, policy: policy)
  }

  var refusedForGood: Set<UInt64> {
    get { refusals.planned }
    set { refusals.planned = newValue }
  }
  var letters: [UInt64] { refusals.letters }

  private static func message(_ topic: String, isEvent: Bool, time: Int) -> Message {
    Message(topic: topic, payload: [], qos: 1, isRetained: !isEvent, isEvent: isEvent, time: time)
  }

  // MARK: What happens to the queue

  mutating func pass(_ seconds: Double) {
    time += seconds
    turn()
  }

  mutating func connect() {
    isConnected = true
    outbox.connected(receiveMaximum: nil)
    outbox.lookAtOld(at: now)
    turn()
  }

  /// Another way out.
  mutating func way(isFree: Bool) {
    outbox.networkChanged(isFree: isFree, deadlines: &deadlines, at: now)
    turn()
  }

  mutating func keepOld(_ policy: Configuration.Backlog) {
    outbox.keepOld(policy, at: now)
    turn()
  }

  /// What people would be told now.
  mutating func news() -> Reason? { outbox.newsOfOld() }

  /// The connection has ended. The library sends what was under way again with the next one, unless it is taken back.
  /// `read`: how many of them the broker has taken without an answer. One that we leave is given back.
  mutating func disconnect(_ end: ConnectionEnd.Kind = .left, read: Int = 0) {
    isConnected = false
    taken += unanswered.prefix(read)
    let order = outbox.disconnected(ConnectionEnd(end), deadlines: &deadlines, at: now)
    if case .takeBack(let message)? = order {
      if let message { endedOver.append(message.sequence) }
    } else if end != .left {
      return turn()
    }
    let lost = unanswered
    unanswered = []
    for message in lost { outbox.sendFailed(message.sequence, deadlines: &deadlines, at: now) }
    turn()
  }

  mutating func add(_ topic: String = "t", isEvent: Bool = false) {
    newest += 1
    made += 1
    if isEvent { madeEvents += 1 }
    outbox.enqueue(
      Self.message(topic, isEvent: isEvent, time: Int(newest)), isPlace: !isEvent, deadlines: &deadlines,
      at: now)
    turn()
  }

  mutating func clear() -> Int {
    defer { turn() }
    return outbox.clear()
  }

  mutating func turn() {
    var effects: [Effect] = []
    outbox.act(deadlines: &deadlines, at: now, into: &effects)
    for effect in effects {
      if case .send(let message) = effect {
        sent.append(message.sequence)
        unanswered.append(message)
      } else {
        orders.append(effect)
      }
    }
  }

  // MARK: Who answers

  /// The disk carries out what it was ordered first; false: nothing is ordered.
  @discardableResult
  mutating func diskAnswers() -> Bool {
    guard !orders.isEmpty, !isDiskStuck else { return false }
    switch orders.removeFirst() {
    case .store(let batch, _) where isDiskFailing:
      outbox.storeFailed(batch, deadlines: &deadlines, at: now)
    case .store(let batch, let writes):
      for write in writes { carryOut(write) }
      outbox.stored(batch)
    case .load(let after, let limit):
      readings += 1
      outbox.loaded(page(after, limit))
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

  /// What arrived of a topic and was never turned away, in the order of arrival. A message that came back may
  /// arrive twice; it counts where it was first.
  func inOrder(_ topic: String) -> [UInt64] {
    var seen = turnedAway
    return taken.filter { $0.topic == topic && seen.insert($0.sequence).inserted }.map(\.sequence)
  }

  private func page(_ after: UInt64, _ limit: Int) -> [Message] {
    Array(disk.values.filter { $0.sequence > after }.sorted { $0.sequence < $1.sequence }.prefix(limit))
  }

  private mutating func carryOut(_ write: StoreWrite) {
    switch write {
    case .insert(let message): disk[message.sequence] = message
    case .remove(let sequences): for sequence in sequences { disk[sequence] = nil }
    case .removeRange(let after, let through): disk = disk.filter { $0.key <= after || $0.key > through }
    default: break
    }
  }

  /// The broker answers the first of what it was sent (of a topic); false: there is nothing.
  @discardableResult
  mutating func brokerAnswers(_ topic: String? = nil) -> Bool {
    let first = unanswered.firstIndex { topic == nil || $0.topic == topic }
    guard let first else { return false }
    let message = unanswered.remove(at: first)
    if refusedForGood.contains(message.sequence) {
      if let letter = outbox.refused(message.sequence, deadlines: &deadlines, at: now) {
        refusals.letters.append(letter.sequence)
      }
    } else if closed.contains(message.topic) || neverTaken.contains(message.sequence) {
      turnedAway.insert(message.sequence)
      outbox.postponed(message.sequence, deadlines: &deadlines, at: now)
    } else {
      taken.append(message)
      outbox.acknowledged([message.sequence], deadlines: &deadlines, at: now)
    }
    turn()
    return true
  }

  /// The disk has it for a person.
  mutating func keeps(_ letter: UInt64) {
    outbox.kept(letter, deadlines: &deadlines, at: now)
    turn()
  }

  /// Until nothing moves any more, or this many seconds have passed.
  mutating func runDry(for seconds: Double = 3600) {
    let end = time + seconds
    while true {
      if diskAnswers() || brokerAnswers() { continue }
      guard let due = deadlines.next, case let at = (due - Instant(nanoseconds: 0)).seconds, at <= end
      else { return }
      time = max(time, at)
      turn()
    }
  }
}
