/// Matches topics against a topic filter (MQTT 3.1.1, 4.7).
enum TopicFilter {
  /// Whether messages on `topic` come with `filter`.
  static func covers(_ filter: String, _ topic: String) -> Bool {
    let wanted = filter.split(separator: "/", omittingEmptySubsequences: false)
    let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
    for (index, part) in wanted.enumerated() {
      // It stands for the level above it as well.
      if part == "#" { return true }
      guard index < levels.count, part == "+" || part == levels[index] else { return false }
    }
    return wanted.count == levels.count
  }
}
