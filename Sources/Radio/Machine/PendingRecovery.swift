/// Work to be done before the radio may listen again. Each part is a state of its own: a power cycle does
/// not end the wish for another adapter.
struct PendingRecovery: Hashable {
  enum Restart: Hashable {
    case none
    /// The scan is removed and set up anew.
    case scan
    /// The adapter is to be chosen anew, too.
    case adapter
  }

  enum PowerCycle: Hashable {
    case none
    case forFault
    /// Nothing but its silence speaks against the adapter.
    case forSilence
  }

  /// How rfkill did when it was last tried.
  enum Block: Hashable {
    case none
    /// It was blocked and released, and not yet switched on.
    case released
    case failed(String)
  }

  private(set) var restart = Restart.none
  private(set) var powerCycle = PowerCycle.none
  private(set) var block = Block.none
  /// It did not answer: first it has to.
  private(set) var mustAnswer = false

  /// Why rfkill did not help; nil: it did, or was not tried.
  var blockFailure: String? { if case .failed(let why) = block { why } else { nil } }

  /// Nothing has to be taken back or switched off before it listens.
  var isEmpty: Bool { restart == .none && powerCycle == .none }

  // MARK: Restart

  mutating func restartScan() { if restart == .none { restart = .scan } }
  mutating func replaceAdapter() { restart = .adapter }
  mutating func restarted() { restart = .none }
  /// The scan is gone in any case; a wish for another adapter stays.
  mutating func forgetScan() { if restart == .scan { restart = .none } }

  // MARK: Power cycle

  mutating func cyclePower(_ reason: PowerCycle) { powerCycle = reason }
  /// More than its silence speaks against it, or nothing is asked twice for the sake of its silence.
  mutating func countAsFault() { if powerCycle == .forSilence { powerCycle = .forFault } }
  /// It is done, or will not be.
  mutating func endPowerCycle() { powerCycle = .none }

  // MARK: Proof

  mutating func askForAnswer() { mustAnswer = true }
  mutating func answered() { mustAnswer = false }

  // MARK: rfkill

  mutating func blocked(_ failure: String?) { block = failure.map(Block.failed) ?? .released }

  /// It was switched on, or refused to be. True: the first time since it was blocked.
  mutating func switchedOn() -> Bool {
    guard block == .released else { return false }
    block = .none
    return true
  }

  /// Another adapter needs none of it.
  mutating func forgetAdapter() {
    (restart, powerCycle, mustAnswer) = (.none, .none, false)
  }
}
