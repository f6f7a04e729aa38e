import Loop
import Model
import Timebase

/// A second connection to the broker, for the sake of its will: that the board is gone, retained on `status`. The will
/// of the first connection is on the base topic and is not retained, as OwnTracks requires.
///
/// It subscribes to nothing and stands only while the first one does. If the first one is lost, this one is cut, so
/// that the broker publishes the will; it leaves with DISCONNECT if the offline message has been sent.
///
///     off ──(the first stands)──▶ placing ──▶ standing
///      ▲                          │    ▲         │
///      │                 not had  │    └─(lost)──┘
///      │                          ▼              ▲
///      └──(the first falls)──── without ─────────┘
///
/// A broker publishes the will of an earlier connection when a new one takes its place, or when the earlier one has
/// been silent for too long, which may be after our own status message. So that message is published again when the
/// will is placed, a little later for slow brokers, and, if the will cannot be placed, once an earlier one has run out.
public final class StatusConnection {
  /// Events, posted on the loop's thread.
  public enum Event: Sendable {
    /// The retained message on `status` has to be published again.
    case doubted
    /// The connection cannot be made, and why. Reported once.
    case failed(String)
  }

  /// How long an attempt may take; after that `status` is retained without a will to take it back.
  static let timeout = Span.seconds(10)
  /// Some brokers publish the will of a connection after they have greeted the next one.
  static let settling = Span.seconds(5)
  /// A first connection that falls so soon, so often in a row, may fall because of the second one.
  static let youth = Span.seconds(10)
  static let youngFallsAllowed = 5
  /// How long the first one is then left alone.
  static let ban = Span.minutes(60)

  private enum State: Hashable {
    case off
    /// The will is being placed for the first time since then, or again.
    case placing(since: Instant)
    case standing(since: Instant)
    case without
  }

  private let loop: EventLoop
  private let worker: Worker
  private let post: (Event) -> Void
  private lazy var broker = Broker(loop: loop, worker: worker) { [unowned self] in heard($0) }
  private var settings: BrokerSettings?
  private var makeWill: (() -> Message)?
  /// The broker that the first one is connected to.
  private var place: BrokerPlace?
  private var address: String?
  private var state = State.off
  private var timer: Timer?
  private var youngFalls = 0
  private var bannedUntil = Instant.zero
  private var hasWarned = false

  /// `worker` may be the first connection's own: its long calls on it are over when it stands.
  public init(loop: EventLoop, worker: Worker, post: @escaping (Event) -> Void) {
    self.loop = loop
    self.worker = worker
    self.post = post
    timer = loop.makeTimer { [unowned self] in timerFired() }
  }

  deinit { timer?.cancel() }

  // MARK: Inputs

  /// Applies the next time the first connection stands: any change of the way to the broker ends that one too.
  /// `makeWill`: see `Broker.configure`.
  public func configure(_ new: BrokerSettings, makeWill: (() -> Message)? = nil) {
    (settings, self.makeWill) = (new, makeWill)
  }

  /// The first connection stands, with this broker at this address; nil: that of the settings.
  public func firstConnected(to place: BrokerPlace? = nil, at address: String? = nil) {
    (self.place, self.address) = (place, address)
    begin()
  }

  private func begin() {
    guard case .off = state, var settings else { return }
    if let place { settings.places = [place] }
    if isBanned { return goWithout() }
    state = .placing(since: loop.now.instant)
    timer?.set(at: loop.now.instant + Self.timeout)
    if let place { broker.addresses.prefer(address, of: place.host) }
    broker.configure(settings, makeWill: makeWill)
    broker.connect()
  }

  /// The first connection is lost. `isOfflineSent`: the broker has the offline message already.
  public func firstLost(_ cause: BrokerCause, isOfflineSent: Bool) {
    guard state != .off else { return }
    note(cause)
    state = .off
    timer?.set(at: nil)
    isOfflineSent ? broker.disconnect() : broker.vanish()
  }

  /// Sends the offline message on this connection too: the broker reads it before the DISCONNECT that withdraws the
  /// will.
  public func say(_ message: Message) {
    if case .standing = state { broker.send(message) }
  }

  /// For good, while the program goes on.
  public func retire() {
    state = .off
    timer?.set(at: nil)
    broker.retire()
  }

