import Timebase

/// Every event arrives, and every location but for what overflow is counted to have cost.
struct EveryMessageArrives: Judge {
  func ending(_ court: inout Court) {
    var missing = 0
    var example = 0
    var young: Int?
    for (index, made) in court.ledger.made.enumerated() where made.excuse == nil {
      let content = made.content
      guard !court.consumer.arrived.contains(content), made.at + .seconds(30) < court.ledger.ended else {
        continue
      }
      if made.isEvent {
        court.complain(
          .delivered, "never arrived: \(court.text(made.payload)), made in life \(made.life)", at: made.at)
      } else {
        missing += 1
        example = index
        if !court.ledger.old.mayWait(index) { young = index }
      }
    }
    if let index = court.ledger.losses.newestOfOverflow, case let newest = court.ledger.made[index],
      newest.excuse == nil,
      newest.at + .seconds(30) < court.ledger.ended, !court.ledger.old.mayBeMissing(index),
      !court.consumer.arrived.contains(newest.content)
    {
      court.complain(
        .window, "the newest location is gone, too: \(court.text(newest.payload))", at: newest.at)
    }
    if let young, court.ledger.losses.dropped == 0, court.ledger.old.policy != .always {
      court.complain(
        .old, "not old, and never arrived: \(court.text(court.ledger.made[young].payload))",
        at: court.ledger.made[young].at)
    }
    if missing > court.ledger.losses.dropped + court.ledger.old.missing {
      let made = court.ledger.made[example]
      let (dropped, old) = (court.ledger.losses.dropped, court.ledger.old.missing)
      let lost = "\(missing) locations never arrived, overflow counted \(dropped), \(old) were old"
      court.complain(.window, "\(lost): \(court.text(made.payload)), made in life \(made.life)", at: made.at)
    }
  }
}
