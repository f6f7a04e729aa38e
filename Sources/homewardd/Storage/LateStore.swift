import Core
import Loop
import Model
import Storage
import Timebase

/// The store that could not be opened at the start. The tracker decides in memory meanwhile, and goes on from the
/// store as soon as it can be had:
///
///     closed ──opened──▶ open ──▶ writing ──stored──▶ reading ──▶ the tracker goes on from it
///       └─ tried again    └──failed, tried again─┘
final class LateStore {
  enum Phase {
    /// The disk takes nothing, or is being asked at this moment.
    case closed
    /// With what it held from before the start.
    case open(Snapshot)
    /// All that is in memory, and the tracker as it was, should the disk not take it.
    case writing(before: Tracker, earlier: Snapshot)
    case reading
  }

  /// Room may come back at any time and looking for it is cheap.
  static let firstWait = Span.seconds(5)
  static let longestWait = Span.seconds(60)

  let store: Store
  var phase = Phase.closed
  private(set) var trouble: String
  private let loop: EventLoop
  private let timer: Loop.Timer
  private var wait = LateStore.firstWait

  init(_ store: Store, loop: EventLoop, because error: StoreError, tryAgain: @escaping () -> Void) {
    self.store = store
    self.loop = loop
    trouble = error.sentence
    timer = loop.makeTimer(tryAgain)
    // What ails the disk otherwise needs more than a moment, and an opening that fails uses up patience.
    if !error.isFull { wait = Self.longestWait }
    tryLater(because: error.sentence)
  }

  var nextTry: Instant? { timer.deadline }

  func tryLater(because trouble: String) {
    self.trouble = trouble
    timer.set(at: loop.now.instant + wait)
    wait = min(Self.longestWait, wait + wait)
  }

  /// Nothing where it is being tried at this moment.
  func tryNow() {
    if timer.deadline != nil { timer.set(at: loop.now.instant) }
  }
}

extension Daemon {
  func goOnWithout(_ store: Store, because error: StoreError) {
    say(.error, "store: \(error.sentence); going on in memory, trying again")
    begin(.withoutStore(at: SystemClock.rawWall()))
    late = LateStore(store, loop: loop, because: error) { [unowned self] in tryLateStore() }
  }

  private func tryLateStore() {
    guard let late else { return }
    switch late.phase {
    case .closed:
      late.store.open(directory: configuration.stateDir) { [unowned self] in openedLate($0) }
    case .open(let earlier): handOver(to: earlier)
    case .writing, .reading: break
    }
  }

  /// Told to end while the store is not in use: what waits in memory alone gets a last chance.
  func endWithLateStore() {
    guard let late else { return finish() }
    if case .closed = late.phase { return late.tryNow() }
    store = late.store
    finish()
  }

  private func openedLate(_ opened: Result<Snapshot, StoreError>) {
    guard let late else { return }
    switch opened {
    case .success(let earlier):
      late.phase = .open(earlier)
      isStopping ? endWithLateStore() : handOver(to: earlier)
    case .failure where isStopping: finish()
    case .failure(let error):
      if error.isFull { makeRoom() }
      late.tryLater(because: error.sentence)
    }
  }

  /// The tracker is written down and decides no more before it has been read; what is heard meanwhile waits.
  private func handOver(to earlier: Snapshot) {
    guard let late else { return }
    say(.warning, "store: back again; what waited in memory goes there")
    drain()
    // What is under way would be acknowledged to a tracker that has not read it yet: it is sent again.
    retireUplink()
    guard let before = tracker else { return }
    isDeciding = false
    late.phase = .writing(before: before, earlier: earlier)
    var isWritten = false
    for effect in tracker?.handOver(to: earlier, at: loop.now) ?? [] {
      if case .store(let batch, let writes) = effect {
        isWritten = true
        late.store.write(batch: batch, writes)
      } else {
        perform(effect)
      }
    }
    if !isWritten { readLateStore() }
  }

  /// False: this answer of the store is for the tracker.
  func heardLate(_ event: Store.Event) -> Bool {
    guard let late, case .writing(let before, let earlier) = late.phase, !isStopping else { return false }
    switch event {
    case .stored: readLateStore()
    case .failed(_, let cause, let isFull):
      say(.error, "store: \(cause); going on in memory, trying again")
      if isFull { makeRoom() }
      tracker = before
      isDeciding = true
      configureUplink()
      late.phase = .open(earlier)
      late.tryLater(because: cause)
    case .loaded, .indexed, .noticed: return false
    }
    return true
  }

  private func readLateStore() {
    guard let late else { return }
    late.phase = .reading
    late.store.snapshot { [unowned self] read in
      guard !isStopping else { return }
      switch read {
      case .success(let snapshot): takeUp(snapshot, of: late.store)
      case .failure(let error):
        // All is written, and nothing in memory may go on beside it: only a start reads it again.
        say(.error, "store: \(error.sentence); starting anew")
        exitStatus = Main.temporaryFailure
        finish()
      }
    }
  }

  private func takeUp(_ snapshot: Snapshot, of store: Store) {
    late = nil
    self.store = store
    friends?.isPaused = false
    for effect in tracker?.takeUp(snapshot, at: loop.now) ?? [] { perform(effect) }
    // The tracker goes on as from a start.
    gpsd?.setAwake(true)
    halt(nil)
    adopt(tracker?.settings ?? configuration)
    isDeciding = true
    say(.info, "store: in use again, \(snapshot.queued) messages waiting")
  }
}
