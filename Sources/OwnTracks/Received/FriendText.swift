import Model

/// Friends and points of the history as answers show them.
extension FriendRecord {
  /// The friend with all that is known; the face only where it is asked for.
  public init(_ friend: Friend, withFace: Bool) {
    self.init()
    if let location = friend.location { place = PlaceRecord(location) }
    (topic, name, hasFace) = (friend.topic, friend.card.name, friend.card.face != nil)
    face = withFace ? friend.card.face : nil
  }
}

extension PlaceRecord {
  fileprivate init(_ location: FriendLocation) {
    self.init()
    (latitude, longitude) = (location.coordinate.latitude, location.coordinate.longitude)
    (time, accuracy, altitude) = (location.time.wholeSeconds, location.accuracy, location.altitude)
    (speed, course, battery) = (location.speed, location.course, location.battery)
    (trigger, tid) = (location.trigger, location.tid)
  }
}

extension FriendLocation {
  /// The keys of a location message, those that are known; the unit of each is theirs.
  public var json: JSON { PlaceRecord(self).answer }
}

extension HistoryPoint {
  /// The message that was published, with the point's number and the altitude as it was measured.
  public func json(_ encoder: Encoder) -> JSON {
    var object = (try? JSON.parse(encoder.encode(report, isOfThePast: true).payload)) ?? [:]
    object.set("_type", nil)
    var own = PointRecord()
    own.number = number
    own.place.altitude = report.fix.altitude.map { ($0 * 100).rounded() / 100 }
    object.take(own.answer)
    return object
  }
}

extension FriendLocation {
  /// Reads the text that `json` made.
  public init?(stored text: String) {
    guard !text.isEmpty, let json = try? JSON.parse(Array(text.utf8)),
      case .news(.location(let location)) = FriendMessage.read(json, type: "location")
    else { return nil }
    self = location
  }
}
