import Loop
import Model
import Timebase

/// HTTP mode: posts one message after the other to an endpoint, as the uplink of mode 3.
///
///     idle ──▶ loading ──▶ ready ──▶ posting ──▶ ready       2xx: acknowledged; 400, 413, 422: suspected,
///              (worker)      ▲          │                    then refused or postponed (`HTTPInFlight`)
///                            │          ▼
///                            │       waiting ──▶ posting     anything else: the same message again
///
/// A message that fails is kept here, as if in flight, until it goes through: `lost` reports the trouble, `connected`
/// that the next one may come.
public final class HTTPPoster: Uplink {
  enum Phase: Hashable, Sendable {
    case idle
    case loading
    case ready
    case posting(since: Instant)
    case waiting
  }

  /// Why nothing is begun.
  private struct Pause {
    /// No attempt before, whoever asks.
    var earliest = Instant.zero
    /// The wait is one of those that a fleet is spread over.
    var isSpread = false
  }

  private enum Halt {
    /// By a person.
    case switchedOff
    /// With the program.
    case ending
  }

  /// Pause after a message was turned away: many of them are no reason to hurry.
  static let refusalPause = Span.milliseconds(500)

  /// The state of now.
  public private(set) var status = UplinkStatus()
  /// The colour of `status` alone.
  public var colour: ConnectionColour { status.colour }
  /// Bytes that its connections have cost.
  public var carried: Int { status.counters.bytes + (request?.carried ?? 0) }
  /// See `UplinkStatus.isOut`.
  public var isOut: Bool { status.isOut }

  let loop: EventLoop
  let worker: Worker
  let post: (UplinkEvent) -> Void
  let random: () -> Double
  let load: @Sendable () -> String?

  private(set) var phase = Phase.idle
  private var settings: HTTPSettings?
  private var request: HTTPRequest?
  private var inFlight = HTTPInFlight()
  private var backoff = Backoff(minimum: .seconds(2), maximum: .seconds(64))
  private var timer: Timer?
  /// For a suspected message without another one to prove it by.
  private var suspectBackoff = Backoff(minimum: .seconds(2), maximum: .seconds(64))
  private var suspectTimer: Timer?
  private var lastAttempt: Instant?
  /// The last posted event of the two is `connected`, not `lost`.
  private var isUp = false
  private var lastReported: BrokerCause?
  private var isFreshWanted = false
  private var pause = Pause()
  private var halt: Halt?

  /// `worker` loads the library. `load` returns why that failed; nil: it is loaded.
  public init(
    loop: EventLoop, worker: Worker, random: @escaping () -> Double = { Double.random(in: 0..<1) },
    load: @escaping @Sendable () -> String? = HTTPPoster.loadLibrary, post: @escaping (UplinkEvent) -> Void
  ) {
    (self.loop, self.worker) = (loop, worker)
    self.random = random
    self.load = load
    self.post = post
    timer = loop.makeTimer { [weak self] in self?.timerFired() }
    suspectTimer = loop.makeTimer { [weak self] in self?.retrySuspect() }
  }

  // MARK: Inputs

  /// Takes its part of the settings.
  public func configure(_ settings: UplinkSettings) { configure(HTTPSettings(settings)) }

  /// Takes new settings; messages in flight are given back if the new settings change how they are posted.
  public func configure(_ new: HTTPSettings) {
    let isOther = settings.map { $0.isOther(than: new) } ?? true
    settings = new
    backoff.minimum = .seconds(new.backoffMinimum)
    backoff.maximum = .seconds(max(new.backoffMinimum, new.backoffMaximum))
    backoff.spread = .seconds(new.backoffSpread)
    (suspectBackoff.minimum, suspectBackoff.maximum) = (backoff.minimum, backoff.maximum)
    status.isInsecure = new.isInsecure
    guard isOther else { return }
    leave(.settingsChanged)
    // A pause that the previous server asked for does not apply to the next one.
    pause.earliest = .zero
    start()
  }

  /// For good; messages in flight are given back.
  public func retire() { leave(.settingsChanged) }

  /// A person's switch, off: messages in flight are given back, nothing is posted until `reconnect`.
  public func disconnect() {
    halt = .switchedOff
    leave(.switchedOff)
    show(.switchedOff)
  }

  /// A person's switch, on; if it was on, as with another route.
  public func reconnect() {
    guard halt == .switchedOff else { return connectSoon() }
    halt = nil
    pause.earliest = .zero
    start()
  }

