import Model
import Timebase

extension ConnectionMachine {
  /// What is to be done now, in the order in which it is given.
  package enum Action: Equatable {
    /// Nil turns it off.
    case set(Alarm, Instant?)
    /// A client object for the settings, but of this protocol level; to be answered by `clientMade`.
    case makeClient(level: Int, isSessionClean: Bool)
    /// The client looks the host up and begins to connect, on the worker; to be answered by `clientChanged`,
    /// `connecting` or `lost`.
    case open(isIPv4Forced: Bool)
    /// Wait for the TCP connection, and then for what comes.
    case watch
    /// Wait for nothing on this connection any more.
    case closeLink
    /// The connection has to end for this reason; to be answered by `lost`.
    case giveUp(BrokerCause)
    /// Ends the connection without a word: the broker then publishes the will.
    case cut
    /// DISCONNECT, and the socket is held until the broker has read it.
    case sayGoodbye
    /// DISCONNECT on a connection that carries nothing.
    case disconnect
    /// Nobody wants to know what the client has written down.
    case discard
    /// Read what the client has written down; to be answered by `closed`.
    case finish
    /// The client object goes; whatever it was to deliver has to be sent again.
    case dropClient
    /// The client object goes, with nothing to deliver.
    case releaseClient
    /// What lived only with the connection that has ended.
    case forgetConnection
    /// A connection stands, with room for this many topic aliases.
    case beginConnection(aliasMaximum: Int)
    /// A harmless request on a connection that is stuck: subscribe to this again; nil: there is nothing to
    /// subscribe to. To be answered by `asked(number:)`.
    case ask(String?)
    /// Ask the port whether it speaks the other language (TLS or none), on the worker; to be answered by `portFound`.
    case lookAtPort
    /// A connection stands, and messages may go.
    case tellConnected(isSessionPresent: Bool, receiveMaximum: Int?)
    /// It is gone, or attempts fail for another reason than before.
    case tellLost(BrokerCause, ConnectionEnd)
  }

  /// One timer for each purpose.
  package enum Alarm: Hashable {
    /// The next attempt, or the time limit of the one under way.
    case attempt
    /// The next look whether the broker is still there.
    case keepAlive
    /// The next look whether it acknowledges.
    case stall
    /// Filters that were left out are due again, or the answers are waited for no longer.
    case subscribe
  }

  /// What is found when a connection or an attempt has ended.
  package struct Evidence: Equatable {
    /// Something was given to the broker and not answered.
    var hasMessages = false
    /// Something of it went out with an alias that no other connection knows.
    var hasAliasOnly = false
    /// The broker sent more than is taken in.
    var isOverrun = false
    /// Of what is sent again until it is answered something was not.
    var hasUnanswered = false
    /// And something of that is of QoS 2.
    var isOwedTwo = false
    /// And something of that has no place in the queue.
    var hasAnnouncement = false
    /// The broker answered messages on this connection.
    var hasAnswers = false

    /// How much the end of a connection that stood speaks for a rival.
    func reason(of cause: BrokerCause, isExplained: Bool) -> Backoff.Reason {
      if isExplained { return .other }
      guard hasUnanswered else { return .unknown }
      // In the middle of messages that were being answered: a rival is not recognised by that, and a network is.
      return hasAnswers && cause == .reset ? .other : .perhapsMessage
    }
  }
}

extension ConnectionMachine.Evidence {
  /// With nothing but the queue's messages, and a broker that keeps within limits.
  package init(hasMessages: Bool, hasUnanswered: Bool, hasAnswers: Bool, hasAliasOnly: Bool) {
    self.init()
    (self.hasMessages, self.hasUnanswered) = (hasMessages, hasUnanswered)
    self.hasAliasOnly = hasAliasOnly
    self.hasAnswers = hasAnswers
  }
}
