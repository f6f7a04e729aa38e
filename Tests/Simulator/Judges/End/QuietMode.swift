/// Nothing is published in quiet but what somebody asks for, and that somebody asks for help.
struct QuietMode: Judge {
  func ending(_ court: inout Court) {
    for told in court.consumer.told {
      guard let made = told.made, court.ledger.made[made].mode == .quiet else { continue }
      // It is told as quiet ends: the judge of reasons looks whether it has.
      if case .leftSince = court.ledger.made[made].reason { continue }
      let isAsked = told.kind == "location" && ["u", "r"].contains(told.trigger)
      let isCall = told.trigger == "GTSOS" || told.payload["alarm"]?.text == "sos"
      let isAnswer = ["dump", "status", "waypoints", "steps"].contains(told.kind)
      if !isAsked, !isAnswer, !isCall, told.kind != "waypoint" {
        court.complain(.quiet, "published in quiet: \(told.payload)", at: told.at)
      }
    }
  }
}
