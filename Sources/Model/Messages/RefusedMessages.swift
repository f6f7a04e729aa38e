/// Messages that were refused for good and go into the queue once more, because a person asked for it.
public struct RefusedMessages: Hashable, Sendable {
  /// The sequence that the first of them gets, and the name of the file that has them until the store does: a store
  /// that has given it has all of them.
  public var first: UInt64
  /// In the order in which they were refused.
  public var messages: [Message]
  /// How many cannot be sent again.
  public var leftCount = 0
  /// Where the first of those stays and why, as one line; nil: there is none.
  public var leftBecause: String?

  /// Nothing stays behind.
  public init(first: UInt64, messages: [Message] = []) {
    self.first = first
    self.messages = messages
  }
}
