import Model

/// Digest that distinguishes one list of regions in a configuration file from another. It is on the disk of every
/// board, so its input is written out here, field by field, and nothing that Swift or a new field of `WaypointEntry`
/// does can change it: an unchanged file must never bring back regions that people have removed since.
enum RegionListDigest {
  /// 40 hexadecimal digits, whatever the number of entries.
  static func of(_ entries: [WaypointEntry]) -> String {
    SHA1.hexPrefix(of: entries.map(text).joined(separator: "\n"), count: 40)
  }

  /// Whether a version that took its digest of Swift's own text for the entries has stored it for these.
  static func isEarlierForm(_ stored: String, of entries: [WaypointEntry]) -> Bool {
    [true, false].contains { hasSpeedLimit in
      let texts = entries.map { earlierText(of: $0, hasSpeedLimit: hasSpeedLimit) }
      return stored == SHA1.hexPrefix(of: texts.joined(separator: "\n"), count: 40)
    }
  }

  /// Only what is said is in it. A field that is added later is appended, and only where it is not what an entry
  /// without it has: that leaves the digest of every file that is older than the field.
  private static func text(_ entry: WaypointEntry) -> String {
    var words = ["name \(counted(entry.name))"]
    if let rid = entry.rid { words.append("rid \(counted(rid))") }
    if let place = entry.coordinate { words.append("at \(bits(place.latitude)) \(bits(place.longitude))") }
    if entry.radius != 0 { words.append("radius \(bits(entry.radius))") }
    if let beacon = entry.beacon {
      words.append("beacon \(counted(beacon.uuid)) \(beacon.major ?? 0) \(beacon.minor ?? 0)")
    }
    if let created = entry.created { words.append("created \(created)") }
    if !entry.isShared { words.append("unshared") }
    if let limit = entry.speedLimit { words.append("limit \(limit)") }
    if let polygon = entry.polygon {
      let corners = polygon.corners.map { "\(bits($0.latitude)) \(bits($0.longitude))" }
      words.append("polygon \(corners.count) \(corners.joined(separator: " "))")
    }
    if let presence = entry.presence { words.append("presence \(presence.code)") }
    if let isPrivate = entry.isPrivate { words.append(isPrivate ? "private" : "public") }
    if let dwell = entry.dwell { words.append("dwell \(dwell)") }
    return words.joined(separator: " ")
  }

  /// With its length before it, no text can be taken for the fields behind it.
  private static func counted(_ text: String) -> String { "\(text.utf8.count):\(text)" }

  /// Exact, and the same with every way of writing numbers.
  private static func bits(_ number: Double) -> String { String(number.bitPattern, radix: 16) }

  /// Swift's own text for an entry in earlier versions; the field `speedLimit` came later. Frozen: read, never written.
  private static func earlierText(of entry: WaypointEntry, hasSpeedLimit: Bool) -> String {
    let place = entry.coordinate.map {
      "Model.Coordinate(latitude: \($0.latitude), longitude: \($0.longitude))"
    }
    let beacon = entry.beacon.map {
      "Model.BeaconIdentity(uuid: \($0.uuid.debugDescription), major: \(optional($0.major)), "
        + "minor: \(optional($0.minor)))"
    }
    let presence = entry.presence.map { "Model.Presence.\($0)" }
    return
      "WaypointEntry(rid: \(optional(entry.rid?.debugDescription)), name: \(entry.name.debugDescription), "
      + "coordinate: \(optional(place)), radius: \(entry.radius), beacon: \(optional(beacon)), "
      + "created: \(optional(entry.created)), isShared: \(entry.isShared), "
      + (hasSpeedLimit ? "speedLimit: \(optional(entry.speedLimit)), " : "")
      + "presence: \(optional(presence)))"
  }

  private static func optional(_ value: (some CustomStringConvertible)?) -> String {
    value.map { "Optional(\($0))" } ?? "nil"
  }
}
