import Model
import Timebase

/// What the tracker says to a `ControlRequest`. The daemon adds what only adapters know.
public enum ControlAnswer: Sendable {
  /// Done; the text says what was done.
  case done(String)
  /// Not done; the text says why and what to do.
  case failed(String)
  case regions([Snapshot.KnownRegion])
  case reasons([Journal.Entry])
  case status(TrackerStatus)
}

/// Where the tracker stands, for `homeward status` and `homeward queue`.
public struct TrackerStatus: Hashable, Sendable {
  public var mode: ModeState
  public var position: Fix?
  /// Since the last usable fix; nil: none since the start.
  public var fixAge: Span?
  public var isClockTrusted: Bool
  public var isGpsdReached: Bool
  public var regionCount: Int
  public var inside: [String]
  public var queue: QueueStatus
  public var battery: Battery?
  public var network: Network
  public var isIdentityValid: Bool
  public var historyCount: Int
  /// What the radio was asked to listen for, and what it can do.
  public var scan: ScanPlan
  public var scanner: ScannerState
  public var journey: JourneyStatus
  public var vehicle: VehicleStatus
  /// What commands have changed, and whether a part of it has still to be proven.
  public var remote: RemoteSettings
  public var isOnTrial: Bool
}

/// What the vehicle's wires say; nil is unknown.
public struct VehicleStatus: Hashable, Sendable {
  public var ignition: Bool?
  public var volts: Double?
  public var isLow: Bool
  public var isHalting: Bool
}

/// What waits, what is under way, and what was lost, for `homeward queue`.
public struct QueueStatus: Hashable, Sendable {
  /// Messages not yet acknowledged, wherever they are, and their bytes.
  public var count: Int
  public var bytes: Int
  /// Of these, how many are with the broker.
  public var inFlight: Int
  public var window: Int
  /// `tst` of the oldest one.
  public var oldest: Int?
  /// Lost to overflow in the store's whole life; sent again after a failure; refused by the broker.
  public var dropped: Int
  public var resent: Int
  public var refused: Int
  /// Whether the last write failed: what comes now waits in memory.
  public var isStoreFailing: Bool
  /// Topics that the broker takes nothing on for now; what has them waits.
  public var held: [String]
}
