/// One entry of a `waypoints` array, checked field by field but not yet merged
/// (docs/behaviour.md, "How regions come and go").
public struct WaypointEntry: Hashable, Sendable {
  /// As given; nil where the entry has none.
  public var rid: String?
  /// The full name, without a beacon suffix.
  public var name: String
  /// Nil marks a deletion: the pair was out of range.
  public var coordinate: Coordinate?
  /// Metres; above 0 a circle, below 0 a beacon's region that moves with it.
  public var radius: Double
  /// From the keys of the entry, else from the suffix of its name.
  public var beacon: BeaconIdentity?
  /// Unix seconds; nil in deletions, and where a file does not say.
  public var created: Int?
  /// Unix seconds, when the file was written that does not say: the date of a region that is new. Of a list that has
  /// changed it is no part, or every touch of the file would bring back what people have removed.
  public var written: Int?
  /// True where the entry does not say.
  public var isShared: Bool
  /// Kilometres an hour; nil: not given, a region that has a limit keeps it; 0: none.
  public var speedLimit: Int?
  /// Its edges; nil: not given, a region that has some keeps them while its circle is the same.
  public var polygon: Polygon?
  /// Nil: not given, a region that is there stays as it is.
  public var isPrivate: Bool?
  /// Seconds; nil: not given, a region that has a dwell keeps it; 0: none.
  public var dwell: Int?
  /// Only timelines say it: what the store knew about the region.
  public var presence: Presence?

  /// Checked by who calls it: `OwnTracks.WaypointFields`, or the words of a command line.
  public init(
    rid: String? = nil, name: String, coordinate: Coordinate?, radius: Double = 0,
    beacon: BeaconIdentity? = nil,
    created: Int? = nil, written: Int? = nil, isShared: Bool = true, speedLimit: Int? = nil,
    polygon: Polygon? = nil,
    isPrivate: Bool? = nil, dwell: Int? = nil,
    presence: Presence? = nil
  ) {
    self.rid = rid
    self.name = name
    self.coordinate = coordinate
    self.radius = radius
    self.beacon = beacon
    self.created = created
    self.written = written
    self.isShared = isShared
    self.speedLimit = speedLimit
    self.polygon = polygon
    self.isPrivate = isPrivate
    self.dwell = dwell
    self.presence = presence
  }
}
