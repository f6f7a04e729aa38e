import Core
import Model
import OwnTracks

/// Contents of the store before the replay begins: regions and the mode.
public struct StoredState {
  var regions: [Snapshot.KnownRegion] = []
  var mode: ModeState?

  /// Nothing: a store that is new.
  public init() {}

  /// The object of a `state` line. `known` completes regions that are only named, as the last line
  /// that a replay prints names them.
  init(
    _ json: JSON, file: String, line: Int?, numberBase: BeaconNumberBase, known: [WaypointEntry] = []
  ) throws(ReplayError) {
    func refusal(_ text: String) -> ReplayError { ReplayError(file: file, line: line, text: text) }
    guard let members = json.members else { throw refusal("state: expected an object") }
    let keys = ["regions", "mode", "downgraded", "adapted", "queue", "history"]
    if let unknown = members.first(where: { !keys.contains($0.key) }) {
      throw refusal("state.\(unknown.key): not known, expected \(keys.joined(separator: ", "))")
    }
    mode = try Self.mode(json, refusal)
    guard let array = json["regions"] else { return }
    guard array.elements != nil else { throw refusal("state.regions: expected an array") }
    let decoded = Waypoints.decode(array, numberBase: numberBase, source: .timeline)
    if let problem = decoded.problems.first {
      throw refusal("state.regions[\(problem.index)]: \(problem.reason)")
    }
    for (entry, json) in zip(decoded.entries, array.elements ?? []) {
      guard let region = Self.region(entry, isPlaced: json["lat"] != nil, known) else {
        throw refusal("state.regions: \(entry.name) has no place; name it in --config with lat, lon and rad")
      }
      regions.append(region)
    }
  }

  private static func mode(
    _ json: JSON, _ refusal: (String) -> ReplayError
  ) throws(ReplayError) -> ModeState? {
    func flag(_ key: String) throws(ReplayError) -> Bool {
      guard let value = json[key] else { return false }
      guard let flag = value.flag else { throw refusal("state.\(key): \(value), expected true or false") }
      return flag
    }
    let downgraded = try flag("downgraded")
    let adapted = try flag("adapted")
    guard let value = json["mode"] else {
      guard !downgraded, !adapted else { throw refusal("state.mode: missing beside downgraded or adapted") }
      return nil
    }
    guard let mode = value.int.flatMap(MonitoringMode.init(rawValue:)) else {
      throw refusal("state.mode: \(value), expected -1, 0, 1 or 2")
    }
    return ModeState(mode: mode, downgraded: downgraded, adapted: adapted)
  }

  private static func region(
    _ entry: WaypointEntry, isPlaced: Bool, _ known: [WaypointEntry]
  ) -> Snapshot.KnownRegion? {
    var entry = entry
    if !isPlaced, entry.beacon == nil {
      let presence = entry.presence
      let rid = entry.rid
      guard let match = known.first(where: { identity(of: $0) == rid || $0.name == entry.name }) else {
        return nil
      }
      entry = match
      entry.rid = rid ?? match.rid
      entry.presence = presence
    }
    guard let coordinate = entry.coordinate else { return nil }
    var region = Region(
      rid: identity(of: entry), name: entry.name, coordinate: coordinate, radius: entry.radius,
      beacon: entry.beacon, created: entry.created ?? 0, isShared: entry.isShared,
      speedLimit: entry.speedLimit == 0 ? nil : entry.speedLimit, polygon: entry.polygon,
      isPrivate: entry.isPrivate ?? false, dwell: entry.dwell == 0 ? nil : entry.dwell)
    if !region.canDwell { region.dwell = nil }
    return Snapshot.KnownRegion(region: region, presence: entry.presence ?? .unknown)
  }

  private static func identity(of entry: WaypointEntry) -> String {
    entry.rid ?? RegionIdentity.computed(name: entry.name, created: entry.created ?? 0)
  }
}
