import Loop
import Model
import OwnTracks
import Timebase

/// Notices that the power is failing: a power supply of the kernel goes off line, or a line of a GPIO chip becomes
/// active. Some hundred milliseconds remain then, so nothing is checked twice: the first edge counts.
public final class PowerFailInput {
  /// Events, posted on the loop's thread.
  public enum Event: Hashable, Sendable {
    /// The power is failing; some hundred milliseconds remain.
    case failing
    /// The power is back after `failing`.
    case back
    /// In plain words: nothing will ever be noticed.
    case trouble(String)
  }

  /// A contact bounces, and a weak supply comes and goes: after an edge the next one counts only this much later, and
  /// then if it has lasted.
  public static let gap = Span.seconds(10)

  private let loop: EventLoop
  private let gap: Span
  private let post: (Event) -> Void
  /// A supply that is on line is well, a line that is active is not.
  private let isWellWhenOn: Bool
  private(set) var line: InputLine?
  private var isKnown = false
  private var isFailing = false
  private var last: Instant?
  private var isWell = true
  private var timer: Timer?

  /// `root`: /sys/class/power_supply on every board. Another `gap` is for tests.
  public init(
    loop: EventLoop, source: PowerFailSource, root: String = "/sys/class/power_supply",
    gap: Span = PowerFailInput.gap, post: @escaping (Event) -> Void
  ) {
    self.loop = loop
    self.gap = gap
    self.post = post
    if case .supply = source { isWellWhenOn = true } else { isWellWhenOn = false }
    line = InputLine(loop: loop, source: source, key: "powerFailInput", root: root) { [unowned self] event in
      switch event {
      case .level(let isOn): take(isWell: isOn == isWellWhenOn)
      case .trouble(let why): post(.trouble(why))
      }
    }
  }

  deinit { close() }

  /// Nothing is posted afterwards. Calling it twice is harmless.
  public func close() {
    timer?.cancel()
    line?.close()
  }

  private func take(isWell: Bool) {
    self.isWell = isWell
    guard isKnown else {
      // It may have failed long before the program began.
      isKnown = true
      return
    }
    isWell ? back() : failing()
  }

  private func failing() {
    let now = loop.now.instant
    if let last, now - last < gap {
      let timer = self.timer ?? loop.makeTimer { [unowned self] in if !isWell, !isFailing { failing() } }
      self.timer = timer
      return timer.set(at: last + gap)
    }
    last = now
    isFailing = true
    post(.failing)
  }

  private func back() {
    guard isFailing else { return }
    isFailing = false
    post(.back)
  }
}
