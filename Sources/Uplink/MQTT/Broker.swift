import Loop
import Model
import Timebase

/// The connection to the MQTT broker, driven by the loop.
///
///     idle ──▶ resolving ──▶ opening ──▶ greeting ──▶ connected
///      ▲       (worker)       (TCP)    (TLS, CONNECT)     │
///      │           │             │          │             │
///      └─ waiting ◀┴─────────────┴──────────┴─────────────┘
///
/// libmosquitto holds only what is in flight: nothing is ever published while there is no connection,
/// because it would queue it and report an error all the same. One client object serves all connections
/// of a session and sends again itself what was not acknowledged; what it knew when it must be replaced
/// is reported as `sendFailed`.
public final class Broker {
  public enum Event: Sendable {
    /// The broker took us; at most so many messages may be unacknowledged (nil: it named no number).
    case connected(isSessionPresent: Bool, receiveMaximum: Int?)
    /// A connection that stood is gone, or attempts fail for another reason than before.
    case lost(BrokerCause)
    /// Sequence numbers, those of one wake-up together.
    case acknowledged([UInt64])
    /// The broker will never take this message.
    case refused(UInt64, BrokerCause)
    /// The broker did not take this message for a reason that may pass: to be sent again, but not at once.
    case postponed(UInt64, BrokerCause)
    /// The message has to be sent again.
    case sendFailed(UInt64)
    case received(topic: String, payload: [UInt8], isRetained: Bool)
  }

  enum Phase: Hashable, Sendable {
    case idle
    case waiting
    case resolving(since: Instant)
    case opening
    case greeting
    case connected(since: Instant)
  }

  /// Attempts are at least so far apart, no matter who asks for them.
  static let attemptGap = Span.seconds(2)
  /// From here on the silence of a name server is worth a word.
  static let resolverPatience = Span.seconds(5)

  public internal(set) var status = Status()

  let loop: EventLoop
  let worker: Worker
  let post: (Event) -> Void
  let random: () -> Double

  var settings: BrokerSettings?
  var isWanted = true
  var phase = Phase.idle
  var client: BrokerClient?
  var watch: Watch?
  var linger: BrokerLinger?
  var greeting = BrokerClient.Greeting()
  var backoff = Backoff(minimum: .seconds(2), maximum: .seconds(64))
  var aliases = BrokerAliases()
  var stall = BrokerStall()
  var blame = BrokerBlame()
  /// The request that a stuck connection is tested with.
  var question: Int32?
  /// What the broker keeps of an earlier session under this name has to go first.
  var mustClearSession = false
  /// The connection being made is only there to clear the session.
  var isClearing = false
  var subscriptions = BrokerSubscriptions()
  /// Another protocol level than the settings', while only that keeps too large packets away.
  var levelInstead: Int?
  /// A connection that stands and was not told of yet: nothing but filters may be under way on it.
  var unannounced: BrokerClient.Greeting?
  var lastAttempt: Instant?
  var isHurried = false
  /// Those of the last connection that the broker greeted: something there speaks MQTT.
  var lastGreeted: BrokerSettings?
  /// The first bytes of the greeting, where nothing hides them.
  var glimpse: [UInt8] = []
  /// Why it failed over IPv6; not nil: this time it is tried over IPv4 alone.
  var causeOverIPv6: BrokerCause?
  /// How far the wall clock was from the loop's when a certificate was not yet valid, seconds.
  var clockOffset: Double?
  var waitingUntil: Instant?
  /// What was told last of failing attempts: the same again is no news.
  var lastTold: BrokerCause?
  /// A list with room for the next confirmations.
  var spareNumbers: [UInt64] = []

  /// What calls us back holds on to this, not to us.
  let tether = BrokerTether()
  var phaseTimer: Timer?
  var keepAliveTimer: Timer?
  var stallTimer: Timer?
  var subscribeTimer: Timer?

  /// `worker` is used for nothing else: a name server that does not answer holds it for half a minute.
  /// `random` gives numbers from 0 up to but not including 1.
  public init(
    loop: EventLoop, worker: Worker, random: @escaping () -> Double = { Double.random(in: 0..<1) },
    post: @escaping (Event) -> Void
  ) {
    self.loop = loop
    self.worker = worker
    self.random = random
    self.post = post
    tether.broker = self
    phaseTimer = loop.makeTimer { [tether] in tether.broker?.phaseTimerFired() }
    keepAliveTimer = loop.makeTimer { [tether] in tether.broker?.keepAliveTimerFired() }
    stallTimer = loop.makeTimer { [tether] in tether.broker?.lookForStall() }
    subscribeTimer = loop.makeTimer { [tether] in tether.broker?.subscribeTimerFired() }
  }

