import Core
import Loop
import Model
import Storage
import Timebase

/// The store that could not be opened at the start. The tracker decides in memory meanwhile, and goes on from the
/// store as soon as it can be opened:
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

  var phase = Phase.closed
  /// Why it cannot be used, for people.
  private(set) var trouble: String
  private let loop: EventLoop
  private let timer: Loop.Timer
  private var wait = LateStore.firstWait

  init(loop: EventLoop, because error: StoreError, tryAgain: @escaping () -> Void) {
    self.loop = loop
    trouble = error.sentence
    timer = loop.makeTimer(tryAgain)
    // Any other fault of the disk takes longer to go away, and an opening that fails uses up one of the tries.
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
