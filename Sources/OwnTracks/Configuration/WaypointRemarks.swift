import Model

/// Remarks on content of a file's region that is accepted, but not as its owner meant it.
enum WaypointRemarks {
  /// Keys that count, and those that exports of the apps and of the Recorder have beside them.
  private static let known: Set = [
    "_type", "_id", "desc", "lat", "lon", "rad", "tst", "rid", "uuid", "major", "minor", "share",
    "speedLimit",
    "polygon", "private", "dwell", "topic", "tid", "wtst", "event", "inregions",
  ]
  /// Keys that people write who know other programs' names, with ours.
  private static let meant = [
    "radius": "rad", "latitude": "lat", "longitude": "lon", "lng": "lon", "long": "lon", "name": "desc",
    "title": "desc", "description": "desc", "date": "tst", "time": "tst", "timestamp": "tst", "id": "rid",
    "shared": "share", "speed": "speedLimit",
  ]

  /// Each as what follows `waypoints[0]`. `entries`: what the list was decoded to.
  static func lines(_ element: JSON, of entries: [WaypointEntry]) -> [String] {
    guard let members = element.members else { return [] }
    let name = element["desc"]?.text ?? ""
    let shown = name.isEmpty ? "" : " \"\(ConfigurationFile.brief(name))\""
    var lines: [String] = []
    for member in members where !known.contains(member.key) {
      let meant =
        self.meant[member.key.lowercased()] ?? UnknownKey.nearest(to: member.key, among: known.sorted())
      let hint = meant.map { " (did you mean \($0)?)" } ?? ""
      lines.append("\(shown): unknown key \(ConfigurationFile.brief(member.key)), ignored\(hint)")
    }
    let isPin = ["rad", "uuid", "polygon"].allSatisfy { (element[$0] ?? .null).isNull || element[$0] == 0 }
    // Another entry of that name may be one.
    if isPin,
      entries.contains(where: {
        $0.name == name && $0.coordinate != nil && $0.beacon == nil && $0.radius == 0
      })
    {
      lines.append("\(shown) has no radius (rad): it is a pin, which is never entered")
    }
    return lines
  }
}
