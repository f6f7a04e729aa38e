extension Configuration {
  /// The MQTT broker, and how it is spoken to.
  public struct Broker: Hashable, Sendable {
    /// Name or address, or several in the order in which they are tried, see `BrokerPlace`; empty: none.
    public var host = ""
    /// 0: offline, nothing is sent or queued.
    public var port = 8883
    /// 3 (MQTT 3.1), 4 (3.1.1) or 5; 0: 5, and 4 where the broker does not speak that.
    public var protocolLevel = 0
    /// Seconds; 0: none.
    public var keepalive = 60
    /// Key `keepAliveParked`: seconds while the vehicle stands; 0: as `keepalive`.
    public var keepaliveParked = 0
    /// The broker forgets the subscriptions when the connection ends.
    public var cleanSession = false
    /// Commands and friends are subscribed to at all.
    public var sub = true
    /// 0, 1 or 2.
    public var subQos = 1
    /// The owner's own filters, blanks between them; empty: the usual ones.
    public var subTopic = ""
    /// Whether the broker passes on what it acknowledges is tried out, where it does not say so itself.
    public var roundTrip = true
    /// Messages that may be unacknowledged at once (it starts at 20 and grows to this).
    public var maxInFlight = 250
  }

  /// The HTTP endpoint. Both are secrets: a webhook's path is as good as a password.
  public struct HTTP: Hashable, Sendable {
    /// Where to post to; http or https. In the apps' files it may be a placeholder while MQTT is in use, so it
    /// is `HTTPAddress` that says whether it is one.
    public var url = ""
    /// `name:value`, the characters `\n` between two of them.
    public var headers = ""
  }

  /// Encryption of the connection.
  public struct TLS: Hashable, Sendable {
    /// Key `tls`; over HTTP the URL says it.
    public var isOn = true
    /// Path of the authorities' certificates; empty: those of the system.
    public var caFile = ""
    /// Path; empty: none. It comes together with `clientKey`.
    public var clientCertificate = ""
    /// Path; empty: none.
    public var clientKey = ""
    /// Any host may pose as the server.
    public var allowsInvalidCertificates = false
  }

  /// The identity given to the server.
  public struct Login: Hashable, Sendable {
    /// The user's name is given.
    public var auth = true
    /// So is the password.
    public var usePassword = true
    /// A secret.
    public var password = ""
  }

  /// How long a server is waited for, and how often it is tried, over MQTT and HTTP. Seconds.
  public struct Retry: Hashable, Sendable {
    /// Key `connectionTimeoutSeconds`: for a connection or an answer.
    public var timeout = 30
    /// Key `reconnectMin`: before the second attempt; it doubles with each.
    public var least = 2
    /// Key `reconnectMax`: between two attempts, at most.
    public var most = 64
    /// Key `reconnectSpread`: over which the boards of a fleet come back after their server's end; 0: they do not wait
    /// for each other.
    public var spread = 0
  }

  /// The form of published messages.
  public struct Messages: Hashable, Sendable {
    /// Topic of a location; empty: `owntracks/user/device`. `%u` and `%d` stand for user and device.
    public var topicBase = ""
    /// 0, 1 or 2.
    public var qos = 1
    /// The broker keeps the last one of a topic.
    public var retain = true
    /// Key `holdUnheard`: what is not retained waits where the broker says that nobody has subscribed.
    public var holdsUnheard = false
    /// Payloads are encrypted with it; empty: they are not. At most 32 bytes, a secret.
    public var encryptionKey = ""
  }

  /// The settings by which Home Assistant and others find the board: when one changes, the board is described anew.
  private struct Address: Hashable {
    let transport: Transport
    let host, discoveryPrefix, username, deviceId, topicBase, clientId: String
    let port: Int

    init(_ settings: Configuration) {
      transport = settings.transport
      host = settings.broker.host
      port = settings.broker.port
      discoveryPrefix = settings.dashboard.discoveryPrefix
      username = settings.identity.username
      deviceId = settings.identity.deviceId
      topicBase = settings.messages.topicBase
      clientId = settings.identity.clientId
    }
  }

  /// Whether a dashboard finds the board of `other` where it finds this one's.
  public func isShown(where other: Configuration) -> Bool { Address(self) == Address(other) }

  /// Whether what it publishes goes to the same topics.
  public func isCalled(as other: Configuration) -> Bool {
    identity.username == other.identity.username && identity.deviceId == other.identity.deviceId
      && messages.topicBase == other.messages.topicBase
  }

  /// Whether the server in use sees a difference: it has to be connected to anew.
  public func needsReconnection(after old: Configuration) -> Bool {
    ConfigurationKey.differing(old, self).contains { key in
      switch key.connection {
      case .none: false
      case .both: true
      case .mqtt: transport == .mqtt
      case .http: transport == .http
      }
    }
  }
}
