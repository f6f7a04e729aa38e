import Model

/// Friends and points of the history as answers show them.
extension Friend {
  /// `topic`, and what is known: `name`, `face` (only where asked for), `tid`, the newest place.
  public func json(withFace: Bool) -> JSON {
    var object = location?.json ?? [:]
    object.set("topic", .string(topic))
    object.set("name", card.name.map { .string($0) })
    object.set("hasFace", .boolean(card.face != nil))
    if withFace { object.set("face", card.face.map { .string($0) }) }
    return object
  }
}

extension FriendLocation {
  /// The keys of a location message, those that are known; the unit of each is theirs.
  public var json: JSON {
    var object: JSON = [
      "lat": .real(coordinate.latitude), "lon": .real(coordinate.longitude),
      "tst": .integer(Int64(time.wholeSeconds)),
    ]
    object.set("acc", accuracy.map { .real($0) })
    object.set("alt", altitude.map { .real($0) })
    object.set("vel", speed.map { .integer(Int64($0)) })
    object.set("cog", course.map { .integer(Int64($0)) })
    object.set("batt", battery.map { .integer(Int64($0)) })
    object.set("t", trigger.map { .string($0) })
    object.set("tid", tid.map { .string($0) })
    return object
  }
}

extension HistoryPoint {
  /// The message that was published, with the point's number and the altitude as it was measured.
  public func json(_ encoder: Encoder) -> JSON {
    var object = (try? JSON.parse(encoder.encode(report, isOfThePast: true).payload)) ?? [:]
    object.set("_type", nil)
    object.set("number", .integer(number))
    object.set("alt", report.fix.altitude.map { .real(($0 * 100).rounded() / 100) })
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
