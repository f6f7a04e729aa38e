import Core
import Model
import OwnTracks

/// Beacons in the answers for people.
extension Answer {
  /// A beacon that forms a region.
  public static func beacon(_ line: BeaconStatus) -> JSON {
    var record = BeaconRecord()
    (record.region, record.rid, record.uuid) = (line.region, line.rid, line.identity.uuid)
    record.major = (line.beacon?.major ?? line.identity.major).map(Int.init)
    record.minor = (line.beacon?.minor ?? line.identity.minor).map(Int.init)
    (record.rssi, record.distance, record.age) = (line.rssi, line.distance, line.age?.seconds)
    (record.inside, record.lossTimeout) = (line.isInside, line.lossTimeout.seconds)
    record.hints = line.hints.map(\.sentence)
    return record.answer
  }
}