  /// Not even a server's Retry-After holds.
  public func connectSoon() {
    askAnew()
    networkChanged()
  }

  /// Nothing stays refused over a post; a library that was missing may have been installed.
  public func askAnew() {
    if case .idle = phase { start() }
  }

  /// Nothing is said unasked.
  public func setParked(_ isParked: Bool) {}

  /// Nothing is kept over a connection.
  public func takeBack(isOverMessage: Bool) {}

  /// Another route: a waiting attempt is made soon, a connection over the old one is not used again.
  public func networkChanged() {
    isFreshWanted = true
    switch phase {
    case .idle, .loading: break
    case .ready: if inFlight.suspect != nil { suspectTimer?.set(at: soonest) }
    // Not even a server's Retry-After holds: it may have been the other network's own.
    case .waiting:
      pause.earliest = .zero
      attemptSoon()
    case .posting(let since):
      guard loop.now.instant - since >= Backoff.attemptGap else { return }
      request?.cancel()
      inFlight.kept()
      attemptSoon()
    }
  }

  /// As `Broker.hurry`, but not for a server that has answered or has said when to try again.
  public func hurry(isAsked: Bool) {
    guard case .waiting = phase else { return }
    if isAsked || !pause.isSpread && status.cause?.isHurryOfUse == true { attemptSoon() }
  }

  /// Posts a message. Only while connected, `HTTPInFlight.room` at a time; a message that cannot be posted now comes
  /// back as `sendFailed`.
  public func send(_ message: Message) {
    switch phase {
    case .idle, .loading: return failed(message.sequence)
    case .ready, .posting, .waiting: break
    }
    guard inFlight.take(message) else { return failed(message.sequence) }
    status.inFlight = inFlight.count
    status.counters.sent += 1
    proceed()
  }

  /// For the end of the program: waits at most `span` for the answer to the message in flight.
  public func shutDown(within span: Span) {
    halt = .ending
    if case .posting = phase { request?.serve(until: SystemClock.read().instant + span) }
    timer?.cancel()
    suspectTimer?.cancel()
    close()
    phase = .idle
  }

  // MARK: Beginning and ending

  private func start() {
    backoff.reset()
    suspectBackoff.reset()
    guard halt == nil, let settings else { return }
    if let fault = settings.fault { return show(fault) }
    phase = .loading
    worker.perform(load) { [weak self] failure in self?.loaded(failure) }
  }

  private func loaded(_ failure: String?) {
    guard case .loading = phase, let settings else { return }
    phase = .idle
    if let failure { return stop(.settingRefused(failure)) }
    request = HTTPRequest(loop: loop, settings: settings) { [unowned self] in answered($0) }
    guard request != nil else { return stop(.settingRefused("no endpoint: url is not usable")) }
    phase = .ready
    show(.nothingPosted)
    up()
  }

  /// A person has to fix it.
  private func stop(_ cause: BrokerCause) {
    show(cause)
    post(.lost(cause, ConnectionEnd(.left)))
  }

  private func leave(_ cause: BrokerCause) {
    timer?.cancel()
    close()
    phase = .idle
    lastReported = nil
    suspectTimer?.cancel()
    for message in inFlight.empty() { failed(message.sequence) }
    status.inFlight = 0
    status.nextAttempt = nil
    status.connectedSince = nil
    if isUp {
      isUp = false
      post(.lost(cause, ConnectionEnd(.left)))
    }
  }

  private func close() {
    request?.close()
    status.counters.bytes += request?.carried ?? 0
    request = nil
  }

  // MARK: One post

  /// Posts the next message, if none is in flight.
  private func proceed() {
    guard case .ready = phase, halt == nil else { return }
    guard inFlight.advance() != nil else {
      guard inFlight.suspect != nil, suspectTimer?.deadline == nil else { return }
      let again = loop.now.instant + suspectBackoff.next(random: random())
      suspectTimer?.set(at: again)
      status.nextAttempt = again
      return
    }
    guard pause.earliest <= loop.now.instant else { return wait(until: pause.earliest) }
    attempt()
  }

  private func retrySuspect() {
    inFlight.retrySuspect()
    proceed()
  }

  private func attempt() {
    guard let message = inFlight.current, let settings else { return }
    let now = loop.now.instant
    lastAttempt = now
    status.attempts += 1
    status.nextAttempt = nil
    if let cause = unreadableFile(settings) { return keep(cause) }
    let isBegun = request?.begin(
      message.payload, within: .seconds(settings.timeout), isFresh: isFreshWanted)
    guard isBegun == true else { return keep(.systemError(code: 0, text: "libcurl takes no request")) }
    isFreshWanted = false
    phase = .posting(since: now)
  }

