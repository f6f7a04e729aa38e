import Core
import Model
import Storage
import Uplink

/// Who looks whether one promise is kept, and complains where it is not. A judge changes nothing in the world.
protocol Judge {
  /// While the world runs: asked of everything that happens.
  mutating func saw(_ what: Seen, in world: World)
  /// When it is over: of what was made and what has arrived.
  func ending(_ court: inout Court)
}

extension Judge {
  func saw(_ what: Seen, in world: World) {}
  func ending(_ court: inout Court) {}
}

/// What happens that a judge may look at, in the order in which a process, a wake-up and a second come by it.
enum Seen {
  // The process
  /// It starts, and a judge forgets what it knew of the one before.
  case started
  case opened(StoreFile, Snapshot)
  /// A tracker is made of what the store had, or goes on with a store that came late.
  case begun, tookUp
  /// It closes its connection in good order.
  case leaves
  /// It is gone, however it ended.
  case gone

  // The tracker
  /// Before it hears of this.
  case event(Event)
  /// It has decided what follows from it, and then all of that is done.
  case decided
  case handled(Event)
  case told(Report, because: Reason?)
  case withheld(Reason)
  /// What has no place in the queue.
  case announced(Report)
  case answered(ControlAnswer, to: UInt64)
  case halts(HaltCause?)
  /// A batch for the disk.
  case ordered(UInt64, [StoreWrite])
  /// A page of the queue's index is wanted.
  case pageAsked
  /// A job was carried out there.
  case diskWorked
  /// A bit has turned while the board was off.
  case flipped(FlippedBits.Cost)
  /// What such a bit did was met, and repaired.
  case repaired(lost: Int)

  // Receiver and radio
  case heard(Reading)
  case sighted(Sighting)
  /// The radio's second is over; where the vehicle is.
  case listened(Point)

  // Time
  case second(Road.Position)
  case minute
  /// The receiver falls silent near the end of the world; and the last look, after everything.
  case rests, finished

  /// The way to the broker and back.
  case line(Line)

  enum Line {
    /// The process has another client.
    case renewed
    case configured(BrokerSettings)
    case attempt(isIPv4Forced: Bool)
    /// The broker has read CONNECT, and goes on with a session or not.
    case greets(isSessionPresent: Bool)
    case cleared
    case stands
    /// The tracker is told so.
    case toldConnected
    case toldLost(BrokerCause)
    case givesUp(BrokerCause)
    case ends(BrokerCause)
    case isBlamed
    /// There is reason to try sooner; `isAsked`: a person or another network.
    case hurries(isAsked: Bool)
    /// Something gets in the way of a connection, or one message explains why others ended.
    case disturbed, explained

    case sends(Message)
    /// What the broker says of one message, and what the process has then heard of several.
    case decides, acknowledged, refused
    case delivers(Message)
    case gathered([UInt64])
    case endsOver(Message)
    case asks(Int32)
    case confirms(Int32)

    case asksFor(filter: String)
    case forbids(filter: String)
    case forgives
    /// A connection has ended with nothing under way.
    case endsOverNothing
    case published(Order, isKept: Bool)
    /// A command that is only there to show whether it is obeyed has had its answer, or not.
    case probed(isAnswered: Bool)
  }
}
