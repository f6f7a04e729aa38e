/// The errors in one message, as far as they are worth reporting: the first five, and how many more.
public struct Problems: Sendable {
  /// Lines for one message; the others are counted.
  public static let limit = 5

  private var first: [String] = []
  /// Those that are only counted.
  var more = 0

  mutating func append(_ text: @autoclosure () -> String) {
    if first.count < Self.limit { first.append(text()) } else { more += 1 }
  }

  mutating func append(_ other: Problems) {
    for text in other.first { append(text) }
    more += other.more
  }

  var isEmpty: Bool { first.isEmpty }

  /// A line each; the last one counts those that are not told.
  var lines: [String] {
    guard more > 0, let last = first.last else { return first }
    return first.dropLast() + ["\(last) (and \(more) more problems)"]
  }
}
