import Model
import Timebase

/// The tracker's answer to a `ControlRequest`. The daemon adds what only adapters know.
public enum ControlAnswer: Sendable {
  /// Done; the text says what was done.
  case done(String)
  /// Not done; the text says why and what to do.
  case failed(String)
  /// All regions, in the order in which they were made.
  case regions([Snapshot.KnownRegion])
  /// The journal, oldest first.
  case reasons([Journal.Entry])
  /// For `status` and `queue`: each shows its part.
  case status(TrackerStatus)
}

/// The tracker's state, for `homeward status` and `homeward queue`.
public struct TrackerStatus: Hashable, Sendable {
  /// With the notes of an automatic change.
  public var mode: ModeState
  /// Why the mode is in force, for people; nil: since before this start.
  public var modeCause: String?
  /// The newest position, however old; nil: there has never been one.
  public var position: Fix?
  /// Since the last usable fix; nil: none since the start.
  public var fixAge: Span?
  /// A time of day is known, from the system or from a receiver.
  public var isClockTrusted: Bool
  /// The source of positions has answered; that implies no fix.
  public var isSourceReached: Bool
  /// Of all kinds, pins included.
  public var regionCount: Int
  /// Full names of the regions that the board is inside of, unshared ones too.
  public var inside: [String]
  /// The queue.
  public var queue: QueueStatus
  /// The board's battery; nil: none, or not known.
  public var battery: Battery?
  /// The board's network connection.
  public var network: Network
  /// `username` and `deviceId` are known; nothing is published before.
  public var isIdentityValid: Bool
  /// Points of the own track, stored or still in memory.
  public var historyCount: Int
  /// The scan plan: which beacons the radio listens for, and how hard.
  public var scan: ScanPlan
  /// The scanner's state.
  public var scanner: ScannerState
  /// Odometer, trip and alarms, as far as they are switched on.
  public var journey: JourneyStatus
  /// The vehicle's lines.
  public var vehicle: VehicleStatus
  /// Home Assistant descriptions still retained by a broker that the settings in force cannot remove.
  public var leftDescriptions: Int
  /// Settings changed by commands.
  public var remote: RemoteSettings
  /// Some of these are on trial: the server has yet to prove them.
  public var isOnTrial: Bool
}

/// How far the board has stepped down.
public struct BatteryStepStatus: Hashable, Sendable {
  /// Nil: not at all.
  public var step: BatteryStep?
  /// Between two looks of the receiver; nil: it is off.
  public var rest: Span?
}

/// State of the vehicle's lines; nil is unknown.
public struct VehicleStatus: Hashable, Sendable {
  /// The present level of its line, not debounced.
  public var ignition: Bool?
  /// Voltage of the starter battery.
  public var volts: Double?
  /// The battery has been below `vehicleBatteryLow` for a minute, and has not recovered since.
  public var isLow: Bool
  /// The board is to be switched off, or was asked to be.
  public var isHalting: Bool
  /// It has woken by itself, and is to be switched off again as soon as it has told where it is.
  public var isCheckingIn = false
  /// How far the board has stepped down to spare a battery; nil: it never does.
  public var step: BatteryStepStatus?
}

/// Messages that wait, are in flight or were lost, for `homeward queue`.
public struct QueueStatus: Hashable, Sendable {
  /// Messages not yet acknowledged, wherever they are.
  public var count: Int
  /// Size of their topics and payloads.
  public var bytes: Int
  /// How many of them are in flight.
  public var inFlight: Int
  /// How many may be in flight.
  public var window: Int
  /// `tst` of the oldest message.
  public var oldest: Int?
  /// Messages lost to overflow in the store's whole life.
  public var dropped: Int
  /// Messages sent again after a failure, since the start.
  public var resent: Int
  /// Seconds since the server last confirmed a message; nil: not since the start.
  public var lastConfirmed: Int?
  /// Messages refused for good, since the start.
  public var refused: Int
  /// The last write failed: new messages wait in memory.
  public var isStoreFailing: Bool
  /// Topics on which the broker takes nothing for now; their messages wait.
  public var held: [String]
  /// The topic of each message that the broker does not take while it takes others of the same topic. Such messages
  /// are tried again now and then, and others pass them.
  public var passedBy: [String]
  /// Old locations that wait for WiFi, a cable or their time (`backlog`), as far as known.
  public var waitingOld: Int
  /// Locations that wait for others, to travel together (`batchSeconds`).
  public var waitingTogether: Int
  /// Old locations that were dropped (`backlog`), since the start.
  public var droppedOld: Int
}
