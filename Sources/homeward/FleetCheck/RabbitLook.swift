import OwnTracks

/// A cluster as `rabbitmqctl` describes it, and what of it loses messages or locks boards out.
struct RabbitLook {
  var definitions: JSON
  var queues: JSON
  var environment: JSON
  var cluster: JSON
  var boards: [FleetBoard]

  private(set) var found = FleetFindings()

  init(definitions: JSON, queues: JSON, environment: JSON, cluster: JSON, boards: [FleetBoard]) {
    self.definitions = definitions
    self.queues = queues
    self.environment = environment
    self.cluster = cluster
    self.boards = boards
    lookAtNodes()
    lookAtQueues()
    lookAtPolicies()
    lookAtSettings()
    lookAtUsers()
  }

  private static let exchange = "amq.topic"
  private static let session = "mqtt-subscription-"
  private static let lookersOn = "look."
  /// Deliveries of one message. RabbitMQ's own, from 4.0 on.
  private static let usualLimit = 20
  /// Milliseconds. RabbitMQ's own is half an hour.
  private static let usualPatience = 1_800_000
  /// Seconds. RabbitMQ's own is a minute.
  private static let usualTick = 60

  // MARK: Nodes

  private var nodes: [String] { (cluster["disk_nodes"]?.elements ?? []).compactMap(\.text) }

  private mutating func lookAtNodes() {
    let running = Set((cluster["running_nodes"]?.elements ?? []).compactMap(\.text))
    for node in nodes where !running.contains(node) {
      found.blame("\(node) is not running: start it; of three nodes one may be away, and then none other")
    }
    if nodes.count == 1 {
      found.warn("one node alone: no message is on a second machine, and nothing takes over")
    } else if nodes.count == 2 {
      found.warn("two nodes: when one is away, nothing is acknowledged; expected three")
    }
    if let alarms = cluster["alarms"]?.elements, !alarms.isEmpty {
      found.blame(
        "an alarm is on: boards are not greeted or not acknowledged; free memory or disk (rabbitmqctl status names it)"
      )
    }
    if let torn = cluster["partitions"]?.members, !torn.isEmpty {
      found.blame(
        "the cluster is torn (\(torn.map(\.key).joined(separator: ", "))): restart the nodes of the smaller part"
      )
    }
    let flags = cluster["feature_flags"]?.elements ?? []
    let off = flags.filter { $0["state"]?.text == "disabled" }
    if nodes.count > 1, off.contains(where: { $0["name"]?.text == "khepri_db" }) {
      found.blame(
        "users and bindings are kept in Mnesia, and a node that was cut off may lock its boards out until it is restarted: "
          + "rabbitmqctl enable_feature_flag --experimental khepri_db; there is no way back")
    }
    let stable = off.filter { $0["stability"]?.text == "stable" }.compactMap { $0["name"]?.text }
    if !stable.isEmpty {
      found.warn(
        "feature flags are off (\(stable.joined(separator: ", "))), without which the next version may not start: "
          + "rabbitmqctl enable_feature_flag all")
    }
  }

  // MARK: Queues

  private struct Bound {
    var queue: String
    var key: String
  }

  private var bindings: [Bound] {
    (definitions["bindings"]?.elements ?? []).compactMap { binding in
      guard binding["source"]?.text == Self.exchange, binding["destination_type"]?.text == "queue",
        let queue = binding["destination"]?.text, let key = binding["routing_key"]?.text
      else { return nil }
      return Bound(queue: queue, key: key)
    }
  }

  private mutating func lookAtQueues() {
    let bindings = bindings.filter { !$0.queue.hasPrefix(Self.session) }
    let places = boards.map(\.topics.base)
    let hearing = Set(
      bindings.filter { bound in places.contains { TopicPattern.amqp(bound.key, matches: $0) } }.map(\.queue))
    let kept = hearing.filter { !$0.hasPrefix(Self.lookersOn) }
    if kept.isEmpty {
      found.blame(
        "no queue hears the boards' positions, and what RabbitMQ acknowledges is gone: bind one to \(Self.exchange), as "
          + "the fleet's definitions.json does")
    }
    for queue in queues.elements ?? [] {
      guard let name = queue["name"]?.text else { continue }
      if kept.contains(name) { lookAtRecord(queue, name) }
    }
    for queue in kept.sorted() { lookAtBindings(bindings.filter { $0.queue == queue }.map(\.key), queue) }
    lookAtSessions()
  }

