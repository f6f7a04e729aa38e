import Timebase

/// "Connected but stuck": the connection stands and the broker acknowledges nothing. Two faults look alike, and only a
/// request distinguishes them:
///
///     owed 30 s ──▶ amber, ask something harmless ──▶ answered: the way is open and the broker has
///                                                     lost our messages: reconnect at 45 s
///                                                 └─▶ no answer: the way is blocked. What we sent may
///                                                     still arrive; sending it again now would double
///                                                     it. Wait until 62 s, then reconnect anyway.
///
/// After a long silence the connection itself is in doubt, as a network forgets one that carries nothing: then all of it
/// goes three times as fast, and what is doubled is doubled for a reason.
package struct BrokerStall: Hashable, Sendable {
  /// Longer than any round trip, shorter than a person's patience.
  package static let timeout = Span.seconds(30)
  /// Reconnect if the way is open: within 60 s for certain.
  package static let limitWhenOpen = Span.seconds(45)
  /// Reconnect if the way is blocked: radio gaps of up to a minute end by themselves and cause no duplicates.
  package static let limitWhenBlocked = Span.seconds(62)
  /// The same three on a connection that has been silent for long: a crossing is not to wait for half a minute.
  package static let unproven = (timeout: Span.seconds(8), open: Span.seconds(15), blocked: Span.seconds(22))

  enum Step: Hashable, Sendable {
    /// All is well; look again then (nil: when something is sent).
    case wait(until: Instant?)
    /// Stuck for this long; ask now, look again then.
    case ask(until: Instant)
    /// Stuck; the request was sent, or is answered already.
    case stuck(until: Instant)
    case reconnect
  }

  private enum Question: Hashable, Sendable { case none, asked, answered }
  private var question = Question.none
  private var isQuick = false

  private var timeout: Span { isQuick ? Self.unproven.timeout : Self.timeout }
  private var limitWhenOpen: Span { isQuick ? Self.unproven.open : Self.limitWhenOpen }
  private var limitWhenBlocked: Span { isQuick ? Self.unproven.blocked : Self.limitWhenBlocked }

  var isAsked: Bool { question != .none }

  mutating func answered() { if question == .asked { question = .answered } }

  /// `owed`: since when the broker owes an acknowledgement. `isUnproven`: nothing was heard for long before that.
  mutating func look(owed: Instant?, isUnproven: Bool = false, at now: Instant) -> Step {
    guard let owed else {
      question = .none
      return .wait(until: nil)
    }
    let age = now - owed
    if question == .none { isQuick = isUnproven }
    if age < timeout {
      question = .none
      return .wait(until: owed + timeout)
    }
    switch question {
    case .none:
      question = .asked
      return .ask(until: owed + limitWhenOpen)
    case .answered where age >= limitWhenOpen: return .reconnect
    case .answered: return .stuck(until: owed + limitWhenOpen)
    case .asked where age >= limitWhenBlocked: return .reconnect
    // An answer may come at any moment and causes another look itself.
    case .asked: return .stuck(until: owed + limitWhenBlocked)
    }
  }
}
