import Model
import Timebase

/// Who orders from elsewhere, and tries whether the board obeys.
struct Orders {
  fileprivate var published = 0
  fileprivate var lastCommand = Instant.zero - .minutes(10)
  fileprivate var last: Int?
  fileprivate(set) var hasHeardLast = false
  /// Commands that reached the tracker.
  fileprivate(set) var obeyed = 0
}

extension World {
  /// Somebody tries whether the board obeys.
  func probe() {
    let number = publish(.status, isProbe: true)
    if now >= phases.rest { people.orders.last = number }
  }

  /// Its number, if the broker keeps it for the board.
  func publish(_ command: Command, isProbe: Bool) -> Int? {
    guard line.server.isUp else { return nil }
    people.orders.published += 1
    let order = Order(
      number: people.orders.published, topic: process.encoder.topics.topic(.command), command: command,
      at: now, isProbe: isProbe)
    let name = process.encoder.topics.base
    let isKept = line.server.keep(order, for: name)
    show(.line(.published(order, isKept: isKept)))
    guard isKept else { return nil }
    if let connection = client.connection, client.name == name, line.server.isOpen(connection) {
      answer(connection, .command(order))
    }
    return order.number
  }

  func heard(_ order: Order, on connection: Int) {
    client.lastHeard = now
    guard living != nil else { return }
    if breakage == .commandsAreSwallowed { return }
    if line.server.isOpen(connection) { line.server.acknowledged(order, by: client.name) }
    if order.number == people.orders.last { people.orders.hasHeardLast = true }
    people.orders.obeyed += 1
    guard !order.isProbe else { return obeyProbe(order) }
    // What people have put right is not spoilt by what comes late.
    guard !isCalm else { return }
    people.orders.lastCommand = now
    if Command.changes.contains(order.command.action) { ledger.note(breakOf: nil, at: now) }
    wake(.commanded(ReceivedCommand(order.command)))
  }

  /// One that can be answered, is.
  private func obeyProbe(_ order: Order) {
    guard configuration.commands.isOn, isAddressed, tracker?.wall(at: moment) != nil else { return }
    let isAlone = now - people.orders.lastCommand > .minutes(1)
    people.orders.lastCommand = now
    let (before, thisLife) = (ledger.made.count, life)
    wake(.commanded(ReceivedCommand(order.command)))
    guard isAlone, life == thisLife, process.isRunning else { return }
    let isAnswered = ledger.made[before...].contains { if case .status = $0.report { true } else { false } }
    show(.line(.probed(isAnswered: isAnswered)))
  }
}
