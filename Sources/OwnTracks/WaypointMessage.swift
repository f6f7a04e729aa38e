import Model

extension Encoder {
  /// `waypoint`: a region that was made or changed, as it is now; never retained.
  func encode(_ region: Region) -> Message {
    var writer = JSONWriter(capacity: 320)
    Self.write(region, to: &writer)
    return Message(
      topic: topics.topic(.waypoint), payload: writer.bytes, qos: qos, isRetained: false, isEvent: true,
      time: region.created)
  }

  /// The object that messages, `waypoints` arrays and exports hold. A beacon stands there twice: in
  /// `desc`, where the iOS app looks for it, and in the keys that the Booklet names.
  static func write(_ region: Region, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("_type", "waypoint")
    writer.member("desc", region.exportName)
    writer.member("lat", region.coordinate.latitude, decimals: 6)
    writer.member("lon", region.coordinate.longitude, decimals: 6)
    if let major = region.beacon?.major { writer.member("major", Int(major)) }
    if let minor = region.beacon?.minor { writer.member("minor", Int(minor)) }
    writer.member("rad", radius(region.radius))
    writer.member("rid", region.rid)
    writer.member("tst", region.created)
    if let beacon = region.beacon { writer.member("uuid", beacon.uuid) }
    writer.endObject()
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
