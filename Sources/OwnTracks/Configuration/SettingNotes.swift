import Model

/// A note on a key for people, besides the values it takes: a unit, whether it is for experts, and what it does.
///
/// It is one text, read line by line on request: the daemon never reads it, and a table would take memory of its own.
struct SettingNote {
  /// `s`, `m`, `km/h`; empty: none.
  var unit: String
  /// Right as it is on nearly every board.
  var isExpert: Bool
  /// One line.
  var text: String

  /// Nil: nothing is noted of such a key.
  init?(of name: String) {
    for line in Self.lines.utf8.split(separator: UInt8(ascii: "\n")) {
      let parts = line.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false)
      guard parts.count == 4, parts[0].elementsEqual(name.utf8) else { continue }
      unit = String(parts[1]) ?? ""
      isExpert = !parts[2].isEmpty
      text = String(parts[3]) ?? ""
      return
    }
    return nil
  }

  /// Of all that is noted.
  static var names: [String] { lines.split(separator: "\n").map { String($0.prefix { $0 != "|" }) } }

  /// `key|unit|x for experts|text`
  private static let lines = """
    username|||The user at the broker, and the second level of the topic
    deviceId|||The device, and the third level of the topic; empty: the board's host name
    tid|||The two characters that maps show; empty: the last two of the device
    clientId||x|What identifies this connection to the broker; empty: user and device
    monitoring|||The mode: -1 quiet, 0 manual, 1 significant, 2 move
    preset|||Whose defaults move mode uses for distance and time where they are not set
    locatorDisplacement|m||Distance from the last location after which move mode publishes
    locatorInterval|s||Time since the last location after which move mode publishes; 0 or less: no timer
    significantDisplacement|m||Distance that significant mode requires
    significantInterval|s||Time that must have passed as well in significant mode
    significantWindow|s||How long significant mode looks for a better position; 0: the first is published
    reportFixLoss|||Publishes the last place once more when the receiver has lost its fix
    ping|min||Silence after which the place is published again; 0: never
    dataBudget|MB||Data of a month; where it goes faster than the month, positions are sent further apart; 0: none
    ignoreInaccurateLocations|m||A position that is less accurate is not used; 0: every position is used
    extendedData|||Adds altitude, course, speed, mode, network, pressure and the vehicle's lines
    downgrade|%||Battery level below which move mode becomes significant mode; 0: off
    adapt|min||Time without movement after which move mode becomes significant mode; 0: never
    adaptRequiresFollow|||Whether adapt needs the board to be inside a region that follows it
    networkModes|||The mode by the WiFi network: its name, a mode inside, a mode outside
    timeModes|||The mode by the time of day: a period, a mode within it, a mode outside
    adaptive|||Move mode publishes where the track turns and where the speed changes
    adaptiveDistance|m||Distance after which adaptive recording always publishes
    adaptiveHeading|°||What counts as a turn
    adaptiveSpeed|km/h||What counts as a change of speed
    odometer|||Counts the distance travelled, and adds it to every location
    trips|||Publishes the start and the stop of trips
    towAlarm|m||Alarm when the parked vehicle has been moved that far; 0: off
    anchorAlarm|m||Alarm when the boat is farther from where it was when this was set; 0: off
    alarmMessages|||Alarms are messages of their own besides the locations that report them
    overspeed|km/h||Alarm when the vehicle is faster; 0: off
    harshDriving|||Alarm when the vehicle brakes, accelerates or corners hard; needs 5 positions a second
    harshBraking|g||Braking from which on it is hard
    harshAcceleration|g||Acceleration from which on it is hard
    harshCornering|g||Force to the side from which on cornering is hard
    ranging|||Publishes the distance of beacons in range
    positions|||How many locations are kept where days is -1, and for each friend
    days|d||How long locations are kept; 0: one location; -1: positions counts
    ignoreStaleLocations|d||Silence after which a friend is left out of the list; 0: never
    mode|||How messages leave the board
    host|||Name or address of the broker, without mqtt://; or several, with commas between them, each with a port or not
    url|||Where HTTP mode posts to
    httpHeaders|||Headers for HTTP mode, separated by a backslash and an n
    port||x|The broker's port; 0: nothing is sent over MQTT or queued
    tls||x|Whether the connection is encrypted and the broker's certificate checked
    tlsCaFile|||Certificates to trust, PEM; empty: the system's
    tlsClientCert|||A certificate for this board, PEM
    tlsClientKey|||The key of that certificate, without a password
    allowinvalidcerts||x|Accepts any certificate: anyone in between can read and change everything
    auth||x|Whether the server is sent a user name
    usePassword||x|Whether the server is sent a password
    password|||The password for the server
    encryptionKey|||A secret with which what is published is encrypted; empty: it is not
    mqttProtocolLevel||x|The version of MQTT
    keepalive|s|x|Silence after which the broker is pinged; 0: never
    keepAliveParked|s|x|The same while the vehicle stands; the will then comes later, always; 0: as keepalive
    cleanSession||x|Whether the broker discards our session when the connection ends
    pubTopicBase||x|Where locations go; empty: owntracks/%u/%d, user and device
    pubQos||x|Quality of service of what is published
    pubRetain||x|Whether the broker retains the last location for later subscribers
    sub||x|Whether the board subscribes to anything at all
    friends|||Whether the board listens to others on the same broker
    subQos||x|Quality of service of the subscriptions
    subTopic||x|Filters to use instead of the usual ones, separated by blanks
    roundTrip|||Checks that the broker passes on what it acknowledges (MQTT 3.1.1)
    holdUnheard|||Messages wait where the broker says that nobody has subscribed (MQTT 5)
    connectionTimeoutSeconds|s|x|How long the server may take to answer
    publishLocationOnConnect|||Publishes the place whenever a connection comes up
    backlog|||What happens to locations that waited for a connection
    backlogTimes|||Periods in which locations that wait for WiFi go over any network
    availability|||Publishes presence, retained
    statusInterval|s||Publishes the board's state, retained, and again after so long; 0: does not repeat it
    discovery|||Describes the board to Home Assistant
    discoveryPrefix||x|Where Home Assistant listens for it
    announceWaypoints||x|Which regions are published as waypoints when they are made or changed
    reconnectMin|s|x|Time until the first new attempt; each further wait is twice as long
    reconnectMax|s|x|The longest wait between two attempts
    reconnectSpread|s|x|Time over which the boards of a fleet come back after their server's end
    maxInFlight||x|The most messages in flight
    resendLost|s|x|What was acknowledged within so long is sent again if the broker has lost it; 0: nothing
    batchSeconds|s||Locations wait for so long to travel together, for homeward unbatch; 0: each goes by itself
    cmd|||Obeys commands
    allowRemoteLocation|||Publishes the place when a command asks for it
    remoteConfiguration|||Lets commands change regions and settings
    legacyListento||x|Accepts the bare word publish on listento, as the first apps did
    commandMaxAge|s||Age at which a command is too old to be obeyed; 0: never
    acceptRetainedCommands||x|Also obeys the broker's copy of a command, which arrives again with every connection
    requireEncryptedCommands|||Obeys only commands that were encrypted, are dated, and were not obeyed before
    dumpSecrets||x|Lets a dump contain passwords in clear
    locked|||People at the board may look, publish and call for help, but change nothing
    regionConfirm||x|Positions in a row that must agree before a crossing counts
    physicsGate||x|Withholds positions that no vehicle could have reached
    holdDown|s|x|How long a region whose name begins with - must stay left
    beaconLossTimeout|s||Silence after which a beacon is gone; auto: learned from its rhythm
    reentryGuard|s|x|Time after a leave in which stray advertisements are no enter
    beaconEnterRssi|dBm||Strength at which a beacon counts as near; 0: however faint
    beaconLeaveRssi|dBm||Strength below which a beacon counts as silent; 0: 6 dB below the enter threshold
    beaconNeedsPlace||x|A beacon is no enter where GPS is sure that its region is far
    scanDuty|%|x|Share of the time that the radio listens
    scanAdapter|||Which Bluetooth adapter; empty: whichever there is
    scanMethod||x|How the radio listens
    rangingMinInterval|s|x|The least time between two distances of one beacon
    pathLossExponent||x|How fast a signal fades: 2 in the open, up to 4 between walls
    beaconAccDecimals||x|Decimals of a distance in metres
    beaconNumberBase||x|How major and minor are written in a region's name
    osmTemplate|||Where phones load the page's map from; empty: from nowhere
    osmCopyright|||Whom the map has to name
    tacho|||How the page draws the speed
    gpsdHost|||Where gpsd runs
    gpsdPort|||The port of gpsd
    gpsdDevice|||The receiver to listen to; empty: whatever gpsd has
    gpsDutyCycle|s||Time between two looks in all modes except move; 0: the receiver never rests
    receiverSleep|||Puts a receiver of u-blox to sleep while it rests, through gpsd
    jammingWatch|||Asks a receiver of u-blox, through gpsd, whether it is jammed or spoofed
    batterySource|||Where the battery's level comes from
    batteryVoltages|||What the volts of an INA219 mean
    powerFailInput|||The signal that the power is failing
    sosInput|||The button that calls for help when it is held for a second
    ignitionInput|||The signal that the ignition is on
    ignitionDelay|s||Time from ignition off until move mode becomes significant mode
    parkedShutdown|s||Time from ignition off until the board is switched off; 0: never
    parkedWake|h||Time after which a board that was switched off wakes to check in; 0: never
    parkedWakeLimit|s||Longest time that it looks for a place and the server then
    vehicleBattery|||What measures the vehicle's starter battery
    vehicleBatteryLow|V||Below it move mode becomes significant mode; 0: never
    vehicleBatteryOff|V||Below it the board is switched off; 0: never
    batterySteps|||How the board spares a battery, step by step: what it does, and below which level
    fixTimeout|s|x|Age at which a position is old
    queueLimit||x|Messages that may wait
    queueLimitMegabytes|MiB|x|The space that they may take
    extraKeys|||A directory whose files become keys of every location
    onEvent|||A program that is run for each event
    onEventFor|||What that program is run for
    onEventTimeout|s||Time after which it is killed
    onOutage|s||Time without the server after which /etc/homeward/outage is run; 0: never
    stateDir||x|The folder of the store
    controlSocket||x|Where the command line and the page talk to the tracker
    geocodeUrl|||The server that is asked for the address of a place, by the command line alone
    record|MiB||Recordings that are kept; 0: nothing is recorded
    recordDir|||The folder of the recordings; empty: beside the control socket
    logLevel|||How much is logged to the journal
    """
}
