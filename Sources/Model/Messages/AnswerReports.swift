import Timebase

/// The configuration as it is in force, the regions and the mode of this moment.
public struct DumpReport: Hashable, Sendable {
  /// When it was asked; the message's place in the queue is dated by it.
  public var time: WallTime
  /// The mode that is on now, which the settings need not say.
  public var mode: MonitoringMode
  /// Those that are shared.
  public var regions: [Region]

  /// Made while the command is obeyed; the encoder adds the settings.
  public init(time: WallTime, mode: MonitoringMode, regions: [Region]) {
    self.time = time
    self.mode = mode
    self.regions = regions
  }
}

/// Steps that nobody counts on a board: the question is answered, the number is -1.
public struct StepsReport: Hashable, Sendable {
  /// When it was asked.
  public var time: WallTime
  /// Unix seconds as asked; nil: the local midnight before `to`.
  public var from: Double?
  /// Unix seconds as asked; nil: `time`.
  public var to: Double?

  /// `from` and `to` as the command gave them.
  public init(time: WallTime, from: Double?, to: Double?) {
    self.time = time
    self.from = from
    self.to = to
  }
}

/// How the tracker is, for those who ask over the network.
public struct StatusReport: Hashable, Sendable {
  /// Nil: no clock can be trusted yet.
  public var time: WallTime?
  /// With the notes of an automatic change.
  public var mode: ModeState
  /// Nil: the board has none, or nothing is known of it.
  public var battery: Battery?
  /// Messages that the server has not confirmed.
  public var queueLength: Int
  /// Topics and payloads of those, bytes.
  public var queueBytes: Int
  /// `tst` of the message that waits longest.
  public var oldest: Int?
  /// Messages lost to overflow in the store's whole life.
  public var dropped: Int
  /// Messages sent again after a failure, since the start.
  public var resent: Int
  /// Messages refused for good, since the start.
  public var refused: Int
  /// Seconds since the broker last confirmed a message; nil: not since the start.
  public var lastConfirmed: Int?
  /// Points of the own track.
  public var historyCount: Int
  /// How the board reaches the world.
  public var network = Network.unknown
  /// The vehicle's; nil: nothing watches it.
  public var ignition: Bool?
  /// Of the battery that starts the vehicle; nil: nothing measures it.
  public var vehicleVolts: Double?
  /// Those that last.
  public var alarms = AlarmNote()
  /// Said unasked, of somebody who is there or goes; nil: an answer.
  public var isOnline: Bool?
  /// Until when `isOnline` holds, or why it is no longer so.
  public var presence = PresenceNote()
  /// The newest place, where it is published at all.
  public var fix: Fix?
  /// Cost of the connection; nil: no clock is believed.
  public var data: DataUse?
  /// Facts that only adapters know; nil in a replay.
  public var board: BoardFacts?

  /// The counters and all that is optional are for the caller to fill in.
  public init(time: WallTime?, mode: ModeState, queueLength: Int, historyCount: Int) {
    self.time = time
    self.mode = mode
    self.queueLength = queueLength
    self.historyCount = historyCount
    (queueBytes, dropped, resent, refused) = (0, 0, 0, 0)
  }
}

/// Alarms that last: whether an anchor is watched, and holds; whether somebody calls for help; whether the receiver is
/// disturbed.
public struct AlarmNote: Hashable, Sendable {
  /// Metres around the anchor; 0: none is watched.
  public var anchorAlarm = 0
  /// The boat is outside of them.
  public var isDragging = false
  /// How often a call for help was published that is not acknowledged; nil: there is none.
  public var sos: Int?
  /// Nil: the receiver is not jammed, or does not say so.
  public var jamming: Interference.Level?
  /// The same of spoofing.
  public var spoofing: Interference.Level?

  /// No anchor is watched, and nobody calls for help.
  public init() {}
}

/// The board and its parts, for `status` messages.
public struct BoardFacts: Hashable, Sendable {
  /// Of the daemon, such as 0.1.0.
  public var version = ""
  /// Its supply, heat and storage; nil: not looked at.
  public var health: BoardHealth?
  /// For the owner of many boards.
  public var fleet = FleetFacts()
  /// As the kernel has it.
  public var hostName = ""
  /// Its release, as `uname -r` prints it.
  public var kernel = ""
  /// As the device tree names it; nil: it does not.
  public var model: String?
  /// Seconds since the board started.
  public var uptime = 0
  /// The source of positions has answered on the connection that stands.
  public var isSourceReached = false
  /// Path of the one that is used, as the source lists it; nil: none yet.
  public var receiver: String?
  /// 0 unknown, 1 no fix, 2 and 3 dimensions.
  public var fixMode = 0
  /// In the fix, counted every 30 s; nil: not counted yet.
  public var satellites: Int?
  /// An adapter was found.
  public var hasBluetooth = false
  /// Advertisements can arrive.
  public var isBluetoothPowered = false
  /// It listens, for some share of the time at least.
  public var isScanning = false
  /// There is one that tells a pressure.
  public var hasBarometer = false
  /// Of messages in the environment of the daemon; mostly C.
  public var locale = ""

  /// Of a board of which nothing is known.
  public init() {}
}

/// The result of a command, for its sender.
public struct CommandResult: Hashable, Sendable {
  /// How much of it was done.
  public enum Outcome: String, Hashable, Sendable {
    /// All of it.
    case done
    /// Some of it; `reason` names what was passed over.
    case partly
    /// Nothing.
    case refused
  }

  /// Of the command.
  public var id: CommandID
  /// As far as it could be read.
  public var action: String?
  /// How much was done.
  public var outcome: Outcome
  /// One line: what was wrong, or what is still to come.
  public var reason: String?
  /// The request for a certificate, as PEM, where one was wanted.
  public var request: String?
  /// Where it goes; nil: to the usual topic.
  public var topic: String?
  /// When it was made; nil: no trusted clock.
  public var time: WallTime?

  /// Without a topic and a time of its own.
  public init(id: CommandID, action: String?, _ outcome: Outcome, reason: String? = nil) {
    self.id = id
    self.action = action
    self.outcome = outcome
    self.reason = reason
  }
}
