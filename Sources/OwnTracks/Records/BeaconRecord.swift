/// A beacon that forms a region, or one that the radio hears besides: then without a region and what follows from it.
public struct BeaconRecord: AnswerRecord {
  /// The region's name.
  public var region: String?
  /// The region's id.
  public var rid: String?
  /// Of the beacon.
  public var uuid: String?
  /// Nil: any.
  public var major: Int?
  /// Nil: any.
  public var minor: Int?
  /// dBm.
  public var rssi: Int?
  /// Metres.
  public var distance: Double?
  /// Seconds since it was last heard.
  public var age: Double?
  /// The board is inside of its region.
  public var inside: Bool?
  /// Seconds of silence after which the region is left.
  public var lossTimeout: Double?
  /// Advice that would make it heard better.
  public var hints: [String]?
  /// How often a stranger was heard.
  public var count: Int?

  /// Nothing is known.
  public init() {}

  public mutating func keys(_ keys: inout AnswerKeys) {
    keys("region", &region)
    keys("rid", &rid)
    keys("uuid", &uuid)
    keys("major", &major)
    keys("minor", &minor)
    keys("rssi", &rssi)
    keys("distance", &distance)
    keys("age", &age)
    keys("inside", &inside)
    keys("lossTimeout", &lossTimeout)
    keys("hints", &hints)
    keys("count", &count)
  }
}

/// The answer to `beacons` and to `beacons strangers`.
public struct BeaconList: AnswerRecord {
  /// Each a `BeaconRecord`.
  public var beacons: [JSON]?
  /// Each a `BeaconRecord`, the nearest first.
  public var strangers: [JSON]?
  /// The radio that hears them.
  public var scanner: StatusRecord.Scanner?

  /// Nothing is known.
  public init() {}

  public mutating func keys(_ keys: inout AnswerKeys) {
    keys("beacons", &beacons)
    keys("strangers", &strangers)
    keys("scanner", &scanner)
  }
}
