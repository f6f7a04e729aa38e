import Timebase

/// The line from the receiver to the daemon, which falls behind for a while and catches up: fixes come late, in their
/// order. How late changes all the time, as nothing else tells lateness from a clock that is off.
struct ReceiverLine {
  private var dice: Dice
  private var spell: (began: Instant, until: Instant, latest: Double)?
  /// Seconds later with each second.
  private static let slope = 0.4

  init(dice: Dice) { self.dice = dice }

  mutating func fallBehind(at now: Instant) {
    spell = (now, now + dice.span(20, 300), dice.spread(2, 12))
  }

  mutating func recover() { spell = nil }

  /// How late what is said now arrives.
  mutating func delay(at now: Instant) -> Double {
    guard let spell else { return 0 }
    let wave = 2 * spell.latest / Self.slope
    let phase = (now - spell.began).seconds.truncatingRemainder(dividingBy: wave)
    if now >= spell.until, phase < 1.5 { self.spell = nil }
    return min(phase, wave - phase) * Self.slope
  }
}
