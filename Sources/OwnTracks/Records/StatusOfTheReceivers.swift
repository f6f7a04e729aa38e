/// The parts of `status` that tell of what the board hears.
extension StatusRecord {
  /// The source of positions and its receiver.
  public struct Receiver: AnswerRecord {
    /// Name of the source, such as `gpsd`.
    public var source: String?
    /// The source is.
    public var reached: Bool?
    /// Of the source.
    public var version: String?
    /// The receiver that is believed.
    public var device: String?
    /// The source's word for its kind.
    public var driver: String?
    /// 0: unknown, 1: no fix, 2: without, 3: with altitude.
    public var mode: Int?
    /// That are used.
    public var satellites: Int?
    /// Why there is no position.
    public var cause: String?
    /// Seconds since the receiver said anything, where that is a trouble.
    public var silent: Int?
    /// Seconds since its last report.
    public var lastReport: Double?
    /// Lines that made no sense.
    public var malformed: Int?
    /// `unknown`, `none`, `warning` or `critical`, as it says itself; nil: it was not asked, or has not answered.
    public var jamming: String?
    /// The same of spoofing.
    public var spoofing: String?
    /// It was asked for these, and has not answered; otherwise nil.
    public var monitorSilent: Bool?

    /// Nothing is known.
    public init() {}

    /// For people. A daemon of an earlier version does not name it.
    public var sourceName: String { source ?? "the receiver" }

    public mutating func keys(_ keys: inout AnswerKeys) {
      keys("source", &source)
      keys("reached", &reached)
      keys("version", &version)
      keys("device", &device)
      keys("driver", &driver)
      keys("mode", &mode)
      keys("satellites", &satellites)
      keys("cause", &cause)
      keys("silent", &silent)
      keys("lastReport", &lastReport)
      keys("malformed", &malformed)
      keys("jamming", &jamming)
      keys("spoofing", &spoofing)
      keys("monitorSilent", &monitorSilent)
    }
  }

  /// The radio that hears beacons.
  public struct Scanner: AnswerRecord {
    /// In one word; `idle`: no beacon is wanted.
    public var state: String?
    /// It can.
    public var hearing: Bool?
    /// Per cent of the time that it listens.
    public var duty: Int?
    /// How it listens.
    public var way: String?
    /// Why in that way.
    public var reason: String?
    /// The obstacle.
    public var cause: String?
    /// Its name.
    public var adapter: String?
    /// Its Bluetooth address.
    public var address: String?
    /// Heard since the start.
    public var reports: Int?
    /// Of them, beacons that are wanted.
    public var sightings: Int?
    /// Steps taken to make it recover.
    public var steps: Int?
    /// Per cent of the beacons' calls that arrive.
    public var reception: Int?
    /// Seconds since the last report.
    public var lastHeard: Double?
    /// Advice that would make it hear more.
    public var hints: [String]?

    /// Nothing is known.
    public init() {}

    public mutating func keys(_ keys: inout AnswerKeys) {
      keys("state", &state)
      keys("hearing", &hearing)
      keys("duty", &duty)
      keys("way", &way)
      keys("reason", &reason)
      keys("cause", &cause)
      keys("adapter", &adapter)
      keys("address", &address)
      keys("reports", &reports)
      keys("sightings", &sightings)
      keys("steps", &steps)
      keys("yield", &reception)
      keys("lastHeard", &lastHeard)
      keys("hints", &hints)
    }
  }
}
