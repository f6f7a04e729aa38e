/// Every setting that the daemon reads, in the unit its comment names; `ConfigurationKey.all` holds
/// names, ranges and who may set them. Defaults are those that
/// OwnTracks documents, where a board can have the same.
public struct Configuration: Hashable, Sendable {
  // Identity
  public var username = ""
  public var deviceId = ""
  public var tid = ""
  public var clientId = ""

  // What to report
  public var monitoring = 1
  /// Metres.
  public var locatorDisplacement = 100
  /// Seconds; 0 or less: no timer.
  public var locatorInterval = 300
  /// Metres and seconds.
  public var significantDisplacement = 500
  public var significantInterval = 300
  /// Minutes; 0: never.
  public var ping = 15
  /// Metres; 0: no limit.
  public var ignoreInaccurateLocations = 0
  public var extendedData = true
  /// Percent; 0: off.
  public var downgrade = 0
  /// Minutes; 0: off.
  public var adapt = 0
  public var adaptRequiresFollow = true
  /// Move mode: points where the way turns or the speed changes.
  public var adaptive = false
  /// Metres, degrees, km/h.
  public var adaptiveDistance = 500
  public var adaptiveHeading = 15
  public var adaptiveSpeed = 15

  // The journey
  public var odometer = false
  public var trips = false
  /// Metres from where it was parked; 0: off.
  public var towAlarm = 0
  /// Kilometres an hour; 0: off.
  public var overspeed = 0

  // Connection
  /// 0 MQTT, 3 HTTP.
  public var mode = 0
  public var host = ""
  /// Where HTTP mode posts to; http or https.
  public var url = ""
  /// `name:value`, the characters `\n` between two of them.
  public var httpHeaders = ""
  /// Of the MQTT broker; 0: offline, nothing is sent or queued.
  public var port = 8883
  public var tls = true
  public var tlsCaFile = ""
  public var tlsClientCert = ""
  public var tlsClientKey = ""
  public var allowinvalidcerts = false
  public var auth = true
  public var usePassword = true
  public var password = ""
  /// Payloads are encrypted with it; empty: they are not. At most 32 bytes.
  public var encryptionKey = ""
  public var mqttProtocolLevel = 4
  /// Seconds; 0: none.
  public var keepalive = 60
  public var cleanSession = false
  public var pubTopicBase = ""
  public var pubQos = 1
  public var pubRetain = true
  public var sub = true
  /// Others' locations, events and cards are subscribed to and kept.
  public var friends = false
  public var subQos = 1
  public var subTopic = ""
  /// Seconds.
  public var connectionTimeoutSeconds = 30
  public var reconnectMin = 2
  public var reconnectMax = 64
  /// Messages; the most that may be unacknowledged (it starts at 20 and grows to this).
  public var maxInFlight = 200
  public var publishLocationOnConnect = false

  /// Says on `status`, retained, whether it is there.
  public var availability = false
  /// Tells Home Assistant what there is to be shown.
  public var discovery = false
  public var discoveryPrefix = "homeassistant"

  // Commands
  public var cmd = false
  public var allowRemoteLocation = true
  public var remoteConfiguration = false
  public var legacyListento = true
  /// Seconds.
  public var commandMaxAge = 120
  public var acceptRetainedCommands = false
  public var requireEncryptedCommands = false
  public var dumpSecrets = false
  /// People at the board may look, but change nothing.
  public var locked = false

  // History
  /// Locations kept where `days` is below 0.
  public var positions = 50
  public var days = -1
  /// Days, with fractions; 0: friends are never hidden.
  public var ignoreStaleLocations = 0.0

  // Regions
  public var regionConfirm = 2
  public var physicsGate = true
  /// Seconds.
  public var holdDown = 3
  /// Seconds; "auto" is 0.
  public var beaconLossTimeout = 0
  public var reentryGuard = 120
  public var beaconNumberBase = "auto"
  /// What GPS knows to be far from a beacon's region does not enter it.
  public var beaconNeedsPlace = true
  public var ranging = false
  /// Seconds between two ranging messages of one beacon, at least.
  public var rangingMinInterval = 1
  /// How fast a signal fades with distance: 2 in the open, up to 4 indoors.
  public var pathLossExponent = 2.0
  /// Decimals of a ranging message's metres.
  public var beaconAccDecimals = 0
  /// dBm, the median of five: a beacon counts as near from here on; 0: however faint it is.
  public var beaconEnterRssi = 0
  /// dBm: below it a beacon counts as silent; 0: 6 dB under `beaconEnterRssi`.
  public var beaconLeaveRssi = 0
  /// Percent of the time that the radio listens; 0 ("off"): never, -1 ("auto"): as it is needed.
  public var scanDuty = -1
  /// The Bluetooth adapter's address; empty: whichever there is.
  public var scanAdapter = ""
  /// "auto": the best that works; "monitor", "raw": only that.
  public var scanMethod = "auto"

  /// dB that the leave threshold lies under the enter threshold, at least: fading alone spans less.
  public static let rssiHysteresis = 6

  // The board
  public var gpsdHost = "localhost"
  public var gpsdPort = 2947
  /// Empty: whatever gpsd has.
  public var gpsdDevice = ""
  /// Seconds between looks in significant, manual and quiet mode; 0: the receiver never rests.
  public var gpsDutyCycle = 0
  /// Where the battery's level comes from.
  public var batterySource = "auto"
  /// What says that the power is going; empty: nothing does.
  public var powerFailInput = ""
  /// What says that the ignition is on; empty: nothing does.
  public var ignitionInput = ""
  /// Seconds from ignition off to significant mode.
  public var ignitionDelay = 60
  /// Seconds from ignition off to switching off the board; 0: never.
  public var parkedShutdown = 0
  /// What measures the battery that starts the vehicle; empty: nothing does.
  public var vehicleBattery = ""
  /// Volts: below it the mode is lowered; 0: never.
  public var vehicleBatteryLow = 11.9
  /// Volts: below it the board is switched off; 0: never.
  public var vehicleBatteryOff = 0.0
  /// Volts and percent of what an INA219 measures; this is one lithium-ion cell.
  public var batteryVoltages = "3.3:0 3.6:10 3.7:25 3.8:50 3.95:75 4.15:100"
  /// Seconds without a fix after which the last one counts as stale.
  public var fixTimeout = 30
  public var queueLimit = 102_400
  /// MiB.
  public var queueLimitMegabytes = 100
  /// A directory whose files are keys of every location; empty: none.
  public var extraKeys = ""
  /// A program that is run for each event; empty: none.
  public var onEvent = ""
  /// Seconds.
  public var onEventTimeout = 10
  public var stateDir = "/var/lib/homeward"
  public var controlSocket = "/run/homeward/control"
  public var logLevel = "info"

  public init() {}

  /// Whether what others tell is kept: who names his own filters asks for what they bring.
  public var keepsFriends: Bool { friends || (mode == 0 && !subTopic.allSatisfy(\.isWhitespace)) }

  /// Nothing is sent and nothing queued.
  public var isOffline: Bool { mode == 0 && port == 0 }
}
