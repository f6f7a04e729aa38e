/// The questions that a page may ask the tracker.
enum Questions {
  /// Bytes of a topic; MQTT has no longer ones.
  private static let longestTopic = 65_535

  /// The words of the control line for a path and its query; nil: there is no such question.
  static func words(_ path: String, _ parameter: (String) -> String?) -> [String]? {
    switch path {
    case "/api/why": return numbered(["why"], ["last", "after"], parameter)
    case "/api/regions": return ["region", "list"]
    case "/api/friends":
      var words = ["friends"]
      if let after = parameter("after") {
        guard isTopic(after) else { return nil }
        words += ["--after", after]
      }
      if parameter("all") == "1" { words.append("--all") }
      return words
    case "/api/beacons": return ["beacons"]
    case "/api/queue": return ["queue"]
    case "/api/friend":
      guard let topic = parameter("topic"), isTopic(topic) else { return nil }
      return ["friend", "show", topic]
    case "/api/history":
      guard var words = numbered(["history"], ["after", "limit"], parameter) else { return nil }
      if parameter("newest") == "1" { words.append("--newest") }
      return words
    default: return nil
    }
  }

  /// Whether a phone may keep the answer: what the page shows with every visit. Everybody who may open the page sees it.
  static func mayBeKept(_ path: String) -> Bool {
    ["/api/regions", "/api/friends", "/api/friend", "/api/history"].contains(path)
  }

  private static func isTopic(_ text: String) -> Bool {
    text.utf8.count <= longestTopic && !text.hasPrefix("--")
  }

  /// The words with these options, as far as they are asked for; nil: one of them is no number.
  private static func numbered(
    _ words: [String], _ options: [String], _ parameter: (String) -> String?
  ) -> [String]? {
    var words = words
    for name in options {
      guard let text = parameter(name) else { continue }
      guard isNumber(text) else { return nil }
      words += ["--" + name, text]
    }
    return words
  }

  /// Of so many digits that nothing else can be meant.
  static func isNumber(_ text: String) -> Bool {
    (1...15).contains(text.utf8.count)
      && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}
