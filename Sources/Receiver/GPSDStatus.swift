import Timebase

extension GPSD {
  /// How things stand with gpsd, for `status` and `doctor`.
  public struct Status: Hashable, Sendable {
    public var isConnected = false
    /// gpsd's release, such as "3.22".
    public var version: String?
    /// Path and driver of the receiver that is believed.
    public var device: String?
    public var driver: String?
    /// 0 not seen, 1 no fix, 2 two-dimensional, 3 three-dimensional.
    public var mode = 0
    /// Of the latest look at the sky (every 30 s).
    public var satellitesUsed: Int?
    public var satellitesSeen: Int?
    public var lastReport: Instant?
    /// Lines that were not gpsd's, or too long, since the start.
    public var malformedLines = 0
    /// Why there is no position, in words; nil while there is one.
    public var cause: String?

    public init() {}
  }

  public struct Settings: Hashable, Sendable {
    /// A name or a number; empty: this board.
    public var host: String
    public var port: Int
    /// A path as gpsd lists it; empty: whatever gpsd has.
    public var device: String

    public init(host: String = "localhost", port: Int = 2947, device: String = "") {
      self.host = host
      self.port = port
      self.device = device
    }

    var place: String { "\(host):\(port)" }

    /// What asks gpsd for reports. Written here because libgps cuts it at 80 bytes, and the name of
    /// a receiver under /dev/serial/by-id is longer than what that leaves.
    var watchCommand: String {
      var command = #"?WATCH={"enable":true,"json":true"#
      if !device.isEmpty {
        let escaped = device.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
        command += #","device":"\#(String(escaped))""#
      }
      return command + "};\n"
    }
  }

  /// gpsd lets a receiver rest that nobody watches.
  static let unwatchCommand = "?WATCH={\"enable\":false};\n"
}
