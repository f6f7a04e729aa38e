import Model
import OwnTracks
import Timebase

/// All settings of a connection. `Broker.configure` compares the old with the new to find out how much has to be done
/// anew.
public struct BrokerSettings: Hashable, Sendable {
  /// How the connection is encrypted.
  public struct TLS: Hashable, Sendable {
    /// Empty: the system's store.
    public var caFile: String
    /// Path of a PEM file; empty: none, and then no key either.
    public var certificate: String
    /// Path of a PEM file without a password.
    public var key: String
    /// false: no certificate is checked at all, which every status shows.
    public var isVerified: Bool
  }

  /// Between attempts.
  public struct Pause: Hashable, Sendable {
    /// Seconds until the first new attempt, and the maximum that the wait grows to.
    public var least, most: Int
    /// Seconds over which attempts are spread after the broker's own end; 0: they are not.
    public var spread: Int
  }

  /// How messages are delivered.
  public struct Delivery: Hashable, Sendable {
    /// The broker keeps the last location.
    public var retainsLocations: Bool
    /// Messages that are not retained wait where the broker says that nobody has subscribed.
    public var holdsUnheard: Bool
    /// Seconds of silence after which a board that is not parked looks whether the broker is there, though it has
    /// promised to be heard less often (`keepalive`); 0: it has not.
    public var rhythm = 0
  }

  /// Trials that may be sent to see whether they come back.
  public struct Trials: Hashable, Sendable {
    /// The board may subscribe to topics it publishes on: see `RoundTrip`.
    public var isRoundTripWanted = false
    /// The board may send commands to itself: see `CommandEcho`.
    public var isEchoWanted = false
    /// The board may look at what is retained of its place: see `PlaceLook`.
    public var isPlaceLookWanted = false

    /// No trials.
    public init() {}
  }

  /// In the order in which they are tried, never empty. One without a host, or with port 0, never connects.
  public var places: [BrokerPlace]
  /// The one of them that is meant.
  var turn = 0
  /// 3, 4 or 5; 0: whichever the broker speaks, see `BrokerLevel`. For a client object never 0.
  public var protocolLevel: Int
  /// The name of the session at the broker; two clients with the same one disconnect each other.
  public var clientID: String
  /// Nil: none is sent.
  public var username: String?
  /// Nil: none is sent; always so without a user.
  public var password: String?
  /// Seconds; 0: none.
  public var keepalive: Int
  /// The broker forgets the session when the connection ends.
  public var isSessionClean: Bool
  /// Nil: nothing is encrypted.
  public var tls: TLS?
  /// Its payload may say when it was made: that alone is no change.
  public var will: Message
  /// Topic filters.
  public var subscriptions: [String]
  /// 0...2.
  public var subscriptionQoS: Int
  /// Applied without a new connection.
  public var trials: Trials
  /// Those of `subscriptions` for messages meant for this board alone, commands first; without wildcards.
  public var ownFilters: [String]
  /// Numbers for topics (MQTT 5), smaller ones for topics that are used more often.
  public var aliases: [String: Int]
  /// Key that the payloads are encrypted with before they are sent: messages in flight with another key are taken back
  /// and sent again with this one.
  public var encryptionKey: String
  /// Another reason not to connect, in words for people; nil: none.
  public var blockedReason: String?

  // Applied without a new connection.
  /// Delivery of messages: what the broker is to do, and what follows from its answer.
  public var delivery: Delivery
  /// Seconds for TCP, TLS and the broker's greeting together.
  public var connectionTimeout: Int
  /// Between attempts.
  public var backoff: Pause

  /// From what all uplinks are given.
  public init(_ settings: UplinkSettings) {
    self.init(settings.configuration, topics: settings.topics, will: settings.makeWill())
    blockedReason = settings.blockedReason
  }

  /// As the configuration has it; whether a connection can be made of it says `fault`.
  public init(_ configuration: Configuration, topics: Topics, will: Message) {
    let list = configuration.transport == .mqtt ? configuration.broker.host : ""
    places = BrokerPlace.list(list, port: configuration.broker.port)
    protocolLevel = configuration.broker.protocolLevel
    clientID = topics.clientId
    username =
      configuration.login.auth && !configuration.identity.username.isEmpty
      ? configuration.identity.username : nil
    password = username != nil && configuration.login.usePassword ? configuration.login.password : nil
    let often = Self.keepalive(configuration.broker.keepalive)
    let isStretched = often > 0 && configuration.broker.keepaliveParked > often
    keepalive = isStretched ? configuration.broker.keepaliveParked : often
    isSessionClean = configuration.broker.cleanSession
    tls = configuration.tls.isOn ? Self.tls(configuration) : nil
    self.will = will
    subscriptions = topics.subscriptions
    subscriptionQoS = configuration.broker.subQos
    trials = Trials()
    trials.isRoundTripWanted = configuration.broker.roundTrip && configuration.broker.sub
    // If commands are switched off it does not matter whether they arrive.
    trials.isEchoWanted = trials.isRoundTripWanted && configuration.commands.isOn
    let commands = topics.topic(.command)
    trials.isPlaceLookWanted = configuration.queue.resendLost > 0
    ownFilters = [commands, topics.topic(.listento)].filter(topics.subscriptions.contains)
    aliases = Self.aliases(topics)
    encryptionKey = configuration.messages.encryptionKey
    delivery = Delivery(
      retainsLocations: configuration.messages.retain, holdsUnheard: configuration.messages.holdsUnheard,
      rhythm: isStretched ? often : 0)
    connectionTimeout = configuration.retry.timeout
    backoff = Pause(
      least: configuration.retry.least, most: configuration.retry.most, spread: configuration.retry.spread)
  }

