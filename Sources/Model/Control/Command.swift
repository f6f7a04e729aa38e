import Timebase

/// A command to the tracker from the broker or an HTTP answer, read and checked
/// (docs/behaviour.md, "What commands do").
public enum Command: Hashable, Sendable {
  /// Publish the newest position, whatever its distance; needs `allowRemoteLocation`.
  case reportLocation
  /// Tell the settings in force and the shared regions.
  case dump
  /// Tell how the board is.
  case status
  /// Tell all shared regions.
  case waypoints
  /// Merge these into the regions.
  case setWaypoints([WaypointEntry])
  /// Remove every region, without a leave of any.
  case clearWaypoints
  /// Lay these settings over the file's.
  case setConfiguration(SettingsChange)
  /// Tell the steps between two times in Unix seconds; nil: up to now, from the local midnight before. The
  /// answer is always -1: no board counts steps.
  case reportSteps(from: Double?, to: Double?)
  /// Switch the board off, to wake after `parkedWake`.
  case park
  /// Make a key, and tell the request for a certificate of it.
  case requestCertificate
  /// Connect with this certificate, as PEM, and keep it if the broker takes it.
  case setCertificate(String)

  /// Somebody cares for the call for help: it is not told again.
  case acknowledgeSOS

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
    case .park: "park"
    case .requestCertificate: "requestCertificate"
    case .setCertificate: "setCertificate"
    case .acknowledgeSOS: "acknowledgeSos"
    }
  }

  /// The actions that change what the board does, and so need `remoteConfiguration`.
  public static let changes: Set<String> = [
    "setWaypoints", "clearWaypoints", "setConfiguration", "park",
  ]
}

/// A command as it came in.
public struct ReceivedCommand: Hashable, Sendable {
  /// The command itself, completely checked.
  public var command: Command
  /// The broker kept it: it was not sent now, and comes again with every connection.
  public var isRetained = false
  /// It was opened with `encryptionKey`, so its sender knows the secret.
  public var isEncrypted = false
  /// The old way: the word `publish` on `listento`.
  public var isLegacy = false
  /// Where it came in; nil: in an answer over HTTP.
  public var topic: String?
  /// The sender's id for it; nil: no answer is expected.
  public var id: CommandID?
  /// Errors in it that did not invalidate all of it, a line each; some parts of the command were passed over.
  public var problems: [String] = []
  /// Its `tst`, where it has one.
  public var sent: WallTime?
  /// Tells it from every other command: FNV-1a over its bytes.
  public var digest: UInt64 = 0

  /// As if it came in clear, just now and from nowhere: who receives it fills in what is otherwise.
  public init(_ command: Command) { self.command = command }
}

/// A command that was obeyed while only encrypted ones are: it must not be obeyed again.
public struct SeenCommand: Hashable, Sendable {
  /// `ReceivedCommand.digest` of it.
  public var digest: UInt64
  /// Its `tst`, Unix seconds.
  public var time: Int

  /// A pair as it is remembered; both come from one message.
  public init(digest: UInt64, time: Int) {
    self.digest = digest
    self.time = time
  }
}
