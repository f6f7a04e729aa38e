/// Everything is told, the card is slow, and a broker takes nothing of one topic for long: more waits than memory holds
/// of it, or than people let wait, and it is read page by page while that changes.
extension Scenario {
  /// In few worlds: they tell a place every second.
  private static let share = 0.1

  mutating func drawJam(_ dice: Dice, _ rates: inout Rates) {
    var dice = dice
    isJam = dice.chance(Self.share)
    guard isJam else { return }
    configuration.reports.monitoring = .move
    configuration.reports.locatorDisplacement = 0
    (configuration.reports.downgrade, configuration.reports.adapt) = (0, 0)
    (configuration.reports.networkModes.text, configuration.reports.timeModes.text) = ("", "")
    configuration.adaptive.isOn = false
    configuration.receiver.dutyCycle = 0
    configuration.queue.limit = dice.pick([300, 300, 500, 102_400])
    if dice.chance(0.3) { configuration.queue.backlog = .wifi }
    rates.begin(.topicHeld, dice.between(1, 4))
    rates.begin(.diskSlow, dice.between(10, 40))
    // What keeps a board from telling, or has it read everything anew, is for others.
    let others: [Fault] = [
      .configured, .commanded, .ordered, .ignitionTurned, .receiverBlind, .gpsdLost, .fixLost, .bornIn1970,
      .networkCut, .credentialsRefused, .killed, .killedInWrite, .powerCut, .powerCutInWrite,
    ]
    for fault in others where dice.chance(0.7) { rates.end(fault) }
  }
}
