import Model
import Timebase

/// A receiver that has just acquired a fix jumps about by hundreds of metres. Automatic locations wait until it is
/// good, or for ten seconds, and then use the best fix so far.
///
///     cold ──a fix──▶ settling ──50 m or better, or for 10 s──▶ settled
///       ▲                                                          │
///       └─────────────── 5 minutes without a fix ──────────────────┘
struct Settling {
  /// Metres: a fix this accurate is published at once.
  static let goodEnough = 50.0
  /// From the first fix on.
  static let longest = Span.seconds(10)
  /// Without a fix: as good as a start.
  static let loss = Span.minutes(5)

  private enum State {
    case cold
    /// `best`: nil where a newer place was published already, because a person or a command asked.
    case settling(first: WallTime, best: Fix?)
    case settled
  }

  private var state = State.cold
  private var last: Instant?

  var isUnderWay: Bool { if case .settling = state { true } else { false } }

  /// The fix to ask the rule of the mode about: this one, or the best one if this one ends the wait.
  mutating func fixArrived(_ fix: Fix, deadlines: inout Deadlines, at now: Instant) -> Fix {
    if last.map({ now - $0 >= Self.loss }) ?? true {
      state = .settling(first: fix.time, best: nil)
      deadlines[.settling] = now + Self.longest
    }
    last = now
    guard case .settling(let first, let before) = state else { return fix }
    var best = fix
    if let before, before.accuracy < fix.accuracy { best = before }
    guard fix.accuracy <= Self.goodEnough || fix.time - first >= Self.longest else {
      state = .settling(first: first, best: best)
      return fix
    }
    state = .settled
    deadlines[.settling] = nil
    return best
  }

  /// The time is over, and no fix has come that ends the wait. Nil: every fix was published.
  mutating func end() -> Fix? {
    guard case .settling(_, let best) = state else { return nil }
    state = .settled
    return best
  }

  /// A location was published: an earlier place is no news any more.
  mutating func published() {
    if case .settling(let first, _) = state { state = .settling(first: first, best: nil) }
  }
}
