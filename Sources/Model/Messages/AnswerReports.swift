import Timebase

/// The configuration as it is in force, the regions and the mode of this moment.
public struct DumpReport: Hashable, Sendable {
  public var time: WallTime
  public var mode: MonitoringMode
  /// Those that are shared.
  public var regions: [Region]

  public init(time: WallTime, mode: MonitoringMode, regions: [Region]) {
    self.time = time
    self.mode = mode
    self.regions = regions
  }
}

/// Steps that nobody counts on a board: the question is answered, the number is -1.
public struct StepsReport: Hashable, Sendable {
  public var time: WallTime
  /// Unix seconds as asked; nil: the local midnight before `to`, and now.
  public var from: Double?
  public var to: Double?

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
  public var mode: ModeState
  public var battery: Battery?
  public var queueLength: Int
  public var queueBytes: Int
  /// `tst` of the message that waits longest.
  public var oldest: Int?
  /// Lost to overflow in the store's whole life; sent again after a failure; refused for good.
  public var dropped: Int
  public var resent: Int
  public var refused: Int
  /// Seconds since the broker last confirmed a message; nil: not since the start.
  public var lastConfirmed: Int?
  public var historyCount: Int
  /// Said unasked, of somebody who is there or goes; nil: an answer.
  public var isOnline: Bool?
  /// The newest place, where it is told at all.
  public var fix: Fix?
  /// What only adapters know; nil in a replay.
  public var board: BoardFacts?

  public init(time: WallTime?, mode: ModeState, queueLength: Int, historyCount: Int) {
    self.time = time
    self.mode = mode
    self.queueLength = queueLength
    self.historyCount = historyCount
    (queueBytes, dropped, resent, refused) = (0, 0, 0, 0)
  }
}

/// The board and its parts, for `status` messages.
public struct BoardFacts: Hashable, Sendable {
  public var version = ""
  public var hostName = ""
  public var kernel = ""
  /// As the device tree names it; nil: it does not.
  public var model: String?
  /// Seconds since the board started.
  public var uptime = 0
  public var isGpsdConnected = false
  public var receiver: String?
  /// gpsd's: 0 unknown, 1 no fix, 2 and 3 dimensions.
  public var fixMode = 0
  public var satellites: Int?
  public var hasBluetooth = false
  public var isBluetoothPowered = false
  public var isScanning = false
  public var hasBarometer = false
  public var locale = ""

  public init() {}
}
