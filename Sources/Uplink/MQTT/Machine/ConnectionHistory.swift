import Model
import Timebase

/// Evidence of earlier attempts about the cause of this failure, and when the next attempt is made.
struct ConnectionHistory {
  /// A certificate of tomorrow becomes valid when the clock is set, not by trying: meanwhile an attempt
  /// every so often, and at once when the clock jumps.
  static let clockWait = Span.minutes(10)

  private var backoff = Backoff(minimum: .seconds(2), maximum: .seconds(64))
  private var lastAttempt: Instant?
  /// The wait is one of those that a fleet is spread over: news is no reason to end it.
  private var isSpread = false
  /// Settings of the last connection that the broker greeted: the port speaks MQTT.
  private var lastGreeted: BrokerSettings?
  /// The last reported cause of failing attempts, by broker of the list; the same cause is not reported again.
  private var lastReported: [Int: BrokerCause] = [:]
  /// Why it failed over IPv6; not nil: this time it is tried over IPv4 alone.
  private var causeOverIPv6: BrokerCause?
  /// The protocol found at the port that closed without an answer.
  private var port: (way: BrokerSettings, kind: PortProbe?)?
  /// The broker's verdict on our certificate: its alert is often lost, and only the closed connection is seen.
  private var certificate: (way: BrokerSettings, verdict: BrokerCause)?
  /// From 0 up to but not including 1.
  private let random: () -> Double

  init(random: @escaping () -> Double) { self.random = random }

  // MARK: When

  mutating func configured(_ settings: BrokerSettings) {
    backoff.minimum = .seconds(settings.backoff.least)
    backoff.maximum = .seconds(max(settings.backoff.least, settings.backoff.most))
    backoff.spread = .seconds(settings.backoff.spread)
  }

  /// Something was changed that may have been the cause.
  mutating func reset() { backoff.reset() }

  /// There is a new message to send after this failure. False: that is no reason to try sooner.
  mutating func hurries(after cause: BrokerCause?) -> Bool {
    guard !isSpread, !backoff.isFlapping, cause?.isHurryOfUse ?? true else { return false }
    backoff.hurry()
    return true
  }

  /// The last end has an explanation.
  mutating func forgive() { backoff.forgive() }

  func isAttemptDue(at now: Instant) -> Bool { nextAllowed.map { $0 <= now } ?? false }

  /// The next attempt of those that need not wait.
  func soonest(from now: Instant) -> Instant { max(now, nextAllowed ?? now) }

  private var nextAllowed: Instant? { lastAttempt.map { $0 + Backoff.attemptGap } }

  /// When the next attempt is made after this end. `isOwn`: it is this board's alone, whatever its cause looks like.
  mutating func next(after cause: BrokerCause, isHurried: Bool, isOwn: Bool, at now: Instant) -> Instant {
    isSpread = false
    if isHurried { return soonest(from: now) }
    if cause.isServersEnd, !isOwn, !backoff.isFlapping, let wait = backoff.spread(random: random) {
      isSpread = true
      return max(soonest(from: now), now + wait)
    }
    if cause == .clientIDInUse { return now + backoff.longest(random: random(), isRival: true) }
    if cause.isVerdict { return now + backoff.longest(random: random()) }
    if cause == .certificateNotYetValid { return now + Self.clockWait }
    let pause = backoff.next(random: random())
    return cause == .routeChanged ? soonest(from: now) : now + pause
  }

  /// When the next attempt of the same round is made: the ladder is for whole rounds.
  mutating func goesOn(at now: Instant) -> Instant {
    isSpread = false
    return soonest(from: now)
  }

  // MARK: What happened

  mutating func attempted(at now: Instant) { lastAttempt = now }

  mutating func greeted(_ settings: BrokerSettings) {
    (lastReported, lastGreeted, port, certificate) = ([:], settings, nil, nil)
  }

  /// After this failure the protocol of the port is unknown, and it has not been probed yet.
  func isPortUnclear(after cause: BrokerCause, _ settings: BrokerSettings?) -> Bool {
    guard let settings else { return false }
    switch cause {
    case .closedEarly, .closedInHandshake, .closedAtLevel5(isTLS: false): break
    default: return false
    }
    return port.map { !settings.isSameWay(as: $0.way) } ?? true
  }

  /// Nil: it does not speak the other language either.
  mutating func portFound(_ kind: PortProbe?, at way: BrokerSettings) { port = (way, kind) }

  /// A connection that stood is lost; the answer is why, as far as others like it allow.
  mutating func lost(
    _ cause: BrokerCause, after life: Span, because reason: Backoff.Reason
  ) -> BrokerCause {
    backoff.lost(after: life, because: reason)
    return backoff.isFlapping && cause == .closedByBroker ? .clientIDInUse : cause
  }

  /// Whether to report the cause. False: the last one reported of this broker was the same.
  mutating func isNews(_ cause: BrokerCause, of turn: Int) -> Bool {
    lastReported.updateValue(cause, forKey: turn)?.word != cause.word
  }

  // MARK: IPv6

  var isIPv4Forced: Bool { causeOverIPv6 != nil }

  mutating func forgetIPv6() { causeOverIPv6 = nil }

  /// The library tries the next address of a name only where `connect` fails at once. A host that listens on IPv4
  /// alone but has an IPv6 name too would never be reached. True: it is tried once more, at once.
  mutating func retriesOverIPv4(after cause: BrokerCause) -> Bool {
    guard causeOverIPv6 == nil else { return false }
    causeOverIPv6 = cause
    return true
  }

  /// The attempt is over; the answer is what it failed from, as far as all that is known allows.
  mutating func concluded(
    _ cause: BrokerCause, wasResolving: Bool, with settings: BrokerSettings?
  ) -> BrokerCause {
    defer { causeOverIPv6 = nil }
    // If the host has no IPv4 address, the failure over IPv4 is of no interest.
    return reconsidered(wasResolving ? causeOverIPv6 ?? cause : cause, settings)
  }

  /// Interprets a connection that was closed without an answer.
  mutating func reconsidered(_ cause: BrokerCause, _ settings: BrokerSettings?) -> BrokerCause {
    guard let settings else { return cause }
    switch cause {
    case .clientCertificateMissing, .clientCertificateRefused:
      certificate = (settings, cause)
      return cause
    case .closedEarly, .closedInHandshake, .closedAfterHandshake, .closedAtLevel5: break
    default: return cause
    }
    if let certificate, certificate.way == settings, cause != .closedEarly { return certificate.verdict }
    switch (port?.kind, cause) {
    case (.tls, .closedEarly), (.tls, .closedAtLevel5): if isPortKnown(settings) { return .expectsTLS }
    case (.plain, .closedInHandshake): if isPortKnown(settings) { return .notTLS }
    default: break
    }
    if let lastGreeted, settings.isSameWay(as: lastGreeted) { return .takesNoConnections }
    guard settings.protocolLevel == 5, [.closedEarly, .closedAfterHandshake].contains(cause) else {
      return cause
    }
    return .closedAtLevel5(isTLS: cause == .closedAfterHandshake)
  }

  private func isPortKnown(_ settings: BrokerSettings) -> Bool {
    port.map { settings.isSameWay(as: $0.way) } ?? false
  }
}
