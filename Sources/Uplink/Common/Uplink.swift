import Model
import OwnTracks
import Timebase

/// The connection to the server, whatever it speaks: `Broker` is MQTT, `HTTPPoster` is HTTP. the daemon's
/// `ServerConnection.makeUplink` makes the one that the configuration asks for, and alone knows both by name.
///
/// Everything runs on the loop's thread. An uplink tries without end by itself; it keeps no queue, only the messages
/// that the server has not answered, and reports the end of each exactly once: `acknowledged`, `refused`, `postponed` or
/// `sendFailed`.
public protocol Uplink: AnyObject {
  /// The state of now.
  var status: UplinkStatus { get }
  /// The colour of `status` alone: needed after every event.
  var colour: ConnectionColour { get }
  /// See `UplinkStatus.isOut`: may be needed after every event.
  var isOut: Bool { get }
  /// Bytes that its connections have cost so far, with the headers of TCP and IP. Asks the kernel.
  var carried: Int { get }

  /// Takes new settings, and begins with the first; starts anew only if something changed that the server can see.
  func configure(_ settings: UplinkSettings)
  /// A person wants the connection at once: a waiting attempt waits no longer.
  func connectSoon()
  /// A person wants another connection; ends a `disconnect`.
  func reconnect()
  /// A person wants none, until `reconnect`.
  func disconnect()
  /// There is something new to send, or somebody asks (`isAsked`): a waiting attempt is made soon, if that is of use.
  func hurry(isAsked: Bool)
  /// The vehicle stands, or no more: how often the server is to be heard from while nothing is said.
  func setParked(_ isParked: Bool)
  /// The route to the server is another one.
  func networkChanged()
  /// The configuration was read again, changed or not: nothing that the server refused is taken as refused for good.
  func askAnew()

  /// Sends a message, while connected.
  func send(_ message: Message)
  /// After the connection was lost: gives back the unanswered messages, each as `sendFailed`. `isOverMessage`: it ended
  /// over one of them.
  func takeBack(isOverMessage: Bool)

  /// For good, while the program goes on: messages in flight are given back.
  func retire()
  /// For the end of the program: waits at most this long for what is in flight.
  func shutDown(within span: Span)
}

/// Posted by an uplink, one at a time on the loop's thread.
public enum UplinkEvent: Sendable {
  /// The server can take messages; `receiveMaximum`: how many may be unanswered (nil: not stated). `hasForgotten`: it may
  /// have lost what it kept for us, such as retained messages.
  case connected(hasForgotten: Bool, receiveMaximum: Int?)
  /// A connection that stood is gone, or attempts fail for another reason than before. Messages in flight are sent
  /// again with the next connection, unless `takeBack` is called.
  case lost(BrokerCause, ConnectionEnd)
  /// Sequence numbers, those of one wake-up together.
  case acknowledged([UInt64])
  /// The server will never accept this message.
  case refused(UInt64, BrokerCause)
  /// The server did not accept this message for a reason that may pass: to be sent again, but not at once.
  /// `letsOthersPass`: others on the same topic need not wait for it.
  case postponed(UInt64, BrokerCause, letsOthersPass: Bool)
  /// The message has to be sent again.
  case sendFailed(UInt64)
  /// A message from a subscription; `isRetained`: the broker had kept it from before.
  case received(topic: String, payload: [UInt8], isRetained: Bool)
  /// The body of the answer to a post, never empty.
  case answered([UInt8])
  /// Messages on this topic were acknowledged but have not come back.
  case missing(topic: String)
  /// Messages on this topic come back again.
  case cameBack(topic: String)
  /// Commands arrive again.
  case hearsCommands
  /// It has looked after a connection that may be idle: a moment to count what that costs.
  case keptAlive
  /// Our place as the server retains it, on a connection that has just come up.
  case placeRetained([UInt8])
  /// It has none, and should have one.
  case placeLost
  /// It has forgotten us, and whether it has our place cannot be seen.
  case sessionLost
}

/// The settings of an uplink, of which each takes its part.
public final class UplinkSettings {
  let configuration: Configuration
  let topics: Topics
  let makeWill: () -> Message
  let blockedReason: String?

  /// `makeWill`: published by the server when the board is gone, where it does that; made for each connection.
  /// `blockedReason`: why there must be no connection, in words for people; nil: there may be one.
  public init(
    _ configuration: Configuration, topics: Topics, makeWill: @escaping () -> Message, blockedReason: String?
  ) {
    self.configuration = configuration
    self.topics = topics
    self.makeWill = makeWill
    self.blockedReason = blockedReason
  }
}
