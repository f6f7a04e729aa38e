import OwnTracks

/// Whether messages arrive, as the doctor says it.
extension DeliveryText {
  /// Findings about it. A missing message is a finding of the broker's light.
  static func findings(_ status: StatusRecord?) -> [Finding] {
    guard let connection = status?.connection, let words = words(connection),
      let delivery = connection.delivery, delivery.missing == nil
    else { return [] }
    if let topics = delivery.unheard, !topics.isEmpty {
      let rights = rights(topics, base: status?.identity?.topic)
      return [
        Finding(
          .warn, "delivery", words,
          remedy:
            "let those who are to see it read there (mosquitto's acl_file: \(rights) below the \"user\" line of "
            + "each), and have them subscribe")
      ]
    }
    guard list(delivery.unreadable) != nil else { return [Finding(.ok, "delivery", words)] }
    return [
      Finding(
        .warn, "delivery", words,
        remedy:
          "let this board's user read its own topics at the broker, then homeward reload; where it is not to: "
          + "homeward config set roundTrip false")
    ]
  }

  /// Lines of mosquitto's list with which these topics may be read, each once.
  private static func rights(_ topics: [String], base: String?) -> String {
    var filters: [String] = []
    for topic in topics {
      let filter = filter(for: topic, base: base)
      if !filters.contains(filter) { filters.append(filter) }
    }
    return Readable.few(filters.map { "\"topic read \(Readable.text($0))\"" })
  }

  /// For the board's own topics all of them; for a description of Home Assistant's all below its prefix, which comes
  /// before four levels.
  private static func filter(for topic: String, base: String?) -> String {
    if let base, topic == base || topic.hasPrefix(base + "/") { return base + "/#" }
    let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
    guard levels.count > 4, levels.last == "config" else { return topic }
    return levels.dropLast(4).joined(separator: "/") + "/#"
  }
}

/// Whether commands do.
extension CommandsText {
  /// Findings about it. Missing commands are a finding of the broker's light.
  static func findings(_ status: StatusRecord?) -> [Finding] {
    guard let connection = status?.connection, let words = words(connection) else { return [] }
    let commands = connection.commands
    let topic = Readable.text(commands?.topic)
    let right = "let this board's user publish on \(topic) as well as read there, then homeward reload"
    switch commands?.state {
    case "missing": return []
    case "unclear":
      return [
        Finding(
          .warn, "commands", words,
          remedy: right + "; or try homeward config set mqttProtocolLevel 5: there the broker says which")
      ]
    default: return [Finding(.ok, "commands", words)]
    }
  }
}
