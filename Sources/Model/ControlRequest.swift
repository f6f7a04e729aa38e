/// What a person (or a script) asks of the running daemon through the control socket.
/// `OwnTracks.ControlLine` makes one of the words of a command line.
public enum ControlRequest: Hashable, Sendable {
  case publish(poi: String?)
  case mode(MonitoringMode)
  /// nil clears it.
  case tag(String?)
  case status
  case queue
  case queueClear
  case why
  case regionList
  /// `isHere`: the newest position is its place.
  case regionAdd(WaypointEntry, isHere: Bool)
  /// `region` is a rid or a full name.
  case regionSet(region: String, RegionEdit)
  case regionRemove(region: String)
  case regionImport([WaypointEntry])
  /// Read the configuration file again.
  case reload

  /// Whether a board that is `locked` refuses it.
  public var isChange: Bool {
    switch self {
    case .mode, .tag, .queueClear, .regionAdd, .regionSet, .regionRemove, .regionImport: true
    case .publish, .status, .queue, .why, .regionList, .reload: false
    }
  }

  /// What `region set` and `region move` change; nil leaves as it is.
  public struct RegionEdit: Hashable, Sendable {
    public var name: String?
    public var coordinate: Coordinate?
    public var isHere = false
    public var radius: Double?
    public var beacon: BeaconIdentity?
    public var isShared: Bool?

    public init() {}
  }
}
