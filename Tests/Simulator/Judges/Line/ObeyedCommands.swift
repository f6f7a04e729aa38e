import Timebase
import Uplink

/// A command is obeyed while the client counts its topic as subscribed, and on every connection that is left alone for a
/// while it does.
struct ObeyedCommands: Judge {
  /// How long it may be deaf on a connection that nothing disturbs: two ways of the slowest line, twice. Seconds.
  private static let timeout = 60.0
  /// Ends before our own commands are left out: each may take two, where messages were under way at the first; and those
  /// of some hours after that.
  private static let mostEnds = 40
  /// How long the client may leave out our own commands.
  private static let longestWait = Span.minutes(60)
  /// So long after a person has looked after everything nothing is left out, seconds.
  private static let calm = 120.0

  /// The present connection, the state of the line, and since when both are the same.
  private var seen: (connection: Int, changes: Int, since: Instant)?
  /// When filters were asked for last.
  private var asked = Instant.zero
  /// Connections that ended without messages under way and before these were answered, which may be what they ended over.
  private var suspects: Set<String> = []
  /// How often the broker has ended the connection over each filter since rights were changed, or a person looked.
  private var ends: [String: Int] = [:]

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .line(.stands):
      if let connection = world.client.connection { seen = (connection, world.line.changes, world.now) }
    case .line(.asksFor): asked = world.now
    case .line(.forbids(let filter)): forbade(filter)
    case .started, .line(.forgives): forgave()
    case .line(.endsOverNothing): suspect(world.client.subscriptions)
    case .line(.isBlamed):
      if let lie = lie(of: world.client.subscriptions) { world.complain(.obeyed, lie) }
    case .line(.published(let order, let isKept)): look(order.topic, isKept: isKept, world)
    case .line(.probed(isAnswered: false)):
      world.complain(.obeyed, "a command arrived and was not obeyed")
    case .finished where world.tracker != nil && !world.people.orders.hasHeardLast:
      world.complain(.obeyed, "the last command was not obeyed")
    default: break
    }
  }

  mutating func suspect(_ subscriptions: BrokerSubscriptions) {
    suspects.formUnion(subscriptions.missing.lazy.filter { $0.gap == .unanswered }.map(\.filter))
  }

  mutating func forbade(_ filter: String) { ends[filter, default: 0] += 1 }
  mutating func forgave() { ends = [:] }

  /// What is said of filters and of what connections ended over.
  func lie(of subscriptions: BrokerSubscriptions) -> String? {
    for missing in subscriptions.missing where missing.gap == .ended && !suspects.contains(missing.filter) {
      return "\(missing.filter) is left out, and whenever a connection ended messages were under way"
    }
    return ends.first { $0.value > Self.mostEnds }.map {
      "the connection ended over \($0.key) \($0.value) times, and it is still asked for at once"
    }
  }

  private mutating func look(_ topic: String, isKept: Bool, _ world: World) {
    let (server, wire, client) = (world.line.server, world.line.wire, world.client)
    guard world.living != nil, let connection = client.connection, server.isOpen(connection),
      client.name == world.process.encoder.topics.base
    else { return }
    let gap = client.subscriptions.missing.first { $0.filter == topic }?.gap
    if gap == nil, !isKept {
      world.complain(.obeyed, "\(topic) counts as subscribed, and the broker delivers nothing")
    }
    guard wire.isUp, !wire.isDead(connection), !server.isPaused else { return }
    let changes = world.line.changes
    if seen?.connection != connection || seen?.changes != changes { seen = (connection, changes, world.now) }
    guard world.seconds(since: seen?.since) > Self.timeout else { return }
    if let gap { lookAtDeafness(gap, world) }
    if let oldest = server.waiting(for: client.name).first, world.seconds(since: oldest.at) > Self.timeout {
      world.complain(.obeyed, "command \(oldest.number) was sent and never taken")
    }
  }

  /// Connected for long, and not subscribed.
  private func lookAtDeafness(_ gap: BrokerSubscriptions.Gap, _ world: World) {
    let moment = world.boardTime
    if gap == .unanswered, world.seconds(since: asked) <= Self.timeout { return }
    guard gap != .unanswered, let due = world.client.subscriptions.dueAgain else {
      return world.complain(.obeyed, "deaf, and nothing is under way: \(gap)")
    }
    if due < moment || due - moment > Self.longestWait {
      world.complain(.obeyed, "deaf, and asks again in \((due - moment).seconds) s: \(gap)")
    }
    if world.calm > Self.calm { world.complain(.obeyed, "deaf, though nothing is forbidden: \(gap)") }
  }
}
