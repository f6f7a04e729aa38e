/// A place in an answer, by the keys of a location message; the unit of each is theirs.
public struct PlaceRecord: AnswerRecord {
  /// Degrees.
  public var latitude: Double?
  /// Degrees.
  public var longitude: Double?
  /// Unix seconds.
  public var time: Int?
  /// Metres.
  public var accuracy: Double?
  /// Metres.
  public var altitude: Double?
  /// Kilometres an hour.
  public var speed: Int?
  /// Degrees.
  public var course: Int?
  /// Per cent of the battery.
  public var battery: Int?
  /// The trigger of the location: a letter.
  public var trigger: String?
  /// The tracker id.
  public var tid: String?

  /// Nothing is known.
  public init() {}

  public mutating func keys(_ keys: inout AnswerKeys) {
    keys("lat", &latitude)
    keys("lon", &longitude)
    keys("tst", &time)
    keys("acc", &accuracy)
    keys("alt", &altitude)
    keys("vel", &speed)
    keys("cog", &course)
    keys("batt", &battery)
    keys("t", &trigger)
    keys("tid", &tid)
  }
}

/// One of those who tell where they are, with the newest place.
public struct FriendRecord: AnswerRecord {
  /// The newest one; its keys stand among the friend's own.
  public var place = PlaceRecord()
  /// The base topic.
  public var topic: String?
  /// Of the card, or given by the owner.
  public var name: String?
  /// There is a picture.
  public var hasFace: Bool?
  /// The picture in base64; only where one friend is asked for.
  public var face: String?

  /// Nothing is known.
  public init() {}

  public mutating func keys(_ keys: inout AnswerKeys) {
    place.keys(&keys)
    keys("topic", &topic)
    keys("name", &name)
    keys("hasFace", &hasFace)
    keys("face", &face)
  }
}

/// A page of the answer to `friends`. The lists of this and of the other records hold the elements as
/// they were sent: a program that passes them on loses no key of a newer daemon. `Element.all` reads them.
public struct FriendPage: AnswerRecord {
  /// Each a `FriendRecord`, by topic.
  public var friends: [JSON]?
  /// This board, a `FriendRecord`; on the first page.
  public var own: JSON?
  /// Places of others since a person last looked; on the first page.
  public var updates: Int?
  /// The topic that the following page begins after; nil: there is none.
  public var next: String?

  /// Nothing is known.
  public init() {}

  public mutating func keys(_ keys: inout AnswerKeys) {
    keys("friends", &friends)
    keys("self", &own)
    keys("updates", &updates)
    keys("next", &next)
  }
}

/// The answer to `friend show`.
public struct FriendReply: AnswerRecord {
  /// A `FriendRecord` with the face.
  public var friend: JSON?
  /// Each a `PlaceRecord`, the newest last.
  public var places: [JSON]?

  /// Nothing is known.
  public init() {}

  public mutating func keys(_ keys: inout AnswerKeys) {
    keys("friend", &friend)
    keys("places", &places)
  }
}
