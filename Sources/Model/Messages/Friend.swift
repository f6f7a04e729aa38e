import Timebase

/// News from another tracker, checked (docs/behaviour.md, "Friends").
public enum FriendNews: Hashable, Sendable {
  /// A place that may be older than the one known: `Friend.isNews` tells.
  case location(FriendLocation)
  /// Takes the place of the card before, face and all.
  case card(FriendCard)
  /// Somebody emptied the friend's topic.
  case gone
}

/// Where a friend was.
public struct FriendLocation: Hashable, Sendable {
  /// `tst` of the message: by the sender's clock.
  public var time: WallTime
  /// On the Earth, and not 0, 0.
  public var coordinate: Coordinate
  /// Metres; nil: not told, as everything below.
  public var accuracy: Double?
  /// Metres above the sea.
  public var altitude: Double?
  /// Kilometres an hour.
  public var speed: Int?
  /// Degrees from north, as the sender rounds them.
  public var course: Int?
  /// Percent.
  public var battery: Int?
  /// `t`: one letter, any.
  public var trigger: String?
  /// At most 32 bytes; phones send two characters.
  public var tid: String?

  /// Time and place, which every location has; the rest is nil.
  public init(time: WallTime, coordinate: Coordinate) {
    self.time = time
    self.coordinate = coordinate
  }
}

/// A friend's name, and the face as base64 of a PNG or JPEG.
public struct FriendCard: Hashable, Sendable {
  /// At most 256 bytes.
  public var name: String?
  /// From others 32 KiB at most; nil: none, or it was too large.
  public var face: String?

  /// Both nil takes back what was known.
  public init(name: String? = nil, face: String? = nil) {
    self.name = name
    self.face = face
  }
}

/// A friend as the list shows one.
public struct Friend: Hashable, Sendable {
  /// The base topic.
  public var topic: String
  /// Empty until one has come.
  public var card = FriendCard()
  /// The newest.
  public var location: FriendLocation?

  /// Known by the topic alone.
  public init(topic: String) { self.topic = topic }

  /// Not seen for more than `days` (0: never hidden). Seen again, a friend is back.
  public func isStale(at now: WallTime, days: Double) -> Bool {
    guard days > 0, let location else { return false }
    return now.seconds - location.time.seconds > days * 86_400
  }

  /// A location no newer than the known one is not news.
  public func isNews(_ new: FriendLocation) -> Bool {
    location.map { new.time.seconds > $0.time.seconds } ?? true
  }
}
