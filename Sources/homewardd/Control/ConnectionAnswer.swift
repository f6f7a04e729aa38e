import Model
import OwnTracks
import Timebase
import Uplink

/// The connection to the server, for `status` and for the probe of `homeward doctor`.
extension StatusRecord.Connection {
  /// That of the running daemon.
  convenience init(_ connection: ServerConnection, _ settings: SettingsInForce, at now: Instant) {
    guard let status = connection.status else {
      self.init()
      (colour, state) = ("blue", "starting")
      return
    }
    self.init(status, settings, isEncrypted: connection.payloadEncryption.isOn, at: now)
    if let loss = connection.lastLoss, !Self.intended.contains(loss.cause) {
      var error = LastError()
      (error.text, error.age) = (loss.cause.description, (now - loss.at).seconds)
      lastError = error
    }
    if let will = connection.statusWill {
      var shown = Will()
      (shown.placed, shown.cause) = (will.isPlaced, will.isPlaced ? nil : will.cause)
      statusWill = shown
    }
    if connection.offSince != nil {
      switchedOff = true
      cause = "disconnected by a person: what is published waits"
      remedy = "homeward connect; a restart of the tracker connects as well"
    }
    delivery = Delivery(status, at: now)
    commands = status.mqtt.commands.map { Commands($0, at: now) }
    untaken = Self.untaken(status, settings)
    mqtt = status.mqtt.protocolLevel.map(Self.version)
    nextAttempt = status.nextAttempt.map { ($0 - now).seconds }
  }

  /// Ends that are no errors.
  private static let intended: Set<BrokerCause> = [
    .switchedOff, .settingsChanged, .askedAnew, .portIsZero, .routeChanged,
  ]

  /// The part that is known from a connection alone, also that of a `BrokerProbe`.
  convenience init(_ status: UplinkStatus, _ settings: SettingsInForce, isEncrypted: Bool, at now: Instant) {
    self.init()
    (colour, state, cause) = (status.colour.rawValue, Self.word(status.colour), status.text)
    (attempts, since) = (status.attempts, (now - status.since).seconds)
    (insecure, encrypted, tls) = (status.isInsecure, isEncrypted, settings.isTLS)
    (acknowledged, sent) = (Int(status.counters.acknowledged), Int(status.counters.sent))
    if settings.isHTTP {
      endpoint = settings.server
    } else {
      let place = status.mqtt.place ?? settings.configuration.broker.places[0]
      (host, port) = (place.host, place.port)
    }
    word = status.cause?.word
    remedy = status.cause.map { BrokerRemedy(settings.configuration, status.mqtt.place).words(for: $0) }
    subscription = status.mqtt.subscribed.isEmpty ? nil : status.mqtt.subscribed
    notSubscribed =
      status.mqtt.notSubscribed.isEmpty
      ? nil
      : status.mqtt.notSubscribed.map { one in
        var missing = Missing()
        (missing.filter, missing.word, missing.why) = (one.filter, one.word, one.why)
        return missing
      }
  }

  /// Held topics, with the broker's reason. Nil: there are none.
  private static func untaken(_ status: UplinkStatus, _ settings: SettingsInForce) -> [Untaken]? {
    guard !status.mqtt.untaken.isEmpty else { return nil }
    let remedy = BrokerRemedy(settings.configuration, status.mqtt.place)
    return status.mqtt.untaken.sorted { $0.key < $1.key }.map { topic, cause in
      var one = Untaken()
      (one.topic, one.why, one.remedy) = (topic, cause.description, remedy.words(for: cause))
      return one
    }
  }

  /// Name of an MQTT protocol level.
  private static func version(_ level: Int) -> String { [3: "3.1", 4: "3.1.1"][level] ?? "\(level)" }

  private static func word(_ colour: ConnectionColour) -> String {
    switch colour {
    case .blue: "idle"
    case .green: "connected"
    case .amber: "waiting"
    case .red: "error"
    }
  }
}

extension StatusRecord.Connection.Delivery {
  /// Nil: no connection.
  init?(_ status: UplinkStatus, at now: Instant) {
    guard let level = status.mqtt.protocolLevel else { return nil }
    self.init()
    func list(_ topics: [String]) -> [String]? { topics.isEmpty ? nil : topics }
    guard let found = status.mqtt.roundTrip else {
      (by, unheard) = (level >= 5 ? "reasonCodes" : "nothing", list(status.mqtt.unheard))
      return
    }
    (by, proven, missing, unreadable) = (
      "roundTrip", list(found.proven), list(found.missing), list(found.unreadable)
    )
    let ages = found.proven.compactMap { found.cameBack[$0] }.map { (now - $0).seconds }
    provenAges = ages.isEmpty ? nil : ages
  }
}

extension StatusRecord.Connection.Commands {
  init(_ report: UplinkStatus.CommandReport, at now: Instant) {
    self.init()
    topic = report.topic
    switch report.finding {
    case .untried: state = "untried"
    case .heard(let since): (state, age) = ("heard", (now - since).seconds)
    case .missing: state = "missing"
    case .unclear: state = "unclear"
    case .barred(let cause): (state, why) = ("barred", cause?.description)
    }
  }
}
