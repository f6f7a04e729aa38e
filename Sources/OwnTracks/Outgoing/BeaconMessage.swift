import Model

extension Encoder {
  /// `beacon`: which one is how far away; never retained, and nothing that must not be lost.
  func encode(_ report: BeaconReport) -> Message {
    let tst = report.time.wholeSeconds
    var writer = JSONWriter(capacity: 224)
    writer.beginObject()
    writer.member("_type", "beacon")
    if beaconDecimals > 0 {
      // At least one of the last decimal, for the same reason as without decimals.
      var least = 1.0
      for _ in 0..<beaconDecimals { least /= 10 }
      writer.member("acc", max(least, report.distance), decimals: beaconDecimals)
    } else {
      // As everywhere: 0 means "unknown" to those who read it.
      writer.member("acc", max(1, Self.whole(report.distance) ?? 1_000_000))
    }
    if let region = report.region { writer.member("desc", region) }
    writer.member("major", Int(report.beacon.major))
    writer.member("minor", Int(report.beacon.minor))
    writer.member("prox", Proximity(metres: report.distance).rawValue)
    writer.member("rssi", report.rssi)
    if !topics.trackerID.isEmpty { writer.member("tid", topics.trackerID) }
    writer.member("tst", tst)
    writer.member("uuid", report.beacon.uuid.text)
    writer.endObject()
    return Message(
      topic: topics.topic(.beacon), payload: writer.bytes, qos: qos, isRetained: false, isEvent: false,
      time: tst)
  }
}
