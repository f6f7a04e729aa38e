/// One line of a transaction on the store. All writes of one wake-up are one transaction: a transition
/// and the presence that it tells of reach the disk together or not at all.
public indirect enum StoreWrite: Hashable, Sendable {
  /// A message of the queue; one with this sequence that is there already stays as it is.
  case insert(Message)
  /// Acknowledged, refused or thinned out.
  case remove([UInt64])
  /// Every message with a sequence above `after` and up to `through`.
  case removeRange(after: UInt64, through: UInt64)
  /// Made, changed or crossed: takes the place of the one with its id.
  case region(Region, Presence)
  /// One that is not there is none.
  case regionRemoved(rid: String)
  /// With the notes of an automatic change.
  case mode(ModeState)
  /// The last position known.
  case position(Fix)
  /// The position that displacement is measured from.
  case reference(Fix)
  /// A point of the own track, at its end.
  case history(LocationReport)
  /// Keep this number of the newest points, or those from this Unix second on.
  case pruneHistory(keep: Int?, since: Double?)
  /// These points go, those among them that this very transaction makes as well.
  case removePoints(HistoryPart)
  /// Nil: no more.
  case tag(String?)
  /// Which regions of the configuration file were merged: the same ones again change nothing.
  case imported(String)
  /// Changes that commands have made to the configuration.
  case remoteSettings(RemoteSettings)
  /// Encrypted commands that were obeyed.
  case commandsSeen([SeenCommand])
  /// How the client id has been made since the board's first start. Never `unsaid`.
  case clientIDForm(ClientIDForm)
  /// The odometer, the trip under way, where the vehicle stands.
  case journey(JourneyState)
  /// The regions that the world was told of entering, all of them.
  case entered([EnteredRegion])
  /// Topics of the descriptions that a broker keeps for Home Assistant, all of them.
  case announced([String])
  /// Cost of the connection to the server.
  case volume(DataVolume)
  /// The board is about to be switched off, to wake by itself; nil: it is awake on purpose.
  case sleep(Sleep?)
  /// How far the board has stepped down to spare a battery.
  case batterySteps(BatterySteps)
  /// How many messages overflow has cost in the store's whole life.
  case dropped(Int)
}

/// The properties of a queued message that thinning needs.
public struct QueueEntry: Hashable, Sendable {
  /// Of its message; grows with age turned round: the oldest is the lowest.
  public var sequence: UInt64
  /// Unix seconds.
  public var time: Int
  /// It must not be thinned out.
  public var isEvent: Bool
  /// Bytes.
  public var size: Int

  /// A row of the store's index, or a message in memory.
  public init(sequence: UInt64, time: Int, isEvent: Bool, size: Int) {
    self.sequence = sequence
    self.time = time
    self.isEvent = isEvent
    self.size = size
  }
}
