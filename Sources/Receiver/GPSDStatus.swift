import Timebase

extension GPSD {
  /// The state of the connection and of the receiver, for `status` and `doctor`.
  public struct Status: Hashable, Sendable {
    /// gpsd has greeted us, and the connection stands.
    public var isConnected = false
    /// gpsd's release, such as "3.22".
    public var version: String?
    /// Path of the receiver that is used, as gpsd lists it; nil: none yet.
    public var device: String?
    /// Its driver in gpsd, such as "u-blox"; nil: gpsd has not recognised it.
    public var driver: String?
    /// 0 not seen, 1 no fix, 2 two-dimensional, 3 three-dimensional.
    public var mode = 0
    /// Satellites in the fix, counted every 30 s; nil: not counted yet.
    public var satellitesUsed: Int?
    /// Satellites that the receiver hears, counted as above.
    public var satellitesSeen: Int?
    /// When any receiver last reported a position, or that it has none; nil: never.
    public var lastReport: Instant?
    /// Lines that were not gpsd's, or too long, since the start.
    public var malformedLines = 0
    /// For so long the receiver has sent nothing at all, not even that it has no fix; nil: it does, or is not asked.
    public var silence: Span?
    /// Why there is no position, in words; nil while there is one.
    public var cause: String?

    /// Nothing is known yet.
    public init() {}
  }

  /// Where gpsd is, and which of its receivers is used.
  public struct Settings: Hashable, Sendable {
    /// A name or a number; empty: this board.
    public var host: String
    /// TCP; gpsd's own is 2947.
    public var port: Int
    /// A path as gpsd lists it; empty: whatever gpsd has.
    public var device: String

    /// gpsd on this board, with any receiver.
    public init(host: String = "localhost", port: Int = 2947, device: String = "") {
      self.host = host
      self.port = port
      self.device = device
    }

    var endpoint: String { "\(host):\(port)" }

    /// The command that requests reports from gpsd. Written here because libgps cuts it at 80 bytes, and the name of
    /// a receiver under /dev/serial/by-id is longer than that leaves.
    ///
    /// `words`: also repeat the receiver's own sentences, which gpsd goes on with until it is told otherwise.
    func watchCommand(words: Bool = false, before: Bool = false) -> String {
      var command = #"?WATCH={"enable":true,"json":true"#
      if words || before { command += words ? #","raw":1"# : #","raw":0"# }
      if !device.isEmpty {
        let escaped = device.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
        command += #","device":"\#(String(escaped))""#
      }
      return command + "};\n"
    }
  }

  /// gpsd lets a receiver rest that has no watcher.
  static let unwatchCommand = "?WATCH={\"enable\":false};\n"
}
