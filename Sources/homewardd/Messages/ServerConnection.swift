import Answers
import Core
import Host
import Loop
import Model
import OwnTracks
import Storage
import Timebase
import Uplink

/// The uplink, MQTT in mode 0 and HTTP in mode 3, and the encryption of all that passes it.
final class ServerConnection {
  private let loop: EventLoop
  private let worker: Worker
  private let settings: SettingsInForce
  private let host: TrackerHost
  private let inbound: InboundMessages
  private let letters: DeadLetters
  private let lettersPath: String
  private let log: ServiceLog
  private(set) var sealing = Sealing()
  private var broker: Broker?
  /// Nil where nothing is kept on `status`.
  private var statusConnection: StatusConnection?
  private var poster: HTTPPoster?
  /// What the broker was last configured for: its last word comes when other settings are in force.
  private var brokerName = ""
  private var isClockKnown = false
  /// Since when a person has it switched off; what is published waits.
  private(set) var offSince: Instant?
  /// What the last connection or attempt ended for, and when; nil: none did since the start.
  private(set) var lastLoss: (cause: BrokerCause, at: Instant)?
  /// A message leaves by MQTT and in clear, as nearly all do.
  private var isPlainMQTT = false

  /// `worker` is for the network, `disk` for messages that nobody takes.
  init(
    loop: EventLoop, worker: Worker, disk: Worker, settings: SettingsInForce, host: TrackerHost,
    inbound: InboundMessages, log: ServiceLog
  ) {
    self.loop = loop
    self.worker = worker
    self.settings = settings
    self.host = host
    self.inbound = inbound
    self.log = log
    lettersPath = settings.configuration.board.stateDir + "/refused.jsonl"
    letters = DeadLetters(worker: disk, path: lettersPath) { event in
      if case .warning(let text) = event { log.say(.warning, text) }
    }
  }

  // MARK: Settings

  /// Takes the key that the configuration names.
  func seal() {
    sealing.configure(settings.configuration.messages.encryptionKey)
    if let reason = sealing.blockedReason { log.say(.error, reason) }
    isPlainMQTT = !settings.isHTTP && !sealing.isOn
  }

  /// At the start, and after every change of settings.
  func configure() {
    defer { configureStatusConnection() }
    isPlainMQTT = !settings.isHTTP && !sealing.isOn
    if settings.isHTTP {
      broker?.retire()
      broker = nil
      guard offSince == nil else { return }
      let poster = poster ?? HTTPPoster(loop: loop, worker: worker) { [unowned self] in heardOverHTTP($0) }
      self.poster = poster
      var http = HTTPSettings(settings.configuration, topics: settings.encoder.topics)
      http.blockedReason = sealing.blockedReason
      poster.configure(http)
    } else {
      poster?.retire()
      poster = nil
      let broker = broker ?? makeBroker()
      self.broker = broker
      broker.configure(brokerSettings)
      brokerName = settings.server
    }
  }

  private func makeBroker() -> Broker {
    let broker = Broker(loop: loop, worker: worker) { [unowned self] in heard($0) }
    if offSince != nil { broker.disconnect() }
    return broker
  }

  /// Where a word on `status` is kept, somebody has to take it back when the power goes.
  private func configureStatusConnection() {
    let configuration = settings.configuration
    let isWordKept = configuration.dashboard.availability || configuration.dashboard.discovery
    guard !settings.isHTTP, isWordKept, settings.encoder.topics.isIdentityValid else {
      statusConnection?.retire()
      statusConnection = nil
      return
    }
    let connection =
      statusConnection ?? StatusConnection(loop: loop, worker: worker) { [unowned self] in heard($0) }
    statusConnection = connection
    connection.configure(statusSettings)
    if broker?.status.connectedSince != nil { connection.firstConnected() }
  }

  private var brokerSettings: BrokerSettings {
    let now = host.wall ?? Self.plausible(SystemClock.rawWall())
    let encoder = settings.encoder
    var mqtt = BrokerSettings(settings.configuration, topics: encoder.topics, will: encoder.will(at: now))
    mqtt.blockedReason = sealing.blockedReason
    return mqtt
  }

