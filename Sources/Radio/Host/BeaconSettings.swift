import Model

extension BeaconScanner {
  /// Which adapter, and how.
  public struct Settings: Hashable, Sendable {
    /// Such as "B8:27:EB:12:34:56"; empty: any.
    public var adapter: String
    /// How it listens.
    public var method: Configuration.ScanMethod
    /// A directory that a restart of the daemon survives and one of the board does not; empty: none.
    public var directory: String

    /// Any adapter by the best method, and no directory.
    public init(adapter: String = "", method: Configuration.ScanMethod = .auto, directory: String = "") {
      self.directory = directory
      self.adapter = adapter
      self.method = method
    }

    var forRadio: BeaconRadio.Settings {
      BeaconRadio.Settings(
        address: BeaconAddress.number(adapter),
        method: method)
    }
  }
}
