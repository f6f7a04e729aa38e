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
    StatusRecord.Scanner(status, at: now).answer
  }
}

extension StatusRecord.Scanner {
  init(_ status: BeaconScanner.Status, at now: Instant) {
    self.init()
    (state, hearing, duty, hints) = (status.state, status.isHearing, status.duty, status.hints)
    (reports, sightings, steps) = (
      Int(status.counters.reports), Int(status.counters.sightings), Int(status.steps)
    )
    (way, reason, cause) = (status.method, status.reason, status.cause)
    (adapter, address, reception) = (status.adapter, status.address, status.reception)
    lastHeard = status.lastHeard.map { (now - $0).seconds }
  }
}
