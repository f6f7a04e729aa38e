import Answers
import Core
import Host
import Loop
import Model
import OwnTracks
import Storage
import Timebase
import Uplink

/// The uplink, MQTT in mode 0 and HTTP in mode 3, and the encryption of all that passes it. It speaks to both in the same
/// way; only `makeUplink` knows which one it is.
final class ServerConnection {
  private let loop: EventLoop
  private let worker: Worker
  let settings: SettingsInForce
  let host: TrackerHost
  let inbound: InboundMessages
  let deadLetters: DeadLetters
  let deadLettersPath: String
  let log: ServiceLog
  var payloadEncryption = PayloadEncryption()
  private var uplink: (any Uplink)?
  /// The one that `uplink` speaks.
  private var transport = Configuration.Transport.mqtt
  /// Nil where nothing is kept on `status`.
  private var statusConnection: StatusConnection?
  /// The server that the uplink was last configured for: its last event comes when other settings are in force.
  private var serverLabel = ""
  /// Since when a person has it switched off; what is published waits.
  private(set) var offSince: Instant?
  /// Why and when the last connection or attempt ended; nil: none has since the start.
  private(set) var lastLoss: (cause: BrokerCause, at: Instant)?
  var reconnects = ReconnectCount()
  private var cost = ConnectionCost()
  private var isParked = false
  /// A message leaves as it is, as nearly all do.
  private var isPlain = false

