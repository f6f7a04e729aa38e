import Timebase

/// "Connected but stuck": the connection stands and the broker acknowledges nothing. Two faults look alike, and only a
/// request distinguishes them:
///
///     owed 30 s ──▶ amber, ask something harmless ──▶ answered: the way is open and the broker has
///                                                     lost our messages: reconnect at 45 s
///                                                 └─▶ no answer: the way is blocked. What we sent may
///                                                     still arrive; sending it again now would double
///                                                     it. Wait until 62 s, then reconnect anyway.
package struct BrokerStall: Hashable, Sendable {
  /// Longer than any round trip, shorter than a person's patience.
  package static let timeout = Span.seconds(30)
  /// Reconnect if the way is open: within 60 s for certain.
  package static let limitWhenOpen = Span.seconds(45)
  /// Reconnect if the way is blocked: radio gaps of up to a minute end by themselves and cause no duplicates.
  package static let limitWhenBlocked = Span.seconds(62)

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

  var isAsked: Bool { question != .none }

  mutating func answered() { if question == .asked { question = .answered } }

  /// `owed`: since when the broker owes an acknowledgement.
  mutating func look(owed: Instant?, at now: Instant) -> Step {
    guard let owed else {
      question = .none
      return .wait(until: nil)
    }
    let age = now - owed
    if age < Self.timeout {
      question = .none
      return .wait(until: owed + Self.timeout)
    }
    switch question {
    case .none:
      question = .asked
      return .ask(until: owed + Self.limitWhenOpen)
    case .answered where age >= Self.limitWhenOpen: return .reconnect
    case .answered: return .stuck(until: owed + Self.limitWhenOpen)
    case .asked where age >= Self.limitWhenBlocked: return .reconnect
    // An answer may come at any moment and causes another look itself.
    case .asked: return .stuck(until: owed + Self.limitWhenBlocked)
    }
  }
}
