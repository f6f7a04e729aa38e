import Timebase
import Uplink

/// Somebody else who connects under the board's name, for a while: a broker lets the later one in and throws the other
/// out. A broker that is ill does the same.
struct Rival {
  private var dice: Dice
  /// Spells an hour; 0: there is no rival in this world.
  private let rate: Double
  private var spell: (from: Instant, until: Instant)?
  /// Which connection it will end, when, and how.
  private var plan: (connection: Int, at: Instant, cause: BrokerCause)?
  private var cause = BrokerCause.closedByBroker

  init(dice: Dice, isPresent: Bool) {
    self.dice = dice
    rate = self.dice.chance(0.15) && isPresent ? self.dice.spread(1, 4) : 0
  }

  /// Once a second: what ends this connection now; nil: nothing.
  mutating func look(at connection: Int?, at now: Instant) -> BrokerCause? {
    guard rate > 0 else { return nil }
    if spell.map({ now > $0.until }) ?? true {
      let from = now + dice.wait(perHour: rate)
      spell = (from, from + dice.span(120, 1200))
      cause = dice.pick([.closedByBroker, .reset, .reset])
    }
    guard let connection, let spell, now >= spell.from else { return nil }
    if plan?.connection != connection {
      plan = (connection, now + .seconds(dice.between(0.5, 7)), cause)
    }
    guard let plan, now >= plan.at else { return nil }
    self.plan = nil
    return plan.cause
  }
}

extension World {
  /// Once a second.
  func rivalLooks() {
    guard !isCalm, let connection = client.connection, line.server.isOpen(connection), line.wire.isUp,
      let cause = line.rival.look(at: connection, at: now)
    else { return }
    tell("a rival of the same name")
    dropConnection(cause)
  }
}