  /// For the end of the program, see `Broker.shutDown(within:)`.
  public func shutDown(within span: Span) {
    state = .off
    timer?.set(at: nil)
    broker.shutDown(within: span)
  }

  // MARK: Questions

  /// Whether `status` may be retained as online: not while the will that revokes it is being placed.
  public var isWordKept: Bool {
    switch state {
    case .standing, .without: true
    case .off, .placing: false
    }
  }

  /// The will is placed, and will be published if the board vanishes.
  public var isStanding: Bool { if case .standing = state { true } else { false } }

  /// Bytes that its connections have cost.
  public var carried: Int { broker.carried }

  /// Why it does not stand; nil: it does, or nothing is known yet.
  public var cause: String? {
    if isBanned { return "it ends the first one as soon as there is a second one" }
    return broker.status.cause.map { "\($0)" }
  }

  private var isBanned: Bool { loop.now.instant < bannedUntil }

  // MARK: What happens

  private func heard(_ event: UplinkEvent) {
    switch event {
    case .connected where state != .off:
      state = .standing(since: loop.now.instant)
      timer?.set(at: loop.now.instant + Self.settling)
      post(.doubted)
    case .lost:
      switch state {
      case .off, .without: break
      // The will of the previous connection may still be placed.
      case .placing: goWithout()
      case .standing:
        state = .placing(since: loop.now.instant)
        timer?.set(at: loop.now.instant + Self.timeout)
      }
    case .connected, .acknowledged, .refused, .postponed, .sendFailed, .received, .answered,
      .missing, .cameBack, .hearsCommands, .keptAlive, .placeRetained, .placeLost, .sessionLost:
      break
    }
  }

  /// Time until the broker publishes a will left from an earlier connection.
  private var wake: Span { .seconds(Double(settings?.keepalive ?? 0) * 1.5 + 10) }

  private func goWithout() {
    state = .without
    timer?.set(at: loop.now.instant + wake)
    post(.doubted)
  }

  private func timerFired() {
    switch state {
    case .off: break
    case .placing: goWithout()
    case .standing: post(.doubted)
    case .without where bannedUntil > .zero && !isBanned:
      bannedUntil = .zero
      state = .off
      begin()
    case .without:
      post(.doubted)
      timer?.set(at: isBanned ? bannedUntil : nil)
      guard !hasWarned else { return }
      hasWarned = true
      post(.failed(cause ?? "\(BrokerCause.noGreeting(seconds: Int(Self.timeout.seconds)))"))
    }
  }

  private func note(_ cause: BrokerCause) {
    let now = loop.now.instant
    switch state {
    case .placing(let since) where cause.isTheBrokers && now - since < Self.youth,
      .standing(let since) where cause.isTheBrokers && now - since < Self.youth:
      youngFalls += 1
    case .placing, .standing: youngFalls = 0
    case .off, .without: return
    }
    guard youngFalls >= Self.youngFallsAllowed else { return }
    youngFalls = 0
    bannedUntil = now + Self.ban
  }
}

extension BrokerSettings {
  /// The same way to the same broker under another client id, for a will and nothing else.
  public func onlyFor(will: Message) -> BrokerSettings {
    var settings = self
    // No id made of names or set by a person contains this.
    settings.clientID += "_status"
    settings.will = will
    settings.isSessionClean = true
    settings.subscriptions = []
    settings.trials = Trials()
    settings.ownFilters = []
    settings.aliases = [:]
    // Without a keepalive the broker would never notice.
    if settings.keepalive == 0 { settings.keepalive = 60 }
    // It says nothing else, and costs a parked board half as much as the first one.
    if settings.delivery.rhythm > 0 { settings.keepalive = min(65_535, 2 * settings.keepalive) }
    settings.delivery.rhythm = 0
    // A broker that accepts no second connection is not asked for one all day.
    settings.backoff.most = max(900, settings.backoff.most)
    // It follows the first one, which is spread.
    settings.backoff.spread = 0
    return settings
  }
}

extension BrokerSettings {
  /// The same way, user and subscriptions under another client id, for one trial that changes nothing at the broker and
  /// publishes nothing.
  public func asTrial() -> BrokerSettings {
    var settings = self
    settings.clientID += "_doctor"
    settings.isSessionClean = true
    settings.trials = Trials()
    return settings
  }
}
