/// A value that is read from a text.
public protocol WrittenValue: Hashable, Sendable {
  /// Nil: the text says no such value.
  init?(_ text: String)
}

/// A setting that is a text in the file and a value for the daemon: it is parsed where it is set, and the text
/// is kept as its owner wrote it.
public struct Written<Value: WrittenValue>: Hashable, Sendable {
  /// Nil: nothing is named.
  public private(set) var value: Value?
  /// A text that says no value leaves none.
  public var text: String {
    didSet { value = Value(text) }
  }

  /// The value that `text` says.
  public init(_ text: String) {
    self.text = text
    value = Value(text)
  }
}
