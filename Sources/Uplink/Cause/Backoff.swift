import Timebase

/// How long to wait before the next attempt to connect: 2, 4, 8, 16, 32, 64, 64 ... seconds, each up
/// to a fifth longer so that a thousand trackers do not come back in the same second. Never shorter: a broker that is
/// down for a minute is reached by the attempt after 62 s, instead of being just missed and reached a minute later.
///
/// A connection that the broker accepted starts the ladder anew. One that dies young does so too, but not without
/// limit: if three in a row live less than 10 s, another client uses the same client id (each of the two disconnects
/// the other) or the broker is faulty, and the ladder goes on.
struct Backoff: Hashable, Sendable {
  /// Attempts are at least this far apart, whoever asks for them.
  static let attemptGap = Span.seconds(2)
  /// A connection that lives less than this has died young.
  static let youth = Span.seconds(10)
  /// This many connections in a row that died young are no accident.
  static let youngDeathsAllowed = 3
  /// How strongly an early end suggests a rival for the client id.
  enum Reason: Int {
    /// Not at all: it has another explanation, or the network cut it off in the middle of sending.
    case other = 0
    /// A message may be the reason.
    case perhapsMessage = 1
    case unknown = 2
  }
  /// Two rivals for one client id must meet rarely: their wait is this many times the longest.
  static let rivalFactor = 2.0

  var minimum: Span
  var maximum: Span
  /// All trackers of a server see its end in the same moment: over this time they come back. Zero: each by its ladder.
  var spread = Span.zero
  private var step = 0
  private var youngDeaths = 0

  init(minimum: Span, maximum: Span) {
    self.minimum = minimum
    self.maximum = Swift.max(minimum, maximum)
  }

  /// Whether connections keep dying young.
  var isFlapping: Bool { youngDeaths >= Self.youngDeathsAllowed * Reason.unknown.rawValue }

  /// A connection was accepted and is lost now, after `life`.
  mutating func lost(after life: Span, because reason: Reason = .unknown) {
    youngDeaths = life < Self.youth ? youngDeaths + reason.rawValue : 0
    if !isFlapping { step = 0 }
  }

  /// The connections that died young have an explanation.
  mutating func forgive() { youngDeaths = 0 }

  /// There is a new message to send: the ladder begins anew, unless connections keep dying.
  mutating func hurry() { if !isFlapping { step = 0 } }

  /// Something was changed that may have been the cause.
  mutating func reset() {
    step = 0
    youngDeaths = 0
  }

  /// The wait before the next attempt. `random` is from 0 up to but not including 1.
  mutating func next(random: Double) -> Span {
    let doubled = minimum.seconds * Double(1 << Swift.min(step, 20))
    step += 1
    return jittered(Swift.min(doubled, maximum.seconds), random)
  }

  /// The wait if hurry is of no use: wrong password, rival for the client id.
  func longest(random: Double, isRival: Bool = false) -> Span {
    jittered(maximum.seconds * (isRival ? Self.rivalFactor : 1), random)
  }

  /// The wait after the server's own end; nil: attempts are not spread, and nothing is drawn. Each of them draws anew,
  /// so that a server that was away for long is not met by all at once either.
  func spread(random: () -> Double) -> Span? { spread > .zero ? .seconds(spread.seconds * random()) : nil }

  private func jittered(_ seconds: Double, _ random: Double) -> Span {
    .seconds(seconds * (1 + 0.2 * random))
  }
}
