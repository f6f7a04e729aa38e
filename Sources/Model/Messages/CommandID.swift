/// The sender's id for a command, by which it knows the answer: a command without one is not answered.
public enum CommandID: Hashable, Sendable {
  /// A whole number.
  case number(Int64)
  /// At most `limit` bytes.
  case text(String)
  /// Something else was given; the answer has none.
  case unusable

  /// Bytes of a text: it goes into the answer as it is.
  public static let limit = 128
}
