import Model
import Timebase

/// The output of the machine, which `Broker` carries out, and the evidence that it needs at the end of a connection.
extension ConnectionMachine {
  /// Something to be done now, in the order given.
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
    /// Ends the connection without DISCONNECT: the broker then publishes the will.
    case cut
    /// DISCONNECT, and the socket is held until the broker has read it.
    case sayGoodbye
    /// DISCONNECT on a connection that carries nothing.
    case disconnect
    /// Discard the events that the client has noted.
    case discard
    /// Read the events that the client has noted; to be answered by `closed`.
    case finish
    /// Release the client object; the messages it still holds have to be sent again.
    case dropClient
    /// Release the client object, which holds no messages.
    case releaseClient
    /// Discard the state of the connection that has ended.
    case forgetConnection
    /// A connection stands, with room for this many topic aliases.
    case beginConnection(aliasMaximum: Int)
    /// A harmless request on a connection that is stuck: subscribe to this again; nil: there is nothing to
    /// subscribe to. To be answered by `asked(number:)`.
    case ask(String?)
    /// A harmless request in place of a ping; to be answered by `knocked(number:)`.
    case knock
    /// Ask the port whether it speaks the other language (TLS or none), on the worker; to be answered by `portFound`.
    case lookAtPort
    /// A connection stands, and messages may go.
    case reportConnected(isSessionPresent: Bool, receiveMaximum: Int?)
    /// It is gone, or attempts fail for another reason than before.
    case reportLost(BrokerCause, ConnectionEnd)
  }

  /// One timer for each purpose.
  package enum Alarm: Hashable {
    /// The next attempt, or the time limit of the current one.
    case attempt
    /// The next check that the broker is still there.
    case keepAlive
    /// The next check that it acknowledges.
    case stall
    /// Filters that were left out are due again, or the answers are waited for no longer.
    case subscribe
  }

  /// Circumstances found when a connection or an attempt has ended.
  package struct Evidence: Equatable {
    /// There are messages that the broker has not answered.
    var hasMessages = false
    /// One of them went out with an alias that no other connection knows.
    var hasAliasOnly = false
    /// The broker sent more than is accepted.
    var isOverrun = false
    /// A message that is resent until it is answered was unanswered.
    var hasUnanswered = false
    /// One of these is of QoS 2.
    var isOwedTwo = false
    /// One of these is not in the queue.
    var hasAnnouncement = false
    /// The broker answered messages on this connection.
    var hasAnswers = false
    /// It has owed an answer for a while: coverage was gone before the connection was.
    var hasWaited = false
    /// From when on it has, after a message that is not answered.
    static let patience = Span.seconds(5)

    /// Whether the end of a connection is this board's alone: the broker has just taken it, or coverage was gone before.
    func isOwnEnd(after life: Span) -> Bool { life < Backoff.youth || hasWaited }

    /// How strongly the end of a connection that stood suggests a rival for the client id.
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
