/// People who have their own mind about the mode: they name the one that the board has taken by itself.
struct Insistence {
  private var dice: Dice
  /// Each second.
  private let chance: Double

  init(dice: Dice, isPresent: Bool) {
    self.dice = dice
    chance = self.dice.chance(0.4) && isPresent ? self.dice.spread(0.002, 0.05) : 0
  }

  mutating func strikes() -> Bool { chance > 0 && dice.chance(chance) }
}

extension World {
  /// Once a second.
  func insist() {
    guard !isCalm, process.isRunning, !process.isStopping, process.takingUp == nil, let mode = tracker?.mode,
      mode.adapted || mode.downgraded, people.insistence.strikes()
    else { return }
    control(.mode(mode.mode))
  }
}
