import Timebase

/// When all is still nothing is repeated.
struct StillAtTheEnd: Judge {
  func ending(_ court: inout Court) {
    let late = court.ledger.deliveries.filter { $0.at + .seconds(60) > court.ledger.ended }
    var known: Set<Ledger.Content> = []
    for delivery in court.ledger.deliveries.dropLast(late.count) {
      known.insert(delivery.content)
    }
    for delivery in late where known.contains(delivery.content) {
      court.complain(.calm, "repeated when all was still: \(court.text(delivery.payload))", at: delivery.at)
    }
  }
}
