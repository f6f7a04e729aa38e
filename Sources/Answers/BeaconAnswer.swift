import Core
import Model
import OwnTracks

/// Beacons in the answers for people.
extension Answer {
  /// A beacon that forms a region.
  public static func beacon(_ line: BeaconStatus) -> JSON {
    var object: JSON = ["region": .string(line.region), "rid": .string(line.rid)]
    object.set("uuid", .string(line.identity.uuid))
    object.set("major", (line.beacon?.major ?? line.identity.major).map { .integer(Int64($0)) })
    object.set("minor", (line.beacon?.minor ?? line.identity.minor).map { .integer(Int64($0)) })
    object.set("rssi", line.rssi.map { .integer(Int64($0)) })
    object.set("distance", line.distance.map { .real($0) })
    object.set("age", line.age.map { .real($0.seconds) })
    object.set("inside", .boolean(line.isInside))
    object.set("lossTimeout", .real(line.lossTimeout.seconds))
    object.set("hints", .array(line.hints.map { .string($0.sentence) }))
    return object
  }
}
