/// What a page may ask the tracker.
enum Questions {
  /// Bytes of a topic; MQTT has no longer ones.
  private static let longestTopic = 65_535

  /// The words of the control line for a path and its query; nil: there is no such question.
  static func words(_ path: String, _ parameter: (String) -> String?) -> [String]? {
    switch path {
    case "/api/why": return ["why"]
    case "/api/regions": return ["region", "list"]
    case "/api/friends": return ["friends"]
    case "/api/beacons": return ["beacons"]
    case "/api/queue": return ["queue"]
    case "/api/settings": return ["settings", "show"]
    case "/api/friend":
      guard let topic = parameter("topic"), topic.utf8.count <= longestTopic, !topic.hasPrefix("--") else {
        return nil
      }
      return ["friend", "show", topic]
    case "/api/history":
      var words = ["history"]
      for name in ["after", "limit"] {
        guard let text = parameter(name) else { continue }
        guard isNumber(text) else { return nil }
        words += ["--" + name, text]
      }
      if parameter("newest") == "1" { words.append("--newest") }
      return words
    default: return nil
    }
  }

  /// Of so many digits that nothing else can be meant.
  static func isNumber(_ text: String) -> Bool {
    (1...15).contains(text.utf8.count)
      && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}
