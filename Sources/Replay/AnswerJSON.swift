import Core
import Model
import OwnTracks
import Timebase

/// Answers of the tracker as the daemon gives them over its socket, as far as a replay has them.
extension ControlAnswer {
  var json: JSON {
    switch self {
    case .done(let text): ["ok": true, "text": .string(text)]
    case .failed(let text): ["ok": false, "error": .string(text)]
    case .regions(let regions): ["ok": true, "regions": .array(regions.map(\.json))]
    case .reasons(let entries): ["ok": true, "reasons": .array(entries.map(\.json))]
    case .status(let status): ["ok": true, "status": status.json, "queue": status.queue.json]
    }
  }
}

extension Snapshot.KnownRegion {
  /// The waypoint object and, where it is known, whether the board is inside.
  var json: JSON {
    var object = Waypoints.object(region)
    if presence != .unknown { object.set("inside", .boolean(presence == .inside)) }
    return object
  }
}

extension Journal.Entry {
  var json: JSON {
    [
      "published": .boolean(isPublished), "word": .string(reason.word), "text": .string(reason.sentence),
      "time": time.map { .real($0) } ?? .null, "count": .integer(Int64(count)),
      "detail": .object(reason.details.map { JSON.Member($0.name, $0.value.json) }),
    ]
  }
}

extension TrackerStatus {
  var json: JSON {
    var object: JSON = [
      "mode": .string(mode.mode.name), "label": .string(mode.label),
      "clock": ["trusted": .boolean(isClockTrusted)],
      "regions": .integer(Int64(regionCount)), "inside": .array(inside.map { .string($0) }),
      "queue": queue.json, "identity": ["valid": .boolean(isIdentityValid)],
    ]
    if let position {
      object.set(
        "fix",
        [
          "lat": .real(position.coordinate.latitude), "lon": .real(position.coordinate.longitude),
          "acc": .real(position.accuracy), "tst": .integer(Int64(position.time.wholeSeconds)),
          "age": fixAge.map { .real($0.seconds) } ?? .null,
        ])
    }
    journey.add(to: &object)
    return object
  }
}

extension QueueStatus {
  var json: JSON {
    [
      "count": .integer(Int64(count)), "bytes": .integer(Int64(bytes)), "inFlight": .integer(Int64(inFlight)),
      "window": .integer(Int64(window)), "oldest": oldest.map { .integer(Int64($0)) } ?? .null,
      "dropped": .integer(Int64(dropped)), "resent": .integer(Int64(resent)),
      "refused": .integer(Int64(refused)), "storeFailing": .boolean(isStoreFailing),
    ]
  }
}
