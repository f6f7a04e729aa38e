/// In some worlds a process ends just when something waits for a dwell, now and then.
struct Restlessness {
  private var dice: Dice
  private let isRestless: Bool

  init(dice: Dice) {
    self.dice = dice
    isRestless = self.dice.chance(0.4)
  }

  fileprivate mutating func isEndingNow() -> Bool { isRestless && dice.chance(0.01) }
}

extension World {
  /// Once a second.
  func endInDwell() {
    guard breakage == nil, !isCalm, let tracker = working, process.inbox.isEmpty,
      tracker.knownRegions.contains(where: { if case .dwelling = $0.presence { true } else { false } }),
      people.restlessness.isEndingNow()
    else { return }
    ledger.note(.killed)
    kill()
  }
}
