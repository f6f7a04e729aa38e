import OwnTracks

/// Whether messages that the broker has acknowledged are delivered, in one line for people.
enum DeliveryText {
  /// `connection`: that of the daemon's status. Nil: nothing is connected, or the daemon does not say.
  static func words(_ connection: StatusRecord.Connection) -> String? {
    guard let delivery = connection.delivery else { return nil }
    switch delivery.by {
    case "reasonCodes":
      guard let topics = list(delivery.unheard) else {
        return "the broker says what it does not pass on (MQTT 5)"
      }
      return "nobody subscribes to \(topics) now, as the broker says; it has taken the messages"
    case "roundTrip": return roundTrip(delivery)
    case "nothing":
      return "unknown: nothing is tried out (roundTrip or sub is false), and MQTT 3.1.1 does not say"
    default: return nil
    }
  }

  /// The doctor's findings about it. Where something is missing, those about the broker say so.
  static func findings(_ status: StatusRecord?) -> [Finding] {
    guard let connection = status?.connection, let words = words(connection),
      let delivery = connection.delivery, delivery.missing == nil
    else { return [] }
    if list(delivery.unheard) != nil {
      let base = status?.identity?.topic ?? "TOPIC"
      return [
        Finding(
          .warn, "delivery", words,
          remedy:
            "let those who are to see it read there (mosquitto's acl_file: \"topic read \(base)/#\" below the "
            + "\"user\" line of each), and have them subscribe")
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

  private static func roundTrip(_ delivery: StatusRecord.Connection.Delivery) -> String {
    var parts: [String] = []
    if let topics = list(delivery.missing) {
      parts.append("NOTHING came back of what went out on \(topics)")
    }
    if let topics = list(delivery.unreadable) {
      parts.append(
        "unknown on \(topics): the broker does not let us subscribe there, and MQTT 3.1.1 does not say")
    }
    if let topics = delivery.proven, !topics.isEmpty {
      parts.append("proven on \(Readable.few(proven(topics, delivery.provenAges ?? [])))")
    }
    return parts.isEmpty ? "not tried out yet: the next message is" : parts.joined(separator: "; ")
  }

  /// Each with how long ago one came back there; an older daemon does not say.
  private static func proven(_ topics: [String], _ ages: [Double]) -> [String] {
    topics.enumerated().map { index, topic in
      let age = index < ages.count ? " \(Readable.span(ages[index])) ago" : ""
      return "\(topic) (it came back\(age))"
    }
  }

  private static func list(_ topics: [String]?) -> String? {
    guard let topics, !topics.isEmpty else { return nil }
    return Readable.few(topics)
  }
}
