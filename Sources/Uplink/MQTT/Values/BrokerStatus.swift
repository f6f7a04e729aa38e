import Model
import Timebase

extension Broker {
  /// The state of the connection, for people.
  public struct Status: Hashable, Sendable {
    /// The colour shown for the connection.
    public var colour = ConnectionColour.blue
    /// Nil while all is well, or during the first attempt.
    public var cause: BrokerCause?
    /// When colour and cause last changed.
    public var since = Instant.zero
    /// Since when the connection stands; nil: it does not.
    public var connectedSince: Instant?
    /// Attempts since the last connection that the broker accepted.
    public var attempts = 0
    /// Nil: an attempt is being made, or none is wanted.
    public var nextAttempt: Instant?
    /// The broker still had our session at the last connection.
    public var isSessionPresent = false
    /// Of MQTT: 3, 4 (3.1.1) or 5; nil: no connection.
    public var protocolLevel: Int?
    /// Nil: not stated by the broker.
    public var receiveMaximum: Int?
    /// TLS without any check of certificates, by the setting `allowinvalidcerts`.
    public var isInsecure = false
    /// Filters that the broker has granted, our commands first; empty without a connection.
    public var subscribed: [String] = []
    /// Filters that the broker has not granted, and why.
    public var notSubscribed: [NotSubscribed] = []
    /// Whether acknowledged messages come back; nil: no messages are looked for, see `RoundTrip`.
    public var roundTrip: RoundTripFinding?
    /// Topics whose last message had no subscribers, according to the broker (MQTT 5).
    public var unheard: [String] = []
    /// Topics whose last message the broker did not accept, and its reason (MQTT 5).
    public var untaken: [String: BrokerCause] = [:]
    /// Whether commands arrive; nil: no connection, or no subscription to their own topic.
    public var commands: CommandReport?
    /// Messages go out with a lower QoS than set: the broker accepts no higher one.
    public var isQoSReduced = false
    /// Messages that were given to the library and not answered.
    public var inFlight = 0
    /// Since the start.
    public var counters = Counters()

    /// One line: the meaning of the colour in words.
    public var text: String {
      let state = connectedSince == nil ? cause?.description ?? "connecting" : connectedText
      return isInsecure ? state + " (INSECURE: allowinvalidcerts, certificates are not checked)" : state
    }

    private var connectedText: String {
      let less = isQoSReduced ? ", with the lower QoS that this broker takes" : ""
      return (cause.map { "connected, but \($0)" } ?? "connected") + less
    }
  }

  /// Whether acknowledged messages come back, by topic.
  public struct RoundTripFinding: Hashable, Sendable {
    /// One came back on this connection.
    public var proven: [String] = []
    /// When the last one did, of each of these.
    public var cameBack: [String: Instant] = [:]
    /// Acknowledged, and none came back.
    public var missing: [String] = []
    /// The broker does not let us subscribe to them: nothing is known.
    public var unreadable: [String] = []
  }

  /// Whether commands reach this board.
  public enum CommandFinding: Hashable, Sendable {
    /// No command of our own has been sent yet.
    case untried
    /// A command of our own has arrived, at this time.
    case heard(at: Instant)
    /// A command of our own was accepted and has not arrived, though it should: this board is deaf.
    case missing
    /// One of our own was acknowledged and has not arrived; it may have been dropped (MQTT 3.1.1 does not report that).
    case unclear
    /// The broker accepts none of our own, for this reason; nil: it drops them, but those of others arrive.
    case barred(BrokerCause?)
  }

  /// The finding, with the topic of the commands.
  public struct CommandReport: Hashable, Sendable {
    /// The topic of the commands.
    public var topic: String
    /// Whether commands arrive on it.
    public var finding: CommandFinding
  }

  /// A topic filter whose messages are not delivered.
  public struct NotSubscribed: Hashable, Sendable, CustomStringConvertible {
    /// As requested.
    public var filter: String
    /// `unanswered`, `refused`, `ended` or `oversized`.
    public var word: String
    /// For people.
    public var why: String

    /// The filter, and why.
    public var description: String { "\(filter) (\(why))" }
  }

  /// Counts of messages over the connection.
  public struct Counters: Hashable, Sendable {
    /// Messages given to the library, without its own repetitions.
    public var sent = 0
    /// Confirmed by the broker.
    public var acknowledged = 0
    /// By a reason code of the broker.
    public var refused = 0
    /// Not accepted by the broker for a reason that may pass.
    public var postponed = 0
    /// Given back to be sent again.
    public var failed = 0
    /// Messages from others, without our own that come back.
    public var received = 0
    /// Dropped because their topic is not UTF-8.
    public var malformed = 0
    /// Dropped because they were over 256 KiB.
    public var oversized = 0
    /// How often the broker accepted a connection.
    public var connections = 0
  }
}

extension Broker.Status {
  /// Of a connection that a person does not want.
  public static func switchedOff(since: Instant) -> Self {
    var status = Self()
    (status.cause, status.since) = (.switchedOff, since)
    return status
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

  /// `doubt`: what is wrong with it all the same.
  mutating func connected(
    _ greeting: BrokerClient.Greeting, level: Int, but doubt: BrokerCause? = nil, at now: Instant
  ) {
    attempts = 0
    connectedSince = now
    isSessionPresent = greeting.isSessionPresent
    (protocolLevel, receiveMaximum) = (level, greeting.receiveMaximum)
    show(standing: doubt, at: now)
  }

  /// Of a connection that stands; `doubt` nil: nothing is wrong with it.
  mutating func show(standing doubt: BrokerCause?, at now: Instant) {
    show(doubt, as: doubt == nil ? .green : nil, at: now)
  }

  mutating func ended() { (connectedSince, protocolLevel, receiveMaximum) = (nil, nil, nil) }

  /// Without a connection only the filters that are left out are listed.
  mutating func note(_ subscriptions: BrokerSubscriptions, isConnected: Bool) {
    let missing = isConnected ? subscriptions.missing : subscriptions.leftOut
    notSubscribed = missing.map { missing in
      Broker.NotSubscribed(filter: missing.filter, word: missing.gap.rawValue, why: missing.gap.sentence)
    }
  }
}

extension BrokerSubscriptions.Gap {
  /// For people.
  fileprivate var sentence: String {
    switch self {
    case .unanswered: "the broker has not confirmed it yet"
    case .refused: "the broker refuses it: see its access rules"
    case .ended: "the broker ends the connection over it: see its access rules; asked for again later"
    case .oversized:
      "left out: more comes there than is taken in (a message over \(PacketLimits.payload / 1024) KiB, or many of "
        + "QoS 2 at once); asked for again later"
    }
  }
}
