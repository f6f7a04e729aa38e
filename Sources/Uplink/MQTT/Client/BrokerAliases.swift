/// Topic aliases of one MQTT 5 connection: the full topic goes out once with its number, later the number alone. They
/// end with the connection.
package struct BrokerAliases: Hashable, Sendable {
  /// Numbers for topics, 1 for the most frequent one.
  var numbers: [String: Int]
  /// How many the broker allows; 0: none.
  var maximum: Int
  private var known: Set<Int> = []

  /// For one connection: at most `maximum` aliases, and none before it stands.
  package init(numbers: [String: Int] = [:], maximum: Int = 0) {
    self.numbers = numbers
    self.maximum = maximum
  }

  /// Nil: publish without an alias. `isTopicNeeded`: the broker does not know the number yet.
  package mutating func alias(for topic: String) -> (number: Int, isTopicNeeded: Bool)? {
    guard maximum > 0, let number = numbers[topic], number <= maximum else { return nil }
    return (number, known.insert(number).inserted)
  }
}
