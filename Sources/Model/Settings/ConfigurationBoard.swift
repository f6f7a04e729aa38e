extension Configuration {
  /// Geofences.
  public struct Regions: Hashable, Sendable {
    /// Fixes in a row that have to agree on a crossing.
    public var confirm = 2
    /// Jumps that no vehicle makes are not believed.
    public var physicsGate = true
    /// Seconds for which a region `-Name` has to be left.
    public var holdDown = 3
  }

  /// iBeacons and the radio that hears them.
  public struct Beacons: Hashable, Sendable {
    /// Seconds of silence after which one is left; 0: learned from each beacon.
    public var lossTimeout = 0
    /// Seconds after leaving in which a faint signal does not enter again.
    public var reentryGuard = 120
    /// How major and minor are written.
    public var numberBase = BeaconNumberBase.auto
    /// A beacon's region is not entered where GPS knows the board to be far from it.
    public var needsPlace = true
    /// Distances are published.
    public var ranging = false
    /// Seconds between two ranging messages of one beacon, at least.
    public var rangingMinInterval = 1
    /// How fast a signal fades with distance: 2 in the open, up to 4 indoors.
    public var pathLossExponent = 2.0
    /// Decimals of a ranging message's metres.
    public var accuracyDecimals = 0
    /// dBm, the median of five: a beacon counts as near from here on; 0: however faint it is.
    public var enterRssi = 0
    /// dBm: below it a beacon counts as silent; 0: `rssiHysteresis` under `enterRssi`.
    public var leaveRssi = 0
    /// Percent of the time that the radio listens; 0 ("off"): never, -1 ("auto"): as it is needed.
    public var scanDuty = -1
    /// The Bluetooth adapter's address; empty: whichever there is.
    public var scanAdapter = ""
    /// How it listens.
    public var scanMethod = ScanMethod.auto
  }

  /// Key `scanMethod`.
  public enum ScanMethod: String, CaseIterable, Hashable, Sendable {
    /// The best that works.
    case auto
    /// Only the kernel's advertisement monitor.
    case monitor
    /// Only a raw socket.
    case raw
  }

  /// dB that the leave threshold lies under the enter threshold, at least: fading alone spans less.
  public static let rssiHysteresis = 6

  /// The GNSS receiver, behind gpsd.
  public struct Receiver: Hashable, Sendable {
    /// gpsd's host, name or address.
    public var host = "localhost"
    /// gpsd's port.
    public var port = 2947
    /// gpsd's name of the receiver; empty: whatever it has.
    public var device = ""
    /// Seconds between looks in significant, manual and quiet mode; 0: the receiver never rests.
    public var dutyCycle = 0
    /// A receiver of u-blox is put to sleep while it rests.
    public var sleeps = false
    /// A receiver of u-blox is asked whether it is jammed or spoofed.
    public var watchesJamming = false
  }

  /// Batteries, ignition and the end of power.
  public struct Power: Hashable, Sendable {
    /// Where the battery's level comes from.
    public var batterySource = Written<BatterySource>("auto")
    /// Battery level by an INA219's voltage; this is one lithium-ion cell.
    public var batteryVoltages = Written<VoltageTable>("3.3:0 3.6:10 3.7:25 3.8:50 3.95:75 4.15:100")
    /// The input that signals a power failure.
    public var powerFailInput = Written<PowerFailSource>("")
    /// The input that signals ignition on.
    public var ignitionInput = Written<PowerFailSource>("")
    /// The input of a button that calls for help.
    public var sosInput = Written<PowerFailSource>("")
    /// Seconds from ignition off to significant mode.
    public var ignitionDelay = 60
    /// Seconds from ignition off to switching off the board; 0: never.
    public var parkedShutdown = 0
    /// Hours after which a board that has switched itself off is woken to check in; 0: never.
    public var parkedWake = 0.0
    /// Seconds that such a check-in may last.
    public var parkedWakeLimit = 300
    /// The meter of the starter battery.
    public var vehicleBattery = Written<VoltageSource>("")
    /// Volts: below it the mode is lowered; 0: never.
    public var vehicleBatteryLow = 11.9
    /// Volts: below it the board is switched off; 0: never.
    public var vehicleBatteryOff = 0.0
    /// The board steps down as a battery runs down.
    public var batterySteps = Written<BatteryLimits>("")
  }

  /// Messages that wait for the server.
  public struct Queue: Hashable, Sendable {
    /// Messages; beyond it locations are thinned out.
    public var limit = 102_400
    /// MiB, the same.
    public var limitMegabytes = 100
    /// Treatment of locations that waited for a connection.
    public var backlog = Backlog.always
    /// When old locations go over any network, with `wifi`.
    public var backlogTimes = Written<BacklogTimes>("")
    /// Key `resendLost`, seconds: what the broker acknowledged within so long is sent again where the broker turns out to
    /// have lost it; 0: nothing is.
    public var resendLost = 1800
    /// Key `batchSeconds`: locations wait for so long to travel together; 0: each goes by itself.
    public var batchSeconds = 0
  }

  /// Key `backlog`: when locations go that had waited for a minute as the connection came up.
  public enum Backlog: String, CaseIterable, Hashable, Sendable {
    /// With the others, in order.
    case always
    /// Only over WiFi or a cable, or in `backlogTimes`; until then newer ones pass them.
    case wifi
    /// Not at all.
    case never
  }

  /// The page that the board serves; the daemon itself only tells what is set.
  public struct Page: Hashable, Sendable {
    /// Where phones load the map from, with `{z}`, `{x}` and `{y}`; empty: from nowhere.
    public var template = ""
    /// Attribution of that map, as its server wants it.
    public var copyright = ""
    /// How the tachometer is drawn.
    public var tacho = Tacho.interpolated
  }

  /// Key `tacho`: how a speed becomes an angle.
  public enum Tacho: String, CaseIterable, Hashable, Sendable {
    /// Logarithmic, through 30, 100 and 180 km/h at a quarter of the dial each.
    case interpolated
    /// Logarithmic, as the first apps drew it.
    case classic
    /// As today's apps draw it.
    case linear
  }

  /// Programs and files of the owner.
  public struct Programs: Hashable, Sendable {
    /// A directory whose files are keys of every location; empty: none.
    public var extraKeys = ""
    /// A program that is run for each event; empty: none.
    public var onEvent = ""
    /// The occasions on which that program is run.
    public var onEventFor = EventScope.events
    /// Seconds that it may take.
    public var onEventTimeout = 10
    /// Seconds without a way to the server after which /etc/homeward/outage is asked for; 0: never.
    public var onOutage = 0
  }

  /// Key `onEventFor`: what the owner's program is run for.
  public enum EventScope: String, CaseIterable, Hashable, Sendable {
    /// Events, and messages that were asked for.
    case events
    /// Every message.
    case all
  }

  /// Paths and log of the daemon.
  public struct Board: Hashable, Sendable {
    /// The store's directory.
    public var stateDir = "/var/lib/homeward"
    /// The socket that `homeward` talks to.
    public var controlSocket = "/run/homeward/control"
    /// Server for the address of a place, a secret; only `homeward where` asks it. Empty: no server is asked.
    public var geocodeUrl = ""
    /// Least severity that is logged.
    public var logLevel = LogLevel.info
    /// MiB of recordings that are kept, to be played again; 0: nothing is recorded.
    public var record = 0
    /// Where they are; empty: beside the control socket.
    public var recordDir = ""
  }

  /// Key `logLevel`: lines of this weight and above are written.
  public enum LogLevel: String, CaseIterable, Hashable, Sendable {
    /// Needs attention.
    case error
    /// May need attention.
    case warning
    /// Good to know afterwards.
    case info
    /// Helps to find a fault.
    case debug
  }
}

extension Configuration.Power {
  /// Seconds between looks of a receiver that a battery step lets rest, where `gpsDutyCycle` says none.
  public static let restOfStep = 600
  /// Hours until a board wakes that a battery step has switched off, where `parkedWake` says none.
  public static let wakeOfStep = 6.0

  /// Hours until the next check-in of a board that `step` applies to; 0: it does not wake by itself.
  public func wakeHours(at step: BatteryStep?) -> Double {
    switch step {
    case nil, .receiver, .beacons: parkedWake
    case .checkins: parkedWake > 0 ? parkedWake : Self.wakeOfStep
    case .off: 0
    }
  }

  /// The longest that the board may be switched off until its alarm, hours; 0: it is never woken.
  public var longestSleep: Double {
    wakeHours(at: batterySteps.value?.name(.checkins) == true ? .checkins : nil)
  }
}

extension BatteryLimits: WrittenValue {}

/// How the numbers of a beacon are written, as the key `beaconNumberBase` says it.
public enum BeaconNumberBase: String, CaseIterable, Hashable, Sendable {
  /// Hexadecimal with `0x` or a letter A-F in it, else decimal.
  case auto
  /// Always hexadecimal.
  case hex
  /// Decimal, unless it is marked with `0x`.
  case dec
}
