import Timebase

/// Lines of the journal that somebody outside can cause: ten in any minute, the others are counted.
struct LineBudget {
  static let span = Span.minutes(1)

  /// What a line is about, and of the minute's ten how many may have been said before it: what anybody can
  /// cause leaves room for what matters more.
  enum Cause: Int, CaseIterable {
    /// Others' messages.
    case others = 6
    /// The way to the server, which a server may take away on purpose.
    case connection = 8
    /// What waits, and why: found out over several connections, each of which had its lines.
    case held = 9
    /// A change of settings, by who may change them.
    case settings = 10
  }

  /// When the last lines were said, the oldest first.
  private var said: [Instant] = []
  private var withheld = 0

  /// The line to be said; nil: none.
  mutating func take(_ text: String, of cause: Cause, at now: Instant) -> String? {
    said.removeAll { now - $0 >= Self.span }
    guard said.count < cause.rawValue else {
      withheld += 1
      return nil
    }
    said.append(now)
    defer { withheld = 0 }
    return withheld == 0 ? text : "\(text) (and \(withheld) lines from outside not written)"
  }
}
