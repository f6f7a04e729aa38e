import Answers
import Host
import Model
import OwnTracks
import Receiver
import Storage
import Timebase
import Uplink

/// What the adapters add to `status`.
extension Answer {
  static func connection(_ connection: ServerConnection, _ settings: SettingsInForce, at now: Instant) -> JSON
  {
    guard let status = connection.status else { return ["colour": "blue", "state": "starting"] }
    var object = link(status, settings, isEncrypted: connection.sealing.isOn, at: now)
    if let loss = connection.lastLoss, !intended.contains(loss.cause) {
      object.set(
        "lastError", ["text": .string(loss.cause.description), "age": .real((now - loss.at).seconds)])
    }
    if let will = connection.statusWill {
      var placed: JSON = ["placed": .boolean(will.isPlaced)]
      if !will.isPlaced { placed.set("cause", will.cause.map { .string($0) }) }
      object.set("statusWill", placed)
    }
    if connection.offSince != nil {
      object.set("switchedOff", .boolean(true))
      object.set("cause", .string("disconnected by a person: what is published waits"))
      object.set("remedy", .string("homeward connect; a restart of the tracker connects as well"))
    }
    object.set("delivery", delivery(status, at: now))
    object.set("commands", commands(status, at: now))
    object.set("untaken", untaken(status, settings))
    object.set("mqtt", status.protocolLevel.map { .string(Self.version($0)) })
    object.set("nextAttempt", status.nextAttempt.map { .real(($0 - now).seconds) })
    return object
  }

  /// Ends that nobody calls an error.
  private static let intended: Set<BrokerCause> = [
    .switchedOff, .settingsChanged, .askedAnew, .portIsZero, .routeChanged,
  ]

  /// What is known of a connection alone, that of a `BrokerProbe` too.
  static func link(
    _ status: Broker.Status, _ settings: SettingsInForce, isEncrypted: Bool, at now: Instant
  ) -> JSON {
    var object: JSON = [
      "colour": .string(status.colour.rawValue), "state": .string(word(status.colour)),
      "cause": .string(status.text), "attempts": .integer(Int64(status.attempts)),
      "since": .real((now - status.since).seconds), "insecure": .boolean(status.isInsecure),
      "encrypted": .boolean(isEncrypted),
      "acknowledged": .integer(Int64(status.counters.acknowledged)),
      "sent": .integer(Int64(status.counters.sent)),
    ]
    object.set("tls", .boolean(settings.isTLS))
    if settings.isHTTP {
      object.set("endpoint", .string(settings.server))
    } else {
      object.set("host", .string(settings.configuration.broker.host))
      object.set("port", .integer(Int64(settings.configuration.broker.port)))
    }
    if let cause = status.cause {
      object.set("word", .string(cause.word))
      object.set("remedy", .string(BrokerRemedy(settings.configuration).words(for: cause)))
    }
    if !status.subscribed.isEmpty {
      object.set("subscription", .array(status.subscribed.map { .string($0) }))
    }
    if !status.notSubscribed.isEmpty {
      let missing = status.notSubscribed.map { missing -> JSON in
        ["filter": .string(missing.filter), "word": .string(missing.word), "why": .string(missing.why)]
      }
      object.set("notSubscribed", .array(missing))
    }
    return object
  }

  /// How it is known that the broker passes on what it acknowledges, and what is known. Nil: no connection.
  private static func delivery(_ status: Broker.Status, at now: Instant) -> JSON? {
    guard let level = status.protocolLevel else { return nil }
    func list(_ topics: [String]) -> JSON? { topics.isEmpty ? nil : .array(topics.map { .string($0) }) }
    guard let found = status.roundTrip else {
      var object: JSON = ["by": level >= 5 ? "reasonCodes" : "nothing"]
      object.set("unheard", list(status.unheard))
      return object
    }
    var object: JSON = ["by": "roundTrip"]
    object.set("proven", list(found.proven))
    let ages = found.proven.compactMap { found.cameBack[$0] }.map { JSON.real((now - $0).seconds) }
    object.set("provenAges", ages.isEmpty ? nil : .array(ages))
    object.set("missing", list(found.missing))
    object.set("unreadable", list(found.unreadable))
    return object
  }

