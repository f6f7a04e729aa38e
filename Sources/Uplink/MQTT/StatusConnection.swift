import Loop
import Model
import Timebase

/// A second connection to the broker, for the sake of its will: that the board is gone, retained on `status`. The
/// will of the first connection is on the base topic and is not retained, as OwnTracks has it.
///
/// It subscribes to nothing and stands only while the first one does. Where that falls it is cut as well, so that
/// the broker says so; it leaves with DISCONNECT where the offline message has been sent.
///
///     off ──(the first stands)──▶ placing ──▶ standing
///      ▲                          │    ▲         │
///      │                 not had  │    └─(lost)──┘
///      │                          ▼              ▲
///      └──(the first falls)──── without ─────────┘
///
/// A broker publishes the will of an earlier connection when a new one takes its place, or when that has been
/// silent for too long, which may be after our own word. So that word is told again when the will is placed, a
/// little later for brokers that take their time, and where it cannot be placed once an earlier one has run out.
public final class StatusConnection {
  /// What is posted, on the loop's thread.
  public enum Event: Sendable {
    /// What the broker keeps on `status` has to be told again.
    case doubted
    /// It cannot be had, and why. Said once.
    case failed(String)
  }

  /// From here on the word is kept without a will to take it back.
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
    /// For the first time since then, or again.
    case placing(since: Instant)
    case standing(since: Instant)
    case without
  }

  private let loop: EventLoop
  private let worker: Worker
  private let post: (Event) -> Void
  private lazy var broker = Broker(loop: loop, worker: worker) { [unowned self] in heard($0) }
  private var settings: BrokerSettings?
  private var state = State.off
  private var timer: Timer?
  private var youngFalls = 0
  private var bannedUntil = Instant.zero
  private var hasWarned = false

  /// `worker` may be the first connection's own: what takes long on it is over when that stands.
  public init(loop: EventLoop, worker: Worker, post: @escaping (Event) -> Void) {
    self.loop = loop
    self.worker = worker
    self.post = post
    timer = loop.makeTimer { [unowned self] in timerFired() }
  }

  deinit { timer?.cancel() }

  // MARK: Inputs

  /// For the next time that the first connection stands: whatever changes the way to the broker ends that too.
  public func configure(_ new: BrokerSettings) { settings = new }

  /// The first connection stands.
  public func firstConnected() {
    guard case .off = state, let settings else { return }
    if isBanned { return goWithout() }
    state = .placing(since: loop.now.instant)
    timer?.set(at: loop.now.instant + Self.timeout)
    broker.configure(settings)
    broker.connect()
  }

  /// The first connection has fallen. `isOfflineSent`: the broker knows already.
  public func firstLost(_ cause: BrokerCause, isOfflineSent: Bool) {
    guard state != .off else { return }
    note(cause)
    state = .off
    timer?.set(at: nil)
    isOfflineSent ? broker.disconnect() : broker.vanish()
  }

  /// The offline message goes this way too: the broker reads it before the DISCONNECT that takes the will back.
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

  /// Whether the broker may keep our word that we are there: not while the will that takes it back is being placed.
  public var isWordKept: Bool {
    switch state {
    case .standing, .without: true
    case .off, .placing: false
    }
  }

  /// The will is placed, and will be published if the board vanishes.
  public var isStanding: Bool { if case .standing = state { true } else { false } }

  /// Why it does not stand; nil: it does, or nothing is known yet.
  public var cause: String? {
    if isBanned { return "it ends the first one as soon as there is a second one" }
    return broker.status.cause.map { "\($0)" }
  }

  private var isBanned: Bool { loop.now.instant < bannedUntil }

  // MARK: What happens

  private func heard(_ event: Broker.Event) {
    switch event {
    case .connected where state != .off:
      state = .standing(since: loop.now.instant)
      timer?.set(at: loop.now.instant + Self.settling)
      post(.doubted)
    case .lost:
      switch state {
      case .off, .without: break
      // The will of the one before may be placed still.
      case .placing: goWithout()
      case .standing:
        state = .placing(since: loop.now.instant)
        timer?.set(at: loop.now.instant + Self.timeout)
      }
    case .connected, .acknowledged, .refused, .postponed, .sendFailed, .received, .missing, .cameBack,
      .hearsCommands:
      break
    }
  }

  /// As long as it takes for a will that the broker holds of before to be published.
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
      firstConnected()
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
  /// The same way to the same broker under another name, for a will and nothing else.
  public func onlyFor(will: Message) -> BrokerSettings {
    var settings = self
    // No id that is made of names or set by somebody has this in it.
    settings.clientID += "_status"
    settings.will = will
    settings.isSessionClean = true
    settings.subscriptions = []
    settings.trials = Trials()
    settings.ownFilters = []
    settings.aliases = [:]
    // Without one the broker would never find out.
    if settings.keepalive == 0 { settings.keepalive = 60 }
    // A broker that takes no second one is not asked for it all day.
    settings.backoff.most = max(900, settings.backoff.most)
    return settings
  }
}

extension BrokerSettings {
  /// The same way, user and subscriptions under another name, for one look that changes nothing at the broker.
  public func asTrial() -> BrokerSettings {
    var settings = self
    settings.clientID += "_doctor"
    settings.isSessionClean = true
    return settings
  }
}
