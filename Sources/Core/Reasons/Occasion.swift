import Model
import Timebase

/// The occasions that may be a reason to publish. `ReportPolicy.decide` is asked about each of them.
enum Occasion: Hashable {
  // A location
  /// A newer fix: the rule of the mode decides.
  case fix
  /// The move timer ran out.
  case interval
  case ping
  /// The broker was reached, and `publishLocationOnConnect` is set.
  case connected
  /// A region was crossed: the location that goes with the transitions.
  case crossing(Trigger, Reason)
  /// A follow region was left.
  case follow(region: String)
  /// The vehicle is towed, too fast or driven hard, or one of its lines has changed: the location that reports it.
  case vehicle(Trigger, Reason)
  /// A call for help: its location.
  case sos(Reason)
  /// A person at the board asked.
  case user
  /// A command asked.
  case remote
  /// The board is about to lose its power.
  case lastPlace(Reason)
  /// The fix is lost: the last place, this many seconds after it.
  case fixLost(seconds: Double)
  /// The best fix of the time since a location was due.
  case chosen(Trigger, Reason)

  // Anything else
  case transition(Reason)
  case waypoint(region: String)
  /// A trip or an alarm.
  case journey(Reason)
  /// A call for help: its alarm.
  case help(Reason)
  case ranging(Reason)
  /// An answer that a command asked for, except a location.
  case answer(action: String)
  /// The result of a command.
  case result(action: String, CommandResult.Outcome)
  /// A message from a person at the board, except a location.
  case people
  case discovery
  /// The presence of the board: it is there, or about to go.
  case presence

  /// The gates that can withhold a report, in the order in which they are checked.
  struct Gates: OptionSet {
    let rawValue: Int
    /// Closed in quiet mode.
    static let mode = Gates(rawValue: 1)
    /// Closed inside a private region, and for messages about a place inside one.
    static let privacy = Gates(rawValue: 128)
    /// Closed before the first fix ever.
    static let place = Gates(rawValue: 2)
    /// Closed until it is known who publishes.
    static let identity = Gates(rawValue: 4)
    /// Closed for a fix that is less accurate than `ignoreInaccurateLocations`.
    static let accuracy = Gates(rawValue: 8)
    /// Closed while the receiver has only just acquired a fix, and it is poor.
    static let settled = Gates(rawValue: 256)
    /// Closed in significant mode while a better fix is looked for, where `significantWindow` is set.
    static let window = Gates(rawValue: 512)
    /// Closed while nothing trusted can date the report.
    static let time = Gates(rawValue: 16)
    /// Closed while `port` is 0. A location is kept in the history all the same.
    static let port = Gates(rawValue: 32)
    /// Closed while the data budget is used up faster than the month, and the last location is not old enough. What is
    /// stopped there is kept in the history.
    static let budget = Gates(rawValue: 1024)
    /// Closed while the broker is away, for messages that are not worth queueing.
    static let connection = Gates(rawValue: 64)
  }

