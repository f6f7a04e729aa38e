import Timebase

/// The receiver's own clock, and what is wrong with it.
struct ReceiverTime {
  private static let rollover = 1024.0 * 7 * 86_400

  private var dice: Dice
  /// Whole seconds, or a date of its own, for so many fixes.
  private var error: (seconds: Double, fixes: Int)?
  /// Since when every fix has borne the true time.
  private(set) var trueSince = Instant.zero
  /// It has insisted on a wrong time, which a board without a clock has to believe.
  private(set) var hasLied = false

  init(dice: Dice) { self.dice = dice }

  /// Fix after fix.
  var isWrong: Bool { error != nil }

  mutating func recover() { error = nil }

  /// The board has a clock of its own, or is another process: what was believed is of no more consequence.
  mutating func forgiven() { if error == nil { hasLied = false } }

  /// How far off the time of this fix is, seconds.
  mutating func error(at now: Instant, _ rates: Rates, note: (Fault) -> Void) -> Double {
    if error == nil, dice.chance(rates[.leapSecondsLost]) {
      note(.leapSecondsLost)
      error = (Double(dice.pick([18, 18, -18, dice.whole(3...20)])), dice.whole(1...700))
    }
    if error == nil, dice.chance(rates[.dateWrong]) {
      note(.dateWrong)
      // Now and then a week number that has rolled over in the other direction.
      let off = dice.pick([1, -1]) * dice.spread(400, 5e7)
      error = (dice.chance(0.2) ? Self.rollover : off, dice.whole(1...60))
    }
    if let wrong = error {
      (trueSince, hasLied) = (now, true)
      error = wrong.fixes > 1 ? (wrong.seconds, wrong.fixes - 1) : nil
      return wrong.seconds
    }
    guard dice.chance(rates[.fixAhead]) else { return 0 }
    note(.fixAhead)
    trueSince = now
    return dice.spread(2.6, 14_400)
  }
}