  /// Of a board's own topics those that no record hears.
  private mutating func lookAtBindings(_ keys: [String], _ queue: String) {
    guard let board = boards.first else { return }
    let ignored: Set<Topics.Suffix> = [.listento, .request, .command, .batch]
    let topics =
      [board.topics.base] + Topics.Suffix.allCases.filter { !ignored.contains($0) }.map(board.topics.topic)
    let missing = topics.filter { topic in !keys.contains { TopicPattern.amqp($0, matches: topic) } }
    if !missing.isEmpty {
      found.warn("the queue \(queue) does not hear \(missing.joined(separator: ", ")): bind it to them, too")
    }
  }

  /// An argument of the queue, or what a policy gives it; both are lists of names, types and values, or objects.
  private static func value(_ queue: JSON, argument: String, policy: String) -> JSON? {
    value(queue["arguments"], argument) ?? value(queue["effective_policy_definition"], policy)
  }

  private static func value(_ list: JSON?, _ name: String) -> JSON? {
    if list?.members != nil { return list?[name] }
    return list?.elements?.first { $0[0]?.text == name }?.elements?.last
  }

  private mutating func lookAtRecord(_ queue: JSON, _ name: String) {
    guard queue["type"]?.text == "quorum" else {
      return found.blame(
        "the queue \(name) is \(queue["type"]?.text ?? "of no kind"), on one disk alone: delete it while the boards are "
          + "away, and make it of type quorum")
    }
    let limit =
      Self.value(queue, argument: "x-delivery-limit", policy: "delivery-limit")?.int ?? Self.usualLimit
    if limit != -1 {
      found.blame(
        "the queue \(name) throws a message away that comes again \(limit) times, and a consumer that is restarted brings "
          + "all back: x-delivery-limit -1, which is set when it is made")
    }
    if Self.value(queue, argument: "x-single-active-consumer", policy: "")?.flag != true {
      found.warn(
        "the queue \(name) has no x-single-active-consumer: a new connection of its consumer gets newer messages first"
      )
    }
    if let overflow = Self.value(queue, argument: "x-overflow", policy: "overflow")?.text,
      overflow.hasPrefix("reject")
    {
      found.blame(
        "the queue \(name) has \(overflow): when it is full, boards repeat into all others and stall: take it away"
      )
    } else if Self.value(queue, argument: "x-max-length", policy: "max-length") != nil
      || Self.value(queue, argument: "x-max-length-bytes", policy: "max-length-bytes") != nil
    {
      found.warn(
        "the queue \(name) has a limit, behind which it forgets the oldest: name one of a looker-on look.something"
      )
    }
    let members = queue["members"]?.elements?.count ?? 0
    if members < min(nodes.count, 3) {
      found.blame(
        "the queue \(name) has \(Readable.count(members, "copy", plural: "copies")) on \(nodes.count) nodes: "
          + "rabbitmq-queues grow rabbit@NODE all, and quorum_queue.continuous_membership_reconciliation for later"
      )
    }
    if queue["consumers"]?.int == 0 {
      found.warn("nobody takes from the queue \(name): start the record, what boards say waits there")
    }
  }

  private mutating func lookAtSessions() {
    let sessions = (queues.elements ?? []).filter { $0["name"]?.text?.hasPrefix(Self.session) == true }
    func name(_ some: [JSON]) -> String { "\(some.count) (\(some.first?["name"]?.text ?? "") is the first)" }
    // Those that end with their connection are of another kind again.
    let classic = sessions.filter {
      $0["type"]?.text == "classic" && $0["durable"]?.flag != false && $0["exclusive"]?.flag != true
    }
    if !classic.isEmpty, nodes.count > 1 {
      found.blame(
        "sessions on one node alone: \(name(classic)): a board is kept out for as long as that node is away; delete them, "
          + "with durable_queue_type quorum in force")
    }
    let limited = sessions.filter {
      $0["type"]?.text == "quorum"
        && Self.value($0, argument: "x-delivery-limit", policy: "delivery-limit")?.int != -1
    }
    if !limited.isEmpty {
      found.warn(
        "sessions with a limit of deliveries: \(name(limited)): a command for a board whose line breaks 21 times is lost; "
          + "a policy for ^mqtt-subscription- with delivery-limit -1")
    }
  }

  private mutating func lookAtPolicies() {
    for policy in definitions["policies"]?.elements ?? [] {
      guard let name = policy["name"]?.text, let overflow = policy["definition"]?["overflow"]?.text,
        overflow.hasPrefix("reject")
      else { continue }
      found.blame(
        "the policy \(name) has \(overflow): a queue that is full makes boards repeat into all others and stall; take "
          + "drop-head for lookers-on")
    }
  }

  // MARK: Settings and users

