import Timebase

/// What goes out, before it becomes bytes. Built when the event happens and never rewritten later.
public indirect enum Report: Hashable, Sendable {
  case location(LocationReport)
  case transition(TransitionReport)
  case waypoint(Region)
  case beacon(BeaconReport)
  /// Who we are, for people's lists and maps.
  case card(FriendCard)
  /// The broker is to drop what it keeps of a friend.
  case friendForgotten(topic: String)
  case discovery(DiscoveryReport)
  case trip(TripReport)
  case alarm(AlarmReport)
  // Answers to commands
  case dump(DumpReport)
  case status(StatusReport)
  /// All of them that are shared.
  case waypoints([Region], time: WallTime)
  case steps(StepsReport)
}

extension Report {
  /// What the owner's program for events is told it was; nil: no event.
  public var eventWord: String? {
    switch self {
    case .transition: "transition"
    case .waypoint: "waypoint"
    case .trip: "trip"
    case .alarm: "alarm"
    case .location(let location): [.user, .remote].contains(location.trigger) ? "location" : nil
    case .beacon, .card, .friendForgotten, .discovery, .dump, .status, .waypoints, .steps: nil
    }
  }
}

/// One position to tell, with what the board knew around it.
public struct LocationReport: Hashable, Sendable {
  public var fix: Fix
  /// The `tst` of the message; the fix's time but for pings of an old position.
  public var time: WallTime
  /// When the message was built; nil when no trusted clock can say.
  public var created: WallTime?
  public var trigger: Trigger
  public var mode: MonitoringMode
  public var battery: Battery?
  public var network: Network
  /// Kilopascal.
  public var pressure: Double?
  /// Regions that the board is inside of, follow regions excepted: name (nil if unshared) and rid.
  public var inside: [InsideRegion]
  public var poi: String?
  public var tag: String?
  /// Metres; nil: it is not told.
  public var odometer: Double?
  /// A picture that goes with a remark.
  public var image: AttachedImage?

  public struct InsideRegion: Hashable, Sendable {
    public var name: String?
    public var rid: String

    public init(name: String?, rid: String) {
      self.name = name
      self.rid = rid
    }
  }

  /// Inlined, so that it is made where it will be: it is large, and made with every fix.
  @inlinable @inline(__always)
  public init(
    fix: Fix, time: WallTime, created: WallTime?, trigger: Trigger, mode: MonitoringMode,
    battery: Battery? = nil,
    network: Network = .unknown, pressure: Double? = nil, inside: [InsideRegion] = [], poi: String? = nil,
    tag: String? = nil, odometer: Double? = nil
  ) {
    self.fix = fix
    self.time = time
    self.created = created
    self.trigger = trigger
    self.mode = mode
    self.battery = battery
    self.network = network
    self.pressure = pressure
    self.inside = inside
    self.poi = poi
    self.tag = tag
    self.odometer = odometer
  }
}

extension LocationReport {
  public func showing(_ image: AttachedImage) -> LocationReport {
    var report = self
    report.image = image
    return report
  }
}

/// A picture as a message carries it.
public struct AttachedImage: Hashable, Sendable {
  /// Bytes of the file, at most: in base64 a third more, and brokers refuse large messages.
  public static let limit = 64 << 10

  /// Base64.
  public var data: String
  public var name: String

  public init(data: String, name: String) {
    self.data = data
    self.name = name
  }
}

/// One crossing of a region's boundary to tell.
public struct TransitionReport: Hashable, Sendable {
  public var region: Region
  public var crossing: Crossing
  /// The fix, else the last known place, else the region's own (Home Assistant fails without one).
  public var coordinate: Coordinate
  /// Metres.
  public var accuracy: Double
  public var time: WallTime
  public var created: WallTime?

  public init(
    region: Region, crossing: Crossing, coordinate: Coordinate, accuracy: Double, time: WallTime,
    created: WallTime?
  ) {
    self.region = region
    self.crossing = crossing
    self.coordinate = coordinate
    self.accuracy = accuracy
    self.time = time
    self.created = created
  }
}
