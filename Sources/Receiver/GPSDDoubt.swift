import Model
import Timebase

/// Whether a place is one, where gpsd's reports leave that open. Then gpsd is asked to repeat what the receiver says
/// itself, until that is known: to read all of it always would cost half as much again as a fix does.
///
/// ```
///   believed ──a sign──▶ waiting ──a fix, in its own words──▶ vouched for ──another sign, or 5 min──▶ waiting
///                           │──void, in its own words──▶ void ──no sign any more──▶ believed
///                           └──no word in 3 s, or in 3 reports since gpsd listens──▶ as the signs say
///
/// A receiver that falls silent meanwhile is waited for no longer than one that goes on (`patienceIsOver`).
/// ```
struct GPSDDoubt {
  enum Verdict { case believed, waiting, void }

  /// A receiver whose packets nobody reads here says nothing, however long it is asked. It is given this long, or this
  /// many reports since gpsd has confirmed that it repeats them.
  static let patience = (span: Span.seconds(3), reports: 3)
  /// A parked receiver that holds its place to the last digit is asked so often whether it still has a fix.
  static let vouching = Span.minutes(5)
  /// Positions that wait, of a receiver of up to 25 Hz.
  static let mostHeld = 80

  private(set) var words = ReceiverWords()
  /// In its order, what waits for the words.
  private var held: [Reading] = []
  private var since: Instant?
  /// Of the newest report that waits.
  private var sign = RepeatedPlace.Sign.usual
  /// Nil: gpsd has not confirmed yet.
  private var wordless: Int?
  private var vouched: (for: RepeatedPlace.Sign, until: Instant)?
  /// Whether gpsd is to repeat what the receiver says.
  private(set) var isAsking = false
  /// Whether it may have been asked to: what is under way is no fault.
  private(set) var hasAsked = false
  private(set) var isVoid = false

  /// Of one report with a place. `canAsk`: there is one receiver, so that words are its own.
  mutating func judge(
    _ sign: RepeatedPlace.Sign, isMoving: Bool, canAsk: Bool, at now: Instant
  ) -> Verdict {
    if sign == .usual, since == nil, !isVoid {
      // Where it stands again it may be in a tunnel.
      if isMoving { vouched = nil }
      return .believed
    }
    let verdict = decide(sign, canAsk: canAsk, at: now)
    isVoid = verdict == .void
    return verdict
  }

  private mutating func decide(_ sign: RepeatedPlace.Sign, canAsk: Bool, at now: Instant) -> Verdict {
    guard sign != .usual else {
      rest()
      return .believed
    }
    if let vouched, vouched.for == sign, now < vouched.until { return .believed }
    vouched = nil
    let unasked: Verdict = sign.isProof ? .void : .believed
    guard canAsk, sign != .takenBack else {
      rest()
      return unasked
    }
    self.sign = sign
    let began = since ?? now
    if since == nil { ask(at: now) }
    if words.saysVoid { return .void }
    if words.isEmpty, let count = wordless { wordless = count + 1 }
    guard words.isWhole || now - began >= Self.patience.span || wordless ?? 0 >= Self.patience.reports
    else { return .waiting }
    let verdict = words.isWhole ? Verdict.believed : unasked
    if verdict == .believed {
      vouched = (sign, now + Self.vouching)
      rest()
    }
    return verdict
  }

  /// When `patienceIsOver` has to be called, where no report comes; nil: nothing waits.
  var decidesAt: Instant? { since.map { $0 + Self.patience.span } }

  /// Decides about what waits by what has been said until now. True: it was void.
  mutating func patienceIsOver(at now: Instant) -> Bool {
    guard let until = decidesAt, now >= until, !isVoid else { return false }
    isVoid = words.saysVoid || words.isEmpty && sign.isProof
    if !isVoid {
      vouched = (sign, now + Self.vouching)
      rest()
    }
    return isVoid
  }

  private mutating func ask(at now: Instant) {
    since = now
    wordless = nil
    words = ReceiverWords()
    isAsking = true
    hasAsked = true
  }

  /// Nobody has to say anything any more.
  private mutating func rest() {
    since = nil
    isAsking = false
  }

  mutating func hear(_ line: UnsafeMutablePointer<CChar>, _ length: Int) {
    guard isAsking else { return }
    words.take(UnsafeRawBufferPointer(start: line, count: length))
  }

  /// gpsd has taken the question.
  mutating func confirmed() {
    if isAsking, wordless == nil { wordless = 0 }
  }

  mutating func hold(_ reading: Reading) {
    if held.count < Self.mostHeld { held.append(reading) }
  }

  var holds: Bool { !held.isEmpty }
  var isWaiting: Bool { since != nil }

  mutating func takeHeld() -> [Reading] {
    defer { held = [] }
    return held
  }

  /// It has no fix, or is sent to rest: the held readings were no fixes, or would be too old once reported.
  mutating func drop() {
    held = []
    isVoid = false
    rest()
  }
}
