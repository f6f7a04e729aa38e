import Timebase

/// Spells in which a receiver says of many of its fixes that they may be far off, as between high walls or under
/// trees: it knows no better, and the places are as good as before.
struct ReceiverHaze {
  private var dice: Dice
  /// `share`: how many of the fixes are vague.
  private var spell: (until: Instant, accuracy: Double, share: Double)?
  private var last: Instant?
  /// So long after a vague fix, what a tracker makes of the next ones is not known from the road alone, seconds.
  private static let memory = 150.0

  init(dice: Dice) { self.dice = dice }

  mutating func begin(at now: Instant) {
    spell = (now + dice.span(5, 240), dice.spread(12, 400), dice.pick([0.3, 0.5, 0.5, 1]))
  }

  mutating func recover() { spell = nil }

  /// Metres; nil: this fix is as good as any.
  mutating func accuracy(at now: Instant) -> Double? {
    guard let spell else { return nil }
    if now >= spell.until { self.spell = nil }
    guard dice.chance(spell.share) else { return nil }
    last = now
    return spell.accuracy * dice.between(0.8, 1.25)
  }

  /// A fix was vague of late, or the next one may be.
  func isNear(_ now: Instant) -> Bool {
    spell != nil || last.map { (now - $0).seconds < Self.memory } ?? false
  }

  /// A fix was vague since then.
  func isSeen(since: Instant) -> Bool { last.map { $0 >= since } ?? false }
}
