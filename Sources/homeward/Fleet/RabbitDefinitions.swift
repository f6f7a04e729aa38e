import OwnTracks

/// Users and rights of a fleet for RabbitMQ, as `rabbitmqctl import_definitions` reads them.
enum RabbitDefinitions {
  private static let host = "/"
  /// Where the MQTT plugin has its topics.
  private static let exchange = "amq.topic"

  /// `hash`: of a password; a user without one can log in by a certificate alone.
  static func json(_ boards: [FleetBoard], hash: (String) -> String) -> JSON {
    let users = Dictionary(grouping: boards, by: \.user).sorted { $0.key < $1.key }
    return [
      "users": .array(
        users.map { name, boards in
          let password = boards.first { $0.logsInByPassword && !$0.password.isEmpty }?.password
          return [
            "name": .string(name), "password_hash": .string(password.map(hash) ?? ""),
            "hashing_algorithm": "rabbit_password_hashing_sha256", "tags": [],
          ]
        }),
      "vhosts": [["name": .string(host)]],
      "permissions": .array(users.map { permissions($0.key, $0.value) }),
      "topic_permissions": .array(users.map { topics($0.key, $0.value) }),
    ]
  }

  /// The queues of its connections, which are named after the client id.
  private static func permissions(_ user: String, _ boards: [FleetBoard]) -> JSON {
    let queues = "mqtt-subscription-(" + choice(boards.map { escaped($0.topics.clientId) }) + ").*qos[01]"
    let reached = JSON.string("^(amq\\.topic|\(queues))$")
    return [
      "user": .string(user), "vhost": .string(host), "configure": .string("^\(queues)$"), "write": reached,
      "read": reached,
    ]
  }

  private static func topics(_ user: String, _ boards: [FleetBoard]) -> JSON {
    let rights = boards.flatMap { BrokerRight.all(of: $0.configuration) }
    func pattern(_ access: [BrokerRight.Access], _ routed: (String) -> String) -> JSON {
      let found = rights.filter { access.contains($0.access) }.map { routed($0.filter) }
      return .string(found.isEmpty ? "^$" : "^(\(choice(found)))$")
    }
    return [
      "user": .string(user), "vhost": .string(host), "exchange": .string(exchange),
      "write": pattern([.write, .readwrite]) {
        $0.split(separator: "/", omittingEmptySubsequences: false).map(level).joined(separator: "\\.")
      },
      "read": pattern([.read, .readwrite]) { escaped(routingKey($0)) },
    ]
  }

  /// Of a topic that is published: one level of any name, or the level itself.
  private static func level(_ text: Substring) -> String { text == "+" ? "[^.]+" : escaped(String(text)) }

  /// A filter as the broker compares it, which is the very filter of a subscription.
  static func routingKey(_ filter: String) -> String {
    String(filter.map { $0 == "/" ? "." : $0 == "+" ? "*" : $0 })
  }

  private static func choice(_ texts: [String]) -> String {
    var seen: Set<String> = []
    return texts.filter { seen.insert($0).inserted }.joined(separator: "|")
  }

  static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, letter in
      if ".*+?^${}()|[]\\#".contains(letter) { result.append("\\") }
      result.append(letter)
    }
  }
}
