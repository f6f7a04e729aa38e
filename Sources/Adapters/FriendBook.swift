import CLinux
import Loop
import Model
import Timebase

/// The friends as the loop sees them: news gather in memory and reach their file in lots; whoever asks
/// gets everything told so far.
public final class FriendBook {
  /// News that gather: a lot costs about 30 kB for as long as it waits.
  static let lot = 128
  /// How long news may wait: a power cut costs what the broker still has.
  static let patience = Span.minutes(10)
  /// Friends in one answer.
  public static let page = 100

  /// How many places of each friend are kept.
  public var positions: Int
  /// A line for the journal.
  public var complain: (String) -> Void = { _ in }

  private let loop: EventLoop
  private let worker: Worker
  private let tables: FriendTables
  private var pending: [(topic: String, news: FriendNews)] = []
  private var timer: Timer?
  private var isFailing = false

  /// The file is opened with the first friend or the first question. `worker` may be shared.
  public init(loop: EventLoop, worker: Worker, directory: String, positions: Int) {
    self.loop = loop
    self.worker = worker
    self.positions = positions
    tables = FriendTables(path: directory + "/friends.sqlite")
    timer = loop.makeTimer { [weak self] in self?.flush() }
  }

  public func note(_ news: FriendNews, of topic: String) {
    pending.append((topic, news))
    if pending.count >= Self.lot { return flush() }
    if timer?.deadline == nil { timer?.set(at: loop.now.instant + Self.patience) }
  }

  /// A page of friends in the order of their topics.
  public func friends(after topic: String, then: @escaping ([Friend]) -> Void) {
    ask(
      { (tables) throws(StoreError) in try tables.friends(after: topic, limit: Self.page) },
      then: { then($0 ?? []) })
  }

  /// Nil: nobody of that topic, or the file cannot be read.
  public func friend(
    _ topic: String, then: @escaping ((friend: Friend, places: [FriendLocation])?) -> Void
  ) {
    ask({ (tables) throws(StoreError) in try tables.friend(topic) }, then: { then($0 ?? nil) })
  }

  /// False: nobody of that topic.
  public func forget(_ topic: String, then: @escaping (Bool) -> Void) {
    ask({ (tables) throws(StoreError) in try tables.forget(topic) }, then: { then($0 ?? false) })
  }

  /// Hands over what waits. Needs `Worker.finish` afterwards.
  public func close() {
    flush()
    timer?.cancel()
    let tables = tables
    worker.perform({ tables.close() }, then: {})
  }

  private func flush() {
    timer?.set(at: nil)
    guard !pending.isEmpty else { return }
    let (lot, kept) = (pending, positions)
    pending = []
    ask({ (tables) throws(StoreError) in try tables.apply(lot, positions: kept) }, then: { _ in })
  }

  private func ask<Answer: Sendable>(
    _ question: @escaping @Sendable (FriendTables) throws(StoreError) -> Answer,
    then: @escaping (Answer?) -> Void
  ) {
    // A flush comes here with nothing left to flush.
    flush()
    let tables = tables
    worker.perform {
      Result { () throws(StoreError) -> Answer in try question(tables) }
    } then: { [weak self] answer in
      switch answer {
      case .success(let answer):
        self?.isFailing = false
        then(answer)
        // Thousands of friends come in one burst; what it took must not stay.
        clinux_trim_heap()
      case .failure(let error):
        if self?.isFailing == false { self?.complain("friends: \(error.sentence)") }
        self?.isFailing = true
        then(nil)
      }
    }
  }
}
