import Timebase

/// What somebody asks of the tracker through the broker or an HTTP answer, read and checked
/// (docs/behaviour.md, "What commands do").
public enum Command: Hashable, Sendable {
  case reportLocation
  case dump
  case status
  case waypoints
  case setWaypoints([WaypointEntry])
  case clearWaypoints
  case setConfiguration(SettingsChange)
  /// Unix seconds; nil: up to now, from the local midnight before.
  case reportSteps(from: Double?, to: Double?)

  /// The `action` that means it.
  public var action: String {
    switch self {
    case .reportLocation: "reportLocation"
    case .dump: "dump"
    case .status: "status"
    case .waypoints: "waypoints"
    case .setWaypoints: "setWaypoints"
    case .clearWaypoints: "clearWaypoints"
    case .setConfiguration: "setConfiguration"
    case .reportSteps: "reportSteps"
    }
  }

  /// The actions that change what the board does, and so need `remoteConfiguration`.
  public static let changes: Set<String> = ["setWaypoints", "clearWaypoints", "setConfiguration"]
}

/// A command as it came in.
public struct ReceivedCommand: Hashable, Sendable {
  public var command: Command
  public var isRetained = false
  public var isEncrypted = false
  /// The old way: the word `publish` on `listento`.
  public var isLegacy = false
  /// Where it came in; nil: in an answer over HTTP.
  public var topic: String?
  /// Its `tst`, where it has one.
  public var sent: WallTime?
  /// Tells it from every other command: FNV-1a over its bytes.
  public var digest: UInt64 = 0

  public init(_ command: Command) { self.command = command }
}

/// A command that was obeyed while only encrypted ones are: it must not be obeyed again.
public struct SeenCommand: Hashable, Sendable {
  public var digest: UInt64
  /// Its `tst`, Unix seconds.
  public var time: Int

  public init(digest: UInt64, time: Int) {
    self.digest = digest
    self.time = time
  }
}
