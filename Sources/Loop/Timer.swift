import CLinux
import Glibc
import Timebase

/// A one-shot alarm on the clock that counts while the board sleeps. Set it again as often as needed;
/// one purpose, one timer.
public final class Timer {
  /// When it will run; nil: it is off.
  public private(set) var deadline: Instant?

  let handler: () -> Void
  /// Where the queue has it while it is on.
  fileprivate var slot = 0
  private let loop: EventLoop

  init(loop: EventLoop, handler: @escaping () -> Void) {
    self.loop = loop
    self.handler = handler
  }

  /// nil turns it off. An instant that is past runs it at the next wake-up, which is at once.
  public func set(at deadline: Instant?) {
    guard deadline != self.deadline else { return }
    let wasOff = self.deadline == nil
    self.deadline = deadline
    guard let deadline else { return loop.timers.remove(self) }
    if wasOff { loop.timers.add(self, at: deadline) } else { loop.timers.move(self, to: deadline) }
  }

  /// The handler does not run any more, not even if it was due in this wake-up.
  public func cancel() { set(at: nil) }
}

/// The timers that are on. A daemon has a dozen: a search through an array beats every cleverer structure.
///
/// A timer that is due soon limits the wait itself, which costs no call of its own; most timers are set
/// and put off again many times before one runs out. But a wait does not count the time that the board
/// sleeps, so later timers are left to a timerfd on the clock that does: a sleep makes a timer
/// late by `soon` at most.
final class TimerQueue {
  /// Shorter than any wait that a sleep could spoil, longer than those that are put off all the time.
  static let soon = Span.seconds(10)

  let descriptor: Int32
  private var timers: [Timer] = []
  /// Of the timers in `timers`, side by side: with every wake-up all of them are looked at, twice.
  private var instants: [Instant] = []
  /// The setting of the timerfd. Nil also after it has run out: it stays readable until set anew.
  private var armed: Instant?
  private var hasRunOut = false

  init() throws(LoopError) {
    descriptor = timerfd_create(CLOCK_BOOTTIME, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
    guard descriptor >= 0 else { throw LoopError("make a timer on the boot clock") }
  }

  deinit { close(descriptor) }

  func add(_ timer: Timer, at instant: Instant) {
    timer.slot = timers.count
    timers.append(timer)
    instants.append(instant)
  }

  func move(_ timer: Timer, to instant: Instant) { instants[timer.slot] = instant }

  /// The last one takes its place.
  func remove(_ timer: Timer) {
    let slot = timer.slot
    timers.swapAt(slot, timers.count - 1)
    instants.swapAt(slot, instants.count - 1)
    timers[slot].slot = slot
    timers.removeLast()
    instants.removeLast()
  }

  /// The timerfd is readable. Not read: setting it anew clears it as well, and is needed anyway.
  func ranOut() {
    armed = nil
    hasRunOut = true
  }

  /// How long to wait at most, milliseconds; -1: until something happens. Sets the timerfd where the
  /// earliest deadline is far and has changed.
  func plan(from now: Instant) -> Int32 {
    guard let earliest else {
      if armed != nil || hasRunOut { arm(nil) }
      return -1
    }
    let span = earliest - now
    if span <= Self.soon {
      if hasRunOut { arm(nil) }
      // Rounded up: a wait that is too short by a fraction would have to be asked for again.
      return Int32((max(0, span.nanoseconds) + 999_999) / 1_000_000)
    }
    if earliest != armed { arm(earliest) }
    return -1
  }

  private var earliest: Instant? {
    guard var earliest = instants.first else { return nil }
    for instant in instants where instant < earliest { earliest = instant }
    return earliest
  }

  private func arm(_ instant: Instant?) {
    // 0 turns a timerfd off, and less is no time at all to it.
    let result = clinux_arm(descriptor, instant.map { max(1, $0.nanoseconds) } ?? 0)
    releaseAssert(result == 0, "timerfd_settime: \(String(cString: strerror(errno)))")
    armed = instant
    hasRunOut = false
  }

  /// Runs what is due, the earliest first. A timer that its own handler sets to the past waits for the
  /// next wake-up, so that descriptors get their turn.
  func runDue(at now: Instant) {
    guard let earliest, earliest <= now else { return }
    let due = timers.filter { Self.isDue($0, at: now) }
      .sorted { ($0.deadline ?? .zero) < ($1.deadline ?? .zero) }
    for timer in due where Self.isDue(timer, at: now) {
      timer.set(at: nil)
      timer.handler()
    }
  }

  private static func isDue(_ timer: Timer, at now: Instant) -> Bool {
    timer.deadline.map { $0 <= now } ?? false
  }
}
