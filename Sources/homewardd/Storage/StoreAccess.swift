import Core
import Loop
import Model
import OwnTracks
import Storage
import Timebase

/// The store from its opening to the end: in use from the start, or later (`LateStore`), or not at all.
final class StoreAccess {
  /// Posted on the loop's thread.
  enum Event {
    /// The tracker goes on from this.
    case opened(Snapshot)
    /// It cannot be opened now: the tracker begins in memory, and this goes on trying.
    case missing
    /// No waiting will help. In words.
    case failed(String)
    /// It is open at last, and this is what it held: all that is in memory is to be handed over.
    case isBack(Snapshot)
    /// The state that was handed over is not on the disk: the tracker goes on as it was before.
    case notTaken(before: Tracker)
    /// All of it is: the tracker goes on from this.
    case resumed(Snapshot)
    /// All of it is, and cannot be read: nothing may go on in memory beside it. In words.
    case unreadable(String)
    /// `end` has done what it could.
    case ended
  }

  private let loop: EventLoop
  private let directory: String
  private let friends: FriendBook
  private let host: TrackerHost
  private let log: ServiceLog
  private let post: (Event) -> Void
  private let worker: Worker
  private lazy var store = Store(loop: loop, worker: worker) { [unowned self] in heard($0) }
  private var isInUse = false
  private var late: LateStore?
  private var isEnding = false
  /// Something was given to a late store to write.
  private var isWriting = false

  init(
    loop: EventLoop, worker: Worker, directory: String, friends: FriendBook, host: TrackerHost,
    log: ServiceLog, post: @escaping (Event) -> Void
  ) {
    self.loop = loop
    self.worker = worker
    self.directory = directory
    self.friends = friends
    self.host = host
    self.log = log
    self.post = post
  }

  /// Without it the tracker would not know what it still owes.
  func open() {
    store.open(directory: directory) { [unowned self] opened in
      switch opened {
      case .success(let snapshot):
        isInUse = true
        post(.opened(snapshot))
      case .failure(let error) where error.isFull && FriendBook.giveWay(in: directory):
        log.say(.warning, "store: \(error.sentence); discarding friends' data to make room")
        open()
      case .failure(let error):
        guard error.mayHeal else { return post(.failed(error.sentence)) }
        log.say(.error, "store: \(error.sentence); going on in memory, trying again")
        post(.missing)
        late = LateStore(loop: loop, because: error) { [unowned self] in tryAgain() }
      }
    }
  }

  // MARK: Orders

  func write(_ batch: UInt64, _ writes: [StoreWrite]) {
    isWriting = true
    guard isInUse || isHandedOver else { return host.post(.storeFailed(batch: batch)) }
    store.write(batch: batch, writes)
  }

  func load(after sequence: UInt64, limit: Int) {
    if isInUse { store.load(after: sequence, limit: limit) }
  }

  func loadIndex(after sequence: UInt64, limit: Int) {
    if isInUse { store.loadIndex(after: sequence, limit: limit) }
  }

  /// False: there is no store to read from.
  func history(
    _ query: HistoryQuery, then: @escaping (Result<[HistoryPoint], StoreError>) -> Void
  ) -> Bool {
    if isInUse { store.history(query, then: then) }
    return isInUse
  }

  /// Answered by `ended`. What waits in memory alone gets a last chance.
  func end() {
    isEnding = true
    guard let late else { return post(.ended) }
    if case .closed = late.phase { return late.tryNow() }
    isInUse = true
    post(.ended)
  }

  /// Needs `Worker.finish` afterwards.
  func close() { if isInUse { store.close() } }

  // MARK: Questions

  /// It is open, and what is in it is the tracker's.
  var isReadable: Bool { isInUse }

  enum Condition {
    case inUse(Store.Status)
    /// Why, and when it is tried again.
    case missing(String, nextTry: Instant?)
  }

  /// Nil: it is being opened for the first time.
  var condition: Condition? {
    if let late { return .missing(late.trouble, nextTry: late.nextTry) }
    return isInUse ? .inUse(store.status) : nil
  }

  // MARK: A late store

  private func tryAgain() {
    guard let late else { return }
    switch late.phase {
    case .closed: store.open(directory: directory) { [unowned self] in openedLate($0) }
    case .open(let earlier): post(.isBack(earlier))
    case .writing, .reading: break
    }
  }

  /// For tests: nothing where it is being tried at this moment.
  func tryNow() { late?.tryNow() }

  private func openedLate(_ opened: Result<Snapshot, StoreError>) {
    guard let late else { return }
    switch opened {
    case .success(let earlier):
      late.phase = .open(earlier)
      isEnding ? end() : post(.isBack(earlier))
    case .failure where isEnding: post(.ended)
    case .failure(let error):
      if error.isFull { makeRoom() }
      late.tryLater(because: error.sentence)
    }
  }

  /// Everything in memory is written from here until `handedOver`. `before`: the tracker that decided until now.
  func handOver(from before: Tracker, over earlier: Snapshot) {
    isWriting = false
    late?.phase = .writing(before: before, earlier: earlier)
  }

  func handedOver() {
    if !isWriting { read() }
  }

  private var isHandedOver: Bool {
    guard let late, case .writing = late.phase else { return false }
    return true
  }

  private func read() {
    late?.phase = .reading
    store.snapshot { [unowned self] read in
      guard !isEnding else { return }
      switch read {
      case .success(let snapshot):
        late = nil
        isInUse = true
        friends.isPaused = false
        post(.resumed(snapshot))
      case .failure(let error):
        isEnding = true
        post(.unreadable(error.sentence))
      }
    }
  }

  /// Friends' data gives way to our own. The broker has the newest of it.
  private func makeRoom() {
    guard !friends.isPaused else { return }
    log.say(.warning, "store: discarding friends' data to make room")
    friends.giveWay()
  }

  // MARK: What the store says

  private func heard(_ event: Store.Event) {
    if heardLate(event) { return }
    switch event {
    case .stored(let batch, let points):
      friends.isPaused = false
      host.post(.stored(batch: batch, points: points))
    case .failed(let batch, let cause, let isFull):
      log.say(.error, "store: \(cause); going on in memory", of: .store("\(cause)"))
      if isFull { makeRoom() }
      host.post(.storeFailed(batch: batch))
    case .loaded(let messages): host.post(.loaded(messages))
    case .indexed(let page): host.post(.indexed(page))
    case .noticed(let text): log.say(.warning, "store: \(text)")
    }
  }

  /// False: this answer of the store is for the tracker.
  private func heardLate(_ event: Store.Event) -> Bool {
    guard let late, case .writing(let before, let earlier) = late.phase, !isEnding else { return false }
    switch event {
    case .stored: read()
    case .failed(_, let cause, let isFull):
      log.say(.error, "store: \(cause); going on in memory, trying again")
      if isFull { makeRoom() }
      post(.notTaken(before: before))
      late.phase = .open(earlier)
      late.tryLater(because: cause)
    case .loaded, .indexed, .noticed: return false
    }
    return true
  }
}
