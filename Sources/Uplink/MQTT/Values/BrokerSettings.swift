import Model
import OwnTracks
import Timebase

/// All that a connection is made of. `Broker.configure` compares the old with the new and finds out
/// how much has to be done anew.
public struct BrokerSettings: Hashable, Sendable {
  /// How the connection is encrypted.
  public struct TLS: Hashable, Sendable {
    /// Empty: the system's store.
    public var caFile: String
    /// Path of a PEM file; empty: none, and then no key either.
    public var certificate: String
    /// Path of a PEM file without a password.
    public var key: String
    /// false: no certificate is checked at all, which every status says aloud.
    public var isVerified: Bool
  }

  /// Between attempts.
  public struct Pause: Hashable, Sendable {
    /// Seconds until the first new one, and that the wait grows to.
    public var least, most: Int
  }

  /// What may be sent to see whether it comes back.
  public struct Trials: Hashable, Sendable {
    /// What is published may be subscribed to: see `RoundTrip`.
    public var isRoundTripWanted = false
    /// And commands of our own may be sent to ourselves: see `CommandEcho`.
    public var isEchoWanted = false

    /// Nothing is.
    public init() {}
  }

  /// A name or an address; empty: never connects.
  public var host: String
  /// 0: never connects.
  public var port: Int
  /// 3, 4 or 5; 0: what the broker speaks, see `BrokerLevel`. A client object has one of the others.
  public var protocolLevel: Int
  /// What the broker keeps the session under; two of them throw each other off.
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
  /// What is tried out. Taken over without a new connection.
  public var trials: Trials
  /// Those of `subscriptions` that bring what is meant for us alone, commands first; without wildcards.
  public var ownFilters: [String]
  /// Numbers for topics (MQTT 5), smaller ones for what is sent more often.
  public var aliases: [String: Int]
  /// What the payloads are encrypted with before they are sent: what is under way with another key is
  /// taken back and comes again with this one.
  public var encryptionKey: String
  /// What else stands in the way, in words for people; nil: nothing.
  public var blockedReason: String?

  // Taken over without a new connection.
  /// The broker keeps the last location.
  public var retainsLocations: Bool
  /// Seconds for TCP, TLS and the broker's greeting together.
  public var connectionTimeout: Int
  /// Between attempts.
  public var backoff: Pause

  /// As the configuration has it; whether a connection can be made of it says `fault`.
  public init(_ configuration: Configuration, topics: Topics, will: Message) {
    host = configuration.transport == .mqtt ? configuration.broker.host : ""
    port = configuration.broker.port
    protocolLevel = configuration.broker.protocolLevel
    clientID = topics.clientId
    username =
      configuration.login.auth && !configuration.identity.username.isEmpty
      ? configuration.identity.username : nil
    password = username != nil && configuration.login.usePassword ? configuration.login.password : nil
    keepalive = Self.keepalive(configuration.broker.keepalive)
    isSessionClean = configuration.broker.cleanSession
    tls = configuration.tls.isOn ? Self.tls(configuration) : nil
    self.will = will
    subscriptions = topics.subscriptions
    subscriptionQoS = configuration.broker.subQos
    trials = Trials()
    trials.isRoundTripWanted = configuration.broker.roundTrip && configuration.broker.sub
    // Where nobody's commands are obeyed it is of no consequence whether they arrive.
    trials.isEchoWanted = trials.isRoundTripWanted && configuration.commands.isOn
    let commands = topics.topic(.command)
    ownFilters = [commands, topics.topic(.listento)].filter(topics.subscriptions.contains)
    aliases = Self.aliases(topics)
    encryptionKey = configuration.messages.encryptionKey
    retainsLocations = configuration.messages.retain
    connectionTimeout = configuration.retry.timeout
    backoff = Pause(least: configuration.retry.least, most: configuration.retry.most)
  }

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

  /// The filter that a stuck connection is tested with: no retained messages of other people come back.
  var ownCommands: String? { ownFilters.first }

  /// Where commands come in, if they are asked for by that very topic; nil: by another filter, or not at all.
  var commandTopic: String? {
    let topic = will.topic + "/" + Topics.Suffix.command.rawValue
    return ownFilters.contains(topic) ? topic : nil
  }

  /// How much of a connection a change of settings costs.
  enum Change: Hashable, Sendable {
    /// Nothing that the broker could see.
    case none
    /// A new connection, the same session.
    case connection
    /// What the broker keeps under our name must not be continued: another broker, another name,
    /// other subscriptions.
    case session
  }

  func change(to new: BrokerSettings) -> Change {
    if sessionParts != new.sessionParts { return .session }
    return connectionParts == new.connectionParts ? .none : .connection
  }

  /// Whether it is the same port of the same host, spoken to in the same way.
  func isSameWay(as other: BrokerSettings) -> Bool {
    host == other.host && port == other.port && tls == other.tls && protocolLevel == other.protocolLevel
  }

  private var sessionParts: BrokerSettings { reduced(toSession: true) }
  private var connectionParts: BrokerSettings { reduced(toSession: false) }

  /// What is left out gets the same value everywhere, so that comparing the rest is one `==`. The
  /// will's payload holds the time at which it was made: that alone is no change.
  private func reduced(toSession: Bool) -> BrokerSettings {
    var parts = self
    parts.will.payload = []
    parts.will.time = 0
    parts.retainsLocations = false
    parts.connectionTimeout = 0
    parts.backoff = Pause(least: 0, most: 0)
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

  /// Whether the broker is to keep it. Locations that wait were made when it could have been otherwise: a broker that
  /// keeps nothing would end the connection over each of them still.
  func retains(_ message: Message) -> Bool {
    message.isRetained && (retainsLocations || message.sequence == 0 || message.topic != will.topic)
  }

  /// How soon the library is to look after its pings where it is not known when one is due.
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
