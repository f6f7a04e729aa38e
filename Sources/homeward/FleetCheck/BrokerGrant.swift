/// Limits in a broker's greeting. Nil: as asked, or without a limit.
struct BrokerGrant: Equatable {
  var maximumQoS = 2
  var retains = true
  var hasSharedSubscriptions = true
  /// Seconds.
  var sessionExpiry: Int?
  /// Bytes.
  var maximumPacket: Int?
  var aliases = 0
  var receiveMaximum = 65_535
  /// Seconds.
  var keepalive: Int?
  /// By its own word.
  var version: String?

  enum Kind {
    case mosquitto, rabbit, other
  }

  /// No other has no QoS 2 and no shared subscriptions. mosquitto says its name where rights let it be read, and it is
  /// the one with so many topic aliases.
  var kind: Kind {
    if let version { return version.hasPrefix("mosquitto") ? .mosquitto : .other }
    if maximumQoS == 1, !hasSharedSubscriptions { return .rabbit }
    return aliases == 10 ? .mosquitto : .other
  }

  var name: String {
    switch kind {
    case .mosquitto: version ?? "mosquitto, by its greeting"
    case .rabbit: "RabbitMQ, by its greeting"
    case .other: version ?? "a broker that does not say which"
    }
  }

  /// For people: everything that is limited.
  var summary: String {
    var words = ["QoS \(maximumQoS)", retains ? "retains" : "does not retain"]
    words.append(sessionExpiry.map { "sessions of \(Readable.span(Double($0)))" } ?? "sessions as asked")
    if let maximumPacket { words.append("packets up to \(maximumPacket) bytes") }
    if receiveMaximum < 65_535 { words.append("\(receiveMaximum) messages under way") }
    words.append("\(aliases) topic aliases")
    if let keepalive { words.append("a ping every \(keepalive) s") }
    return words.joined(separator: ", ")
  }
}

/// Where the greeting does not give what the boards' settings ask for.
enum GrantFindings {
  /// Bytes: a position with everything that it may have in it, and its topic.
  static let position = 2048
  /// Bytes: lists of regions, cards with a face, batches.
  static let longest = 64 << 10
  /// Messages that a board has under way at the begin of a connection.
  static let window = 20
  /// Seconds. A vehicle stands over night.
  static let day = 86_400

  static func found(_ grant: BrokerGrant, _ boards: [FleetBoard]) -> FleetFindings {
    var found = FleetFindings()
    let settings = { (matches: (FleetBoard) -> Bool) in boards.filter(matches) }
    if grant.maximumQoS == 0 {
      found.blame(
        "the broker takes QoS 0 alone, of which it acknowledges nothing, so that boards cannot know what has arrived: let "
          + "it take QoS 1")
    } else if grant.maximumQoS == 1, case let some = settings({ $0.configuration.messages.qos == 2 }),
      !some.isEmpty
    {
      found.warn(
        "\(FleetFindings.boards(some)): pubQos is 2, and the broker takes QoS 1 at most: set pubQos 1")
    }
    if !grant.retains {
      let some = settings { $0.configuration.messages.retain }
      if !some.isEmpty {
        found.blame(
          "\(FleetFindings.boards(some)): pubRetain is true, and the broker retains nothing: set pubRetain false, or let "
            + "the broker retain")
      }
      found.warn(
        "the broker retains nothing, and the list of fleet status is empty: take its lines from a database"
      )
    }
    if let expiry = grant.sessionExpiry, expiry < day {
      let some = settings { !$0.configuration.broker.cleanSession }
      if !some.isEmpty {
        found.warn(
          "the broker keeps a session for \(Readable.span(Double(expiry))): a board that is away for longer loses the "
            + "commands in it; let it keep them for a day or more")
      }
    }
    if let packet = grant.maximumPacket {
      if packet < position {
        found.blame(
          "the broker takes packets of \(packet) bytes at most, and a position may have \(position): raise its limit"
        )
      } else if packet < longest {
        found.warn(
          "the broker takes packets of \(packet) bytes at most: longer lists of regions, cards and batches stay on the "
            + "board; expected \(longest) or more")
      }
    }
    if grant.receiveMaximum < window {
      found.warn(
        "the broker takes \(grant.receiveMaximum) messages at a time from each board: after an outage they come slowly; "
          + "expected \(window) or more")
    }
    if let keepalive = grant.keepalive {
      let some = settings {
        max($0.configuration.broker.keepalive, $0.configuration.broker.keepaliveParked) > keepalive
      }
      if !some.isEmpty {
        found.warn(
          "\(FleetFindings.boards(some)): keepAliveParked or keepalive is longer than the \(keepalive) s of the broker, "
            + "and is of no use: raise the broker's limit (max_keepalive)")
      }
    }
    return found
  }
}

/// Settings of the boards that do not go with this kind of broker.
enum FittingSettings {
  /// Each session of a board is a queue with a copy on every node.
  static let manySessions = 300
  private static let reserved: Set<String> = ["check", "record"]

  static func found(_ kind: BrokerGrant.Kind, _ boards: [FleetBoard]) -> FleetFindings {
    var found = FleetFindings()
    func note(_ text: String, where matches: (FleetBoard) -> Bool) {
      let some = boards.filter(matches)
      if !some.isEmpty { found.warn("\(FleetFindings.boards(some)): \(text)") }
    }
    note(
      "mqttProtocolLevel is not 5, and with 3.1.1 a broker cannot say what it refuses: set mqttProtocolLevel 5"
    ) {
      $0.configuration.broker.protocolLevel != 5
    }
    note(
      "friends is true, and each board is sent what all others publish: set friends false"
    ) {
      $0.configuration.friends.isOn && $0.configuration.broker.sub
        && $0.configuration.broker.subTopic.allSatisfy(\.isWhitespace)
    }
    guard kind == .rabbit else { return found }
    let dotted = boards.filter { $0.topics.base.contains(".") }
    if !dotted.isEmpty {
      found.blame(
        "\(FleetFindings.boards(dotted)): a dot in \(dotted[0].topics.base), which RabbitMQ takes for a slash, so that "
          + "rights and consumers see another topic: expected names without dots")
    }
    for board in boards where reserved.contains(board.user) {
      found.blame(
        "\(board.place): the user \(board.user) is the broker's own, of the load balancer or the record: give the board "
          + "another name")
    }
    note("pubRetain is true, and each node of RabbitMQ retains for itself alone: set pubRetain false") {
      $0.configuration.messages.retain
    }
    note(
      "holdUnheard is false, and what nobody has subscribed to is lost where pubRetain is false: set holdUnheard true"
    ) {
      !$0.configuration.messages.retain && !$0.configuration.messages.holdsUnheard
    }
    note(
      "resendLost is not 0, and a place that another node retains looks as if it were lost: set resendLost 0"
    ) {
      $0.configuration.queue.resendLost != 0
    }
    note(
      "legacyListento is true, and RabbitMQ ends the connection over a filter that rights forbid: set legacyListento "
        + "false"
    ) {
      $0.configuration.broker.sub && $0.configuration.commands.legacyListento
        && $0.configuration.broker.subTopic.allSatisfy(\.isWhitespace)
    }
    let sessions = boards.filter { !$0.configuration.broker.cleanSession }
    if sessions.count > manySessions {
      found.warn(
        "\(FleetFindings.boards(sessions)): cleanSession is false, and each session is a queue with a copy on every node "
          + "of RabbitMQ: set cleanSession true; a command for a board that is away is lost then")
    }
    return found
  }
}
