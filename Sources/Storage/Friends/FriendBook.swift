import CLinux
import Glibc
import Loop
import Model
import Timebase

/// The friends as the loop sees them: news gather in memory and reach their file in lots; a question gets
/// everything received so far.
///
/// News of friends never hold up our own data: their jobs are in the worker's second lane, one lot at a time,
/// and the news that gather meanwhile have a limit.
public final class FriendBook {
  /// Events, posted on the loop's thread.
  public enum Event: Sendable {
    /// For the journal, once until it goes well again.
    case warning(String)
  }

  /// News that gather before they are written, and that are written at once.
  static let lot = 128
  /// Bytes of them, with what each costs beside its texts.
  static let lotBytes = 256 << 10
  /// Bytes that gather while the disk is busy; beyond that the newest of each topic stay, within half of it. The
  /// cards and places of ten thousand friends that all come with one connection are 4 MB.
  static let waitingBytes = 5 << 20
  /// Memory that one costs beside its texts, bytes.
  static let overhead = 400
  /// How long news may wait: a power cut costs what the broker still has.
  static let flushDelay = Span.minutes(10)
  /// Friends in one answer.
  public static let page = 100

  /// How many places of each friend are kept.
  public var positions: Int
  /// News that were given up because the disk did not keep up.
  public private(set) var dropped = 0

  private let loop: EventLoop
  private let worker: Worker
  private let tables: FriendTables
  private let post: (Event) -> Void
  /// In the order in which they came, over all friends.
  private var pending: [(topic: String, news: FriendNews)] = []
  private var pendingBytes = 0
  private var timer: Timer?
  /// The journal knows it, until something goes well.
  private var isFailing = false
  /// One lot is with the worker: what comes meanwhile gathers, and stays within its limit.
  private var isWriting = false

  /// The file is opened with the first friend or the first question. `worker` may be shared.
  public init(
    loop: EventLoop, worker: Worker, directory: String, positions: Int, post: @escaping (Event) -> Void
  ) {
    self.loop = loop
    self.worker = worker
    self.post = post
    self.positions = positions
    tables = FriendTables(path: directory + "/" + Self.fileName)
    timer = loop.makeTimer { [weak self] in self?.flush() }
  }

  /// `topic`: the friend's base. It reaches the file with the others of its lot, ten minutes later at most
  /// where the disk takes it.
  public func note(_ news: FriendNews, of topic: String) {
    guard !isPaused else {
      dropped += 1
      return
    }
    pending.append((topic, news))
    pendingBytes += Self.cost(topic, news)
    if isWriting { return limit() }
    if pending.count >= Self.lot || pendingBytes >= Self.lotBytes { return flush() }
    if timer?.deadline == nil { timer?.set(at: loop.now.instant + Self.flushDelay) }
  }

  /// A page of friends in the order of their topics.
  public func friends(after topic: String, then: @escaping ([Friend]) -> Void) {
    ask(
      { (tables) throws(StoreError) in try tables.friends(after: topic, limit: Self.page) },
      then: { then($0 ?? []) })
  }

  /// Nil: no friend has that topic, or the file cannot be read.
  public func friend(
    _ topic: String, then: @escaping ((friend: Friend, places: [FriendLocation])?) -> Void
  ) {
    ask({ (tables) throws(StoreError) in try tables.friend(topic) }, then: { then($0 ?? nil) })
  }

  /// False: no friend has that topic.
  public func forget(_ topic: String, then: @escaping (Bool) -> Void) {
    ask({ (tables) throws(StoreError) in try tables.forget(topic) }, then: { then($0 ?? false) })
  }

  /// One place, of this Unix second. False: none is known.
  public func forget(_ topic: String, at time: Int, then: @escaping (Bool) -> Void) {
    ask({ (tables) throws(StoreError) in try tables.forget(topic, at: time) }, then: { then($0 ?? false) })
  }

  /// The disk has no room: our own data needs it more. Nothing more is kept until `isPaused` is false again.
  public func giveWay() {
    isPaused = true
    let tables = tables
    worker.perform({ tables.remove() }, then: {})
  }

  /// The same before any of it was opened. False: there was nothing to give.
  public static func giveWay(in directory: String) -> Bool { unlink(directory + "/" + fileName) == 0 }

