import Answers
import Core
import Model
import OwnTracks
import Timebase

/// `beacons` and `beacons strangers`: what the tracker knows of beacons, and what the radio hears besides.
extension Daemon {
  /// For so long after each question the radio listens to everybody. A client that watches asks every second.
  private static let watch = Span.seconds(10)

  /// Nil: another request.
  func beaconAnswer(_ words: [String]) -> JSON? {
    let words = words.filter { $0 != "--json" }
    guard words.first == "beacons" else { return nil }
    switch words.dropFirst() {
    case []: return ["ok": true, "beacons": .array(known()), "scanner": radio()]
    case ["strangers"]: return ["ok": true, "strangers": .array(strangers()), "scanner": radio()]
    default: return Answer.failure("unexpected \"\(words[1])\"; expected: beacons [strangers]")
    }
  }

  private func known() -> [JSON] {
    (tracker?.beacons(at: loop.now) ?? []).map { line in
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

  private func strangers() -> [JSON] {
    let found = scanner.unregistered(watchFor: Self.watch).all
    return found.sorted { ($0.rssi ?? -128) > ($1.rssi ?? -128) }.map { stranger in
      var object: JSON = [
        "uuid": .string(stranger.beacon.uuid.text), "major": .integer(Int64(stranger.beacon.major)),
        "minor": .integer(Int64(stranger.beacon.minor)), "count": .integer(Int64(stranger.count)),
        "age": .real((loop.now.instant - stranger.last).seconds),
      ]
      object.set("rssi", stranger.rssi.map { .integer(Int64($0)) })
      return object
    }
  }
}
