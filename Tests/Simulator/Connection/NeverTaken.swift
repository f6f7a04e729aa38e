import Model

/// A location that the broker takes at no time, though it never says so for good: it costs itself, and nothing of its
/// topic that comes after it.
struct NeverTaken {
  private static let share = 0.1
  /// Seconds of the calm part: before that what waited arrives, and later there is no time left to find it out.
  private static let chosen = 60.0...600

  private let isWanted: Bool
  private var content: Ledger.Content?

  init(dice: Dice, mayBe: Bool) {
    var dice = dice
    isWanted = mayBe && dice.chance(Self.share)
  }

  /// How many wait to the end.
  var count: Int { content == nil ? 0 : 1 }

  fileprivate func mayBegin(_ calm: Double) -> Bool {
    isWanted && content == nil && Self.chosen.contains(calm)
  }

  fileprivate mutating func begin(_ content: Ledger.Content) { self.content = content }
  fileprivate func isStuck(_ content: Ledger.Content) -> Bool { self.content == content }
}

extension World {
  /// Asked of everything that comes to the broker.
  func isStuck(_ message: Message) -> Bool {
    let content = Ledger.Content(message)
    if line.neverTaken.isStuck(content) { return true }
    let indices = ledger.indices(of: content)
    guard line.neverTaken.mayBegin(calm), !message.isEvent,
      indices.count == 1, !ledger.hasArrived(indices[0])
    else { return false }
    tell("the broker will never take \(message.sequence)")
    line.neverTaken.begin(content)
    ledger.excuse(message, .refused)
    return true
  }
}
