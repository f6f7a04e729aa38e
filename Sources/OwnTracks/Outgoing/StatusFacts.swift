import Model

/// The part of a `status` message that the owner of many boards reads.
extension Encoder {
  static func add(_ facts: FleetFacts, to linux: inout JSON) {
    if let disk = facts.disk {
      linux.set("disk", ["free": .integer(Int64(disk.free)), "percent": .integer(Int64(disk.percent))])
    }
    if let reconnects = facts.reconnects {
      linux.set(
        "reconnects",
        ["total": .integer(Int64(reconnects.total)), "today": .integer(Int64(reconnects.today))])
    }
    if let end = facts.lastEnd {
      var told: JSON = ["word": .string(end.word)]
      told.set("tst", end.time.map { .integer(Int64($0)) })
      linux.set("lastEnd", told)
    }
    linux.set("certificateEnd", facts.certificateEnd.map { .integer(Int64($0)) })
    if let update = facts.update {
      linux.set(
        "update",
        [
          "result": .string(update.result.rawValue), "version": .string(update.version),
          "tst": .integer(Int64(update.time)),
        ])
    }
  }

  static func battery(_ battery: Battery?) -> JSON {
    var told: JSON = ["present": .boolean(battery != nil)]
    told.set("level", battery.map { .integer(Int64($0.level)) })
    return told
  }
}
