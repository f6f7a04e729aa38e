import Model
import Timebase

/// The state of an uplink, for people.
public struct UplinkStatus: Hashable, Sendable {
  /// The colour shown for the connection.
  public var colour = ConnectionColour.blue
  /// Nil while all is well, or during the first attempt.
  public var cause: BrokerCause?
  /// When colour and cause last changed.
  public var since = Instant.zero
  /// Since when the connection stands; nil: it does not.
  public var connectedSince: Instant?
  /// Attempts since the last connection that the server accepted.
  public var attempts = 0
  /// Nil: an attempt is being made, or none is wanted.
  public var nextAttempt: Instant?
  /// TLS without any check of certificates, by the setting `allowinvalidcerts`.
  public var isInsecure = false
  /// Messages that were given to the library and not answered.
  public var inFlight = 0
  /// Since the start.
  public var counters = Counters()
  /// Of MQTT alone.
  public var mqtt = MQTT()

  /// Nothing has been asked for yet.
  public init() {}

  /// A server is wanted, and there is no way to it: it is tried and not reached. False where it answers and does not take
  /// us, and where the settings forbid a connection.
  public var isOut: Bool {
    connectedSince == nil && colour != .blue && colour != .green && (cause?.isOutage ?? true)
  }

  /// One line: the meaning of the colour in words.
  public var text: String {
    let state = connectedSince == nil ? cause?.description ?? "connecting" : connectedText
    return isInsecure ? state + " (INSECURE: allowinvalidcerts, certificates are not checked)" : state
  }

  private var connectedText: String {
    let less = mqtt.isQoSReduced ? ", with the lower QoS that this broker takes" : ""
    return (cause.map { "connected, but \($0)" } ?? "connected") + less
  }

  /// `cause` nil: all is well, or nothing is known yet.
  mutating func show(_ cause: BrokerCause?, as colour: ConnectionColour? = nil, at now: Instant) {
    let colour = colour ?? cause?.colour ?? .amber
    guard cause != self.cause || colour != self.colour else { return }
    // Only the seconds in it have changed: it is the same fault.
    let isSame = cause?.word == self.cause?.word && colour == self.colour
    (self.cause, self.colour) = (cause, colour)
    if !isSame { since = now }
  }

  /// Counts of messages over the connection.
  public struct Counters: Hashable, Sendable {
    /// Messages given to the library, without its own repetitions.
    public var sent = 0
    /// Confirmed by the server.
    public var acknowledged = 0
    /// The server will never accept them.
    public var refused = 0
    /// Not accepted by the server for a reason that may pass.
    public var postponed = 0
    /// Given back to be sent again.
    public var failed = 0
    /// Messages from others, without our own that come back.
    public var received = 0
    /// Dropped because their topic is not UTF-8.
    public var malformed = 0
    /// Dropped because they were over 256 KiB.
    public var oversized = 0
    /// How often the server accepted a connection.
    public var connections = 0
    /// Bytes of connections that have ended, see `WireMeter`.
    var bytes = 0
  }
}
