import OwnTracks

/// What one process has told no process may tell again as news; a ping without a fix, what people ask for, and the end
/// of a battery step may after a crash, which can cost it the knowledge. And nothing is of another time than the world's.
struct TimesOfLocations: Judge {
  /// A receiver may be ahead of the clock by so many seconds.
  private static let lead = 2

  func ending(_ court: inout Court) {
    let first = Int(BoardClock.epoch) - 1
    var known: [Int: (payload: JSON, life: Int)] = [:]
    for told in court.consumer.told where told.kind == "location" || told.kind == "transition" {
      let arrived = BoardClock.truth(told.at).wholeSeconds
      if let made = told.made, court.ledger.made[made].isOfUnknownTime { continue }
      if told.time < first || told.time > arrived + Self.lead {
        court.complain(.times, "of another time than \(arrived): \(told.payload)", at: told.at)
      }
    }
    for told in court.consumer.locations.sorted(by: { ($0.made ?? .max) < ($1.made ?? .max) }) {
      let life = told.made.map { court.ledger.made[$0].life } ?? 0
      if let before = known[told.time], before.life == life || isNews(told) {
        court.complain(.times, "the tst of \(before.payload) again: \(told.payload)", at: told.at)
      }
      known[told.time] = (told.payload, life)
    }
  }

  private func isNews(_ told: Consumer.Told) -> Bool {
    ["-", "t"].contains(told.trigger) && told.payload["batteryStep"]?.text != "none"
  }
}