  deinit { tether.broker = nil }

  // MARK: Inputs

  /// Takes new settings; connects anew only if something changed that the broker can see.
  public func configure(_ new: BrokerSettings) {
    let change = settings?.change(to: new)
    if change != BrokerSettings.Change.none { levelInstead = nil }
    if change == nil || change == .session {
      subscriptions = BrokerSubscriptions(new.subscriptions, own: new.ownFilters)
    }
    settings = new
    backoff.minimum = .seconds(new.backoffMinimum)
    backoff.maximum = .seconds(max(new.backoffMinimum, new.backoffMaximum))
    status.isInsecure = new.tls?.isVerified == false
    switch change {
    case .some(.none): return
    case nil: break
    case .connection: replaceClient()
    case .session:
      replaceClient()
      mustClearSession = !new.isSessionClean
    }
    start()
  }

  /// The person's switch, on.
  public func connect() {
    if isWanted, phase != .waiting, phase != .idle { return }
    isWanted = true
    start()
  }

  /// The person's switch, off: says goodbye, keeps what is in flight for the next connection.
  public func disconnect() {
    isWanted = false
    leave()
    phase = .idle
    show(.switchedOff)
  }

  /// Another route: a waiting attempt is made at once, a connection over the old route given up.
  public func networkChanged() {
    switch phase {
    case .idle: break
    case .waiting:
      backoff.reset()
      attemptSoon()
    case .resolving: isHurried = true
    case .opening, .greeting:
      guard let last = lastAttempt, loop.now.instant - last >= Self.attemptGap else { return }
      leave()
      attempt()
    case .connected:
      guard let client, BrokerSocket.route(client.socket) == .other else { return }
      end(.routeChanged)
      attemptSoon()
    }
  }

  // MARK: Beginning and ending

  private func start() {
    backoff.reset()
    guard isWanted, let settings else { return }
    if let obstacle = settings.obstacle {
      phase = .idle
      return show(obstacle)
    }
    attempt()
  }

  /// Ends whatever is under way, politely where there is somebody to be polite to.
  func leave() {
    phaseTimer?.set(at: nil)
    status.nextAttempt = nil
    switch phase {
    case .idle, .waiting: break
    // The worker has the object and nobody else may touch it: it is given up.
    // CONNECT may have gone out there.
    case .resolving:
      subscriptions.sessionInDoubt()
      dropClient()
    case .opening, .greeting:
      subscriptions.sessionInDoubt()
      closeLink()
      client?.cut()
    case .connected:
      closeLink()
      sayGoodbye()
      digest()
      subscriptions.ended(isByBroker: false, hasMessages: false, at: loop.now.instant)
      forget()
      // The sender of messages has to know before it gives us the next one.
      phase = .idle
      post(.lost(isWanted ? .settingsChanged : .switchedOff))
    }
    phase = .idle
  }

  private func replaceClient() {
    leave()
    dropClient()
    blame = BrokerBlame()
    causeOverIPv6 = nil
  }

  /// Gives the object up; whatever it was to deliver has to be sent again.
  func dropClient() {
    guard let dropped = client else { return }
    client = nil
    isClearing = false
    for sequence in dropped.inFlight.takeAll() + blame.takeWaiting() { failed(sequence) }
    status.inFlight = 0
  }

  /// A connection is over: what lived only with it goes.
  func forget() {
    status.connectedSince = nil
    status.receiveMaximum = nil
    question = nil
    unannounced = nil
    stall = BrokerStall()
    showSubscriptions()
    aliases = BrokerAliases()
    guard let client else { return }
    for sequence in client.inFlight.takeForgotten() + blame.takeWaiting() { failed(sequence) }
    // The library would send an alias again that this broker no longer knows, and be thrown out for
    // it again and again.
    if client.inFlight.hasAliasOnly { dropClient() }
    status.inFlight = self.client?.inFlight.count ?? 0
  }

  func closeLink() {
    watch?.cancel()
    watch = nil
    keepAliveTimer?.set(at: nil)
    stallTimer?.set(at: nil)
    subscribeTimer?.set(at: nil)
  }

  func failed(_ sequence: UInt64) {
    status.counters.failed += 1
    post(.sendFailed(sequence))
  }

  /// `cause` nil: all is well, or nothing is known yet.
  func show(_ cause: BrokerCause?, as colour: ConnectionColour? = nil) {
    let colour = colour ?? cause?.colour ?? .amber
    guard cause != status.cause || colour != status.colour else { return }
    // Only the seconds in it have moved on: it is the same trouble.
    let isSame = cause?.word == status.cause?.word && colour == status.colour
    status.cause = cause
    status.colour = colour
    if !isSame { status.since = loop.now.instant }
  }
}
