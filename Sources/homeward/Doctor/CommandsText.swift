import OwnTracks

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

  /// The doctor's findings about it. Where commands are missing, those about the broker say so.
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
