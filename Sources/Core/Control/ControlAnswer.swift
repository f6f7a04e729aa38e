import Model
import Timebase

/// What the tracker says to a `ControlRequest`. The daemon adds what only adapters know.
public enum ControlAnswer: Sendable {
  /// Done; the text says what was done.
  case done(String)
  /// Not done; the text says why and what to do.
  case failed(String)
  /// All of them, in the order in which they were made.
  case regions([Snapshot.KnownRegion])
  /// The journal, oldest first.
  case reasons([Journal.Entry])
  /// To `status` and to `queue`: each shows its part.
  case status(TrackerStatus)
}

/// Where the tracker stands, for `homeward status` and `homeward queue`.
public struct TrackerStatus: Hashable, Sendable {
  /// With the notes of an automatic change.
  public var mode: ModeState
  /// Why it is in force, for people; nil: since before this start.
  public var modeCause: String?
  /// The newest, however old; nil: there has never been one.
  public var position: Fix?
  /// Since the last usable fix; nil: none since the start.
  public var fixAge: Span?
  /// A time of day is known, from the system or from a receiver.
  public var isClockTrusted: Bool
  /// gpsd has greeted us; says nothing of a fix.
  public var isGpsdReached: Bool
  /// Of all kinds, pins included.
  public var regionCount: Int
  /// Full names of the regions that the board is inside of, unshared ones too.
  public var inside: [String]
  /// What waits.
  public var queue: QueueStatus
  /// Of the board; nil: none, or not known.
  public var battery: Battery?
  /// How the board reaches the world.
  public var network: Network
  /// `username` and `deviceId` are known; nothing is published before.
  public var isIdentityValid: Bool
  /// Points of the own track, stored or still in memory.
  public var historyCount: Int
  /// What the radio was asked to listen for, and how hard.
  public var scan: ScanPlan
  /// What the radio can do.
  public var scanner: ScannerState
  /// Odometer, trip and alarms, as far as they are switched on.
  public var journey: JourneyStatus
  /// What its wires say.
  public var vehicle: VehicleStatus
  /// Descriptions for Home Assistant that a broker still keeps and that nothing can take back by the settings in force.
  public var leftDescriptions: Int
  /// What commands have changed.
  public var remote: RemoteSettings
  /// A part of that has still to be proven by the server.
  public var isOnTrial: Bool
}

/// What the vehicle's wires say; nil is unknown.
public struct VehicleStatus: Hashable, Sendable {
  /// As its line is at this moment, bounced or not.
  public var ignition: Bool?
  /// Of the battery that starts the vehicle.
  public var volts: Double?
  /// It has been below `vehicleBatteryLow` for a minute, and not well since.
  public var isLow: Bool
  /// The board is to be switched off, or was asked to be.
  public var isHalting: Bool
}

/// What waits, what is under way, and what was lost, for `homeward queue`.
public struct QueueStatus: Hashable, Sendable {
  /// Messages not yet acknowledged, wherever they are.
  public var count: Int
  /// Of their topics and payloads.
  public var bytes: Int
  /// Of these, how many are with the server.
  public var inFlight: Int
  /// How many may be.
  public var window: Int
  /// `tst` of the oldest one.
  public var oldest: Int?
  /// Messages lost to overflow in the store's whole life.
  public var dropped: Int
  /// Messages sent again after a failure, since the start.
  public var resent: Int
  /// Seconds since the server last confirmed a message; nil: not since the start.
  public var lastConfirmed: Int?
  /// Messages refused for good, since the start.
  public var refused: Int
  /// Whether the last write failed: what comes now waits in memory.
  public var isStoreFailing: Bool
  /// Topics that the broker takes nothing on for now; what has them waits.
  public var held: [String]
  /// For each message that the broker does not take while it takes others of the same topic: that topic. They are
  /// tried again now and then, and others pass them.
  public var passedBy: [String]
  /// Old locations that wait for WiFi or a cable (`backlog`), as far as they are known.
  public var waitingOld: Int
  /// Old locations that were dropped (`backlog`), since the start.
  public var droppedOld: Int
}