  /// |                   | mode | privacy | place | identity | accuracy | settled | time | window | port | connection |
  /// |-------------------|------|---------|-------|----------|----------|---------|------|--------|------|------------|
  /// | fix               | x    | x       | x     | x        | x        | x       |      | x      | x    |            |
  /// | interval, connected, follow | x | x | x | x | x | x |   |   | x |   |
  /// | remote, lastPlace, fixLost, chosen | x | x | x | x | x |   |   |   | x |   |
  /// | vehicle           | x    | x       | x     | x        | x        |         |      |        | x    |            |
  /// | ping              | x    | x       | x     | x        | x        |         | x    | x      | x    |            |
  /// | crossing, user    |      | x       | x     | x        | x        |         |      |        | x    |            |
  /// | transition        | x    | x       |       | x        |          |         | x    |        | x    |            |
  /// | journey           | x    | x       |       | x        |          |         |      |        | x    |            |
  /// | waypoint          |      | x       |       | x        |          |         |      |        | x    |            |
  /// | sos               |      |         | x     | x        |          |         |      |        | x    |            |
  /// | people, result, help |   |         |       | x        |          |         |      |        | x    |            |
  /// | answer            |      |         |       | x        |          |         | x    |        | x    |            |
  /// | ranging           | x    | x       |       | x        |          |         | x    |        | x    | x          |
  /// | discovery, presence |   |   |   | x |   |   |   |   | x | x |
  ///
  /// The gate of the data budget is behind all of these, for fix, interval, connected and chosen.
  ///
  /// The location that goes with a crossing passes in quiet mode, because the name of the region may have
  /// switched to it a moment ago; its transition did not.
  var gates: Gates {
    switch self {
    case .fix: [.mode, .privacy, .place, .identity, .accuracy, .settled, .window, .port, .budget]
    case .interval, .connected:
      [.mode, .privacy, .place, .identity, .accuracy, .settled, .port, .budget]
    case .follow: [.mode, .privacy, .place, .identity, .accuracy, .settled, .port]
    case .chosen: [.mode, .privacy, .place, .identity, .accuracy, .port, .budget]
    case .remote, .lastPlace, .fixLost, .vehicle:
      [.mode, .privacy, .place, .identity, .accuracy, .port]
    case .ping: [.mode, .privacy, .place, .identity, .accuracy, .time, .window, .port]
    case .crossing, .user: [.privacy, .place, .identity, .accuracy, .port]
    case .transition: [.mode, .privacy, .identity, .time, .port]
    case .journey: [.mode, .privacy, .identity, .port]
    case .waypoint: [.privacy, .identity, .port]
    case .sos: [.place, .identity, .port]
    case .people, .result, .help: [.identity, .port]
    case .answer: [.identity, .time, .port]
    case .ranging: [.mode, .privacy, .identity, .time, .port, .connection]
    case .discovery, .presence: [.identity, .port, .connection]
    }
  }

  /// The location beside an event, which may have been published for the same reason.
  var goesWithAnEvent: Bool {
    switch self {
    case .crossing, .sos: true
    case .vehicle(let trigger, _): trigger.isAlarm
    default: false
    }
  }

  /// Whether the report is a location: the history keeps those.
  var isLocation: Bool { gates.contains(.place) }
}

/// The state that a decision depends on, beside the fix and the last publication.
struct Situation {
  var mode: MonitoringMode
  /// The private region that hides the report; nil: there is none.
  var hidingRegion: String? = nil
  /// `username` and `deviceId` are set.
  var isIdentityValid: Bool
  /// `port` is 0.
  var isOffline: Bool
  var isConnected: Bool
  /// Nil: no clock can be trusted.
  var wall: WallTime?
  /// The time of the present position, while that is not too old; nil: it is.
  var freshTime: WallTime?
  /// Metres; 0: any will do.
  var accuracyLimit: Double
  /// The position is of this life of the process.
  var isPositionNew: Bool
  /// The move timer ran out with nothing new to publish: the next fix is published instead.
  var isPeriodicOverdue: Bool
  /// The receiver has only just acquired a fix.
  var isSettling = false
  /// The vehicle stood when it was seen last.
  var isStanding = false
  /// It has come to rest, and it is time to look whether its place is known.
  var hasStopped = false
  /// How far apart locations are to be sent for the sake of the data budget; nil: as they come.
  var spacing: Span? = nil
}

/// The decision about an occasion.
enum Verdict: Hashable {
  case publish(Publication)
  /// For the history only.
  case keep(Publication, because: Reason)
  /// Once a better fix was looked for, for so long.
  case choose(Publication, Span)
  case withhold(Reason)
}

/// A report that may be made.
struct Publication: Hashable {
  /// Of a location; `automatic` for everything else.
  var trigger = Trigger.automatic
  var reason: Reason
  /// The time of the report; 0 where nothing trusted can date it and nothing has to.
  var time: WallTime

  /// It reports that the fix is lost.
  var isLoss: Bool { if case .fixLost = reason { true } else { false } }
}
