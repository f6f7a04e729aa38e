import Timebase

/// A named place or beacon to enter and leave ("waypoint" in OwnTracks' messages).
public struct Region: Hashable, Sendable {
  /// Regions of one board, from people, commands and the file together: each fix looks at all of them, and a
  /// location names all that it lies in. The phones stop at a hundred.
  public static let limit = 1000
  /// Corners of all their polygons together: some 16 bytes each, of the 32 MB that the daemon has. More are
  /// refused.
  public static let cornerLimit = 250_000

  /// The two limits in words.
  public static var room: String { "\(limit) regions, with \(cornerLimit) corners in all" }

  /// Key of the region for all its life; see `Core.RegionIdentity` for how one is made.
  public var rid: String
  /// The full name, `|in|out` included and the beacon suffix taken off.
  public var name: String
  /// Centre of a circle. Of a beacon's region where it is drawn; 0, 0: not known.
  public var coordinate: Coordinate
  /// Metres; above 0 makes the region circular, below 0 makes a beacon's region follow the board.
  public var radius: Double
  /// Which beacons belong to it; of no consequence in a circle.
  public var beacon: BeaconIdentity?
  /// When the region was created, Unix seconds; `wtst` of its transitions.
  public var created: Int
  /// Whether its name and its waypoint may be told.
  public var isShared: Bool
  /// Kilometres an hour that are allowed inside; nil: no limit.
  public var speedLimit: Int?
  /// The edges of an area that is no circle; `coordinate` and `radius` are then the circle around it.
  public var polygon: Polygon?
  /// While the board is inside nothing tells where; only the crossing is told, with the region's centre, if it is
  /// shared.
  public var isPrivate: Bool
  /// Seconds that the board has to be inside before an enter is published; nil: none. Only where `canDwell`.
  public var dwell: Int?

  /// Nothing is checked here: `OwnTracks.WaypointFields` and `RegionWords` have checked the values.
  public init(
    rid: String, name: String, coordinate: Coordinate, radius: Double, beacon: BeaconIdentity? = nil,
    created: Int, isShared: Bool = true, speedLimit: Int? = nil, polygon: Polygon? = nil,
    isPrivate: Bool = false, dwell: Int? = nil
  ) {
    self.rid = rid
    self.name = name
    self.coordinate = coordinate
    self.radius = radius
    self.beacon = beacon
    self.created = created
    self.isShared = isShared
    self.speedLimit = speedLimit
    self.polygon = polygon
    self.isPrivate = isPrivate
    self.dwell = dwell
  }

  /// Of its polygon; 0: it has none.
  public var cornerCount: Int { polygon?.cornerCount ?? 0 }

  /// Metres beyond its edge, below 0 inside.
  public func distanceBeyondEdge(_ place: Coordinate) -> Double {
    polygon?.distance(from: place) ?? coordinate.distance(to: place) - radius
  }

  /// How it is found out whether the board is inside.
  public enum Kind: Hashable, Sendable {
    /// By positions.
    case circular
    /// By what the radio hears.
    case beacon
    /// Neither radius nor beacon: a pin on the map, never monitored.
    case note
  }

  /// The radius wins over the beacon.
  public var kind: Kind {
    if radius > 0 { return .circular }
    return beacon == nil ? .note : .beacon
  }

  /// Its name begins with `+`: its circle is put around the board anew with every published location.
  public var isFollow: Bool { name.utf8.first == UInt8(ascii: "+") }
  /// Its name begins with `-`: a leave waits for `holdDown`.
  public var isHoldDown: Bool { name.utf8.first == UInt8(ascii: "-") }
  /// Whether crossings of it are looked for at all.
  public var isMonitored: Bool { !name.isEmpty && kind != .note }

  /// Whether it hides what is inside: a follow region is always around the board, and a pin has no inside.
  public var hidesReports: Bool { isPrivate && isMonitored && !isFollow }

  /// Whether an enter of it can wait for a dwell: a beacon's is the radio's word, a follow region is never entered, and
  /// a pin has no inside.
  public var canDwell: Bool { kind == .circular && isMonitored && !isFollow }

  /// Its name in transitions: the part before the first `|`.
  public var eventName: String {
    String(name.prefix { $0 != "|" })
  }
}

/// Which iBeacons belong to a region; nil parts match any number.
public struct BeaconIdentity: Hashable, Sendable {
  /// 16 bytes as upper-case 8-4-4-4-12 text.
  public var uuid: String
  /// 1...65535; nil: any, and then any `minor` too.
  public var major: UInt16?
  /// Only looked at where `major` is given.
  public var minor: UInt16?

  /// Nil when `uuid` is not 8-4-4-4-12 hexadecimal. A number of 0 means any.
  public init?(uuid: String, major: UInt16? = nil, minor: UInt16? = nil) {
    guard Self.isUUID(uuid) else { return nil }
    self.uuid = uuid.uppercased()
    self.major = major == 0 ? nil : major
    self.minor = self.major == nil || minor == 0 ? nil : minor
  }

  static func isUUID(_ text: String) -> Bool {
    let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard groups.map(\.count) == [8, 4, 4, 4, 12] else { return false }
    return groups.joined().allSatisfy { byte in
      (48...57).contains(byte) || (65...70).contains(byte) || (97...102).contains(byte)
    }
  }
}

/// Whether the board is inside a region, as far as is known.
public enum Presence: Hashable, Sendable {
  /// No position since the region was made.
  case unknown
  /// Beyond the limit where a leave is certain.
  case outside
  /// Also while a leave is held down.
  case inside
  /// Within the edge since then, by the fixes' time, and not yet told as inside: the region has a dwell.
  case dwelling(since: WallTime)

  /// Whether the board is within the edge, told or not.
  public var isWithin: Bool {
    switch self {
    case .unknown, .outside: false
    case .inside, .dwelling: true
    }
  }

  /// Its value on the disk, and in digests there.
  public var code: Int {
    switch self {
    case .unknown: 0
    case .outside: 1
    case .inside: 2
    case .dwelling: 3
    }
  }
}

/// A change at a region's boundary.
public enum Crossing: Hashable, Sendable {
  /// From outside; of a beacon also where it was not known which side the board was on.
  case enter
  /// From inside, once a hold-down is over.
  case leave

  /// The word on the wire.
  public var word: String {
    switch self {
    case .enter: "enter"
    case .leave: "leave"
    }
  }
}
