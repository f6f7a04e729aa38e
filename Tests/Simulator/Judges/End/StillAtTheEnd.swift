import Timebase

/// When all is still nothing is repeated.
struct StillAtTheEnd: Judge {
  func ending(_ court: inout Court) {
    var known: Set<Ledger.Content> = []
    for delivery in court.ledger.deliveries {
      let isNew = known.insert(delivery.content).inserted
      guard !isNew, delivery.at + .seconds(60) > court.ledger.ended else { continue }
      court.complain(.calm, "repeated when all was still: \(court.text(delivery.payload))", at: delivery.at)
    }
  }
}