  /// Nothing that others tell is kept.
  public var isPaused = false {
    didSet { if isPaused { (pending, pendingBytes) = ([], 0) } }
  }

  private static let fileName = "friends.sqlite"

  /// Hands over what waits, one lot of it: the end does not wait for others. Needs `Worker.finish` afterwards.
  public func close() {
    flush()
    isPaused = true
    timer?.cancel()
    let tables = tables
    worker.perform(in: .others, { tables.close() }, then: {})
  }

  /// At most one lot at a time; the rest begins the next when that is written.
  private func flush() {
    timer?.set(at: nil)
    guard !pending.isEmpty, !isWriting else { return }
    let (lot, kept) = (nextLot(), positions)
    isWriting = true
    let apply: @Sendable (FriendTables) throws(StoreError) -> Void = { (tables) throws(StoreError) in
      try tables.apply(lot, positions: kept)
    }
    perform(apply) { [weak self] _ in
      guard let self else { return }
      isWriting = false
      if pending.count >= Self.lot || pendingBytes >= Self.lotBytes {
        flush()
      } else if !pending.isEmpty {
        timer?.set(at: loop.now.instant + Self.flushDelay)
      }
    }
  }

  /// The oldest of what waits, as much as fits into one lot.
  private func nextLot() -> [(topic: String, news: FriendNews)] {
    var bytes = 0
    var count = 0
    while count < min(pending.count, Self.lot), bytes < Self.lotBytes {
      bytes += Self.cost(pending[count].topic, pending[count].news)
      count += 1
    }
    defer {
      pending.removeFirst(count)
      pendingBytes -= bytes
    }
    return Array(pending.prefix(count))
  }

  /// Gathered news go first; in a flood only their oldest part.
  private func ask<Answer: Sendable>(
    _ question: @escaping @Sendable (FriendTables) throws(StoreError) -> Answer,
    then: @escaping (Answer?) -> Void
  ) {
    flush()
    perform(question, then: then)
  }

  private func perform<Answer: Sendable>(
    _ work: @escaping @Sendable (FriendTables) throws(StoreError) -> Answer,
    then: @escaping (Answer?) -> Void
  ) {
    let tables = tables
    worker.perform(in: .others) {
      Result { () throws(StoreError) -> Answer in try work(tables) }
    } then: { [weak self] answer in
      switch answer {
      case .success(let answer):
        self?.isFailing = false
        then(answer)
        // Thousands of friends come in one burst; what it took must not stay.
        clinux_trim_heap()
      case .failure(let error):
        // Once, and again only after something has gone well.
        if self?.isFailing == false { self?.post(.warning("friends: \(error.sentence)")) }
        self?.isFailing = true
        then(nil)
      }
    }
  }

  // MARK: More than the disk takes

  /// Half of the limit stays: at the edge of it every further message would begin this anew.
  private func limit() {
    guard pendingBytes >= Self.waitingBytes else { return }
    let before = pending.count
    var known: Set<String> = []
    // From the newest back, so that the newest of each topic stays.
    var kept: [(topic: String, news: FriendNews)] = []
    var bytes = 0
    for one in pending.reversed() where known.insert(one.topic + one.news.kind).inserted {
      bytes += Self.cost(one.topic, one.news)
      guard bytes <= Self.waitingBytes / 2 else { break }
      kept.append(one)
    }
    pending = kept.reversed()
    pendingBytes = pending.reduce(0) { $0 + Self.cost($1.topic, $1.news) }
    dropped += before - pending.count
  }

  /// Bytes that it takes in memory, roughly.
  private static func cost(_ topic: String, _ news: FriendNews) -> Int {
    let texts =
      switch news {
      case .gone: 0
      case .location(let location): location.tid?.utf8.count ?? 0
      case .card(let card): (card.name?.utf8.count ?? 0) + (card.face?.utf8.count ?? 0)
      }
    return topic.utf8.count + texts + overhead
  }
}

extension FriendNews {
  /// News of the same kind replace older ones.
  fileprivate var kind: String {
    switch self {
    case .gone: " gone"
    case .location: " location"
    case .card: " card"
    }
  }
}
