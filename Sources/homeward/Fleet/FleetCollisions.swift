/// Names and topics that two boards must not share.
struct FleetCollisions {
  /// A line each.
  private(set) var faults: [String] = []
  /// A line each for things that work and are seldom meant.
  private(set) var warnings: [String] = []

  private static let mostPlaces = 4

  init(_ boards: [FleetBoard]) {
    for (id, group) in Self.shared(boards, \.topics.clientId) {
      faults.append("\(Self.places(group)): equal client id \(id): they throw each other off the broker")
    }
    for (base, group) in Self.shared(boards, \.topics.base) {
      faults.append("\(Self.places(group)): equal topic \(base): they are one to those who look")
    }
    for (_, group) in Self.shared(boards, { RabbitDefinitions.routingKey($0.topics.base) }) {
      let bases = group.map(\.topics.base)
      guard Set(bases).count > 1 else { continue }
      faults.append(
        "\(Self.places(group)): \(bases[0]) and \(bases.first { $0 != bases[0] } ?? "") are one topic to RabbitMQ, "
          + "which takes a dot for the slash: expected names without dots")
    }
    let dotted = boards.filter { $0.topics.base.contains(".") }
    if let first = dotted.first {
      warnings.append(
        "warning: \(Self.places(dotted)): a dot in \(first.topics.base), which RabbitMQ takes for the slash of a topic"
      )
    }
    for (id, group) in Self.shared(boards, { [$0.user, $0.topics.trackerID] }) {
      warnings.append("warning: \(Self.places(group)): equal tid \(id[1]) of user \(id[0])")
    }
    for (user, group) in Self.shared(boards.filter(\.logsInByPassword), \.user) {
      let passwords = Set(group.map(\.password)).subtracting([""])
      if passwords.count > 1 {
        faults.append("\(Self.places(group)): different passwords, and all of them log in as \(user)")
      }
    }
    let several = Self.shared(boards, \.user)
    if let (user, group) = several.first {
      let more = several.count > 1 ? " (and \(several.count - 1) more users)" : ""
      warnings.append(
        "warning: \(Self.places(group)): one user \(user)\(more): at the broker each of them may do what the others may"
      )
    }
    faults = faults.map(\.plainLine)
    warnings = warnings.map(\.plainLine)
  }

  /// Values that several have, in the order of their first boards.
  static func shared<Value: Hashable>(
    _ boards: [FleetBoard], _ value: (FleetBoard) -> Value
  ) -> [(Value, [FleetBoard])] {
    let groups = Dictionary(grouping: boards.enumerated()) { value($0.element) }
    return groups.filter { $0.value.count > 1 }.sorted { $0.value[0].offset < $1.value[0].offset }
      .map { ($0.key, $0.value.map(\.element)) }
  }

  static func places(_ boards: [FleetBoard]) -> String {
    let shown = boards.prefix(mostPlaces).map(\.place).joined(separator: ", ")
    return boards.count > mostPlaces ? "\(shown) and \(boards.count - mostPlaces) more" : shown
  }
}
