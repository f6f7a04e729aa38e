import Loop
import Model
import Timebase

/// The store as the loop sees it: orders go to a worker, answers come back as events, nothing waits.
///
/// Orders are carried out in the order they were given. While the disk is busy with one, the batches
/// that arrive behind it gather and then go in one transaction with one sync (group commit); each is
/// still answered on its own.
public final class Store {
  /// The answers to orders, on the loop's thread.
  public enum Event: Sendable {
    /// Durable. `points`: of the history, as many as there are now.
    case stored(batch: UInt64, points: Int)
    /// Nothing of it is on the disk; the caller still holds it and may give it again.
    /// `isFull`: room would help.
    case failed(batch: UInt64, cause: String, isFull: Bool)
    /// Messages in their order; fewer than were asked for: there are no more.
    case loaded([Message])
    /// Index entries for thinning, in their order, as many as `loaded`.
    case indexed([QueueEntry])
    /// Something was found damaged and repaired: a line for the journal.
    case noticed(String)
  }

  /// How the store is, for people.
  public struct Status: Hashable, Sendable {
    /// Bytes since the start.
    public var bytesWritten = 0
    /// Bytes on the disk: tables and log.
    public var size = 0
    /// Records found damaged in the store's whole life.
    public var quarantined = 0
    /// Points of the history.
    public var points = 0
    /// The last failure, until something succeeds again.
    public var failure: String?
  }

  /// How long a reading that failed waits for its next try: no one else would ask again.
  package static let retryAfter = Span.seconds(2)

  /// An opening that fails is tried again after a minute: it counts for as many reads as fail in one.
  private static let triesOfOpening = 10
  /// A device or a table of files that is busy for a moment is no reason to go on without a store: this many
  /// tries, so far apart, are one opening.
  private static let quickTries = 4
  private static let quickly = Span.milliseconds(500)

  /// Of the last order that was answered.
  public private(set) var status = Status()

  private let loop: EventLoop
  private let worker: Worker
  private let post: (Event) -> Void
  private var retry: Timer?
  /// Nil before the opening, and again from the end on.
  private var file: StoreFile?
  private var orders = StoreOrders()
  /// Those that may have to do with reading.
  private(set) var failedOpenings = 0
  private var opening: Timer?
  /// Called when everything that was ordered is written.
  private var closing: (() -> Void)?

  /// The worker may be shared: a job of the store takes as long as a sync of the disk does.
  public init(loop: EventLoop, worker: Worker, post: @escaping (Event) -> Void) {
    self.loop = loop
    self.worker = worker
    self.post = post
  }

  /// Opens the store in `directory` and hands over what the tracker goes on from. To be called once;
  /// after a failure it may be called again.
  public func open(
    directory: String, vfs: String? = nil, then: @escaping (Result<Snapshot, StoreError>) -> Void
  ) {
    releaseAssert(file == nil, "the store is open")
    tryOpening(directory, vfs, triesLeft: Self.quickTries - 1, then: then)
  }

  private func tryOpening(
    _ directory: String, _ vfs: String?, triesLeft: Int,
    then: @escaping (Result<Snapshot, StoreError>) -> Void
  ) {
    // A file counts its own tries; one that never opened leaves nothing to count them in.
    let triesBefore = failedOpenings * Self.triesOfOpening
    worker.perform {
      Result { () throws(StoreError) in
        let file = try StoreFile(directory: directory, vfs: vfs, triesBefore: triesBefore)
        return (file, try file.snapshot())
      }
    } then: { [weak self] (opened: Result<(StoreFile, Snapshot), StoreError>) in
      guard let self else { return }
      switch opened {
      case .success((let file, _)):
        self.file = file
        finished(Self.report(of: file))
      case .failure(let error) where error.mayHeal && triesLeft > 0:
        opening = loop.makeTimer { [weak self] in
          self?.tryOpening(directory, vfs, triesLeft: triesLeft - 1, then: then)
        }
        opening?.set(at: loop.now.instant + Self.quickly)
        return
      // A full disk can be read well.
      case .failure(let error): if !error.isFull { failedOpenings += 1 }
      }
      // The snapshot first, then the orders that came meanwhile.
      then(opened.map(\.1))
      next()
    }
  }

