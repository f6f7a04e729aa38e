import Timebase

/// Chooses the level of MQTT if no setting does: 5, because its reason codes show what became of a message, or 4
/// (3.1.1) if the broker does not speak 5.
///
///     unknown ──greets at 5──▶ speaks 5 ──says that it does not──┐
///      │ ▲                                                       ▼
///      │ └─fails at 4 as well─ trying 4 ──greets at 4──▶ speaks no 5 ──a day later──▶ unknown
///      └─fails at 5───────────────▲
///
/// Brokers that do not know 5 say so, close without an answer, or do not answer at all; the last two are also what a
/// bad line looks like, so they count only while this broker has never spoken 5.
struct BrokerLevel {
  /// How long a broker counts as one without 5: it may be upgraded meanwhile.
  static let memory = Span.minutes(24 * 60)

  private enum Finding: Hashable {
    case unknown
    case speaks5
    case trying4
    case speaksNo5(since: Instant)
  }

  private var finding = Finding.unknown
  /// That of the present client object.
  private(set) var spoken = 5
  /// The same, if it was chosen here; nil: by a setting.
  private var chosen: Int?

  /// The level of the next client object.
  mutating func choose(_ wanted: Int, at now: Instant) -> Int {
    if isOutdated(at: now) { finding = .unknown }
    switch finding {
    case .unknown, .speaks5: chosen = 5
    case .trying4, .speaksNo5: chosen = 4
    }
    if wanted != 0 { chosen = nil }
    spoken = chosen ?? wanted
    return spoken
  }

  /// 5 is to be tried once more, which takes another client object.
  func isOutdated(at now: Instant) -> Bool {
    guard case .speaksNo5(let since) = finding else { return false }
    return now - since >= Self.memory
  }

  /// The broker has answered CONNECT, other than that it does not speak this level.
  mutating func greeted(at now: Instant) {
    switch chosen {
    case 5: finding = .speaks5
    case 4: if case .trying4 = finding { finding = .speaksNo5(since: now) }
    default: break
    }
  }

  /// An attempt has failed before the greeting. The other level is worth a try; `isAtOnce`: without waiting for the
  /// next attempt.
  mutating func failed(_ cause: BrokerCause) -> (isOther: Bool, isAtOnce: Bool) {
    let isCertain: Bool
    switch cause {
    // The codes are what the library calls a malformed packet and a breach of the protocol.
    case .versionRefused, .notMQTT, .clientIDReplaced, .reason(code: 0x81...0x82, _): isCertain = true
    case .closedEarly, .closedAfterHandshake, .noGreeting: isCertain = false
    default: return (false, false)
    }
    let isProven =
      switch finding {
      case .unknown, .trying4: false
      case .speaks5, .speaksNo5: true
      }
    guard let chosen, isCertain || !isProven else { return (false, false) }
    // If both levels fail, the reason is another.
    finding = chosen == 5 ? .trying4 : .unknown
    return (true, chosen == 5)
  }
}
