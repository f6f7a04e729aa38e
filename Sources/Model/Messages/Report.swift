import Timebase

/// An outgoing message before it becomes bytes. Built when the event happens and never rewritten later.
public indirect enum Report: Hashable, Sendable {
  /// Where the board is.
  case location(LocationReport)
  /// One region was entered or left.
  case transition(TransitionReport)
  /// A region was made or changed, as it is now.
  case waypoint(Region)
  /// How far away a beacon is.
  case beacon(BeaconReport)
  /// The board's own card, for people's lists and maps.
  case card(FriendCard)
  /// The broker is to drop what it keeps of a friend.
  case friendForgotten(topic: String)
  /// An entity for Home Assistant.
  case discovery(DiscoveryReport)
  /// The broker is to drop what it keeps on this topic: an entity is shown no longer.
  case discoveryGone(topic: String)
  /// A trip has begun or ended.
  case trip(TripReport)
  /// The vehicle is towed, or too fast.
  case alarm(AlarmReport)
  // Answers to commands
  /// The settings in force with the shared regions.
  case dump(DumpReport)
  /// How the board is: an answer, or the word that it is there.
  case status(StatusReport)
  /// All of them that are shared.
  case waypoints([Region], time: WallTime)
  /// The steps that nobody has counted.
  case steps(StepsReport)
  /// The result of a command.
  case result(CommandResult)
}

extension Report {
  /// The name of the event for the owner's program; nil: no event.
  public var eventWord: String? {
    switch self {
    case .transition: "transition"
    case .waypoint: "waypoint"
    case .trip: "trip"
    case .alarm: "alarm"
    case .location(let location): [.user, .remote].contains(location.trigger) ? "location" : nil
    case .beacon, .card, .friendForgotten, .discovery, .discoveryGone, .dump, .status, .waypoints, .steps,
      .result:
      nil
    }
  }
}

extension Report {
  /// The same for a program that wants every message; nil: it is no message of the tracker about itself.
  public var messageWord: String? {
    switch self {
    case .transition: "transition"
    case .waypoint: "waypoint"
    case .trip: "trip"
    case .alarm: "alarm"
    case .location: "location"
    case .beacon: "beacon"
    case .card: "card"
    case .dump: "dump"
    case .status: "status"
    case .waypoints: "waypoints"
    case .steps: "steps"
    case .result: "answer"
    case .friendForgotten, .discovery, .discoveryGone: nil
    }
  }
}

/// One position to tell, with what the board knew around it.
public struct LocationReport: Hashable, Sendable {
  /// Place, accuracy, speed and course; its time is published only where `time` is the same.
  public var fix: Fix
  /// The `tst` of the message; the fix's time but for pings of an old position.
  public var time: WallTime
  /// When the message was built; nil when no trusted clock can say.
  public var created: WallTime?
  /// Which kind of occasion it came from; `t` of the message.
  public var trigger: Trigger
  /// When it was made: before the changes of mode that it may cause.
  public var mode: MonitoringMode
  /// Nil: none, or nothing known of it.
  public var battery: Battery?
  /// How the board reached the world when it was made.
  public var network: Network
  /// Kilopascal.
  public var pressure: Double?
  /// Regions that the board is inside of, follow regions excepted: name (nil if unshared) and rid.
  public var inside: [InsideRegion]
  /// A person's remark on this one place, at most 1,024 bytes.
  public var poi: String?
  /// A text for every location until it is cleared, at most 200 bytes.
  public var tag: String?
  /// Metres; nil: it is not told.
  public var odometer: Double?
  /// State of the vehicle's lines; of old places as well.
  public var vehicle: VehicleWords
  /// A picture that goes with a remark.
  public var image: AttachedImage?
  /// This place was told with this very time before: nobody is to keep it twice.
  public var isRepeat: Bool

  /// A region as `inregions` and `inrids` name it.
  public struct InsideRegion: Hashable, Sendable {
    /// The full name; nil: the region is not shared.
    public var name: String?
    /// Told of unshared regions as well: it says nothing to strangers.
    public var rid: String

    /// `name` only of a region that is shared.
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
    tag: String? = nil, odometer: Double? = nil, vehicle: VehicleWords = VehicleWords()
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
    self.vehicle = vehicle
    isRepeat = false
  }
}

/// State of the vehicle in a location, besides its place: each is nil where it is not known.
public struct VehicleWords: Hashable, Sendable {
  /// The ignition is on.
  public var ignition: Bool?
  /// Of the vehicle's battery.
  public var volts: Double?
  /// Nil as well where neither odometer, trips nor the tow alarm are wanted.
  public var isMoving: Bool?
  /// How long the ignition has been on in all, seconds.
  public var engineSeconds: Double?
  /// How far the board has stepped down to spare a battery.
  public var batteryStep: BatteryStep?

  /// Volts are those of the vehicle, not of the board.
  public init(
    ignition: Bool? = nil, volts: Double? = nil, isMoving: Bool? = nil, engineSeconds: Double? = nil,
    batteryStep: BatteryStep? = nil
  ) {
    self.ignition = ignition
    self.volts = volts
    self.isMoving = isMoving
    self.engineSeconds = engineSeconds
    self.batteryStep = batteryStep
  }
}

extension LocationReport {
  /// The same with a picture; `poi` should be there to explain it.
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
  /// Of the file, for those who save it.
  public var name: String

  /// `data` has to be base64 already: it is not checked later.
  public init(data: String, name: String) {
    self.data = data
    self.name = name
  }
}

/// One crossing of a region's boundary to tell.
public struct TransitionReport: Hashable, Sendable {
  /// As it was when it was crossed; its name is cut at the first `|` when published.
  public var region: Region
  /// Which way.
  public var crossing: Crossing
  /// The fix, else the last known place, else the region's own (Home Assistant fails without one).
  public var coordinate: Coordinate
  /// Metres.
  public var accuracy: Double
  /// Of the fix; of the event itself where the fix is old.
  public var time: WallTime
  /// When it was made; nil: no trusted clock, or `time` is the event's own.
  public var created: WallTime?

  /// `coordinate` and `accuracy` are never absent: see there.
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
