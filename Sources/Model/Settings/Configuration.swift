/// Every setting that the daemon reads, by subject, checked and typed: what a file or a command may write is
/// turned into these at the door (`ConfigurationKey`), and nothing behind it parses a text again. The
/// defaults are those of the manual page homeward.otrc(5).
public struct Configuration: Hashable, Sendable {
  /// Identity of the board.
  public var identity = Identity()
  /// When a location is published.
  public var reports = Reports()
  /// Points of a drive where the way turns or the speed changes.
  public var adaptive = Adaptive()
  /// Odometer, trips and alarms.
  public var journey = Journey()
  /// Which of `broker` and `http` is in use; both may be filled in.
  public var transport = Transport.mqtt
  /// The MQTT broker.
  public var broker = Broker()
  /// The HTTP endpoint.
  public var http = HTTP()
  /// Encryption of the connection, over MQTT and HTTP.
  public var tls = TLS()
  /// User and password, over MQTT and HTTP.
  public var login = Login()
  /// How long a server is waited for, and how often it is tried.
  public var retry = Retry()
  /// Topic, quality and encryption of what is published.
  public var messages = Messages()
  /// Messages for dashboards about the board itself.
  public var dashboard = Dashboard()
  /// Commands that others may send.
  public var commands = Commands()
  /// Published locations that are kept on the board.
  public var history = History()
  /// Messages of others that are kept.
  public var friends = Friends()
  /// Geofences.
  public var regions = Regions()
  /// iBeacons and the radio that hears them.
  public var beacons = Beacons()
  /// The GNSS receiver, behind gpsd.
  public var receiver = Receiver()
  /// Batteries, ignition and the end of power.
  public var power = Power()
  /// Messages that wait for the server.
  public var queue = Queue()
  /// The page that the board serves.
  public var page = Page()
  /// Programs and files of the owner.
  public var programs = Programs()
  /// Paths and log of the daemon.
  public var board = Board()

  /// Every setting at its default.
  public init() {}

  /// Whether what others tell is kept: who names his own filters asks for what they bring.
  public var keepsFriends: Bool {
    friends.isOn || (transport == .mqtt && !broker.subTopic.allSatisfy(\.isWhitespace))
  }

  /// Nothing is sent and nothing queued.
  public var isOffline: Bool { transport == .mqtt && broker.port == 0 }
}

extension Configuration {
  /// Key `mode`: how messages leave the board, with OwnTracks' own numbers.
  public enum Transport: Int, CaseIterable, Hashable, Sendable {
    /// To a broker.
    case mqtt = 0
    /// Posted to a URL.
    case http = 3
  }

  /// Identity of the board in topics and messages.
  public struct Identity: Hashable, Sendable {
    /// First level of the topic after `owntracks`; empty: nothing is published.
    public var username = ""
    /// Second level of the topic; empty in a file: the board's host name.
    public var deviceId = ""
    /// At most two letters for the map; empty: the last two of `deviceId`.
    public var tid = ""
    /// MQTT's; empty: made of user and device.
    public var clientId = ""
  }

  /// When a location is published, and what of it.
  public struct Reports: Hashable, Sendable {
    /// The mode until another one is set.
    public var monitoring = MonitoringMode.significant
    /// Whose defaults count in move mode.
    public var preset = Preset.none
    /// Move mode: metres.
    public var locatorDisplacement = 100
    /// Move mode: seconds; 0 or less: no timer.
    public var locatorInterval = 300
    /// Significant mode: metres.
    public var significantDisplacement = 500
    /// Significant mode: seconds.
    public var significantInterval = 300
    /// Significant mode: seconds in which the best fix is looked for; 0: the first is published.
    public var significantWindow = 0
    /// The last place is published when the fix is lost.
    public var fixLoss = true
    /// Minutes; 0: never.
    public var ping = 15
    /// MB that the connection may cost in a month, see `DataVolume`; 0: no budget.
    public var dataBudget = 0.0
    /// Metres; 0: no limit.
    public var ignoreInaccurateLocations = 0
    /// Battery, mode, regions and connection in each location.
    public var extendedData = true
    /// A location whenever the broker is reached.
    public var publishLocationOnConnect = false
    /// Seconds without a fix after which the last one counts as stale.
    public var fixTimeout = 30
    /// Percent of the battery below which move mode is left; 0: off.
    public var downgrade = 0
    /// Minutes at rest after which move mode is left; 0: off.
    public var adapt = 0
    /// Only where there is a follow region.
    public var adaptRequiresFollow = true
    /// The mode by the WiFi network that the board is in.
    public var networkModes = Written<NetworkModes>("")
    /// The mode by the time of day.
    public var timeModes = Written<TimeModes>("")
  }

