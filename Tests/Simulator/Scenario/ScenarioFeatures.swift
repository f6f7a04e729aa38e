import Model

/// What only some people configure: each in about a quarter of the worlds, with dice of its own.
extension Scenario {
  mutating func drawFeatures(seed: UInt64) {
    drawBacklog(Dice(seed: seed, for: "backlog"))
  }

  private static let share = 0.25

  /// Not every location is worth what a modem costs.
  private mutating func drawBacklog(_ dice: Dice) {
    var dice = dice
    guard dice.chance(Self.share) else { return }
    configuration.queue.backlog = dice.pick([.wifi, .wifi, .never])
  }
}
