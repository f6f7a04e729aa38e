import Model

extension Encoder {
  /// `waypoint`: a region that was made or changed, as it is now; never retained.
  func encode(_ region: Region) -> Message {
    let payload = Waypoints.object(region).serialised()
    return Message(
      topic: topics.topic(.waypoint), payload: payload, qos: qos, isRetained: false, isEvent: true,
      time: region.created)
  }

  /// Whole metres; rounding never turns a circle into a pin.
  static func radius(_ metres: Double) -> Int {
    let rounded = whole(metres) ?? (metres < 0 ? -1 : 1_000_000_000)
    return rounded == 0 && metres != 0 ? (metres < 0 ? -1 : 1) : rounded
  }
}

extension Region {
  /// Full name and, for a beacon, its `:UUID[:major[:minor]]` in decimal numbers.
  public var exportName: String {
    guard let beacon else { return name }
    var text = "\(name):\(beacon.uuid)"
    if let major = beacon.major { text += ":\(major)" }
    if let minor = beacon.minor { text += ":\(minor)" }
    return text
  }
}
