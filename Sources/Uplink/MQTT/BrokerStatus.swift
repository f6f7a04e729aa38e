import Model
import Timebase

extension Broker {
  /// Where the connection stands, for people.
  public struct Status: Hashable, Sendable {
    public var colour = ConnectionColour.blue
    /// Nil while all is well, or while the first attempt is under way.
    public var cause: BrokerCause?
    /// Since when colour and cause are as they are.
    public var since = Instant.zero
    /// Since when the connection stands; nil: it does not.
    public var connectedSince: Instant?
    /// Attempts since the last connection that the broker accepted.
    public var attempts = 0
    /// Nil: one is under way, or none is wanted.
    public var nextAttempt: Instant?
    public var isSessionPresent = false
    /// Nil: the broker named none.
    public var receiveMaximum: Int?
    /// TLS without any check of certificates, by the setting `allowinvalidcerts`.
    public var isInsecure = false
    /// Filters that the broker has not agreed to deliver, and why.
    public var notSubscribed: [NotSubscribed] = []
    public var inFlight = 0
    public var counters = Counters()

    /// One line: what the light shows, in words.
    public var text: String {
      let state = connectedSince == nil ? cause?.description ?? "connecting" : connectedText
      return isInsecure ? state + " (INSECURE: allowinvalidcerts, certificates are not checked)" : state
    }

    private var connectedText: String { cause.map { "connected, but \($0)" } ?? "connected" }
  }

  /// A topic filter whose messages do not come.
  public struct NotSubscribed: Hashable, Sendable, CustomStringConvertible {
    public var filter: String
    /// `unanswered`, `refused`, `ended` or `oversized`.
    public var word: String
    public var why: String

    public var description: String { "\(filter) (\(why))" }
  }

  public struct Counters: Hashable, Sendable {
    /// Messages given to the library, without what it repeats itself.
    public var sent = 0
    public var acknowledged = 0
    /// By a reason code of the broker.
    public var refused = 0
    /// Not taken by the broker for a reason that may pass.
    public var postponed = 0
    /// Given back to be sent again.
    public var failed = 0
    public var received = 0
    /// Dropped because their topic is no UTF-8.
    public var malformed = 0
    /// Dropped because they were over 256 KiB.
    public var oversized = 0
    public var connections = 0
  }
}
