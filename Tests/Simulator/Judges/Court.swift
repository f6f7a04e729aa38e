import Model
import Timebase

/// One run before its judges, when it is over.
struct Court {
  let ledger: Ledger
  let consumer: Consumer
  let road: Road
  private(set) var complaints: [Complaint] = []

  init(_ ledger: Ledger, _ road: Road) {
    (self.ledger, self.road) = (ledger, road)
    consumer = Consumer(ledger)
  }

  /// All that is said of it. Those that have to see a thing happen have complained in the ledger already.
  static func judge(_ ledger: Ledger, _ road: Road) -> [Complaint] {
    var court = Court(ledger, road)
    for judge in Bench.judges { judge.ending(&court) }
    return ledger.complaints + court.complaints
  }

  mutating func complain(_ promise: Promise, _ text: String, at: Instant? = nil) {
    guard complaints.count(where: { $0.promise == promise }) < 5 else { return }
    complaints.append(Complaint(promise: promise, text: text, at: at ?? ledger.ended))
  }

  // MARK: What several of them ask

  /// Where the vehicle was then: from the middle of a region, metres. Seconds of the world.
  func metres(to region: Region, at second: Double) -> Double {
    road.position(at: second).point.coordinate.distance(to: region.coordinate)
  }

  /// A crossing of this region since then came to nothing in a way that the manual names.
  func isExcused(
    _ rid: String, from made: Int, through last: Int? = nil,
    by excuses: Set<Ledger.Excuse> = [.cleared, .refused, .flipped]
  ) -> Bool {
    ledger.made[made...(last ?? ledger.made.count - 1)].contains { one in
      one.isCrossing(of: rid) && one.excuse.map(excuses.contains) ?? false
    }
  }

  func text(_ payload: [UInt8]) -> String { String(decoding: payload, as: UTF8.self) }

  func hasJumped(around time: Int, within reach: Int) -> Bool {
    (time - reach...time + reach).contains { ledger.fixes.jumps.contains($0) }
  }

  func isOfUnknownTime(_ told: Consumer.Told) -> Bool {
    told.made.map { ledger.made[$0].isOfUnknownTime } ?? false
  }

  /// Nothing may have been told of late.
  func isVeiled(_ end: Ledger.Final) -> Bool {
    let seconds = Span(nanoseconds: end.at.nanoseconds).seconds
    return ledger.isVeiled(from: seconds - Double(end.ping) * 60 - 120, to: seconds)
  }
}
