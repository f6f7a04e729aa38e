import Model

/// Messages that were refused for good, until the disk has them for a person. They are out of the way of those behind
/// them, and leave the store only then: whenever the power goes, a message is in one of the two.
struct UnkeptLetters {
  /// A disk that takes nothing for days must not fill the memory: what is refused then stays in the queue.
  static let most = 32
  /// Bytes of topics and payloads. A larger one goes alone.
  static let mostBytes = 1 << 18

  private struct Letter {
    var size: Int
    /// The store has it, or is about to.
    var isStored: Bool
  }

  private var letters: [UInt64: Letter] = [:]
  private var bytes = 0

  func hasRoom(for message: Message) -> Bool {
    letters.isEmpty || letters.count < Self.most && bytes + message.size <= Self.mostBytes
  }

  mutating func add(_ message: Message, isStored: Bool) {
    letters[message.sequence] = Letter(size: message.size, isStored: isStored)
    bytes += message.size
  }

  /// True: the store may forget it now.
  mutating func kept(_ sequence: UInt64) -> Bool {
    guard let letter = letters.removeValue(forKey: sequence) else { return false }
    bytes -= letter.size
    return letter.isStored
  }

  func contains(_ sequence: UInt64) -> Bool { letters[sequence] != nil }
}