  private mutating func lookAtSettings() {
    let mqtt = environment["rabbitmq_mqtt"]
    let keeps = boards.contains { !$0.configuration.broker.cleanSession }
    if keeps, nodes.count > 1, let kind = mqtt?["durable_queue_type"]?.text, kind != "quorum" {
      found.blame(
        "mqtt.durable_queue_type is \(kind): a board's session keeps it out for as long as its node is away; set quorum "
          + "before the first board connects, or cleanSession true on the boards")
    }
    let rabbit = environment["rabbit"]
    if let patience = rabbit?["consumer_timeout"]?.int, patience <= Self.usualPatience {
      found.warn(
        "consumer_timeout is \(patience / 1000) s: a record that waits longer for its database is cut off; set a day"
      )
    }
    if let tick = environment["kernel"]?["net_ticktime"]?.int, tick >= Self.usualTick, nodes.count > 1 {
      found.warn(
        "net_ticktime is \(tick) s: until a node is missed, boards that were on it may have to wait; set 15")
    }
    if nodes.count > 1, rabbit?["quorum_membership_reconciliation_enabled"]?.flag != true {
      found.warn(
        "a queue that was made while a node was missing gets no copy there later: "
          + "quorum_queue.continuous_membership_reconciliation.enabled = true")
    }
  }

  private mutating func lookAtUsers() {
    let there = Dictionary(
      (definitions["users"]?.elements ?? []).map { ($0["name"]?.text ?? "", $0) },
      uniquingKeysWith: { one, _ in one })
    let expected = RabbitDefinitions.json(boards) { _ in "" }
    let rights = ["permissions", "topic_permissions"].map {
      (kind: $0, expected: Self.rights(expected, $0), present: Self.rights(definitions, $0))
    }
    var missing: [String] = []
    for user in expected["users"]?.elements ?? [] {
      guard let name = user["name"]?.text else { continue }
      guard let known = there[name] else {
        missing.append(name)
        continue
      }
      if !(known["tags"]?.elements ?? []).isEmpty || known["tags"]?.text?.isEmpty == false {
        found.blame(
          "the user \(name) is a board and has tags: rabbitmqctl set_user_tags \(name) takes them away")
      }
      for right in rights where right.expected[name] != right.present[name] {
        found.blame(
          "the user \(name) has other \(right.kind) than \(FleetFolder.definitions) gives it: import it again"
        )
      }
    }
    if let first = missing.first {
      let more = missing.count > 1 ? " and \(missing.count - 1) more" : ""
      found.blame("no user \(first)\(more): rabbitmqctl import_definitions \(FleetFolder.definitions)")
    }
    if there["guest"] != nil {
      found.warn(
        "the user guest is there, with a password that everybody knows: rabbitmqctl delete_user guest")
    }
  }

  /// Of each user, with what they are about.
  private static func rights(_ definitions: JSON, _ kind: String) -> [String: Set<String>] {
    var rights: [String: Set<String>] = [:]
    for row in definitions[kind]?.elements ?? [] {
      let words = ["vhost", "exchange", "configure", "write", "read"].map { row[$0]?.text ?? "" }
      rights[row["user"]?.text ?? "", default: []].insert(words.joined(separator: "\0"))
    }
    return rights
  }
}

extension RabbitLook {
  /// `program`: rabbitmqctl, or one that runs it where the broker is.
  static func found(by program: String, _ boards: [FleetBoard]) throws -> FleetFindings {
    let questions = [
      ["export_definitions", "-", "--format=json"],
      [
        "list_queues", "name", "type", "durable", "exclusive", "members", "arguments",
        "effective_policy_definition",
        "consumers", "--formatter=json",
      ],
      ["environment", "--formatter=json"], ["cluster_status", "--formatter=json"],
    ]
    // A node that hangs answers nothing.
    let timeout = OtherProgram(name: "timeout", package: "coreutils")
    let started = try questions.map {
      try timeout.start(["20", program, "--quiet"] + $0, joinsErrors: false)
    }
    var answers: [JSON] = []
    var found = FleetFindings()
    for (running, words) in zip(started, questions) {
      let ended = OtherProgram.end(running, atMost: limit)
      if ended.status == 0, let answer = try? JSON.parse(ended.output, limit: limit, values: 2_000_000) {
        answers.append(answer)
      } else {
        found.skip(
          "queues, policies and users: \(program) \(words[0]) ended with status \(ended.status), and without JSON"
        )
      }
    }
    guard answers.count == questions.count else { return found }
    return RabbitLook(
      definitions: answers[0], queues: answers[1], environment: answers[2], cluster: answers[3],
      boards: boards
    ).found
  }

  /// Bytes; a thousand boards have one million.
  private static let limit = 64 << 20
}
