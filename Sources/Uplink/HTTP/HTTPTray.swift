import Model

/// The messages that an endpoint is being given: one goes, one waits behind it, one may be suspected.
///
/// 400, 413 and 422 say that the message is wrong, but a proxy or a wrong address says so to every message, and
/// would empty the queue of a week in a minute. So a message that is turned away is suspected first, and others
/// go. It comes again right after another one was taken: if it is turned away once more, it is refused for good. Where none
/// is taken, nothing is given up.
///
///                    turned away                taken, another        turned away
///       current ───────────────────▶ suspect ──────────────────▶ retried ─────────▶ refused
///          │                          │    ▲                      │    │
///          │ turned away,             └────┘ by the timer alone:  │    └─ taken: it was the endpoint
///          ▼ one is suspected        current, and no proof        ▼
///       postponed (the queue gives another)             any other answer: no proof
struct HTTPTray {
  /// The suspect, and one beside it.
  static let room = 2

  enum Verdict: Hashable {
    /// It stays, and others go.
    case suspected
    /// Others go, and the queue gives it again later.
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

  /// It goes again later. Whatever is said to it then has nothing to do with what was taken before.
  mutating func kept() { isProof = false }

  /// All of it, in order of age.
  mutating func empty() -> [Message] {
    defer { self = HTTPTray() }
    return [suspect, current, next].compactMap(\.self).sorted { $0.sequence < $1.sequence }
  }
}
