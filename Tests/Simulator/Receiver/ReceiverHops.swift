import Glibc
import Timebase

/// A receiver among reflections: for some time it is somewhere else every few seconds, far off and sure of itself. Never
/// twice in one place: no two of them have anything to do with each other, and nobody can have gone there.
struct ReceiverHops {
  /// Metres to the first place, and how much further off each one is: more than what counts as the same place.
  private static let away = (first: 400.0, more: 250.0)
  /// Seconds that all of it takes, and that one place does: less than what makes a place believed.
  private static let lasts = (all: (18.0, 60.0), one: (1.0, 5.0))

  private struct Spell {
    var until: Instant
    var next: Instant
    var metres = ReceiverHops.away.first
    var angle: Double
  }

  private var dice: Dice
  private let perHour: Double
  private var spell: Spell?

  init(dice: Dice) {
    self.dice = dice
    perHour = self.dice.chance(0.2) ? self.dice.spread(3, 40) : 0
  }

  var isUnderWay: Bool { spell != nil }

  mutating func recover() { spell = nil }

  /// How far off the fix of this second is. `mayBegin`: it can be told to be wrong. It ends where the
  /// vehicle sets out.
  mutating func off(at now: Instant, mayBegin: Bool, isStanding: Bool) -> Point? {
    if spell == nil, mayBegin, dice.chance(perHour / 3600) {
      let (all, one) = (Self.lasts.all, Self.lasts.one)
      spell = Spell(
        until: now + .seconds(dice.between(all.0, all.1)), next: now + .seconds(dice.between(one.0, one.1)),
        angle: dice.between(0, 2 * .pi))
    }
    guard var spell else { return nil }
    guard isStanding, now < spell.until else {
      self.spell = nil
      return nil
    }
    if now >= spell.next {
      spell.next = now + .seconds(dice.between(Self.lasts.one.0, Self.lasts.one.1))
      spell.metres += Self.away.more
      spell.angle += dice.between(1, 5)
    }
    self.spell = spell
    return Point(east: spell.metres * cos(spell.angle), north: spell.metres * sin(spell.angle))
  }
}
