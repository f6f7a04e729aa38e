/// One message that the client does not take, while the connection stands and nothing else is wrong: no connection comes
/// to set right what was made of it.
struct OneFailedSend {
  private static let share = 0.3
  /// Seconds of the calm part: what waited arrives before, and whether all goes on has to be seen after it.
  private static let moments = 60.0...900
  /// Seconds.
  static let length = 0.5

  private var isWanted: Bool

  init(dice: Dice) {
    var dice = dice
    isWanted = dice.chance(Self.share)
  }

  /// With a message on its way to the client.
  mutating func begins(calm: Double) -> Bool {
    guard isWanted, Self.moments.contains(calm) else { return false }
    isWanted = false
    return true
  }
}
