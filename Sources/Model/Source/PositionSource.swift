import Timebase

/// A source of positions: a program or a device that reports where the board is. Each is a target of its own, and the
/// only one that knows the name of what it talks to; the daemon makes the one that the configuration asks for.
///
/// Everything runs on the loop's thread. A source reconnects by itself, without end, and posts its events through the
/// closure that it was created with; it posts nothing before `start`, after `close` and while it is not awake.
public protocol PositionSource: AnyObject {
  /// Begins; returns at once whether the source is there or not.
  func start()
  /// Takes new settings; only a change of them touches the connection.
  func configure(_ settings: Configuration.Receiver)
  /// False: the receiver may rest, and nothing is posted; for `rest`, where that is known. True: begins again, as `start`.
  func setAwake(_ isAwake: Bool, rest: Span?)
  /// Ends the connection and every timer; `start` begins anew.
  func close()
  /// The state of now.
  var status: PositionSourceStatus { get }
}

/// Posted by a source of positions, on the loop's thread.
public enum PositionSourceEvent: Sendable {
  /// News from the receiver. The source suppresses repetitions: that there is no fix is posted once, not with every
  /// report.
  case reading(Reading)
  /// The receiver's word on jamming and spoofing, each time that it was asked: once a minute, and every 10 s while it is
  /// disturbed.
  case interference(Interference)
  /// The source answers. Its name, a word for people and programs such as "gpsd", and its address for the journal.
  case reached(name: String, at: String)
  /// The source cannot be reached; attempts go on. Posted once until it is reached again.
  case lost(name: String, cause: String)
  /// For the journal, once.
  case warning(String)
  /// The same, at the end of the trouble.
  case info(String)
}

/// The state of a source of positions and of its receiver, for `status` and `doctor`.
public struct PositionSourceStatus: Hashable, Sendable {
  /// The name that events have.
  public var name: String
  /// The source has answered, and the connection stands.
  public var isReached = false
  /// The release of the source, such as "3.22".
  public var version: String?
  /// Path of the receiver that is used, as the source has it; nil: none yet.
  public var device: String?
  /// The source's word for its kind, such as "u-blox"; nil: not recognised.
  public var driver: String?
  /// 0 not seen, 1 no fix, 2 two-dimensional, 3 three-dimensional.
  public var mode = 0
  /// Satellites in the fix, counted every 30 s; nil: not counted yet.
  public var satellitesUsed: Int?
  /// Satellites that the receiver hears, counted as above.
  public var satellitesSeen: Int?
  /// When any receiver last reported a position, or that it has none; nil: never.
  public var lastReport: Instant?
  /// Lines that were not the source's, or too long, since the start.
  public var malformedLines = 0
  /// For so long the receiver has sent nothing at all, not even that it has no fix; nil: it sends, or is not asked.
  public var silence: Span?
  /// Its word on jamming and spoofing; nil: it was not asked since it is watched, or has not answered.
  public var interference: Interference?
  /// It was asked for that, and has not answered.
  public var isMonitorSilent = false
  /// Why there is no position, in words; nil while there is one.
  public var cause: String?

  /// Nothing is known yet of the source of this name.
  public init(name: String) { self.name = name }
}
