import Model

/// Ends in a row over one message, while others wait behind it. Kept by the world.
///
/// What the broker ends connections over is found out, and then it waits for itself: the first end is over many, the
/// next over what was there again, two more over it alone.
struct Endings {
  /// So many in a row, since a filter that is not answered yet may be the reason just as well, and the network, too.
  private static let most = 12

  private var message: World.Alone?
  private var count = 0

  /// The broker has said something of a message, whatever it was.
  mutating func answered() { (message, count) = (nil, 0) }

  /// `isAlone`: nothing else waits.
  mutating func ended(over message: World.Alone, isAlone: Bool) -> String? {
    count = self.message == message && !isAlone ? count + 1 : 1
    self.message = message
    guard count > Self.most else { return nil }
    answered()
    return "\(Self.most + 1) connections in a row end over \(message.sequence), and others wait behind it"
  }
}
