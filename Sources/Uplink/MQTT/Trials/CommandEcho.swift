import Timebase

/// Checks that commands still reach us. A broker that has granted the subscription may have lost it, may have revoked
/// the right to read, or may deliver nothing of QoS 1 any more, and reports none of that. So a command of our own is
/// sent on each connection and once a day, and has to come back through the very subscription that delivers commands.
/// It has no effect: its action is `echo`.
///
///                  ┌──────────────── came back: heard, for a day ◀───────────────┐
///                  ▼                                                             │
///     resting ──the filter stands, and it is time──▶ sent ──acknowledged──▶ awaited
///                  ▲                                  │                          │
///                  ├──refused, or ended over: barred──┘                          │
///                  └──────────────── 10 s: missing, for an hour ◀────────────────┘
///
/// If it is missing, the filters are asked for anew on another connection, and if it is missing there as well, in a new
/// session. A board that may not write on its own command topic still hears commands: MQTT 5 reports that. Before MQTT
/// 5, the board counts as deaf only if an echo has come back once; else the finding is `unclear`, and a command from
/// someone else settles it.
struct CommandEcho {
  /// How long to wait for the echo after its acknowledgement.
  static let patience = Span.seconds(10)
  /// The same for QoS 0, which is not acknowledged and may take longer.
  static let patienceUnacknowledged = Span.seconds(60)
  /// How long an echo that came back counts on one connection.
  static let day = Span.minutes(24 * 60)
  /// Until the next echo, if the last has not come back.
  static let again = Span.minutes(60)
  /// Connections in a row that the broker may end over it, before it is left to a person.
  static let endsAllowed = 2
  /// Start of the message; its number and `ending` follow.
  static let beginning = Array(#"{"_type":"cmd","action":"echo","id":""#.utf8)
  private static let ending = Array(#""}"#.utf8)

  private enum State: Hashable {
    /// Nil: until a person has looked after it.
    case resting(until: Instant?)
    case sent(Int32, until: Instant)
    case awaited(until: Instant)
  }

  /// The reaction to a missing echo.
  enum Step: Hashable {
    case nothing
    /// The filters are asked for anew, on another connection of the same session.
    case askAnew
    /// The same, in a session of its own.
    case beginAnew
  }

  private var state = State.resting(until: nil)
  private(set) var finding = UplinkStatus.CommandFinding.untried
  private(set) var isWanted = false
  /// The broker reports itself what it does with messages (MQTT 5).
  private var hasReasonCodes = false
  /// There is a connection.
  private var isStanding = false
  /// One has come back once, under the present settings.
  private var hasComeBack = false
  /// Missing in a row.
  private var misses = 0
  /// Ends in a row.
  private var ends = 0
  /// The broker has ended the last connection, perhaps over it.
  private(set) var hasEnded = false
  private var number: UInt64 = 0

  init() {}

  // MARK: Inputs

  /// `isOther`: another broker, or we under another name.
  mutating func configured(isWanted: Bool, isOther: Bool) {
    let (hasReasonCodes, isStanding) = (hasReasonCodes, isStanding)
    if isWanted != self.isWanted || isOther { self = CommandEcho() }
    (self.hasReasonCodes, self.isStanding) = (hasReasonCodes, isStanding)
    // On the connection that stands, as on the next one.
    if isWanted, !self.isWanted, isStanding { state = .resting(until: .zero) }
    self.isWanted = isWanted
  }

  /// A connection stands.
  mutating func connected(level: Int, at now: Instant) {
    (hasReasonCodes, isStanding) = (level >= 5, true)
    state = .resting(until: ends < Self.endsAllowed ? now : nil)
  }

  /// The payload of an echo that is due; nil: none is due. `sent` is to follow.
  mutating func payload(at now: Instant) -> [UInt8]? {
    guard isWanted, case .resting(let until?) = state, until <= now else { return nil }
    number = UInt64.random(in: .min ... .max)
    return Self.beginning + Array(String(number, radix: 16).utf8) + Self.ending
  }

  /// The echo was sent under this number of the library; nil: the library did not accept it.
  mutating func sent(_ number: Int32?, at now: Instant) {
    guard let number else {
      state = .resting(until: now + Self.again)
      return
    }
    state = .sent(number, until: now + Self.patienceUnacknowledged)
  }

  /// The broker has accepted the echo; with a `reason` from 0x80 on it has not. False: it is another message.
  mutating func acknowledged(_ number: Int32, reason: Int, qos: Int = 1, at now: Instant) -> Bool {
    guard case .sent(number, _) = state else { return false }
    ends = 0
    if reason >= 0x80 {
      finding = .barred(BrokerDiagnosis.reason(reason))
      state = .resting(until: now + Self.day)
    } else {
      state = .awaited(until: now + (qos == 0 ? Self.patienceUnacknowledged : Self.patience))
    }
    return true
  }

  /// An echo with this number has arrived. True: the last was missing.
  mutating func cameBack(_ number: UInt64, at now: Instant) -> Bool {
    if case .resting = state { return false }
    guard number == self.number else { return false }
    defer { (finding, hasComeBack, misses, ends) = (.heard(at: now), true, 0, 0) }
    state = .resting(until: now + Self.day)
    return finding == .missing
  }

  /// A command from someone else has arrived.
  mutating func heardAnother() {
    if finding == .unclear { finding = .barred(nil) }
  }

  /// To be called at `next`; calling it at other times is harmless.
  mutating func timeIsOver(at now: Instant) -> Step {
    switch state {
    case .sent(_, let until) where until <= now:
      state = .resting(until: now + Self.again)
      return .nothing
    case .awaited(let until) where until <= now:
      state = .resting(until: now + Self.again)
      return missed()
    case .resting, .sent, .awaited: return .nothing
    }
  }

  private mutating func missed() -> Step {
    let isCertain = hasReasonCodes || hasComeBack
    misses += 1
    if isCertain { finding = .missing } else if misses > 1, finding != .barred(nil) { finding = .unclear }
    switch misses {
    case 1: return .askAnew
    case 2: return isCertain ? .beginAnew : .nothing
    default: return .nothing
    }
  }

  /// The connection is over. `isByBroker`: it may be over this. The library would send it again on the next one.
  mutating func ended(isByBroker: Bool) {
    hasEnded = isUnanswered && isByBroker
    isStanding = false
    if hasEnded {
      ends += 1
      finding = .barred(.closedByBroker)
    }
    state = .resting(until: nil)
  }

  /// A person has looked after it.
  mutating func forgive(at now: Instant) {
    (misses, ends) = (0, 0)
    if isStanding, case .resting = state { state = .resting(until: now) }
    if case .heard = finding { return }
    finding = .untried
  }

  // MARK: Questions

  /// The echo is unanswered, which may be why the broker ends the connection.
  var isUnanswered: Bool { if case .sent = state { true } else { false } }

  /// When `timeIsOver` has to be called, or `payload`; nil: no time is waited for. One that is due already waits for
  /// its filter.
  func next(after now: Instant) -> Instant? {
    guard isWanted else { return nil }
    return switch state {
    case .resting(let until): until.flatMap { $0 > now ? $0 : nil }
    case .sent(_, let until), .awaited(let until): until
    }
  }

  /// The number in a received echo, ours or another's; nil: it is not an echo.
  static func number(in payload: UnsafeRawBufferPointer) -> UInt64? {
    let rest = payload.count - beginning.count - ending.count
    guard (1...16).contains(rest), payload.starts(with: beginning),
      payload.suffix(ending.count).elementsEqual(ending)
    else { return nil }
    let digits = payload[beginning.count..<beginning.count + rest]
    return UInt64(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}
