import Model

extension GPSD {
  /// Where gpsd is, and which of its receivers is used.
  public struct Settings: Hashable, Sendable {
    /// A name or a number; empty: this board.
    public var host: String
    /// TCP; gpsd's own is 2947.
    public var port: Int
    /// A path as gpsd lists it; empty: whatever gpsd has.
    public var device: String
    /// A receiver that understands it is put to sleep while it rests.
    public var sleeps: Bool
    /// One that understands it is asked about interference.
    public var isMonitored: Bool

    /// gpsd on this board, with any receiver.
    public init(
      host: String = "localhost", port: Int = 2947, device: String = "", sleeps: Bool = false,
      isMonitored: Bool = false
    ) {
      self.host = host
      self.port = port
      self.device = device
      self.sleeps = sleeps
      self.isMonitored = isMonitored
    }

    /// By the configuration.
    public init(_ receiver: Configuration.Receiver) {
      self.init(
        host: receiver.host, port: receiver.port, device: receiver.device, sleeps: receiver.sleeps,
        isMonitored: receiver.watchesJamming)
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
        command += #","device":"\#(GPSD.escaped(device))""#
      }
      return command + "};\n"
    }
  }

  /// As a text of JSON.
  static func escaped(_ path: String) -> String {
    String(path.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] })
  }

  /// gpsd lets a receiver rest that has no watcher.
  static let unwatchCommand = "?WATCH={\"enable\":false};\n"
}
