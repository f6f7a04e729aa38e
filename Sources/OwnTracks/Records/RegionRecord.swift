/// A region as answers, files and messages hold it: a waypoint object. `WaypointFields` is the strict reader of those
/// that come from outside.
public struct RegionRecord: AnswerRecord {
  /// Whether the board is inside stands in answers alone.
  private static let presence = "inside"

  /// `waypoint`.
  public var type: String?
  /// The name, with the beacon that the iOS app looks for there.
  public var name: String?
  /// Degrees.
  public var latitude: Double?
  /// Degrees.
  public var longitude: Double?
  /// Metres; 0: no circle.
  public var radius: Int?
  /// The id.
  public var rid: String?
  /// Unix seconds of its creation.
  public var created: Int?
  /// Of its beacon.
  public var uuid: String?
  /// Of its beacon; nil: any.
  public var major: Int?
  /// Of its beacon; nil: any.
  public var minor: Int?
  /// False: it is never published; otherwise nil.
  public var share: Bool?
  /// Kilometres an hour.
  public var speedLimit: Int?
  /// Corners of an area.
  public var polygon: JSON?
  /// True: nothing but the crossing is told while inside; otherwise nil.
  public var isPrivate: Bool?
  /// Seconds inside before the enter is published.
  public var dwell: Int?
  /// The board is inside; nil: not known.
  public var inside: Bool?

  /// Nothing is known.
  public init() {}

  public mutating func keys(_ keys: inout AnswerKeys) {
    keys("_type", &type)
    keys("desc", &name)
    keys("lat", &latitude)
    keys("lon", &longitude)
    keys("rad", &radius)
    keys("rid", &rid)
    keys("tst", &created)
    keys("uuid", &uuid)
    keys("major", &major)
    keys("minor", &minor)
    keys("share", &share)
    keys("speedLimit", &speedLimit)
    keys("polygon", &polygon)
    keys("private", &isPrivate)
    keys("dwell", &dwell)
    keys(Self.presence, &inside)
  }

  /// An element of an answer as files hold it: all that was sent, without where the board is.
  public static func forFiles(_ sent: JSON) -> JSON {
    var region = sent
    region.set(presence, nil)
    return region
  }
}

/// The answer to `region list`.
public struct RegionList: AnswerRecord {
  /// Each a `RegionRecord`.
  public var regions: [JSON]?

  /// Nothing is known.
  public init() {}

  public mutating func keys(_ keys: inout AnswerKeys) {
    keys("regions", &regions)
  }
}
