import Model

/// What only some people configure: each in about a quarter of the worlds, with dice of its own.
extension Scenario {
  mutating func drawFeatures(seed: UInt64) {
    drawBacklog(Dice(seed: seed, for: "backlog"))
    drawDwells(Dice(seed: seed, for: "dwell"))
    drawVeils(Dice(seed: seed, for: "veil"))
    drawPoints(Dice(seed: seed, for: "points"))
    drawLimits(Dice(seed: seed, for: "limits"))
    drawVoltage(Dice(seed: seed, for: "voltage"))
    drawRules(Dice(seed: seed, for: "rules"))
    drawShares(Dice(seed: seed, for: "shares"))
    drawStrengths(Dice(seed: seed, for: "strengths"))
    drawWords(Dice(seed: seed, for: "words"))
    drawBatches(Dice(seed: seed, for: "batches"))
    drawTimes(Dice(seed: seed, for: "times"))
    drawSleeps(Dice(seed: seed, for: "sleeps"))
    drawSteps(Dice(seed: seed, for: "steps"))
  }

  private static let share = 0.25

  /// Not every location is worth what a modem costs.
  private mutating func drawBacklog(_ dice: Dice) {
    var dice = dice
    guard dice.chance(Self.share) else { return }
    configuration.queue.backlog = dice.pick([.wifi, .wifi, .never])
  }

  /// Now and then a modem may carry them: the world begins at eight.
  private mutating func drawTimes(_ dice: Dice) {
    var dice = dice
    guard configuration.queue.backlog == .wifi, dice.chance(0.5) else { return }
    let minutes = dice.whole(10...59)
    configuration.queue.backlogTimes.text = "08:\(minutes)-09:\(minutes)\n09:20-09:25\n11:00-11:40"
  }

  /// A board that is switched off wakes by itself.
  private mutating func drawSleeps(_ dice: Dice) {
    var dice = dice
    guard configuration.power.parkedShutdown > 0 || configuration.power.vehicleBatteryOff > 0,
      dice.chance(0.6)
    else {
      return
    }
    configuration.power.parkedWake = dice.pick([0.05, 0.1, 0.3])
    configuration.power.parkedWakeLimit = dice.pick([30, 90, 300])
  }

  /// The board steps down as a battery runs down.
  private mutating func drawSteps(_ dice: Dice) {
    var dice = dice
    guard dice.chance(0.2) else { return }
    var steps = dice.pick([
      "receiver|70%\nbeacons|40%", "receiver|75%\nbeacons|50%\ncheckins|20%", "beacons|60%\noff|10%",
      "receiver|90%\nbeacons|60%\ncheckins|30%\noff|5%",
    ])
    if configuration.power.vehicleBattery.value != nil, dice.chance(0.6) {
      steps += "\n" + dice.pick(["receiver|12V\nbeacons|11.7V", "beacons|12V\ncheckins|11.5V"])
    }
    configuration.power.batterySteps.text = steps
  }

  /// Circles that do not go along, as indices.
  private var circles: [Int] {
    waypoints.indices.filter {
      waypoints[$0].radius > 0 && waypoints[$0].beacon == nil && waypoints[$0].name.utf8.first != 0x2B
    }
  }

  /// Who only drives past has not entered.
  private mutating func drawDwells(_ dice: Dice) {
    var dice = dice
    guard dice.chance(Self.share) else { return }
    for index in circles where dice.chance(0.6) { waypoints[index].dwell = dice.pick([5, 15, 60, 120]) }
  }

  /// Nobody is told what is inside of them.
  private mutating func drawVeils(_ dice: Dice) {
    var dice = dice
    guard dice.chance(Self.share) else { return }
    for index in circles where dice.chance(0.3) { waypoints[index].isPrivate = true }
    for index in waypoints.indices where waypoints[index].beacon != nil && dice.chance(0.2) {
      waypoints[index].isPrivate = true
    }
  }

  /// Which points of a drive are told: those that draw it, in move mode, or the best of some, in significant mode.
  private mutating func drawPoints(_ dice: Dice) {
    var dice = dice
    if dice.chance(Self.share) {
      configuration.adaptive.isOn = true
      configuration.adaptive.distance = dice.pick([200, 500, 1000])
      configuration.adaptive.heading = dice.pick([10, 15, 40])
      configuration.adaptive.speed = dice.pick([10, 15, 40])
      if dice.chance(0.7) { configuration.reports.monitoring = .move }
    }
    if dice.chance(Self.share) {
      configuration.reports.significantWindow = dice.pick([5, 20, 60])
      if dice.chance(0.5) { configuration.reports.monitoring = .significant }
    }
  }

  private mutating func drawLimits(_ dice: Dice) {
    var dice = dice
    guard dice.chance(Self.share) else { return }
    for index in circles where dice.chance(0.5) { waypoints[index].speedLimit = dice.pick([20, 30, 50, 80]) }
  }

  /// The battery that starts the vehicle is measured.
  private mutating func drawVoltage(_ dice: Dice) {
    var dice = dice
    guard dice.chance(Self.share) else { return }
    configuration.power.vehicleBattery.text = "file:/run/vehicle-volts"
    configuration.power.vehicleBatteryLow = dice.pick([11.9, 12.2, 12.2, 0])
    configuration.power.vehicleBatteryOff = dice.pick([0, 11.2, 11.5])
    if dice.chance(0.5) { configuration.reports.monitoring = .move }
  }

  /// The mode goes by the network and by the time of day: the world begins at eight.
  private mutating func drawRules(_ dice: Dice) {
    var dice = dice
    guard dice.chance(Self.share) else { return }
    let modes = ["1|2", "2|1", "1|", "|2", "2|0", "0|1"]
    configuration.reports.networkModes.text = "\(Way.wifi)|\(dice.pick(modes))"
    let minutes = dice.whole(10...59)
    configuration.reports.timeModes.text =
      "08:\(minutes)-09:\(minutes)|\(dice.pick(modes))\n09:30-09:35|0|1\n10:20-11:00|\(dice.pick(modes))"
  }

  /// Nobody is told the names of them.
  private mutating func drawShares(_ dice: Dice) {
    var dice = dice
    guard dice.chance(Self.share) else { return }
    for index in waypoints.indices where dice.chance(0.3) { waypoints[index].isShared = false }
  }

  /// The broker keeps a word that says whether the board is there.
  private mutating func drawWords(_ dice: Dice) {
    var dice = dice
    configuration.dashboard.availability = dice.chance(Self.share)
  }

  /// Locations travel together.
  private mutating func drawBatches(_ dice: Dice) {
    var dice = dice
    guard dice.chance(Self.share) else { return }
    configuration.queue.batchSeconds = dice.pick([10, 60, 300, 900])
  }

  /// Beacons that are too weak do not count, and one goes along whatever its numbers are.
  private mutating func drawStrengths(_ dice: Dice) {
    var dice = dice
    guard dice.chance(Self.share), let known = waypoints.lazy.compactMap(\.beacon).first else { return }
    configuration.beacons.enterRssi = dice.pick([-75, -85])
    configuration.beacons.leaveRssi = dice.pick([0, -95])
    guard dice.chance(0.5) else { return }
    var fleet = entry("Fleet", at: road.stops[0], radius: -1)
    fleet.beacon = BeaconIdentity(uuid: known.uuid)
    waypoints.append(fleet)
  }
}