  private func unreadableFile(_ settings: HTTPSettings) -> BrokerCause? {
    for path in [settings.tlsCaFile, settings.tlsCertificate, settings.tlsKey] where !path.isEmpty {
      if let why = BrokerFile.unreadableReason(path) { return .fileUnreadable(path: path, why: why) }
    }
    return nil
  }

  private func answered(_ answer: HTTPRequest.Answer) {
    guard inFlight.current != nil, let settings else { return }
    switch HTTPVerdict(answer, settings: settings) {
    case .delivered: delivered(answer)
    case .turnedAway(let cause): turnedAway(cause)
    case .kept(let cause, let span): keep(cause, for: span)
    }
  }

  private func delivered(_ answer: HTTPRequest.Answer) {
    guard let message = inFlight.taken() else { return }
    suspectTimer?.cancel()
    suspectBackoff.reset()
    done()
    if status.connectedSince == nil { status.connectedSince = loop.now.instant }
    show(nil, as: .green)
    up()
    status.counters.acknowledged += 1
    post(.acknowledged([message.sequence]))
    if !answer.isWhole, answer.failure == nil { status.counters.oversized += 1 }
    if answer.isWhole, !answer.body.isEmpty {
      status.counters.received += 1
      post(.answered(answer.body))
    }
    proceed()
  }

  /// The others are tried, slowly.
  private func turnedAway(_ cause: BrokerCause) {
    guard let verdict = inFlight.turnedAway() else { return }
    done()
    pause.earliest = loop.now.instant + Self.refusalPause
    let cause = isAnother(verdict) ? cause.ofAll : cause
    show(cause)
    up()
    switch verdict {
    case .suspected: break
    case .postponed(let message):
      status.counters.postponed += 1
      // An endpoint that turns several away says it of each of them: see `HTTPInFlight`.
      post(.postponed(message.sequence, cause, letsOthersPass: true))
    case .refused(let message):
      status.counters.refused += 1
      post(.refused(message.sequence, cause))
    }
    proceed()
  }

  /// Nothing has been taken since another one was turned away.
  private func isAnother(_ verdict: HTTPInFlight.Verdict) -> Bool {
    switch verdict {
    case .refused: false
    case .postponed: true
    case .suspected: if case .refusesAll = status.cause { true } else { false }
    }
  }

  /// The endpoint has judged the message, and may have the next one.
  private func done() {
    phase = .ready
    backoff.reset()
    lastReported = nil
    status.inFlight = inFlight.count
    status.attempts = 0
  }

  private func up() {
    guard !isUp else { return }
    isUp = true
    status.counters.connections += 1
    post(.connected(hasForgotten: false, receiveMaximum: HTTPInFlight.room))
  }

  /// The same message again, later: after the usual wait, or the longer one that the endpoint asks for or that its
  /// trackers are spread over.
  private func keep(_ cause: BrokerCause, for asked: Span = .zero) {
    inFlight.kept()
    status.connectedSince = nil
    show(cause)
    if asked > .zero { pause.earliest = loop.now.instant + asked }
    if cause.isServersEnd, let spread = backoff.spread(random: random) {
      // Others were asked for the same pause in the same moment.
      wait(until: max(soonest, loop.now.instant + asked + spread), isSpread: true)
    } else {
      wait(until: loop.now.instant + max(asked, backoff.next(random: random())))
    }
    if isUp || lastReported?.word != cause.word { post(.lost(cause, ConnectionEnd(.left))) }
    isUp = false
    lastReported = cause
  }

  private func attemptSoon() {
    backoff.reset()
    wait(until: soonest)
  }

  private var soonest: Instant {
    max(loop.now.instant, (lastAttempt ?? .zero) + Backoff.attemptGap, pause.earliest)
  }

  private func wait(until instant: Instant, isSpread: Bool = false) {
    phase = .waiting
    pause.isSpread = isSpread
    status.nextAttempt = instant
    timer?.set(at: instant)
  }

  private func timerFired() {
    if case .waiting = phase { attempt() }
  }

  private func failed(_ sequence: UInt64) {
    status.counters.failed += 1
    post(.sendFailed(sequence))
  }

  private func show(_ cause: BrokerCause?, as colour: ConnectionColour? = nil) {
    status.show(cause, as: colour, at: loop.now.instant)
  }
}