  /// Of the system's clock this will says nothing: a later reader takes its time for true.
  private var statusSettings: BrokerSettings {
    let will = settings.encoder.absence(at: host.wall)
    return brokerSettings.onlyFor(will: sealing.sealed(will) ?? will)
  }

  /// A will needs a time before any clock is trusted. The system's own may do there, and only there, if
  /// it is not from before this program (2026-11-01): it was kept by a battery or by the last shutdown.
  static func plausible(_ wall: WallTime) -> WallTime? {
    wall.seconds > 1_793_491_200 ? wall : nil
  }

  /// After every wake-up. The first trusted clock: the will of the next connection is dated by it.
  func noticeClock() {
    guard !isClockKnown, host.wall != nil else { return }
    isClockKnown = true
    broker?.configure(brokerSettings)
    statusConnection?.configure(statusSettings)
  }

  /// The file was read again, whatever is in it.
  func askAnew() {
    broker?.askAnew()
    hurry(isAsked: true)
  }

  /// There is something new to tell, or a person wants it: a new attempt at once, where one is waited for.
  func hurry(isAsked: Bool) {
    broker?.hurry(isAsked: isAsked)
    poster?.hurry(isAsked: isAsked)
  }

  /// A person's order. What it says to that person.
  func obey(_ order: DaemonRequest.LinkOrder) -> JSON {
    let configuration = settings.configuration
    if configuration.isOffline { return Answer.failure("offline: port is 0, and nothing waits to be sent") }
    switch order {
    case .disconnect:
      if offSince != nil { return Answer.done("disconnected already") }
      log.say(
        .info, "disconnects from \(settings.server), as was asked for on this board; what is published waits")
      offSince = loop.now.instant
      broker?.disconnect()
      poster?.retire()
      poster = nil
      return Answer.done(
        "disconnected: what is published waits until homeward connect, or until the tracker is started again")
    case .connect where offSince == nil && colour == .green: return Answer.done("connected already")
    case .connect, .reconnect:
      let wasOff = offSince != nil
      offSince = nil
      wasOff ? configure() : poster?.networkChanged()
      order == .connect && !wasOff ? broker?.hurry(isAsked: true) : broker?.reconnect()
      return Answer.done("connecting; how it goes: homeward status")
    }
  }

  func routeChanged() {
    broker?.networkChanged()
    poster?.networkChanged()
  }

  /// What is under way is given back; `forget` is to follow.
  func retire() {
    statusConnection?.retire()
    broker?.retire()
    poster?.retire()
  }

  /// There is no connection until it is configured anew.
  func forget() { (statusConnection, broker, poster) = (nil, nil, nil) }

  /// For the end of the program.
  func shutDown() {
    broker?.shutDown(within: .seconds(2))
    // After the offline message is out: killed meanwhile, the board is gone all the same.
    statusConnection?.shutDown(within: .seconds(1))
    poster?.shutDown(within: .seconds(2))
  }

  // MARK: Questions

  var isEncrypted: Bool { sealing.isOn }
  /// Nil: there is none yet.
  var status: Broker.Status? { poster?.status ?? broker?.status ?? offStatus }
  var colour: ConnectionColour? { poster?.colour ?? broker?.colour ?? offStatus?.colour }

  /// Where nothing is there to be asked.
  private var offStatus: Broker.Status? { offSince.map { .switchedOff(since: $0) } }
  /// It is tried and not reached, and nothing is wrong that a person has to put right. One that may drop what it
  /// acknowledges is reached.
  var isOut: Bool { colour == .amber && !(broker?.isInDoubt ?? false) }
  /// Nil where nothing is kept on `status`.
  var statusWill: (isPlaced: Bool, cause: String?)? {
    statusConnection.map { ($0.isStanding, $0.cause) }
  }

  // MARK: Outbound

  /// It is encrypted only now: a new key is good for all that waits.
  func send(_ message: Message) {
    // The usual case copies neither the message nor the keys.
    if isPlainMQTT {
      broker?.send(message)
      return
    }
    guard let sealed = asPublished(message) else { return host.post(.sendFailed(message.sequence)) }
    settings.isHTTP ? poster?.send(sealed) : broker?.send(sealed)
  }

