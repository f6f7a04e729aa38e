import Answers
import Core
import Model
import OwnTracks
import Radio
import Timebase

extension Answer {
  /// Beacons that belong to no region, the nearest first.
  static func strangers(_ found: [UnregisteredBeacons.Entry], at now: Instant) -> [JSON] {
    found.sorted { ($0.rssi ?? -128) > ($1.rssi ?? -128) }.map { stranger in
      var object: JSON = [
        "uuid": .string(stranger.beacon.uuid.text), "major": .integer(Int64(stranger.beacon.major)),
        "minor": .integer(Int64(stranger.beacon.minor)), "count": .integer(Int64(stranger.count)),
        "age": .real((now - stranger.last).seconds),
      ]
      object.set("rssi", stranger.rssi.map { .integer(Int64($0)) })
      return object
    }
  }

  /// `scanner` of `status`.
  static func radio(_ status: BeaconScanner.Status, at now: Instant) -> JSON {
    var object: JSON = [
      "state": .string(status.state), "hearing": .boolean(status.isHearing),
      "duty": .integer(Int64(status.duty)), "reports": .integer(Int64(status.counters.reports)),
      "sightings": .integer(Int64(status.counters.sightings)), "steps": .integer(Int64(status.steps)),
      "hints": .array(status.hints.map { .string($0) }),
    ]
    object.set("way", status.method.map { .string($0) })
    object.set("reason", status.reason.map { .string($0) })
    object.set("cause", status.cause.map { .string($0) })
    object.set("adapter", status.adapter.map { .string($0) })
    object.set("address", status.address.map { .string($0) })
    object.set("yield", status.reception.map { .integer(Int64($0)) })
    object.set("lastHeard", status.lastHeard.map { .real((now - $0).seconds) })
    return object
  }
}