  /// Key `preset`: defaults that others have in place of ours.
  public enum Preset: String, CaseIterable, Hashable, Sendable {
    /// Our own: 100 m and 300 s, as OwnTracks documents.
    case none
    /// A stock iPhone's: 200 m and 180 s.
    case iosapp
  }

  /// Move mode: points where the way turns or the speed changes, in place of every one.
  public struct Adaptive: Hashable, Sendable {
    /// Key `adaptive`.
    public var isOn = false
    /// Metres without a point, at most.
    public var distance = 500
    /// Degrees of a turn.
    public var heading = 15
    /// Kilometres an hour of a change.
    public var speed = 15
  }

  /// Reports of the journey besides locations.
  public struct Journey: Hashable, Sendable {
    /// The distance travelled is counted.
    public var odometer = false
    /// Starts and stops are told.
    public var trips = false
    /// Metres from where it was parked; 0: off.
    public var towAlarm = 0
    /// Metres around the anchor; 0: off.
    public var anchorAlarm = 0
    /// Kilometres an hour; 0: off.
    public var overspeed = 0
    /// Alarms are messages of their own beside the locations that tell of them.
    public var alarmMessages = true
    /// Alarms of harsh driving.
    public var harsh = Harsh()
  }

  /// Alarms of a driver who brakes, accelerates or corners harder than allowed.
  public struct Harsh: Hashable, Sendable {
    /// Key `harshDriving`.
    public var isOn = false
    /// Times the standard gravity, as the other two.
    public var braking = 0.35
    /// Gaining speed.
    public var acceleration = 0.3
    /// To either side.
    public var cornering = 0.4
  }

  /// Messages for dashboards such as Home Assistant about the board itself.
  public struct Dashboard: Hashable, Sendable {
    /// Says on `status`, retained, whether it is there.
    public var availability = false
    /// Seconds between two messages on `status`, retained; 0: only when there is something to tell.
    public var statusInterval = 0
    /// Tells Home Assistant what there is to be shown.
    public var discovery = false
    /// The topic's first levels that Home Assistant listens to.
    public var discoveryPrefix = "homeassistant"
    /// Which regions are published as `waypoint` when they are made or changed.
    public var announceWaypoints = AnnouncedWaypoints.auto
  }

  /// Key `announceWaypoints`. Home Assistant's OwnTracks integration makes a zone of each `waypoint`, and shows a
  /// tracker by the name of that zone in place of its own.
  public enum AnnouncedWaypoints: String, CaseIterable, Hashable, Sendable {
    /// All, but none while `discovery` describes the board to Home Assistant.
    case auto
    /// Every region that is shared.
    case all
    /// Those that lie at their published place: circles and areas, no follow region, and none that is a beacon's alone.
    case circles
    /// None.
    case none
  }

  /// Whether a region that is made or changed is published as `waypoint` by itself.
  public func announces(_ region: Region) -> Bool {
    guard region.isShared, !region.name.isEmpty else { return false }
    return switch dashboard.announceWaypoints {
    case .auto: !(dashboard.discovery && transport == .mqtt)
    case .all: true
    case .circles: region.kind == .circular && !region.isFollow
    case .none: false
    }
  }

  /// Commands that others may send over MQTT or HTTP.
  public struct Commands: Hashable, Sendable {
    /// Key `cmd`: orders are obeyed at all.
    public var isOn = false
    /// The commands `reportLocation` and its like.
    public var allowRemoteLocation = true
    /// The commands that change settings and regions.
    public var remoteConfiguration = false
    /// The old topic `…/listento`.
    public var legacyListento = true
    /// Seconds; 0: however old it is.
    public var maxAge = 120
    /// Commands that the broker kept.
    public var acceptRetained = false
    /// Only commands encrypted with the key of `messages`.
    public var requireEncrypted = false
    /// Secrets are part of a `dump`.
    public var dumpSecrets = false
    /// People at the board may look, but change nothing.
    public var locked = false
  }

  /// Published locations that are kept on the board.
  public struct History: Hashable, Sendable {
    /// Locations kept where `days` is below 0, and of each friend.
    public var positions = 50
    /// Days that they are kept, 100,000 of them at most; below 0: `positions` counts.
    public var days = 7
  }

  /// Others' locations, events and cards.
  public struct Friends: Hashable, Sendable {
    /// Key `friends`: they are subscribed to and kept.
    public var isOn = false
    /// Days, with fractions, after which one is hidden; 0: never.
    public var ignoreStale = 0.0
  }
}
