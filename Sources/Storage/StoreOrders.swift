import Model

/// Orders to a store, in their order, and the next step for each: `Store` without the loop and the
/// thread, so that a simulated world can order the same.
///
/// One job is under way at a time. Writes that were ordered one after the other become one, each answered on its own.
package struct StoreOrders {
  /// Something for the file; it takes as long as the disk does.
  package enum Job: Sendable {
    /// One transaction: all of it or nothing.
    case write([StoreWrite])
    /// Messages behind this sequence; `maxBytes`: of their topics and payloads.
    case load(after: UInt64, limit: Int, maxBytes: Int)
    /// Index entries for thinning, of messages behind this sequence.
    case index(after: UInt64, limit: Int)

    /// Blocks for as long; the file is one worker's.
    package func carryOut(on file: StoreFile) throws(StoreError) -> Outcome {
      switch self {
      case .write(let writes):
        try file.apply(writes)
        return .written
      case .load(let sequence, let limit, let maxBytes):
        return .loaded(try file.load(after: sequence, limit: limit, maxBytes: maxBytes))
      case .index(let sequence, let limit):
        return .indexed(try file.index(after: sequence, limit: limit))
      }
    }
  }

  /// Of a job that went well.
  package enum Outcome: Sendable {
    /// It is durable.
    case written
    /// In their order; fewer than were asked for: there are no more, or they would be too many bytes.
    case loaded([Message])
    /// In their order.
    case indexed([QueueEntry])
  }

  private enum Order {
    case write(batch: UInt64, [StoreWrite])
    case read(Job)

    var isWrite: Bool {
      if case .write = self { true } else { false }
    }
  }

  private enum Underway {
    case writing(batches: [UInt64])
    case reading
    /// A reading that failed: it stays in front, and with it everything behind it in its place.
    case waiting
  }

  /// Batches that become one transaction; more would only make each wait longer for its answer.
  private static let groupLimit = 64

  /// The first one is under way while that is a reading: writes are taken out when they begin.
  private var orders: [Order] = []
  private var underway: Underway?
  private var isEnding = false

  /// Nothing is asked for.
  package init() {}

  /// Everything that was asked for is done.
  package var isIdle: Bool { orders.isEmpty && underway == nil }
  /// A reading has failed, and `tryAgain` is awaited.
  package var isWaiting: Bool {
    if case .waiting = underway { true } else { false }
  }
  /// Of a batch that is not answered.
  package var hasWrites: Bool {
    if case .writing = underway { true } else { orders.contains(where: \.isWrite) }
  }

  /// One transaction, answered by `stored` or `failed` with this number.
  package mutating func write(batch: UInt64, _ writes: [StoreWrite]) {
    orders.append(.write(batch: batch, writes))
  }

  /// A page of messages, answered by `loaded`; `maxBytes`: of their topics and payloads.
  package mutating func load(after sequence: UInt64, limit: Int, maxBytes: Int = .max) {
    read(.load(after: sequence, limit: limit, maxBytes: maxBytes))
  }

  /// A page of what thinning looks at, answered by `indexed`.
  package mutating func loadIndex(after sequence: UInt64, limit: Int) {
    read(.index(after: sequence, limit: limit))
  }

  private mutating func read(_ job: Job) {
    if !isEnding { orders.append(.read(job)) }
  }

  /// From now on no caller is left to answer a reading.
  package mutating func end() {
    isEnding = true
    orders.removeAll { !$0.isWrite }
    tryAgain()
  }

  /// Nil: something is under way, or nothing is to be done.
  package mutating func begin() -> Job? {
    guard underway == nil, let first = orders.first else { return nil }
    switch first {
    case .write: return .write(takeGroup())
    case .read(let job):
      underway = .reading
      return job
    }
  }

  /// Everything that gathered while the disk was busy: one transaction, one sync. It ends at a reading, which
  /// is to see the writes ordered before it and no others.
  private mutating func takeGroup() -> [StoreWrite] {
    var batches: [UInt64] = []
    var writes: [StoreWrite] = []
    for case .write(let batch, let more) in orders.prefix(Self.groupLimit).prefix(while: \.isWrite) {
      batches.append(batch)
      writes += more
    }
    orders.removeFirst(batches.count)
    underway = .writing(batches: batches)
    return writes
  }

  /// The answers, when the job that is under way has come to its end. `points`: of the history by then.
  package mutating func finish(_ result: Result<Outcome, StoreError>, points: Int) -> [Store.Event] {
    let done = underway
    underway = nil
    switch (done, result) {
    case (.writing(let batches), .success): return batches.map { .stored(batch: $0, points: points) }
    case (.writing(let batches), .failure(let error)):
      return batches.map { .failed(batch: $0, cause: error.sentence, isFull: error.isFull) }
    case (_, .success(let outcome)):
      if !isEnding { orders.removeFirst() }
      return outcome.event.map { [$0] } ?? []
    case (_, .failure):
      if !isEnding { underway = .waiting }
      return []
    }
  }

  /// The disk has had time to get better.
  package mutating func tryAgain() {
    if isWaiting { underway = nil }
  }
}

extension StoreOrders.Outcome {
  fileprivate var event: Store.Event? {
    switch self {
    case .written: nil
    case .loaded(let messages): .loaded(messages)
    case .indexed(let entries): .indexed(entries)
    }
  }
}
