import Timebase

/// Looks at what the broker retains of the board's place when a connection comes up. A broker that was killed may have
/// lost it, or have an earlier one, and then it has lost whatever else it acknowledged since.
///
///     (nothing) ──greeting──▶ asked ──SUBACK──▶ open ──a retained message──▶ found
///                              │                 └──10 s──▶ nothing is retained
///                              └──refused, or the connection ends──▶ not known
///
/// The topic is subscribed to ahead of any message, until there is an answer. Nobody looks before the broker has
/// acknowledged a place. Where the topic may not be read, an empty answer says nothing, so it counts only if a place has
/// been read there before, or if the session is gone as well. A session that is there while nothing is retained: somebody
/// has cleared the topic, or this node of a cluster never had it.
struct PlaceLook {
  enum Finding: Hashable, Sendable {
    case retained([UInt8])
    case nothing
    /// It cannot be read, and the session is gone.
    case sessionLost
  }

  /// How long a retained message may take after the SUBACK.
  static let patience = Span.seconds(10)
  /// How long a topic that we may not read is left alone.
  static let leftAlone = Span.minutes(60)

  private enum State: Hashable {
    case none
    case asked(Int32)
    case open(until: Instant)
  }

  private var state = State.none
  /// Not taken yet.
  private var finding: Finding?
  private var isWanted = false
  private var retainsPlaces = false
  /// The broker has acknowledged one of our places.
  private(set) var hasPlace = false
  /// A place of ours has been read there.
  private var isReadable = false
  /// There has been a connection whose session the broker should have kept.
  private var hasSession = false
  /// It is gone, and nothing has been concluded from this yet.
  private var isSessionLost = false
  private var isSessionClean = false
  private var notBefore = Instant.zero

  // MARK: Inputs

  /// `isOther`: another broker, or we under another name.
  mutating func configured(isWanted: Bool, retainsPlaces: Bool, isOther: Bool) {
    if isOther { self = PlaceLook() }
    (self.isWanted, self.retainsPlaces) = (isWanted, retainsPlaces)
  }

  /// We have had the broker forget the session.
  mutating func sessionCleared() { hasSession = false }

  /// Another broker has what was published since: what this one lacks it never had.
  mutating func publishedElsewhere() { (hasPlace, hasSession, isSessionLost) = (false, false, false) }

  /// A place was acknowledged.
  mutating func acknowledged() { hasPlace = true }

  /// One of our messages has come back on the topic of places.
  mutating func cameBack() { isReadable = true }

  /// A person has looked after it.
  mutating func forgive() { notBefore = .zero }

  /// The broker's greeting. True: the topic has to be subscribed to, and `asked` is to follow.
  mutating func connected(isSessionPresent: Bool, isSessionClean: Bool, at now: Instant) -> Bool {
    // The last connection ended before it was known: what is retained now may have been published on that one.
    if isSessionLost { conclude(.sessionLost) }
    isSessionLost = hasSession && !isSessionPresent
    (hasSession, self.isSessionClean) = (!isSessionClean, isSessionClean)
    guard isWanted, hasPlace else {
      isSessionLost = false
      return false
    }
    if retainsPlaces, notBefore <= now, finding == nil { return true }
    if isSessionLost { conclude(.sessionLost) }
    return false
  }

  /// `number` is that of the answer to come; nil: the request could not be made.
  mutating func asked(number: Int32?) { state = number.map(State.asked) ?? .none }

  /// The broker's answer to a filter, perhaps not to this one. `codes`: from 0x80 on it has refused.
  mutating func answered(_ number: Int32, _ codes: [Int32], at now: Instant) {
    guard state == .asked(number) else { return }
    if let code = codes.first, code < 0x80 {
      state = .open(until: now + Self.patience)
    } else {
      (state, notBefore) = (.none, now + Self.leftAlone)
      if isSessionLost { conclude(.sessionLost) }
    }
  }

  /// The broker has sent what it retains.
  mutating func found(_ payload: [UInt8]) {
    guard state != .none else { return }
    isReadable = true
    conclude(.retained(payload))
  }

  mutating func timeIsOver(at now: Instant) {
    guard case .open(let until) = state, until <= now else { return }
    state = .none
    if isSessionLost || isReadable && isSessionClean { conclude(.nothing) }
  }

  /// The connection is over. `isByBroker`: perhaps because of this subscription.
  mutating func ended(isByBroker: Bool, at now: Instant) {
    if case .asked = state, isByBroker { notBefore = now + Self.leftAlone }
    state = .none
  }

  private mutating func conclude(_ finding: Finding) {
    (state, self.finding, isSessionLost) = (.none, finding, false)
  }

  /// The finding, once.
  mutating func takeFinding() -> Finding? {
    defer { finding = nil }
    return finding
  }

  // MARK: Questions

  /// Whether a retained message on the topic is the answer.
  var isUnderWay: Bool { state != .none }

  /// The SUBSCRIBE has no answer yet.
  var isUnanswered: Bool { if case .asked = state { true } else { false } }

  /// When `timeIsOver` has to be called; nil: nothing is awaited.
  var next: Instant? { if case .open(let until) = state { until } else { nil } }
}
