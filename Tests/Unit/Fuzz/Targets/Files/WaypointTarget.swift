import Model
import OwnTracks

/// Waypoints and regions as files, messages and configurations hold them. The first byte says how numbers
/// are read and who wrote them; what is taken is sound, and what is written of it is read back as written.
enum WaypointTarget {
  private static let bases = [BeaconNumberBase.auto, .hex, .dec]

  @Sendable static func feed(_ input: UnsafeRawBufferPointer) {
    guard let form = input.first, let json = try? JSON.parse(Array(input.dropFirst())) else { return }
    let source: Waypoints.Source =
      form & 4 == 0 ? (form & 8 == 0 ? .message : .file(written: 1_700_000_000)) : .timeline
    let decoded = Waypoints.decode(json, numberBase: bases[Int(form & 3) % 3], source: source)
    for problem in decoded.problems { Claim.isPlain(problem.description, "waypoints") }
    for entry in decoded.entries {
      isSound(entry)
      if let coordinate = entry.coordinate { readsBack(entry, at: coordinate) }
    }
  }

  static func isSound(_ entry: WaypointEntry) {
    let place = entry.coordinate
    Claim.isFinite([entry.radius, place?.latitude, place?.longitude], "waypoint")
    claim(
      entry.coordinate == nil || entry.created != nil || entry.written != nil, "a region that was never made")
    claim(entry.created.map { (0...Int(UInt32.max)).contains($0) } ?? true, "made at \(entry.created ?? 0)")
    claim(entry.name.utf8.count <= 1024 && entry.rid?.utf8.count ?? 1 <= 200, "too long a name or rid")
    claim(entry.rid?.isEmpty != true, "an empty rid")
    claim((0...500).contains(entry.speedLimit ?? 0), "a limit of \(entry.speedLimit ?? 0) km/h")
    claim((0...86_400).contains(entry.dwell ?? 0), "a dwell of \(entry.dwell ?? 0) s")
    claim(entry.beacon?.major != 0 && entry.beacon?.minor != 0, "0 is any beacon, and that is nil")
  }

  static func readsBack(_ entry: WaypointEntry, at coordinate: Coordinate) {
    let region = Region(
      rid: entry.rid ?? "made", name: entry.name, coordinate: coordinate, radius: entry.radius,
      beacon: entry.beacon, created: entry.created ?? entry.written ?? 0, isShared: entry.isShared,
      speedLimit: entry.speedLimit, isPrivate: entry.isPrivate ?? false, dwell: entry.dwell)
    let written = Waypoints.object(region)
    for base in bases {
      let decoded = Waypoints.decode(.array([written]), numberBase: base)
      claim(decoded.entries.count == 1, "\(written) is refused: \(decoded.problems)")
      guard let back = decoded.entries.first else { continue }
      claim(back.name == region.name, "\(region.name.debugDescription) became \(back.name.debugDescription)")
      claim(back.beacon == region.beacon && back.isShared == region.isShared, "\(written) became \(back)")
      claim(back.isPrivate ?? false == region.isPrivate, "\(written) became \(back)")
      claim(back.dwell == region.dwell, "\(written) became \(back)")
      claim(back.speedLimit == region.speedLimit, "\(written) became \(back)")
      claim(back.created == region.created && back.rid == region.rid, "\(written) became \(back)")
      let distance = back.coordinate?.distance(to: coordinate) ?? .infinity
      claim(distance < 0.2, "\(written) lies \(distance) m off")
      isLike(region, back)
    }
    // A message has the name alone: what shows it shows nothing else.
    var told = written
    told.set("desc", .string(region.name))
    let payload = Encoder(Configuration(), hostName: "h").encode(.waypoint(region)).payload
    claim((try? JSON.parse(payload)) == (try? JSON.parse(told.serialised())), "the message is another")
  }

  /// Whole metres, but never another kind of region: next to nothing becomes one.
  private static func isLike(_ region: Region, _ back: WaypointEntry) {
    var copy = region
    copy.radius = back.radius
    claim(copy.kind == region.kind, "a \(region.kind) became a \(copy.kind)")
    guard region.radius.magnitude < 1e9 else { return }
    claim((back.radius - region.radius).magnitude <= 1, "radius \(region.radius) became \(back.radius)")
  }
}
