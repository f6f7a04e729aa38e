import CLinux
import Glibc
import Timebase

/// A one-shot alarm on the clock that counts while the board sleeps. Set it again as often as needed;
/// one purpose, one timer.
public final class Timer {
  /// When it will run; nil: it is off.
  public private(set) var deadline: Instant?

  let handler: () -> Void
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
    if deadline == nil {
      loop.timers.remove(self)
    } else if wasOff {
      loop.timers.add(self)
    }
  }

  public func cancel() { set(at: nil) }
}

/// The timers that are on, and the one timerfd that wakes for the earliest of them. A daemon has a
/// dozen timers: a search through an array beats every cleverer structure.
final class TimerQueue {
  let descriptor: Int32
  private var timers: [Timer] = []
  /// What the timerfd is set to. Nil also after it has run out: it stays readable until set anew.
  private var armed: Instant?
  private var hasRunOut = false

  init() throws(LoopError) {
    descriptor = timerfd_create(CLOCK_BOOTTIME, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
    guard descriptor >= 0 else { throw LoopError("make a timer on the boot clock") }
  }

  deinit { close(descriptor) }

  func add(_ timer: Timer) { timers.append(timer) }

  func remove(_ timer: Timer) { timers.removeAll { $0 === timer } }

  /// The timerfd is readable. Not read: setting it anew clears it as well, and is needed anyway.
  func ranOut() {
    armed = nil
    hasRunOut = true
  }

  /// Sets the timerfd where the earliest deadline has changed, and only then.
  func arm() {
    let earliest = timers.lazy.compactMap(\.deadline).min()
    guard earliest != armed || hasRunOut else { return }
    // 0 turns a timerfd off, and less is no time at all to it.
    let result = clinux_arm(descriptor, earliest.map { max(1, $0.nanoseconds) } ?? 0)
    precondition(result == 0, "timerfd_settime: \(String(cString: strerror(errno)))")
    armed = earliest
    hasRunOut = false
  }

  /// Runs what is due, the earliest first. A timer that its own handler sets to the past waits for the
  /// next wake-up, so that descriptors get their turn.
  func runDue(at now: Instant) {
    guard timers.contains(where: { Self.isDue($0, at: now) }) else { return }
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