  /// Whether commands arrive. Nil: no connection, or they are not asked for by their own topic.
  private static func commands(_ status: Broker.Status, at now: Instant) -> JSON? {
    guard let report = status.commands else { return nil }
    var object: JSON = ["topic": .string(report.topic)]
    switch report.finding {
    case .untried: object.set("state", "untried")
    case .heard(let since):
      object.set("state", "heard")
      object.set("age", .real((now - since).seconds))
    case .missing: object.set("state", "missing")
    case .unclear: object.set("state", "unclear")
    case .barred(let cause):
      object.set("state", "barred")
      object.set("why", cause.map { .string($0.description) })
    }
    return object
  }

  /// What the broker says of topics where it takes nothing now. Nil: there are none.
  private static func untaken(_ status: Broker.Status, _ settings: SettingsInForce) -> JSON? {
    guard !status.untaken.isEmpty else { return nil }
    let remedy = BrokerRemedy(settings.configuration)
    let topics = status.untaken.sorted { $0.key < $1.key }
    return .array(
      topics.map { topic, cause -> JSON in
        [
          "topic": .string(topic), "why": .string(cause.description),
          "remedy": .string(remedy.words(for: cause)),
        ]
      })
  }

  /// What people call a protocol level.
  private static func version(_ level: Int) -> String { [3: "3.1", 4: "3.1.1"][level] ?? "\(level)" }

  private static func word(_ colour: ConnectionColour) -> String {
    switch colour {
    case .blue: "idle"
    case .green: "connected"
    case .amber: "waiting"
    case .red: "error"
    }
  }

  static func receiver(_ status: GPSD.Status, at now: Instant) -> JSON {
    var object: JSON = [
      "reached": .boolean(status.isConnected), "mode": .integer(Int64(status.mode)),
      "malformed": .integer(Int64(status.malformedLines)),
    ]
    object.set("version", status.version.map { .string($0) })
    object.set("device", status.device.map { .string($0) })
    object.set("driver", status.driver.map { .string($0) })
    object.set("satellites", status.satellitesUsed.map { .integer(Int64($0)) })
    object.set("cause", status.cause.map { .string($0) })
    object.set("silent", status.silence.map { .integer(Int64($0.seconds)) })
    object.set("lastReport", status.lastReport.map { .real((now - $0).seconds) })
    return object
  }

  /// What the page draws differently; nil: nothing.
  static func page(_ page: Configuration.Page) -> JSON? {
    let usual = Configuration().page
    guard page != usual else { return Optional.none }
    var object = JSON.object([])
    if !page.template.isEmpty { object.set("template", .string(page.template)) }
    if !page.copyright.isEmpty { object.set("copyright", .string(page.copyright)) }
    if page.tacho != usual.tacho { object.set("tacho", .string(page.tacho.rawValue)) }
    return object
  }

  static func messages(_ traffic: Traffic, _ sealing: Sealing) -> JSON {
    var object: JSON = [
      "received": .integer(Int64(traffic.received)), "malformed": .integer(Int64(traffic.malformed)),
    ]
    object.set("friendUpdates", .integer(Int64(traffic.friendUpdates)))
    object.set("lastMalformed", traffic.lastMalformed.map { .string($0) })
    object.set("unopened", sealing.isOn ? .integer(Int64(sealing.unopened)) : nil)
    object.set("lastUnopened", sealing.lastUnopened.map { .string($0) })
    return object
  }

  static func program(_ status: EventHook.Status) -> JSON {
    [
      "run": .integer(Int64(status.run)), "failed": .integer(Int64(status.failed)),
      "killed": .integer(Int64(status.killed)), "dropped": .integer(Int64(status.dropped)),
    ]
  }

  static func store(_ condition: StoreAccess.Condition?, path: String, at now: Instant) -> JSON {
    var object: JSON = ["path": .string(path)]
    switch condition {
    case .missing(let trouble, let nextTry):
      object.set("cause", .string("\(trouble); going on in memory, trying again"))
      object.set("nextAttempt", nextTry.map { .real(max(0, ($0 - now).seconds)) })
    case .inUse(let status):
      object.set("bytesWritten", .integer(Int64(status.bytesWritten)))
      object.set("size", .integer(Int64(status.size)))
      object.set("quarantined", .integer(Int64(status.quarantined)))
      object.set("cause", status.failure.map { .string($0) })
    case nil: break
    }
    return object
  }
}
