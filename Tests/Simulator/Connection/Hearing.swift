import Core
import Model
import OwnTracks
import Timebase
import Uplink

/// Whether the board hears what is ordered from elsewhere. Kept by the world.
struct Hearing {
  /// How long it may be deaf on a connection that nothing disturbs: two ways of the slowest line, twice.
  static let timeout = Span.seconds(60)
  /// Ends before our own commands are left out: each may take two, where messages were under way at the first; and those
  /// of some hours after that.
  static let mostEnds = 40
  /// How long the client may leave out our own commands.
  static let longestWait = Span.minutes(60)
  /// So long after a person has looked after everything nothing is left out.
  static let calm = Span.seconds(120)

  fileprivate var published = 0
  /// The present connection, the state of the line, and since when both are the same.
  fileprivate var seen: (connection: Int, changes: Int, since: Instant)?
  /// When filters were asked for last.
  fileprivate var asked = Instant.zero
  fileprivate var lastCommand = Instant.zero - .minutes(10)
  fileprivate var last: Int?
  fileprivate(set) var hasHeardLast = false
  /// Commands that reached the tracker.
  fileprivate(set) var obeyed = 0

  /// Connections that ended without messages under way and before these were answered, which may be what they ended over.
  private var suspects: Set<String> = []
  /// How often the broker has ended the connection over each filter since rights were changed, or a person looked.
  private var ends: [String: Int] = [:]

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

  mutating func connected(_ connection: Int, _ changes: Int, at now: Instant) {
    seen = (connection, changes, now)
  }

  mutating func asked(at now: Instant) { asked = now }
}

extension World {
  // MARK: Who orders

  /// Somebody tries whether the board obeys.
  func probe() {
    let number = publish(.status, isProbe: true)
    if now >= rest { hearing.last = number }
  }

  /// Its number, if the broker keeps it for the board.
  func publish(_ command: Command, isProbe: Bool) -> Int? {
    guard server.isUp else { return nil }
    hearing.published += 1
    let order = Order(
      number: hearing.published, topic: encoder.topics.topic(.command), command: command, at: now,
      isProbe: isProbe)
    let name = encoder.topics.base
    let isKept = server.keep(order, for: name)
    lookAtHearing(order.topic, isKept: isKept)
    guard isKept else { return nil }
    if let connection = client.connection, client.name == name, server.isOpen(connection) {
      answer(connection, .command(order))
    }
    return order.number
  }

  func heard(_ order: Order, on connection: Int) {
    client.lastHeard = now
    guard isRunning, tracker != nil, !isStopping else { return }
    if breakage == .commandsAreSwallowed { return }
    if server.isOpen(connection) { server.acknowledged(order, by: client.name) }
    if order.number == hearing.last { hearing.hasHeardLast = true }
    hearing.obeyed += 1
    guard !order.isProbe else { return obeyProbe(order) }
    // What people have put right is not spoilt by what comes late.
    guard !isCalm else { return }
    hearing.lastCommand = now
    if Command.changes.contains(order.command.action) { ledger.note(breakOf: nil, at: now) }
    wake(.commanded(ReceivedCommand(order.command)))
  }

  /// One that can be answered, is.
  private func obeyProbe(_ order: Order) {
    guard configuration.commands.isOn, configuration.broker.port != 0,
      !configuration.identity.username.isEmpty, tracker?.wall(at: clock.moment(at: now)) != nil
    else {
      return
    }
    let isAlone = now - hearing.lastCommand > .minutes(1)
    hearing.lastCommand = now
    let (before, thisLife) = (ledger.made.count, life)
    wake(.commanded(ReceivedCommand(order.command)))
    guard isAlone, life == thisLife, isRunning else { return }
    let isAnswered = ledger.made[before...].contains { if case .status = $0.report { true } else { false } }
    if !isAnswered { ledger.complain(.obeyed, "a command arrived and was not obeyed", at: now) }
  }

  // MARK: The judge

  private func lookAtHearing(_ topic: String, isKept: Bool) {
    guard isRunning, tracker != nil, !isStopping, let connection = client.connection,
      server.isOpen(connection), client.name == encoder.topics.base
    else { return }
    let gap = client.subscriptions.missing.first { $0.filter == topic }?.gap
    if gap == nil, !isKept {
      ledger.complain(.obeyed, "\(topic) counts as subscribed, and the broker delivers nothing", at: now)
    }
    guard wire.isUp, !wire.isDead(connection), !server.isPaused else { return }
    if hearing.seen?.connection != connection || hearing.seen?.changes != lineChanges {
      hearing.seen = (connection, lineChanges, now)
    }
    guard let since = hearing.seen?.since, now - since > Hearing.timeout else { return }
    if let gap { lookAtDeafness(gap) }
    if let oldest = server.waiting(for: client.name).first, now - oldest.at > Hearing.timeout {
      ledger.complain(.obeyed, "command \(oldest.number) was sent and never taken", at: now)
    }
  }

  func judgeBlame() {
    if let lie = hearing.lie(of: client.subscriptions) { ledger.complain(.obeyed, lie, at: now) }
  }

  /// Connected for long, and not subscribed.
  private func lookAtDeafness(_ gap: BrokerSubscriptions.Gap) {
    let moment = clock.instant(at: now)
    if gap == .unanswered, now - hearing.asked <= Hearing.timeout { return }
    guard gap != .unanswered, let due = client.subscriptions.dueAgain else {
      return ledger.complain(.obeyed, "deaf, and nothing is under way: \(gap)", at: now)
    }
    if due < moment || due - moment > Hearing.longestWait {
      ledger.complain(.obeyed, "deaf, and asks again in \((due - moment).seconds) s: \(gap)", at: now)
    }
    if let calm = ledger.calmSince, now - calm > Hearing.calm {
      ledger.complain(.obeyed, "deaf, though nothing is forbidden: \(gap)", at: now)
    }
  }
}
