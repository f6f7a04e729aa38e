/// A request of a person (or a script) to the tracker through the control socket. `OwnTracks.Request` makes one from
/// the words of a command line.
public enum ControlRequest: Hashable, Sendable {
  /// Publish the newest position, in any mode. `poi`: a remark, at most 1,024 bytes; the picture goes with
  /// it.
  case publish(poi: String?, image: AttachedImage? = nil)
  /// The board's own card. `keepsFace`: if it has no face of its own, it keeps the last one.
  case card(FriendCard, keepsFace: Bool = true)
  /// Change the monitoring mode; clears the notes of an automatic change.
  case mode(MonitoringMode)
  /// nil clears it.
  case tag(String?)
  /// How everything is, in one answer.
  case status
  /// The size of the queue, in numbers.
  case queue
  /// Discard all queued messages that are not in flight.
  case queueClear
  /// The last hundred reasons.
  case why
  /// All regions, each with where the board is to it.
  case regionList
  /// `isHere`: the newest position is its place.
  case regionAdd(WaypointEntry, isHere: Bool)
  /// `region` is a rid or a full name.
  case regionSet(region: String, RegionEdit)
  /// Remove one, without a leave; `region` as in `regionSet`.
  case regionRemove(region: String)
  /// Merge these into the regions, as a file's are.
  case regionImport([WaypointEntry])
  /// Throw the own track away; what waits for the server stays.
  case historyClear
  /// Throw a part of it away.
  case historyDelete(HistoryPart)
  /// Everything that commands have changed is as in the file again.
  case settingsClear
  /// Lay these settings over the file's, as a `setConfiguration` command does; every value is checked.
  case settingsSet(SettingsChange)
  /// A base topic, whose retained messages the broker is told to drop.
  case friendForget(topic: String)
  /// Call for help, or acknowledge the call.
  case sos(isAcknowledged: Bool)
  /// Switch the board off, to wake after `parkedWake`.
  case park
  /// Take back the descriptions for Home Assistant, until the next start: the tracker is to be removed.
  case withdraw

  /// Whether it changes nothing at all.
  public var isQuestion: Bool {
    switch self {
    case .status, .queue, .why, .regionList: true
    case .publish, .card, .mode, .tag, .queueClear, .regionAdd, .regionSet, .regionRemove,
      .regionImport, .historyClear, .historyDelete, .settingsClear, .settingsSet, .friendForget, .sos,
      .park, .withdraw:
      false
    }
  }

  /// Whether a board that is `locked` refuses it.
  public var isChange: Bool {
    switch self {
    case .mode, .tag, .queueClear, .regionAdd, .regionSet, .regionRemove, .regionImport, .historyClear,
      .historyDelete, .settingsClear, .settingsSet, .friendForget, .park, .withdraw:
      true
    case .publish, .card, .sos, .status, .queue, .why, .regionList: false
    }
  }

  /// Changes by `region set` and `region move`; nil leaves a value as it is.
  public struct RegionEdit: Hashable, Sendable {
    /// The full name, `|in|out` included.
    public var name: String?
    /// Where the region is to be; `isHere` wins over it.
    public var coordinate: Coordinate?
    /// The newest position is its place.
    public var isHere = false
    /// Metres; above 0 a circle, below 0 a beacon's region that moves with it.
    public var radius: Double?
    /// Takes the place of the beacon that it has.
    public var beacon: BeaconIdentity?
    /// Whether its name and its waypoint may be told.
    public var isShared: Bool?
    /// Kilometres an hour; 0: none.
    public var speedLimit: Int?
    /// Whether it hides what is inside.
    public var isPrivate: Bool?
    /// Seconds; 0: none.
    public var dwell: Int?

    /// Changes nothing.
    public init() {}
  }
}

/// Requests that only the store can answer. They pass the tracker first: its unwritten data belongs to the answer.
public enum StoreRequest: Hashable, Sendable {
  /// A page of the own track.
  case history(HistoryQuery)
  /// Messages that were refused for good go into the queue once more.
  case refused
}

/// Which points of the own history, oldest first.
public struct HistoryQuery: Hashable, Sendable {
  /// Points in one answer, at most.
  public static let page = 500

  /// Unix seconds, inclusive; nil: from the oldest point on.
  public var from: Double?
  /// Unix seconds, inclusive; nil: up to the newest.
  public var to: Double?
  /// Only points with a higher number: the next page.
  public var after: Int64 = 0
  /// Points in the answer, 1 to `page`.
  public var limit = HistoryQuery.page
  /// The newest so many in place of the oldest; they are oldest first all the same.
  public var isFromEnd = false

  /// The first page of the whole track.
  public init() {}
}

/// Points of the own history that are to go: those that are within both.
public struct HistoryPart: Hashable, Sendable {
  /// As `HistoryPoint.number`.
  public var numbers: ClosedRange<Int64>
  /// Unix seconds; infinite where an end is open.
  public var times: ClosedRange<Double>

  /// Everything, where nothing is said.
  public init(numbers: ClosedRange<Int64> = 0...(.max), times: ClosedRange<Double> = -.infinity...(.infinity))
  {
    self.numbers = numbers
    self.times = times
  }
}

/// One point of the own history, and its number.
public struct HistoryPoint: Hashable, Sendable {
  /// Grows with each point that is stored; what `HistoryQuery.after` counts by.
  public var number: Int64
  /// As it was published.
  public var report: LocationReport

  /// A row of the store.
  public init(number: Int64, report: LocationReport) {
    self.number = number
    self.report = report
  }
}