  /// One transaction: all of it or nothing. Answered by `stored` or `failed`.
  public func write(batch: UInt64, _ writes: [StoreWrite]) {
    orders.write(batch: batch, writes)
    next()
  }

  /// Answered by `loaded`; by fewer messages than asked only at the end of the queue or of `maxBytes`.
  /// A disk that cannot be read delays the answer; `status` reports it.
  public func load(after sequence: UInt64, limit: Int, maxBytes: Int = .max) {
    orders.load(after: sequence, limit: limit, maxBytes: maxBytes)
    next()
  }

  /// Answered by `indexed`.
  public func loadIndex(after sequence: UInt64, limit: Int) {
    orders.loadIndex(after: sequence, limit: limit)
    next()
  }

  /// The state that a tracker would go on from now. To be asked when every write was answered.
  public func snapshot(then: @escaping (Result<Snapshot, StoreError>) -> Void) {
    guard let file else { return }
    worker.perform {
      Result { () throws(StoreError) -> Snapshot in try file.snapshot() }
    } then: {
      then($0)
    }
  }

  /// The newest `limit` published locations, oldest first; those since a time in Unix seconds if given.
  public func history(
    limit: Int? = nil, since: Double? = nil, then: @escaping (Result<[LocationReport], StoreError>) -> Void
  ) {
    guard let file else { return then(.success([])) }
    worker.perform {
      Result { () throws(StoreError) -> [LocationReport] in
        if let since { return try file.history(since: since) }
        return try file.history(limit: limit)
      }
    } then: {
      then($0)
    }
  }

  /// A page of the history, for a person.
  public func history(
    _ query: HistoryQuery, then: @escaping (Result<[HistoryPoint], StoreError>) -> Void
  ) {
    guard let file else { return then(.success([])) }
    worker.perform {
      Result { () throws(StoreError) -> [HistoryPoint] in try file.history(query) }
    } then: {
      then($0)
    }
  }

  /// Carries out the writes that were ordered, then closes. Needs the loop (or `Worker.finish`) to go on
  /// meanwhile. Readings still open get no answer.
  public func close(then: @escaping () -> Void = {}) {
    guard file != nil else { return then() }
    closing = then
    // A reading that waits for a better disk has no caller left to answer.
    retry?.cancel()
    orders.end()
    next()
  }

  // MARK: One order after the other

  /// Before the file is open nothing is carried out: orders wait for it.
  private func next() {
    guard let file else { return }
    guard let job = orders.begin() else { return closeIfAsked(file) }
    worker.perform {
      (Result { () throws(StoreError) in try job.carryOut(on: file) }, Self.report(of: file))
    } then: { [weak self] (result: Result<StoreOrders.Outcome, StoreError>, report: Report) in
      guard let self else { return }
      let events = orders.finish(result, points: report.status.points)
      finished(report, failure: result.failure)
      for event in events { post(event) }
      if orders.isWaiting { tryAgainLater() }
      next()
    }
  }

  /// Nothing is left to do.
  private func closeIfAsked(_ file: StoreFile) {
    guard orders.isIdle, let closing else { return }
    self.file = nil
    worker.perform({ file.close() }, then: closing)
  }

  private func tryAgainLater() {
    retry =
      retry
      ?? loop.makeTimer { [weak self] in
        self?.orders.tryAgain()
        self?.next()
      }
    retry?.set(at: loop.now.instant + Self.retryAfter)
  }

  // MARK: How it went

  private struct Report: Sendable {
    var status = Status()
    var notices: [String] = []
  }

  /// Made where the order is carried out: while one is under way the file is the worker's alone.
  private static func report(of file: StoreFile) -> Report {
    let status = Status(
      bytesWritten: file.bytesWritten, size: file.size, quarantined: file.quarantined, points: file.points)
    return Report(status: status, notices: file.takeNotices())
  }

  /// `status` always shows the last one: a failure stays until something goes well.
  private func finished(_ report: Report, failure: StoreError? = nil) {
    status = report.status
    status.failure = failure?.sentence
    for notice in report.notices { post(.noticed(notice)) }
  }
}

extension Result {
  fileprivate var failure: Failure? {
    if case .failure(let failure) = self { failure } else { nil }
  }
}
