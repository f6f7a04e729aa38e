import Model
import OwnTracks

/// Whether messages that the broker has acknowledged reach anybody, in one line for people.
enum DeliveryText {
  /// `connection`: that of the daemon's status. Nil: nothing is connected, or the daemon does not say.
  static func words(_ connection: StatusRecord.Connection) -> String? {
    guard let delivery = connection.delivery else { return nil }
    switch delivery.by {
    case "reasonCodes":
      guard let topics = list(delivery.unheard) else {
        return "the broker says what it does not pass on (MQTT 5)"
      }
      return "no client subscribes to \(topics) now, as the broker says; it has taken the messages"
    case "roundTrip": return roundTrip(delivery)
    case "nothing":
      return "unknown: nothing is tried out (roundTrip or sub is false), and MQTT 3.1.1 does not say"
    default: return nil
    }
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

  static func list(_ topics: [String]?) -> String? {
    guard let topics, !topics.isEmpty else { return nil }
    return Readable.few(topics)
  }
}

/// Whether commands reach the board, in one line for people.
enum CommandsText {
  /// `connection`: that of the daemon's status. Nil: nothing is connected, or the daemon does not say.
  static func words(_ connection: StatusRecord.Connection) -> String? {
    guard let commands = connection.commands else { return nil }
    let topic = Readable.text(commands.topic)
    switch commands.state {
    case "untried": return "not tried out yet on \(topic)"
    case "heard":
      let age = commands.age.map { " \(Readable.span($0)) ago" } ?? ""
      return "heard: one that this board sent to itself on \(topic) came back\(age)"
    case "missing":
      return "NOT HEARD: what this board sends to itself on \(topic) is taken and does not come back"
    case "unclear":
      return
        "unknown: what this board sends to itself on \(topic) does not come back; it may not be allowed to publish "
        + "there, or it may hear no commands (MQTT 3.1.1 does not say which)"
    case "barred": return barred(commands, topic)
    default: return nil
    }
  }

  private static func barred(_ commands: StatusRecord.Connection.Commands, _ topic: String) -> String {
    guard let why = commands.why else {
      return
        "heard: those of others come; what this board sends to itself on \(topic) is dropped by the broker"
    }
    return "not tried out: the broker does not let this board publish on \(topic) (\(why))"
  }
}

extension StatusRecord.Connection {
  /// Whether others on the way can read it. Nil: an older daemon does not say.
  var security: String? {
    guard let isTLS = tls else { return nil }
    let payloads = encrypted == true
    guard isTLS else { return payloads ? "no TLS, payloads encrypted" : "no TLS: all on the way can read it" }
    let words = insecure == true ? "TLS, but certificates are not checked" : "TLS"
    return words + (payloads ? ", payloads encrypted" : "")
  }

  /// `a/b/event: Not authorized (reason code 0x87)`, for each topic of which the broker has said so.
  var refusals: [String] { (untaken ?? []).map { "\(Readable.text($0.topic)): \(Readable.text($0.why))" } }
}

extension StatusRecord.Board {
  /// One line; nil: the kernel tells nothing of the board.
  var words: String? {
    var words: [String] = []
    if let temperature { words.append("\(Readable.number(temperature, decimals: 0)) °C") }
    if let storageWear { words.append("storage \(storageWear) % worn") }
    words += known.map { $0?.words ?? "something that this program does not know" }
    if wasUnderVoltage { words.append("the voltage was too low before") }
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }

  /// The troubles; nil: one of a newer daemon.
  var known: [BoardHealth.Trouble?] { troubles?.map { BoardHealth.Trouble(rawValue: $0) } ?? [] }

  /// The voltage was too low, and no longer is.
  var wasUnderVoltage: Bool { underVoltage == false && underVoltageSeen == true }
}

extension StatusRecord {
  /// The obstacle that keeps the daemon from writing; nil: there is none.
  var storeTrouble: String? {
    if let cause = store?.cause, !cause.isEmpty { return cause }
    guard queue?.storeFailing == true else { return nil }
    return "writing fails; what comes now waits in memory"
  }
}

extension StatusRecord.Remote {
  /// `locatorInterval, host (on trial)`; nil: nothing.
  var summary: String? {
    guard let settings = settings?.members, !settings.isEmpty else { return nil }
    return settings.map(\.key).joined(separator: ", ") + (trial == true ? " (on trial)" : "")
  }
}
