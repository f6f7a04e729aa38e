/// Every setting that the daemon reads, in the unit its comment names; `ConfigurationKey.all` holds
/// names, ranges and who may set them. Defaults are those that
/// OwnTracks documents, where a board can have the same.
public struct Configuration: Hashable, Sendable {
  // Identity
  /// At the broker, and the second level of the topic; empty: nothing is published.
  public var username = ""
  /// The third level of the topic; empty: the daemon takes the board's host name.
  public var deviceId = ""
  /// At most two letters or digits; empty: the last two of the topic.
  public var tid = ""
  /// Only its letters and digits are used; empty: made of user and device.
  public var clientId = ""

  // What to report
  /// The mode to begin with: -1 quiet, 0 manual, 1 significant, 2 move.
  public var monitoring = 1
  /// Metres, move mode; 0: every newer fix.
  public var locatorDisplacement = 100
  /// Seconds, move mode; 0 or less: no timer.
  public var locatorInterval = 300
  /// Metres that significant mode waits for.
  public var significantDisplacement = 500
  /// Seconds that have to be over as well.
  public var significantInterval = 300
  /// Minutes; 0: never.
  public var ping = 15
  /// Metres; 0: no limit.
  public var ignoreInaccurateLocations = 0
  /// Locations say altitude, speed, network, pressure and mode too.
  public var extendedData = true
  /// Percent of the battery below which move mode is left; 0: off.
  public var downgrade = 0
  /// Minutes without movement after which move mode is left; 0: off.
  public var adapt = 0
  /// `adapt` counts only inside of a follow region.
  public var adaptRequiresFollow = true
  /// Move mode: points where the way turns or the speed changes.
  public var adaptive = false
  /// Metres after which there is a point in any case.
  public var adaptiveDistance = 500
  /// Degrees that make a turn.
  public var adaptiveHeading = 15
  /// Kilometres an hour of a change of speed.
  public var adaptiveSpeed = 15

  // The journey
  /// Counts what the vehicle moves, and says it in each location.
  public var odometer = false
  /// Publishes the start and the stop of trips.
  public var trips = false
  /// Metres from where it was parked; 0: off.
  public var towAlarm = 0
  /// Kilometres an hour; 0: off.
  public var overspeed = 0

  // Connection
  /// 0 MQTT, 3 HTTP.
  public var mode = 0
  /// The broker's name or address.
  public var host = ""
  /// Where HTTP mode posts to; http or https.
  public var url = ""
  /// `name:value`, the characters `\n` between two of them.
  public var httpHeaders = ""
  /// Of the MQTT broker; 0: offline, nothing is sent or queued.
  public var port = 8883
  /// Whether the connection to the broker is encrypted, and its certificate checked.
  public var tls = true
  /// Path of a PEM file; empty: the system's certificates.
  public var tlsCaFile = ""
  /// Path of a PEM file; empty: none, and then no `tlsClientKey` either.
  public var tlsClientCert = ""
  /// Path of a PEM file without a password.
  public var tlsClientKey = ""
  /// Any certificate is taken.
  public var allowinvalidcerts = false
  /// Whether the server is told `username`.
  public var auth = true
  /// And `password`, where `auth` is on.
  public var usePassword = true
  /// Never shown; see `RemoteSettings.withheld` for whom it is told.
  public var password = ""
  /// Payloads are encrypted with it; empty: they are not. At most 32 bytes.
  public var encryptionKey = ""
  /// 3 is MQTT 3.1, 4 is 3.1.1, 5 is 5.
  public var mqttProtocolLevel = 4
  /// Seconds; 0: none.
  public var keepalive = 60
  /// Whether the broker forgets the session when the connection ends.
  public var cleanSession = false
  /// `%u` and `%d` stand for user and device; empty: owntracks/%u/%d.
  public var pubTopicBase = ""
  /// 0...2, of everything that waits in the queue; 0: what is sent counts as arrived.
  public var pubQos = 1
  /// Whether the broker keeps the last location.
  public var pubRetain = true
  /// False: nothing is subscribed, not even commands.
  public var sub = true
  /// Others' locations, events and cards are subscribed to and kept.
  public var friends = false
  /// 0...2, of what the broker delivers.
  public var subQos = 1
  /// Filters separated by white space, in place of the usual ones; empty: those.
  public var subTopic = ""
  /// Seconds that a server may take to answer.
  public var connectionTimeoutSeconds = 30
  /// Seconds until the first new attempt; each further one takes twice as long.
  public var reconnectMin = 2
  /// Seconds that the wait grows to.
  public var reconnectMax = 64
  /// Messages; the most that may be unacknowledged (it starts at 20 and grows to this).
  public var maxInFlight = 200
  /// Publishes the newest position with each connection, where it is not known there.
  public var publishLocationOnConnect = false

