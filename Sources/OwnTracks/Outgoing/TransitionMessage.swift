import Model

extension Encoder {
  /// `transition`: never retained, and without the name of a region that is not shared. That is said as null, the one
  /// form that every reader takes.
  func encode(_ report: TransitionReport) -> Message {
    let region = report.region
    let tst = report.time.wholeSeconds
    var writer = JSONWriter(capacity: 320)
    writer.beginObject()
    writer.member("_type", "transition")
    writer.member("acc", Self.accuracy(report.accuracy))
    if let created = Self.createdAt(report.created, tst: report.time) { writer.member("created_at", created) }
    writer.key("desc")
    if region.isShared { writer.string(region.eventName) } else { writer.literal("null") }
    writer.member("event", report.crossing.word)
    writer.member("lat", report.coordinate.latitude, decimals: 6)
    writer.member("lon", report.coordinate.longitude, decimals: 6)
    if region.radius > 0 { writer.member("rad", Self.radius(region.radius)) }
    writer.member("rid", region.rid)
    writer.member("t", region.kind == .beacon ? "b" : "c")
    if !topics.trackerID.isEmpty { writer.member("tid", topics.trackerID) }
    writer.member("tst", tst)
    writer.member("wtst", region.created)
    writer.endObject()
    return Message(
      topic: topics.topic(.event), payload: writer.bytes, qos: qos, isRetained: false, isEvent: true,
      time: tst)
  }
}
