/// What a few people configure, with dice of its own: situations that the others hardly ever come into.
extension Scenario {
  mutating func drawRarities(seed: UInt64) {
    drawAccuracy(Dice(seed: seed, for: "accuracy"))
    drawAdapting(Dice(seed: seed, for: "adapting"))
  }

  /// A circle goes along, and about every second fix is too vague for what people want to be told.
  private mutating func drawAccuracy(_ dice: Dice) {
    var dice = dice
    guard dice.chance(0.15) else { return }
    configuration.reports.ignoreInaccurateLocations = dice.pick([6, 7])
    configuration.reports.monitoring = dice.pick([.significant, .manual])
    if !waypoints.contains(where: { $0.name.utf8.first == 0x2B }) {
      waypoints.append(entry(dice.pick(["+follow", "+10follow"]), at: road.stops[0], radius: 100))
    }
  }

  /// Who stands leaves move mode, wherever that is.
  private mutating func drawAdapting(_ dice: Dice) {
    var dice = dice
    guard dice.chance(0.15) else { return }
    configuration.reports.adapt = dice.pick([1, 2, 3])
    configuration.reports.adaptRequiresFollow = false
    configuration.reports.monitoring = .move
    configuration.reports.locatorInterval = dice.pick([20, 60])
    if dice.chance(0.7) { configuration.reports.downgrade = 0 }
  }

  /// Beacons of another rhythm, or behind doors, in worlds whose people wait for them as long as that takes to show.
  mutating func drawBeacons(seed: UInt64, _ radio: inout Radio, mayRide: Bool) {
    if !mayRide, radio.pair(Dice(seed: seed, for: "pair")) {
      configuration.beacons.lossTimeout = 0
      (configuration.beacons.enterRssi, configuration.beacons.leaveRssi) = (0, 0)
      return
    }
    if !mayRide, radio.drawStranger(Dice(seed: seed, for: "stranger")) {
      // Who has such a neighbour names the whole number.
      for index in waypoints.indices { waypoints[index].beacon = waypoints[index].beacon.map(radio.named) }
    }
    var dice = Dice(seed: seed, for: "doors")
    guard configuration.beacons.enterRssi != 0, dice.chance(0.7) else { return }
    configuration.beacons.lossTimeout = dice.pick([0, 30, 30, 60])
    radio.doors = Doors(dice: dice)
  }
}
