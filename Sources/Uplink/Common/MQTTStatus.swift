import Model
import Timebase

extension UplinkStatus {
  /// The part of the state that only a connection to a broker has.
  public struct MQTT: Hashable, Sendable {
    /// The broker that was tried last, or is connected to; nil: none yet.
    public var place: BrokerPlace?
    /// Its address, as text; nil: not known yet.
    public var address: String?
    /// All brokers and addresses have been tried, where attempts have failed.
    public var isRoundOver = true
    /// The broker still had our session at the last connection.
    public var isSessionPresent = false
    /// Of MQTT: 3, 4 (3.1.1) or 5; nil: no connection.
    public var protocolLevel: Int?
    /// Nil: not stated by the broker.
    public var receiveMaximum: Int?
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

    /// No connection has stood yet.
    public init() {}
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
}
