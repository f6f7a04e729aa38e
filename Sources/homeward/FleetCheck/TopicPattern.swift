/// Filters of topics, as MQTT and as AMQP write them.
enum TopicPattern {
  static func mqtt(_ filter: String, matches topic: String) -> Bool {
    matches(levels(filter, "/"), levels(topic, "/"), one: "+")
  }

  /// `topic`: of MQTT; its routing key has dots for the slashes.
  static func amqp(_ key: String, matches topic: String) -> Bool {
    matches(levels(key, "."), levels(RabbitDefinitions.routingKey(topic), "."), one: "*")
  }

  private static func levels(_ text: String, _ mark: Character) -> ArraySlice<Substring> {
    text.split(separator: mark, omittingEmptySubsequences: false)[...]
  }

  private static func matches(
    _ pattern: ArraySlice<Substring>, _ levels: ArraySlice<Substring>, one: Substring
  ) -> Bool {
    guard let first = pattern.first else { return levels.isEmpty }
    let rest = pattern.dropFirst()
    // With MQTT it is the last one; with AMQP it need not be.
    if first == "#" {
      return rest.isEmpty || levels.indices.contains { matches(rest, levels[$0...], one: one) }
        || matches(rest, levels[levels.endIndex...], one: one)
    }
    guard let level = levels.first, first == one || first == level else { return false }
    return matches(rest, levels.dropFirst(), one: one)
  }
}