  /// Only MQTT keeps anything over a connection; `message`: the last one has ended over it.
  func takeBack(over message: Message?) {
    broker?.takeBack(isOverMessage: message != nil)
    if let message, let lastLoss { sayHeld(message.topic, by: serverName, lastLoss.cause.over(message)) }
  }

  /// Has no place in the queue, so nobody waits for its acknowledgement.
  func announce(_ report: Report, as message: Message) {
    guard var sealed = sealing.sealed(message) else { return }
    if let statusConnection, case .status(let status) = report, let isOnline = status.isOnline {
      if isOnline {
        // Those who listen now are told at once; it is told again when there is a will to take it back.
        sealed.isRetained = statusConnection.isWordKept
      } else {
        statusConnection.say(sealed)
      }
    }
    // What the second connection has just said must not stand there longer than what the first one said.
    if case .discoveryGone(settings.encoder.topics.topic(.status)) = report { statusConnection?.say(sealed) }
    broker?.send(sealed)
  }

  /// As the server sees it; nil: it must not go out in clear, and there is nothing to encrypt it with. Over HTTP the
  /// topic goes along inside of the message, before that is encrypted.
  private func asPublished(_ message: Message) -> Message? {
    guard settings.isHTTP else { return sealing.sealed(message) }
    var message = message
    message.payload = HTTPBody.request(message.payload, topic: message.topic)
    return sealing.sealed(message)
  }

  /// What nobody will ever take. The message is encrypted again, as it was when it went out.
  func keep(_ message: Message, because reason: String) {
    log.say(
      .error,
      "\(serverName) refuses message \(message.sequence) for good: \(reason); it is kept in \(lettersPath)",
      of: .others)
    letters.keep(
      DeadLetter.line(
        topic: message.topic, payload: asPublished(message)?.payload, reason: reason, time: host.wall))
  }

  /// What was refused is to go again; it is opened with today's key, and encrypted again when it goes.
  func takeRefused(first: UInt64, then: @escaping (DeadLetters.Taking) -> Void) {
    let encryption = sealing.encryption
    letters.take(
      as: first,
      reading: { line in
        do {
          return .success(try DeadLetter.message(line, opening: encryption))
        } catch {
          return .failure(LettersAside.LetterFault("\(error)"))
        }
      }, then: then)
  }

  /// They are in the store.
  func forgetRefused(first: UInt64) { letters.forget(first) }

  /// Before anything is written to a store that has just been opened.
  func settleRefused(_ snapshot: Snapshot) { letters.settle(lastSequence: snapshot.lastSequence) }

  // MARK: What the server says

  private var serverName: String { settings.isHTTP ? settings.server : "the broker" }

  private func heard(_ event: Broker.Event) {
    switch event {
    case .connected(let isSessionPresent, let receiveMaximum):
      let missing = broker?.status.notSubscribed.filter { $0.word != "unanswered" } ?? []
      let without = missing.map(\.description).joined(separator: ", ")
      log.say(
        missing.isEmpty ? .info : .warning,
        "connected to \(settings.server)" + (missing.isEmpty ? "" : "; not subscribed: \(without)"),
        of: .connection)
      // Start, lookup and handshake are over, for hours as a rule.
      ProgramMemory.letGoOfStart()
      statusConnection?.firstConnected()
      // A broker without our session may have lost what it kept as well.
      if !isSessionPresent { host.post(.discoveryDoubted(isBirth: false)) }
      host.post(.brokerConnected(receiveMaximum: receiveMaximum))
    case .lost(let cause, let end):
      log.say(.warning, "broker \(brokerName): \(cause)", of: .connection)
      lastLoss = (cause, loop.now.instant)
      statusConnection?.firstLost(cause, isOfflineSent: cause.isLeaving)
      host.post(.brokerLost(end))
    case .acknowledged(let sequences): host.post(.acknowledged(sequences))
    case .refused(let sequence, let cause): refused(sequence, by: "the broker", cause)
    case .postponed(let sequence, let cause): postponed(sequence, by: "the broker", cause)
    case .sendFailed(let sequence): host.post(.sendFailed(sequence))
    case .missing(let topic):
      log.say(
        .warning,
        "broker \(settings.server): what is published on \(topic) is acknowledged and does not come back: it may be "
          + "lost, see homeward doctor", of: .connection)
    case .cameBack(let topic):
      log.say(
        .info, "broker \(settings.server): what is published on \(topic) comes back again", of: .connection)
    case .hearsCommands:
      log.say(.info, "broker \(settings.server): commands arrive again", of: .connection)
    case .received(let topic, let payload, let isRetained):
      received(payload, from: topic, isRetained: isRetained)
    }
  }

