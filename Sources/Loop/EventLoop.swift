import CLinux
import Glibc
import Timebase

/// One thread that sleeps until a descriptor is ready or a timer is due. It wakes for nothing else.
///
/// A wake-up: the clocks are read, the ready handlers run, then the due timers, then `afterHandlers`.
public final class EventLoop {
  /// The moment of this wake-up, the same for everybody who asks during it.
  public private(set) var now: Moment
  /// Runs once at the end of every wake-up.
  public var afterHandlers: () -> Void = {}
  /// How often the loop has woken, for the bench.
  public private(set) var wakeUps = 0

  let poller: Poller
  let timers: TimerQueue
  private var isStopping = false

  /// Also makes a closed peer an error of `write` (EPIPE) where it would be the end of the program
  /// (SIGPIPE): libraries write to sockets too. And it makes the heap small for what is to come.
  public init() throws(LoopError) {
    signal(SIGPIPE, SIG_IGN)
    clinux_lean_heap()
    timers = try TimerQueue()
    poller = try Poller(timers: timers)
    now = SystemClock.read()
  }

  /// The handler runs on the loop's thread, with the part of `interest` that is ready. A hang-up or an error
  /// counts as both: the next `read` or `write` reports what happened.
  public func watch(
    _ descriptor: Int32, for interest: Interest, _ handler: @escaping (Interest) -> Void
  ) -> Watch {
    poller.add(descriptor, interest, loop: self, handler: handler)
  }

  /// The timer is off until it is set.
  public func makeTimer(_ handler: @escaping () -> Void) -> Timer {
    Timer(loop: self, handler: handler)
  }

  /// Returns after the wake-up in which `stop` is called; at once if it was called before.
  public func run() {
    while !isStopping { wakeUp(milliseconds: -1) }
    isStopping = false
  }

  /// One wake-up, within `span` at the latest (nil: however long it takes). For tests.
  public func runOnce(within span: Span?) {
    guard let span else { return wakeUp(milliseconds: -1) }
    // Rounded up: a wait that is too short by a fraction would have to be asked for again.
    let milliseconds = (max(0, span.nanoseconds) + 999_999) / 1_000_000
    wakeUp(milliseconds: Int32(clamping: milliseconds))
  }

  /// `run` returns at the end of the wake-up that is under way.
  public func stop() { isStopping = true }

  private func wakeUp(milliseconds: Int32) {
    // Not `now`: the handlers of the last wake-up took their time.
    let planned = timers.plan(from: SystemClock.instant())
    let isOpenEnded = milliseconds < 0 || planned < 0
    let limit = isOpenEnded ? max(milliseconds, planned) : min(milliseconds, planned)
    let count = poller.wait(milliseconds: limit)
    wakeUps &+= 1
    now = SystemClock.read()
    poller.deliver(count)
    timers.runDue(at: now.instant)
    afterHandlers()
  }
}
