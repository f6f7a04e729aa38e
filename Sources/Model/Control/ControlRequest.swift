/// What a person (or a script) asks of the running daemon through the control socket.
/// `OwnTracks.ControlLine` makes one of the words of a command line.
public enum ControlRequest: Hashable, Sendable {
  case publish(poi: String?, image: AttachedImage? = nil)
  /// Who we are.
  case card(FriendCard)
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
  case history(HistoryQuery)
  case historyClear
  /// Everything that commands have changed is as in the file again.
  case settingsClear
  /// A base topic, whose retained messages the broker is told to drop.
  case friendForget(topic: String)
  /// Read the configuration file again.
  case reload

  /// Whether it changes nothing at all.
  public var isQuestion: Bool {
    switch self {
    case .status, .queue, .why, .regionList, .history: true
    case .publish, .card, .mode, .tag, .queueClear, .regionAdd, .regionSet, .regionRemove, .regionImport,
      .historyClear, .settingsClear, .friendForget, .reload:
      false
    }
  }

  /// Whether a board that is `locked` refuses it.
  public var isChange: Bool {
    switch self {
    case .mode, .tag, .queueClear, .regionAdd, .regionSet, .regionRemove, .regionImport, .historyClear,
      .settingsClear, .friendForget:
      true
    case .publish, .card, .status, .queue, .why, .regionList, .history, .reload: false
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
    /// Kilometres an hour; 0: none.
    public var speedLimit: Int?

    public init() {}
  }
}

/// Which points of the own history, oldest first.
public struct HistoryQuery: Hashable, Sendable {
  /// Points in one answer, at most.
  public static let page = 500

  /// Unix seconds, both inclusive; nil: no bound.
  public var from: Double?
  public var to: Double?
  /// Only points with a higher number: the next page.
  public var after: Int64 = 0
  public var limit = HistoryQuery.page

  public init() {}
}

/// One point of the own history, and its number.
public struct HistoryPoint: Hashable, Sendable {
  public var number: Int64
  public var report: LocationReport

  public init(number: Int64, report: LocationReport) {
    self.number = number
    self.report = report
  }
}
