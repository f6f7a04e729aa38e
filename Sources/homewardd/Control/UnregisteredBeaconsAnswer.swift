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
      var record = BeaconRecord()
      (record.uuid, record.rssi) = (stranger.beacon.uuid.text, stranger.rssi.map(Int.init))
      (record.major, record.minor) = (Int(stranger.beacon.major), Int(stranger.beacon.minor))
      (record.count, record.age) = (stranger.count, (now - stranger.last).seconds)
      return record.answer
    }
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
