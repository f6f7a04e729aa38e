import Timebase

/// What somebody else's tracker has told, checked (docs/behaviour.md, "Friends").
public enum FriendNews: Hashable, Sendable {
  case location(FriendLocation)
  case card(FriendCard)
  /// Somebody emptied the friend's topic.
  case gone
}

/// Where a friend was.
public struct FriendLocation: Hashable, Sendable {
  public var time: WallTime
  public var coordinate: Coordinate
  /// Metres.
  public var accuracy: Double?
  public var altitude: Double?
  /// Kilometres an hour.
  public var speed: Int?
  /// Degrees.
  public var course: Int?
  /// Percent.
  public var battery: Int?
  public var trigger: String?
  public var tid: String?

  public init(time: WallTime, coordinate: Coordinate) {
    self.time = time
    self.coordinate = coordinate
  }
}

/// What a friend is called, and the face as base64 of a PNG or JPEG.
public struct FriendCard: Hashable, Sendable {
  public var name: String?
  public var face: String?

  public init(name: String? = nil, face: String? = nil) {
    self.name = name
    self.face = face
  }
}

/// A friend as the list shows one.
public struct Friend: Hashable, Sendable {
  /// The base topic.
  public var topic: String
  public var card = FriendCard()
  /// The newest.
  public var location: FriendLocation?

  public init(topic: String) { self.topic = topic }

  /// Not seen for more than `days` (0: never hidden). Seen again, a friend is back.
  public func isStale(at now: WallTime, days: Double) -> Bool {
    guard days > 0, let location else { return false }
    return now.seconds - location.time.seconds > days * 86_400
  }

  /// What is no newer than what is known is not news.
  public func isNews(_ new: FriendLocation) -> Bool {
    location.map { new.time.seconds > $0.time.seconds } ?? true
  }
}