  /// A name or an address.
  public var host: String { places[turn].host }
  /// 0: never connects.
  public var port: Int { places[turn].port }

  /// libmosquitto refuses 1 to 4 seconds.
  private static func keepalive(_ seconds: Int) -> Int { seconds == 0 ? 0 : max(5, seconds) }

  private static func tls(_ configuration: Configuration) -> TLS {
    TLS(
      caFile: configuration.tls.caFile, certificate: configuration.tls.clientCertificate,
      key: configuration.tls.clientKey, isVerified: !configuration.tls.allowsInvalidCertificates)
  }

  private static func aliases(_ topics: Topics) -> [String: Int] {
    let suffixes: [Topics.Suffix] = [.event, .beacon, .dump, .waypoints, .step, .waypoint, .status]
    var aliases = [topics.base: 1]
    for (index, suffix) in suffixes.enumerated() { aliases[topics.topic(suffix)] = index + 2 }
    return aliases
  }

  /// The filter that a stuck connection is tested with: it brings no retained messages of other people.
  var ownCommands: String? { ownFilters.first }

  /// The topic of commands, if it is subscribed to by itself; nil: by another filter, or not at all.
  var commandTopic: String? {
    let topic = will.topic + "/" + Topics.Suffix.command.rawValue
    return ownFilters.contains(topic) ? topic : nil
  }

  /// The effect of a change of settings on the connection.
  enum Change: Hashable, Sendable {
    /// Nothing that the broker could see.
    case none
    /// A new connection, the same session.
    case connection
    /// The session at the broker must not be continued: another broker, another client id, other subscriptions.
    case session
  }

  func change(to new: BrokerSettings) -> Change {
    if sessionParts != new.sessionParts { return .session }
    return connectionParts == new.connectionParts ? .none : .connection
  }

  /// Whether it is the same port of the same host, used in the same way.
  func isSameWay(as other: BrokerSettings) -> Bool {
    host == other.host && port == other.port && tls == other.tls && protocolLevel == other.protocolLevel
  }

  private var sessionParts: BrokerSettings { reduced(toSession: true) }
  private var connectionParts: BrokerSettings { reduced(toSession: false) }

  /// Parts that do not count get a fixed value, so that comparing the rest is one `==`. The will's payload holds the
  /// time at which it was made: that alone is no change.
  private func reduced(toSession: Bool) -> BrokerSettings {
    var parts = self
    parts.turn = 0
    parts.will.payload = []
    parts.will.time = 0
    parts.delivery = Delivery(retainsLocations: false, holdsUnheard: false)
    parts.connectionTimeout = 0
    parts.backoff = Pause(least: 0, most: 0, spread: 0)
    parts.aliases = [:]
    parts.trials = Trials()
    guard toSession else { return parts }
    parts.will.topic = ""
    parts.will.qos = 0
    parts.password = nil
    parts.keepalive = 0
    parts.isSessionClean = false
    parts.tls = nil
    parts.encryptionKey = ""
    parts.blockedReason = nil
    return parts
  }

  /// Whether the broker is to retain it. Waiting locations may have been made under another setting: a broker without
  /// retained messages would end the connection over each of them.
  func retains(_ message: Message) -> Bool {
    message.isRetained && (delivery.retainsLocations || message.sequence == 0 || message.topic != will.topic)
  }

  /// How soon the library is to check its pings if it is not known when one is due.
  package var keepAliveLook: Span { .seconds(keepalive == 0 ? 10 : min(10, max(1, Double(keepalive) / 6))) }

  /// Why there can be no connection at all; nil: there can.
  var fault: BrokerCause? {
    if port == 0 { return .portIsZero }
    if host.isEmpty { return .hostMissing }
    if let blockedReason { return .settingRefused(blockedReason) }
    guard let tls else { return nil }
    if tls.certificate.isEmpty != tls.key.isEmpty {
      return .settingRefused("tlsClientCert and tlsClientKey: one is set, both or none are needed")
    }
    return nil
  }
}
