import Model

/// State of the board besides its position, from adapters and people: each value is reported once when it changes, and
/// is part of every location.
struct Surroundings {
  /// Nil: none, or nobody has said yet.
  private(set) var battery: Battery?
  private(set) var network = Network.unknown
  /// Kilopascals.
  private(set) var pressure: Double?
  /// Name of the journey, given by people; never an empty one.
  private(set) var tag: String?
  /// By the source of positions.
  private(set) var isSourceReached = false
  /// Something switches the board on again by itself, where it is asked for; until an adapter says otherwise.
  var canWake = true
  /// Cost of the connection to the server.
  var data: DataAccount

  init(tag: String?, volume: DataVolume = DataVolume()) {
    self.tag = tag
    data = DataAccount(volume)
  }

  mutating func batteryChanged(_ battery: Battery?) { self.battery = battery }
  mutating func networkChanged(_ network: Network) { self.network = network }
  mutating func pressureMeasured(_ pressure: Double?) { self.pressure = pressure }
  mutating func sourceReached(_ isReached: Bool) { isSourceReached = isReached }

  /// An empty tag is none.
  mutating func tagged(_ tag: String?) { self.tag = tag.flatMap { $0.isEmpty ? nil : $0 } }

  /// Adapters told another tracker of this process, and tell nothing twice. The tag is the disk's, and what was
  /// counted.
  mutating func goOn(from earlier: Surroundings) {
    var (tag, data) = (tag, data)
    data.goOn(from: earlier.data)
    self = earlier
    (self.tag, self.data) = (tag, data)
  }
}
