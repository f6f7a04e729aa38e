import Model

extension Encoder {
  /// `waypoint`: a region that was made or changed, as it is now; never retained.
  func encode(_ region: Region) -> Message {
    var waypoint = Waypoints.object(region)
    // Consumers show it as it is: a beacon's numbers stand beside it.
    waypoint.set("desc", .string(region.name))
    return Message(
      topic: topics.topic(.waypoint), payload: waypoint.serialised(), qos: qos, isRetained: false,
      isEvent: true,
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
