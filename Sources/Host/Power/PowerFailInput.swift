import Loop
import Model
import OwnTracks
import Timebase

/// Notices that the power is going: a power supply of the kernel that goes off line, or a line of a GPIO
/// chip that becomes active. There are some hundred milliseconds then, so nothing is asked twice: the first
/// edge counts.
public final class PowerFailInput {
  /// What is posted, on the loop's thread.
  public enum Event: Hashable, Sendable {
    /// The power is going; there are some hundred milliseconds.
    case failing
    /// It is well again after `failing`.
    case back
    /// In plain words: nothing will ever be noticed.
    case trouble(String)
  }

  /// A contact bounces, and a supply that is weak comes and goes: after an edge the next counts so much later.
  public static let gap = Span.seconds(10)

  private let loop: EventLoop
  private let post: (Event) -> Void
  /// A supply that is on line is well, a line that is active is not.
  private let isWellWhenOn: Bool
  private(set) var line: InputLine?
  private var isKnown = false
  private var isFailing = false
  private var last: Instant?

  /// `root`: /sys/class/power_supply on every board.
  public init(
    loop: EventLoop, source: PowerFailSource, root: String = "/sys/class/power_supply",
    post: @escaping (Event) -> Void
  ) {
    self.loop = loop
    self.post = post
    if case .supply = source { isWellWhenOn = true } else { isWellWhenOn = false }
    line = InputLine(loop: loop, source: source, key: "powerFailInput", root: root) { [unowned self] event in
      switch event {
      case .level(let isOn): take(isWell: isOn == isWellWhenOn)
      case .trouble(let why): post(.trouble(why))
      }
    }
  }

  /// Nothing is posted after it. Twice is harmless.
  public func close() { line?.close() }

  private func take(isWell: Bool) {
    guard isKnown else {
      // It may have failed long before the program began.
      isKnown = true
      return
    }
    isWell ? back() : failing()
  }

  private func failing() {
    let now = loop.now.instant
    guard last.map({ now - $0 >= Self.gap }) ?? true else { return }
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
