import Timebase

/// The state from which a tracker goes on where it stopped: read from the store once, at the start.
public struct Snapshot: Hashable, Sendable {
  /// A region, and where the board was to it.
  public struct KnownRegion: Hashable, Sendable {
    /// A follow region is as it was at the last end, or some minutes before a power cut.
    public var region: Region
    /// At the last crossing; nobody has looked since the stop.
    public var presence: Presence

    /// A row of the store, or an answer to `region list`.
    public init(region: Region, presence: Presence) {
      self.region = region
      self.presence = presence
    }
  }

  /// In the order in which they were made.
  public var regions: [KnownRegion] = []
  /// Nil: never stored; the configuration's `monitoring` counts.
  public var mode: ModeState?
  /// The last position known, however old.
  public var position: Fix?
  /// The position that displacement is measured from.
  public var reference: Fix?
  /// Nil: none.
  public var tag: String?
  /// The digest of the last `StoreWrite.imported`.
  public var imported: String?
  /// Empty where nothing was ever counted.
  public var journey = JourneyState()
  /// Settings changed by commands; the file may have been edited since.
  public var remote = RemoteSettings()
  /// Encrypted commands that must not be obeyed again, at most 256.
  public var commandsSeen: [SeenCommand] = []
  /// Regions whose enter was published and whose leave was not, oldest first; nil: a store made by an earlier version
  /// has no such list.
  public var entered: [EnteredRegion]? = []
  /// Topics of the descriptions that a broker keeps for Home Assistant.
  public var announced: [String] = []
  /// `apart` in a store that begins now, `unsaid` in one that an earlier version has made.
  public var clientIDForm = ClientIDForm.apart
  /// Cost of the connection to the server.
  public var volume = DataVolume()
  /// The board was switched off to wake by itself; nil: something else has ended the last life.
  public var sleep: Sleep? {
    get { power.sleep }
    set { power.sleep = newValue }
  }
  /// How far the board had stepped down to spare a battery.
  public var batterySteps: BatterySteps {
    get { power.steps }
    set { power.steps = newValue }
  }
  private var power = Power()

  private struct Power: Hashable, Sendable {
    var sleep: Sleep?
    var steps = BatterySteps()
  }

  /// Messages in the store.
  public var queued = 0
  /// Topics and payloads of those, bytes.
  public var queuedBytes = 0
  /// Of the oldest one; 0: there is none.
  public var firstSequence: UInt64 = 0
  /// The highest that was ever given, though its message be gone; 0: none was.
  public var lastSequence: UInt64 = 0
  /// Messages that overflow has cost in the store's whole life.
  public var dropped = 0
  /// Points of the own track.
  public var historyCount = 0

  /// Of a store that has just begun.
  public init() {}

  /// An empty state, for a tracker whose store cannot be opened. Its messages come after every message that a store
  /// may hold, and apart from those of an earlier start without a store; `clock` is the system's, right or not.
  public static func withoutStore(at clock: WallTime) -> Snapshot {
    var nothing = Snapshot()
    nothing.lastSequence = 1 << 40 + UInt64(max(0, clock.seconds * 1000)) << 12
    return nothing
  }
}

/// A region that the world was told of entering.
public struct EnteredRegion: Hashable, Sendable {
  /// As it was announced, without its edges and its limit of speed.
  public var region: Region
  /// It was removed, renamed, moved or is no longer shared: the leave is owed, wherever the board is.
  public var isChanged: Bool

  /// A row of the store.
  public init(region: Region, isChanged: Bool) {
    self.region = region
    self.isChanged = isChanged
  }
}
