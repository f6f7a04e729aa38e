import OwnTracks

/// The doctor's findings about the connection: the daemon's, or that of a `DaemonProbe`.
struct BrokerFindings {
  var connection: StatusRecord.Connection
  /// Nil: no daemon reports it.
  var queue: StatusRecord.Queue?
  /// Of the board's present name; nil: unknown.
  var topic: String?

  func findings() -> [Finding] { [broker] + held + heldFromBefore + passedBy + subscriptions }

  private var broker: Finding {
    let server =
      connection.endpoint ?? "\(connection.host ?? "?"):\(connection.port.map(String.init) ?? "-")"
    let remedy = connection.remedy
    if connection.endpoint == nil, connection.port == 0 {
      return Finding(.warn, "broker", "port is 0: switched off", remedy: remedy)
    }
    let words = "\(server) \(connection.state ?? "")"
    let cause = connection.cause ?? ""
    switch connection.colour {
    case "green":
      let details = [security, confirmed].compactMap(\.self).map { ", \($0)" }.joined()
      guard connection.insecure == true else { return Finding(.ok, "broker", words + details) }
      return Finding(
        .warn, "broker", words + details,
        remedy:
          "homeward config set allowinvalidcerts false; homeward config set tlsCaFile FILE; then: homeward reload"
      )
    case "amber", "blue":
      let early = "it has not failed yet: ask again in half a minute"
      return Finding(.warn, "broker", "\(words): \(cause)", remedy: remedy ?? early)
    default: return Finding(.fail, "broker", "\(words): \(cause)", remedy: remedy)
    }
  }

  private var security: String? { connection.security }

  private var confirmed: String? {
    queue.flatMap { QueueText.confirmed($0) }.map { "confirmed \($0)" }
  }

  private var held: [Finding] {
    guard let held = QueueText.held(on: heldTopics.filter(isOfToday)) else { return [] }
    let words = connection.refusals
    guard !words.isEmpty else {
      return [
        Finding(
          .warn, "held", held,
          remedy: "give this user the right to publish there (the broker's access list or quota); "
            + "if the broker keeps no retained messages: homeward config set pubRetain false")
      ]
    }
    let remedies = Set((connection.untaken ?? []).compactMap(\.remedy)).sorted()
    return [
      Finding(
        .warn, "held", ([held] + words).joined(separator: "; "), remedy: remedies.joined(separator: "; "))
    ]
  }

  /// Under a name that the board no longer has, which perhaps no one may write to, and no one reads.
  private var heldFromBefore: [Finding] {
    let topics = heldTopics.filter { !isOfToday($0) }
    guard !topics.isEmpty, let topic else { return [] }
    return [
      Finding(
        .warn, "held",
        "\(Readable.few(topics)): made under an earlier name (now \(topic)), and not taken there",
        remedy: "let the present user write there, or drop all that waits: homeward queue clear")
    ]
  }

  private var heldTopics: [String] { queue?.held ?? [] }

  private func isOfToday(_ held: String) -> Bool {
    guard let topic else { return true }
    return held == topic || held.hasPrefix(topic + "/")
  }

  private var passedBy: [Finding] {
    guard let queue, let passedBy = QueueText.passedBy(queue) else { return [] }
    return [
      Finding(
        .warn, "passed by", passedBy,
        remedy: "the journal says why (journalctl -u homeward); a broker may limit the size of messages")
    ]
  }

  /// Subscriptions that the broker refuses: commands would not arrive, and no one would notice.
  private var subscriptions: [Finding] {
    (connection.notSubscribed ?? []).map { missing in
      let filter = Readable.text(missing.filter)
      let remedy =
        switch missing.word {
        case "refused", "ended": "give this user the right to read \(filter) at the broker"
        case "oversized":
          "find the message and take it away: mosquitto_pub -r -n -t TOPIC; then: homeward reload"
        case _: "if it stays so, look at the broker's log"
        }
      return Finding(
        .warn, "messages", "\(filter) is not subscribed: \(Readable.text(missing.why))", remedy: remedy)
    }
  }
}