  /// `worker` is for the network, `disk` for dead letters.
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
    deadLettersPath = settings.configuration.board.stateDir + "/refused.jsonl"
    deadLetters = DeadLetters(loop: loop, worker: disk, path: deadLettersPath) { event in
      if case .warning(let text) = event { log.say(.warning, text) }
    }
  }

  // MARK: Settings

  /// Takes the key that the configuration names.
  func seal() {
    payloadEncryption.configure(settings.configuration.messages.encryptionKey)
    if let reason = payloadEncryption.blockedReason { log.say(.error, reason) }
    isPlain = !settings.configuration.transport.carriesTopicInside && !payloadEncryption.isOn
  }

  /// At the start, and after every change of settings.
  func configure() {
    defer { configureStatusConnection() }
    if settings.configuration.transport != transport { dropUplink() }
    transport = settings.configuration.transport
    isPlain = !transport.carriesTopicInside && !payloadEncryption.isOn
    let uplink = uplink ?? makeUplink()
    self.uplink = uplink
    uplink.configure(uplinkSettings)
    serverLabel = transport.label(settings.server)
  }

  /// The only place that knows the uplinks by name.
  private func makeUplink() -> any Uplink {
    let uplink: any Uplink =
      switch transport {
      case .mqtt: Broker(loop: loop, worker: worker) { [unowned self] in heard($0) }
      case .http: HTTPPoster(loop: loop, worker: worker) { [unowned self] in heard($0) }
      }
    if offSince != nil { uplink.disconnect() }
    uplink.setParked(isParked)
    return uplink
  }

  private func dropUplink() {
    uplink?.retire()
    cost.bytesOfEarlier += uplink?.carried ?? 0
    uplink = nil
  }

  /// Where a message on `status` is retained, a will has to take it back when the power goes.
  private func configureStatusConnection() {
    let configuration = settings.configuration
    let isWordKept = configuration.dashboard.availability || configuration.dashboard.discovery
    guard configuration.transport.retains, isWordKept, settings.encoder.topics.isIdentityValid else {
      statusConnection?.retire()
      cost.bytesOfEarlier += statusConnection?.carried ?? 0
      statusConnection = nil
      return
    }
    let connection =
      statusConnection ?? StatusConnection(loop: loop, worker: worker) { [unowned self] in heard($0) }
    statusConnection = connection
    connection.configure(statusSettings) { [unowned self] in makeStatusWill() }
    if let status = uplink?.status, status.connectedSince != nil {
      connection.firstConnected(to: status.mqtt.place, at: status.mqtt.address)
    }
  }

  private var uplinkSettings: UplinkSettings {
    UplinkSettings(
      settings.connecting, topics: settings.encoder.topics, makeWill: { [unowned self] in makeWill() },
      blockedReason: payloadEncryption.blockedReason)
  }

  private var statusSettings: BrokerSettings {
    BrokerSettings(uplinkSettings).onlyFor(will: makeStatusWill())
  }

  /// For a connection that begins now, as the next.
  private func makeWill() -> Message {
    settings.encoder.will(at: host.wall ?? Self.plausible(SystemClock.rawWall()))
  }

  /// This will is not dated by the system's clock: a later reader takes its time for true.
  private func makeStatusWill() -> Message {
    let will = settings.encoder.absence(at: host.wall)
    return payloadEncryption.sealed(will) ?? will
  }

  /// A will needs a time before any clock is trusted. The system's own may do there, and only there, if
  /// it is not from before this program (2026-11-01): it was kept by a battery or by the last shutdown.
  static func plausible(_ wall: WallTime) -> WallTime? {
    wall.seconds > 1_793_491_200 ? wall : nil
  }

  /// The file was read again, whatever is in it.
  func askAnew() {
    sealAnew()
    uplink?.askAnew()
    hurry(isAsked: true)
  }

  /// A library that was missing may have been installed.
  private func sealAnew() {
    guard payloadEncryption.blockedReason != nil else { return }
    seal()
    if payloadEncryption.blockedReason == nil { configure() }
  }

  /// There is something new to tell, or a person wants it: a new attempt at once, where one is waited for.
  func hurry(isAsked: Bool) { uplink?.hurry(isAsked: isAsked) }

  /// A person's order. What it says to that person.
  func obey(_ order: DaemonRequest.LinkOrder) -> JSON {
    let configuration = settings.configuration
    if configuration.isOffline { return Answer.failure("offline: port is 0, and nothing waits to be sent") }
    switch order {
    case .disconnect:
      if offSince != nil { return Answer.done("disconnected already") }
      log.say(
        .info, "disconnects from \(server), as requested on this board; messages are queued")
      offSince = loop.now.instant
      uplink?.disconnect()
      return Answer.done(
        "disconnected: what is published waits until homeward connect, or until the tracker is started again")
    case .connect where offSince == nil && colour == .green: return Answer.done("connected already")
    case .connect, .reconnect:
      let wasOff = offSince != nil
      offSince = nil
      sealAnew()
      order == .connect && !wasOff ? uplink?.connectSoon() : uplink?.reconnect()
      return Answer.done("connecting; how it goes: homeward status")
    }
  }

  func routeChanged() { uplink?.networkChanged() }

  /// Messages in flight are given back; `forget` is to follow.
  func retire() {
    statusConnection?.retire()
    uplink?.retire()
  }

  /// There is no connection until it is configured anew.
  func forget() {
    cost.bytesOfEarlier += (uplink?.carried ?? 0) + (statusConnection?.carried ?? 0)
    (statusConnection, uplink) = (nil, nil)
  }

  /// For the end of the program.
  func shutDown() {
    uplink?.shutDown(within: .seconds(2))
    // After the offline message is out: killed meanwhile, the board is gone all the same.
    statusConnection?.shutDown(within: .seconds(1))
    deadLetters.finish()
  }

  // MARK: What it costs

  /// The kernel is asked what the connections have cost so far, and the tracker is told.
  func tellCost() {
    let carried = cost.bytesOfEarlier + (uplink?.carried ?? 0) + (statusConnection?.carried ?? 0)
    host.post(.carried(bytes: carried, zone: host.wall.map { LocalZone.offset(at: $0.wholeSeconds) } ?? 0))
    cost.toldAt = loop.now.instant
  }

  private func followVehicle() {
    guard host.isParked != isParked else { return }
    isParked = !isParked
    uplink?.setParked(isParked)
  }

  // MARK: Questions

  var isEncrypted: Bool { payloadEncryption.isOn }
  /// Nil: there is none yet.
  var status: UplinkStatus? { uplink?.status }
  var colour: ConnectionColour? { uplink?.colour }
  /// There is no way to it.
  var isOut: Bool { uplink?.isOut ?? false }
  /// Nil where nothing is kept on `status`.
  var statusWill: (isPlaced: Bool, cause: String?)? {
    statusConnection.map { ($0.isStanding, $0.cause) }
  }

  // MARK: Outbound

  /// It is encrypted only now: a new key is good for all that waits.
  func send(_ message: Message) {
    // The usual case copies neither the message nor the keys.
    if isPlain {
      uplink?.send(message)
      return
    }
    guard let sealed = asPublished(message) else { return host.post(.sendFailed(message.sequence)) }
    uplink?.send(sealed)
  }

  /// `message`: the last connection has ended over it.
  func takeBack(over message: Message?) {
    uplink?.takeBack(isOverMessage: message != nil)
    if let message, let lastLoss { sayHeld(message.topic, lastLoss.cause.over(message)) }
  }

  /// Is not in the queue, so its acknowledgement is not awaited.
  func announce(_ report: Report, as message: Message) {
    guard var sealed = payloadEncryption.sealed(message) else { return }
    if let statusConnection, case .status(let status) = report, let isOnline = status.isOnline {
      if isOnline {
        // Subscribers of this moment get it now; it is published again when there is a will to take it back.
        sealed.isRetained = statusConnection.isWordKept
      } else {
        statusConnection.say(sealed)
      }
    }
    // The second connection's message must not stay retained longer than the first one's.
    if case .discoveryGone(settings.encoder.topics.topic(.status)) = report { statusConnection?.say(sealed) }
    if transport.retains { uplink?.send(sealed) }
  }

  /// As the server sees it; nil: it must not go out in clear, and there is nothing to encrypt it with. Over HTTP the
  /// topic is put into the message before that is encrypted.
  func asPublished(_ message: Message) -> Message? {
    guard settings.configuration.transport.carriesTopicInside else {
      return payloadEncryption.sealed(message)
    }
    var message = message
    message.payload = HTTPBody.request(message.payload, topic: message.topic)
    return payloadEncryption.sealed(message)
  }

  // MARK: What the server says

  var serverName: String { settings.configuration.transport.subject(server) }

  /// The one in use, of several.
  private var server: String { uplink?.status.mqtt.place?.description ?? settings.server }

  private var label: String { transport.label(server) }

  private func heard(_ event: UplinkEvent) {
    switch event {
    case .connected(let hasForgotten, let receiveMaximum):
      sayConnected()
      reconnects.connected(at: host.wall)
      // Start, lookup and handshake are over, for hours as a rule.
      ProgramMemory.letGoOfStart()
      if let status = uplink?.status.mqtt {
        statusConnection?.firstConnected(to: status.place, at: status.address)
      }
      if hasForgotten { host.post(.discoveryDoubted(isBirth: false)) }
      host.post(.brokerConnected(receiveMaximum: receiveMaximum))
    case .lost(let cause, let end):
      log.say(.warning, "\(cause.isLeaving ? serverLabel : label): \(cause)", of: .connection)
      lastLoss = (cause, loop.now.instant)
      tellCost()
      statusConnection?.firstLost(cause, isOfflineSent: cause.isLeaving)
      host.post(.brokerLost(end))
    case .acknowledged(let sequences):
      host.post(.acknowledged(sequences))
      if cost.isDue(at: loop.now.instant) { tellCost() }
      // Its first message is through.
      if isParked { followVehicle() }
    case .keptAlive:
      if cost.isDue(at: loop.now.instant) { tellCost() }
      followVehicle()
    case .refused(let sequence, let cause): refused(sequence, cause)
    case .postponed(let sequence, let cause, let letsOthersPass):
      sayHeld(host.topic(of: sequence) ?? "no known topic", cause)
      host.post(.postponed(sequence, letsOthersPass: letsOthersPass))
    case .sendFailed(let sequence): host.post(.sendFailed(sequence))
    case .missing(let topic):
      log.say(
        .warning,
        "\(label): what is published on \(topic) is acknowledged and does not come back: it may be "
          + "lost, see homeward doctor", of: .connection)
    case .cameBack(let topic):
      log.say(.info, "\(label): what is published on \(topic) comes back again", of: .connection)
    case .hearsCommands: log.say(.info, "\(label): commands arrive again", of: .connection)
    case .placeRetained(let payload): placeRetained(payload)
    case .placeLost: host.post(.keptPlace(.nothing))
    case .sessionLost: host.post(.keptPlace(.unknown))
    case .received(let topic, let payload, let isRetained):
      received(payload, from: topic, isRetained: isRetained)
    case .answered(let body): answered(body)
    }
  }

  private func sayConnected() {
    let missing = uplink?.status.mqtt.notSubscribed.filter { $0.word != "unanswered" } ?? []
    let without = missing.map(\.description).joined(separator: ", ")
    log.say(
      missing.isEmpty ? .info : .warning,
      transport.greeting(server)
        + (missing.isEmpty ? "" : "; not subscribed: \(without)"), of: .connection)
  }

  private func heard(_ event: StatusConnection.Event) {
    switch event {
    case .doubted: host.post(.presenceDoubted)
    case .failed(let cause):
      log.say(
        .warning,
        "\(label): no second connection: \(cause); "
          + "\(settings.encoder.topics.topic(.status)) would keep showing this board as online after a power cut"
      )
    }
  }

  private func refused(_ sequence: UInt64, _ cause: BrokerCause) {
    // No place in the queue, nobody misses it.
    if sequence == 0 { log.say(.warning, "\(serverName) refuses a status for good: \(cause)", of: .others) }
    host.post(.refused(sequence, because: "\(cause)"))
  }

  /// For each topic once an hour: a missing permission may be missing for days.
  private func sayHeld(_ topic: String, _ cause: BrokerCause) {
    let words =
      topic == settings.encoder.topics.topic(.batch)
      ? "\(topic): \(cause); locations go one by one until the next connection (batchSeconds)"
      : cause.isForWantOfSubscribers
        ? "\(topic): \(cause); messages are held and retried (holdUnheard)"
        : "\(serverName) is refusing \(topic) for now: \(cause); messages are held and retried"
    log.say(.warning, words, of: .held(topic: topic))
  }
}
