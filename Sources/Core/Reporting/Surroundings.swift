import Model

/// What adapters and people have said of the board besides where it is: each is told once, when it changes, and
/// goes along with locations.
struct Surroundings {
  /// Nil: none, or nobody has said yet.
  private(set) var battery: Battery?
  private(set) var network = Network.unknown
  /// Kilopascals.
  private(set) var pressure: Double?
  /// What people call the journey; never empty when they give it.
  private(set) var tag: String?
  private(set) var isGpsdReached = false

  init(tag: String?) { self.tag = tag }

  mutating func batteryChanged(_ battery: Battery?) { self.battery = battery }
  mutating func networkChanged(_ network: Network) { self.network = network }
  mutating func pressureMeasured(_ pressure: Double?) { self.pressure = pressure }
  mutating func gpsdReached(_ isReached: Bool) { isGpsdReached = isReached }

  /// An empty tag is none.
  mutating func tagged(_ tag: String?) { self.tag = tag.flatMap { $0.isEmpty ? nil : $0 } }

  /// Adapters told another tracker of this process, and tell nothing twice. The tag is the disk's.
  mutating func goOn(from earlier: Surroundings) {
    let tag = tag
    self = earlier
    self.tag = tag
  }
}
