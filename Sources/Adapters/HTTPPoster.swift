import CCurl
import Loop
import Model
import Timebase

/// HTTP mode: posts one message after the other to an endpoint, and says of it what `Broker` says of its
/// broker, so that nobody behind has to know which of them it is.
///
///     idle ──▶ loading ──▶ ready ──▶ posting ──▶ ready       2xx: acknowledged; a 4xx that proves it
///              (worker)      ▲          │                    unacceptable: refused
///                            │          ▼
///                            │       waiting ──▶ posting     anything else: the same message again
///
/// A message that fails is kept here, as one that is under way, until it goes through: `lost` says that
/// there is trouble, `connected` that the next one may come.
public final class HTTPPoster {
  enum Phase: Hashable, Sendable {
    case idle
    case loading
    case ready
    case posting(since: Instant)
    case waiting
  }

  /// After a message was refused the next one waits so long: an address that is wrong would else empty the
  /// queue of a week in a minute.
  static let refusalPause = Span.milliseconds(500)

  public private(set) var status = Broker.Status()

  let loop: EventLoop
  let worker: Worker
  let post: (Broker.Event) -> Void
  let random: () -> Double
  let load: @Sendable () -> String?

  private(set) var phase = Phase.idle
  private var settings: HTTPSettings?
  private var request: HTTPRequest?
  private var current: Message?
  private var backoff = Backoff(minimum: .seconds(2), maximum: .seconds(64))
  private var timer: Timer?
  private var lastAttempt: Instant?
  /// What was told: `connected` came last, not `lost`.
  private var isUp = false
  private var lastTold: BrokerCause?
  private var isFreshWanted = false
  private var earliest = Instant.zero

  /// `worker` loads the library. `load` says why that failed; nil: it is there.
  public init(
    loop: EventLoop, worker: Worker, random: @escaping () -> Double = { Double.random(in: 0..<1) },
    load: @escaping @Sendable () -> String? = HTTPPoster.loadLibrary, post: @escaping (Broker.Event) -> Void
  ) {
    self.loop = loop
    self.worker = worker
    self.random = random
    self.load = load
    self.post = post
    timer = loop.makeTimer { [weak self] in self?.timerFired() }
  }

  /// In words for people; nil: it is loaded. Blocks while it reads the disk.
  @Sendable public static func loadLibrary() -> String? {
    guard let why = ccurl_load() else { return nil }
    return
      "HTTP mode needs libcurl, which cannot be loaded (\(String(cString: why).plainLine)); mend it with: "
      + "apt install libcurl4"
  }

  // MARK: Inputs

  /// Takes new settings; what is under way is given back if they make it another post.
  public func configure(_ new: HTTPSettings) {
    let isOther = settings.map { $0.isOther(than: new) } ?? true
    settings = new
    backoff.minimum = .seconds(new.backoffMinimum)
    backoff.maximum = .seconds(max(new.backoffMinimum, new.backoffMaximum))
    status.isInsecure = new.isInsecure
    guard isOther else { return }
    leave(.settingsChanged)
    start()
  }

  /// For good; what is under way is given back.
  public func retire() { leave(.settingsChanged) }

  /// Another route: a waiting attempt is made soon, a connection over the old one is not used again.
  public func networkChanged() {
    isFreshWanted = true
    switch phase {
    case .idle, .loading, .ready: break
    case .waiting: attemptSoon()
    case .posting(let since):
      guard loop.now.instant - since >= Broker.attemptGap else { return }
      request?.cancel()
      attemptSoon()
    }
  }

  /// Posts a message. Only while connected, one at a time; what cannot go now comes back as `sendFailed`.
  public func send(_ message: Message) {
    guard case .ready = phase, current == nil else { return failed(message.sequence) }
    current = message
    status.inFlight = 1
    status.counters.sent += 1
    guard earliest <= loop.now.instant else { return wait(until: earliest) }
    attempt()
  }

  /// For the end of the program: waits at most `span` for the answer to what is under way.
  public func shutDown(within span: Span) {
    if case .posting = phase { request?.serve(until: SystemClock.read().instant + span) }
    timer?.cancel()
    close()
    phase = .idle
  }

  // MARK: Beginning and ending

  private func start() {
    backoff.reset()
    guard let settings else { return }
    if let obstacle = settings.obstacle { return show(obstacle) }
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

  /// A person has to mend it.
  private func stop(_ cause: BrokerCause) {
    show(cause)
    post(.lost(cause))
  }

  private func leave(_ cause: BrokerCause) {
    timer?.cancel()
    close()
    phase = .idle
    lastTold = nil
    if let message = current { failed(message.sequence) }
    current = nil
    status.inFlight = 0
    status.nextAttempt = nil
    status.connectedSince = nil
    if isUp {
      isUp = false
      post(.lost(cause))
    }
  }

  private func close() {
    request?.close()
    request = nil
  }

  // MARK: One post

  private func attempt() {
    guard let message = current, let settings else { return }
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
      if let why = BrokerFile.obstacle(path) { return .fileUnreadable(path: path, why: why) }
    }
    return nil
  }

  private func answered(_ answer: HTTPRequest.Answer) {
    guard let message = current, let settings else { return }
    switch answer.status {
    // It was taken, whatever became of the rest of the answer.
    case 200..<300: delivered(message, answer.body)
    case 401, 403, 408, 429: keep(.answered(status: answer.status))
    case 400..<500: refused(message, .answered(status: answer.status))
    default:
      keep(answer.failure.map { BrokerCause($0, settings: settings) } ?? .answered(status: answer.status))
    }
  }

  private func delivered(_ message: Message, _ body: [UInt8]) {
    done()
    if status.connectedSince == nil { status.connectedSince = loop.now.instant }
    show(nil, as: .green)
    up()
    status.counters.acknowledged += 1
    post(.acknowledged([message.sequence]))
    guard !body.isEmpty else { return }
    status.counters.received += 1
    post(.received(topic: "", payload: body, isRetained: false))
  }

  private func refused(_ message: Message, _ cause: BrokerCause) {
    done()
    earliest = loop.now.instant + Self.refusalPause
    show(cause)
    up()
    status.counters.refused += 1
    post(.refused(message.sequence, cause))
  }

  /// The endpoint has decided about the message, and may have the next one.
  private func done() {
    current = nil
    phase = .ready
    backoff.reset()
    lastTold = nil
    status.inFlight = 0
    status.attempts = 0
  }

  private func up() {
    guard !isUp else { return }
    isUp = true
    status.counters.connections += 1
    post(.connected(isSessionPresent: false, receiveMaximum: 1))
  }

  /// The same message again, later.
  private func keep(_ cause: BrokerCause) {
    status.connectedSince = nil
    show(cause)
    wait(until: loop.now.instant + backoff.next(random: random()))
    if isUp || lastTold?.word != cause.word { post(.lost(cause)) }
    isUp = false
    lastTold = cause
  }

  private func attemptSoon() {
    backoff.reset()
    wait(until: max(loop.now.instant, (lastAttempt ?? .zero) + Broker.attemptGap, earliest))
  }

  private func wait(until instant: Instant) {
    phase = .waiting
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
    let isSame = cause?.word == status.cause?.word
    status.cause = cause
    status.colour = colour ?? cause?.colour ?? .amber
    if !isSame { status.since = loop.now.instant }
  }
}
