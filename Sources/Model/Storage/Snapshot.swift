import Timebase

/// What a tracker needs to go on where it stopped: read from the store once, at the start.
public struct Snapshot: Hashable, Sendable {
  public struct KnownRegion: Hashable, Sendable {
    public var region: Region
    public var presence: Presence

    public init(region: Region, presence: Presence) {
      self.region = region
      self.presence = presence
    }
  }

  public var regions: [KnownRegion] = []
  /// Nil: never stored; the configuration's `monitoring` counts.
  public var mode: ModeState?
  /// The last position known, however old.
  public var position: Fix?
  /// The position that displacement is measured from.
  public var reference: Fix?
  public var tag: String?
  /// What the last `StoreWrite.imported` said.
  public var imported: String?
  public var journey = JourneyState()
  public var remote = RemoteSettings()
  public var commandsSeen: [SeenCommand] = []
  public var clientIDForm = ClientIDForm.apart

  /// Messages in the store, the bytes they cost, and the sequence numbers of the first and the last.
  public var queued = 0
  public var queuedBytes = 0
  public var firstSequence: UInt64 = 0
  public var lastSequence: UInt64 = 0
  public var dropped = 0
  public var historyCount = 0

  public init() {}

  /// What a tracker goes on from when the store cannot be opened: nothing. What it makes comes after every
  /// message that a store may hold, and apart from what an earlier start without a store has made; `clock`
  /// is the system's, right or not.
  public static func withoutStore(at clock: WallTime) -> Snapshot {
    var nothing = Snapshot()
    nothing.lastSequence = 1 << 40 + UInt64(max(0, clock.seconds * 1000)) << 12
    return nothing
  }
}