  private func heardOverHTTP(_ event: Broker.Event) {
    switch event {
    case .received(_, let body, _): answered(body)
    case .refused(let sequence, let cause): refused(sequence, by: settings.server, cause)
    case .lost(let cause, let end):
      log.say(.warning, "\(settings.server): \(cause)", of: .connection)
      lastLoss = (cause, loop.now.instant)
      host.post(.brokerLost(end))
    case .connected(_, let receiveMaximum):
      log.say(.info, "posting to \(settings.server)", of: .connection)
      host.post(.brokerConnected(receiveMaximum: receiveMaximum))
    // An endpoint that turns several away says it of each of them: see `HTTPTray`.
    case .postponed(let sequence, let cause):
      postponed(sequence, by: settings.server, cause, letsOthersPass: true)
    case .acknowledged, .sendFailed, .missing, .cameBack, .hearsCommands: heard(event)
    }
  }

  private func heard(_ event: StatusConnection.Event) {
    switch event {
    case .doubted: host.post(.presenceDoubted)
    case .failed(let cause):
      log.say(
        .warning,
        "broker \(settings.server): no second connection: \(cause); "
          + "\(settings.encoder.topics.topic(.status)) would keep showing this board as online after a power cut"
      )
    }
  }

  private func refused(_ sequence: UInt64, by server: String, _ cause: BrokerCause) {
    // No place in the queue, nobody misses it.
    if sequence == 0 { log.say(.warning, "\(server) refuses a status for good: \(cause)", of: .others) }
    host.post(.refused(sequence, because: "\(cause)"))
  }

  /// Where it goes on, once an hour: a right that is missing may be missing for days.
  private func postponed(
    _ sequence: UInt64, by server: String, _ cause: BrokerCause, letsOthersPass: Bool = false
  ) {
    sayHeld(host.topic(of: sequence) ?? "no known topic", by: server, cause)
    host.post(.postponed(sequence, letsOthersPass: letsOthersPass))
  }

  private func sayHeld(_ topic: String, by server: String, _ cause: BrokerCause) {
    guard log.isTime(for: "postponed \(topic)", gap: .minutes(60)) else { return }
    let words = "\(server) is refusing \(topic) for now: \(cause); messages are held and retried"
    log.say(.warning, words, of: .held)
  }

  private func received(_ payload: [UInt8], from topic: String, isRetained: Bool) {
    switch sealing.open(payload, from: topic) {
    case .plain(let payload):
      inbound.take(payload, from: topic, isRetained: isRetained, isEncrypted: false)
    case .opened(let payload):
      inbound.take(payload, from: topic, isRetained: isRetained, isEncrypted: true)
    case .refused(let warning): if let warning { log.say(.warning, warning, of: .others) }
    }
  }

  /// The body of an answer over HTTP. One that nobody can read is no mistake: what was posted is delivered.
  private func answered(_ body: [UInt8]) {
    let commands = settings.encoder.topics.topic(.command)
    let (messages, warnings) = sealing.contents(of: body)
    for warning in warnings { log.say(.warning, warning, of: .others) }
    let topics = HTTPBody.topics(of: messages.map(\.message), commands: commands)
    for ((message, wasEncrypted), topic) in zip(messages, topics) {
      inbound.take(message.serialised(), from: topic, isRetained: false, isEncrypted: wasEncrypted)
    }
  }
}