  /// Says on `status`, retained, whether it is there.
  public var availability = false
  /// Tells Home Assistant what there is to be shown.
  public var discovery = false
  /// Topic that Home Assistant listens below.
  public var discoveryPrefix = "homeassistant"

  // Commands
  /// Whether commands are obeyed at all.
  public var cmd = false
  /// Whether a command may ask for a location.
  public var allowRemoteLocation = true
  /// Whether commands may change regions and settings.
  public var remoteConfiguration = false
  /// Whether the word `publish` on `listento` asks for a location.
  public var legacyListento = true
  /// Seconds after which a command with a `tst` is too old; 0: never.
  public var commandMaxAge = 120
  /// Whether commands that the broker keeps are obeyed, with every connection anew.
  public var acceptRetainedCommands = false
  /// Obeys only commands that are encrypted, dated, and were not obeyed before.
  public var requireEncryptedCommands = false
  /// Whether a dump holds passwords as they are.
  public var dumpSecrets = false
  /// People at the board may look, but change nothing.
  public var locked = false

  // History
  /// Points of the own track that are kept where `days` is below 0; places of each friend.
  public var positions = 50
  /// Days of the own track that are kept; below 0: `positions` counts.
  public var days = -1
  /// Days, with fractions; 0: friends are never hidden.
  public var ignoreStaleLocations = 0.0

  // Regions
  /// Fixes in a row that have to agree on a crossing.
  public var regionConfirm = 2
  /// Whether jumps that nobody could have driven are kept back until they have lasted.
  public var physicsGate = true
  /// Seconds that a leave of a `-` region waits.
  public var holdDown = 3
  /// Seconds; "auto" is 0.
  public var beaconLossTimeout = 0
  /// Seconds after a leave in which it takes more than one advertisement to enter; 0: never.
  public var reentryGuard = 120
  /// How all-digit numbers are read: "auto", "hex" or "dec".
  public var beaconNumberBase = "auto"
  /// What GPS knows to be far from a beacon's region does not enter it.
  public var beaconNeedsPlace = true
  /// Publishes the distance of beacons whose region the board is in.
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
  /// Name or address; an empty one is this board.
  public var gpsdHost = "localhost"
  /// TCP.
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
  /// Messages that may wait; beyond them old locations go.
  public var queueLimit = 102_400
  /// MiB of topics and payloads that may wait.
  public var queueLimitMegabytes = 100
  /// A directory whose files are keys of every location; empty: none.
  public var extraKeys = ""
  /// A program that is run for each event; empty: none.
  public var onEvent = ""
  /// Seconds after which the program of `onEvent` is killed.
  public var onEventTimeout = 10
  /// Path of the folder of the store.
  public var stateDir = "/var/lib/homeward"
  /// Path of the socket; the daemon's other files of this run are beside it.
  public var controlSocket = "/run/homeward/control"
  /// The least that goes to the journal: "error", "warning", "info" or "debug".
  public var logLevel = "info"

  /// All defaults.
  public init() {}

  /// Whether what others tell is kept: who names his own filters asks for what they bring.
  public var keepsFriends: Bool { friends || (mode == 0 && !subTopic.allSatisfy(\.isWhitespace)) }

  /// Nothing is sent and nothing queued.
  public var isOffline: Bool { mode == 0 && port == 0 }
}
