import Model

/// The messages being posted to an endpoint: one is in flight, one waits behind it, one may be suspected.
///
/// 400, 413 and 422 mean that the message is wrong, but a proxy or a wrong address answers this to every message, and
/// would empty the queue of a week in a minute. So a message that is turned away is suspected first, and others are
/// posted. It is posted again right after another one was accepted: if it is turned away once more, it is refused for
/// good. If none is accepted, no message is given up.
///
///                    turned away                taken, another        turned away
///       current ───────────────────▶ suspect ──────────────────▶ retried ─────────▶ refused
///          │                          │    ▲                      │    │
///          │ turned away,             └────┘ by the timer alone:  │    └─ taken: it was the endpoint
///          ▼ one is suspected        current, and no proof        ▼
///       postponed (the queue gives another)             any other answer: no proof
struct HTTPInFlight {
  /// The suspect, and one beside it.
  static let room = 2

  enum Verdict: Hashable {
    /// The message is kept here, and others are posted.
    case suspected
    /// Others are posted, and the queue supplies the message again later.
    case postponed(Message)
    /// For good.
    case refused(Message)
  }

  private(set) var current: Message?
  private var next: Message?
  private(set) var suspect: Message?
  /// The current one is the suspect, and the endpoint has just taken another one.
  private var isProof = false
  private var isSuspectsTurn = false

  var count: Int { [current, next, suspect].count { $0 != nil } }

  /// False: there is no room for it.
  mutating func take(_ message: Message) -> Bool {
    guard count < Self.room, next == nil else { return false }
    next = message
    return true
  }

  /// The next one becomes the current one; nil: nothing is to go now.
  mutating func advance() -> Message? {
    if let current { return current }
    if isSuspectsTurn {
      (current, suspect) = (suspect, nil)
    } else {
      (current, next) = (next, nil)
    }
    return current
  }

  /// The suspect has waited long enough and goes again, though no other was taken.
  mutating func retrySuspect() {
    guard current == nil, suspect != nil else { return }
    isSuspectsTurn = true
    isProof = false
  }

  // MARK: What the endpoint says of the current one

  mutating func taken() -> Message? {
    defer { current = nil }
    isSuspectsTurn = suspect != nil
    isProof = isSuspectsTurn
    return current
  }

  mutating func turnedAway() -> Verdict? {
    guard let message = current else { return nil }
    let wasProof = isProof && isSuspectsTurn
    (current, isProof, isSuspectsTurn) = (nil, false, false)
    if wasProof { return .refused(message) }
    guard suspect == nil else { return .postponed(message) }
    suspect = message
    return .suspected
  }

  /// The message is posted again later. The answer to it then proves nothing together with earlier ones.
  mutating func kept() { isProof = false }

  /// Takes out all messages, oldest first.
  mutating func empty() -> [Message] {
    defer { self = HTTPInFlight() }
    return [suspect, current, next].compactMap(\.self).sorted { $0.sequence < $1.sequence }
  }
}
