import Model
import OwnTracks

/// Something that a board does at the broker.
struct BrokerRight: Hashable {
  enum Access: String {
    case read, write, readwrite
  }

  var access: Access
  /// A topic, or a filter of topics.
  var filter: String

  /// All that a configuration does, each once. Nothing of it is about another board, unless `friends` or `subTopic` say
  /// so.
  static func all(of configuration: Configuration) -> [BrokerRight] {
    let topics = Topics(configuration, hostName: "")
    // Where the broker does not say what it drops, it is heard whether what was published comes back.
    let listens = configuration.broker.protocolLevel != 5 && configuration.broker.roundTrip
    let said = Topics.Suffix.allCases.filter { ![.listento, .request, .command].contains($0) }
    // The place that is retained there tells a broker that has lost some of its memory.
    let looks = configuration.queue.resendLost > 0 && configuration.messages.retain
    var rights = [BrokerRight(access: listens || looks ? .readwrite : .write, filter: topics.base)]
    rights += said.map { BrokerRight(access: listens ? .readwrite : .write, filter: topics.topic($0)) }
    for filter in topics.subscriptions {
      // A command that it sends to itself shows whether those of others arrive.
      let isCommand = filter == topics.topic(.command)
      rights.append(BrokerRight(access: isCommand ? .readwrite : .read, filter: filter))
    }
    if configuration.dashboard.discovery, configuration.messages.encryptionKey.isEmpty {
      rights.append(
        BrokerRight(access: .write, filter: configuration.dashboard.discoveryPrefix + "/+/+/+/config"))
    }
    return rights
  }

  /// The same, with mosquitto's `%u` where the user stands in it, and `+` for any device of that user: one line then is
  /// good for all boards. Nil: the user does not stand in it.
  static func patterns(of configuration: Configuration) -> [BrokerRight?] {
    var any = configuration
    any.identity.username = "%u"
    any.identity.deviceId = "+"
    return all(of: any).map { $0.filter.split(separator: "/").contains("%u") ? $0 : nil }
  }
}

/// The list of rights of a fleet, for mosquitto.
enum MosquittoRights {
  static func list(_ boards: [FleetBoard]) -> String {
    var patterns = Lines()
    var users: [String: Lines] = [:]
    for board in boards {
      let rights = BrokerRight.all(of: board.configuration)
      for (right, pattern) in zip(rights, BrokerRight.patterns(of: board.configuration)) {
        if let pattern {
          patterns.add("pattern \(pattern.access) \(pattern.filter)")
        } else {
          users[board.user, default: Lines()].add("topic \(right.access) \(right.filter)")
        }
      }
    }
    let head = """
      # Rights of a fleet at a mosquitto broker, written anew whenever the fleet is made. Each board says what is its to
      # say, hears its own commands, and can do nothing else. %u is the user that it logs in as, or that its certificate
      # is for.

      """
    return users.sorted { $0.key < $1.key }.reduce(head + patterns.text) {
      $0 + "\nuser \($1.key)\n" + $1.value.text
    }
  }

  /// Each once, in the order in which they came.
  private struct Lines {
    private var seen: Set<String> = []
    private(set) var text = ""

    mutating func add(_ line: String) { if seen.insert(line).inserted { text += line + "\n" } }
  }
}
