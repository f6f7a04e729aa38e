import Timebase

/// A connection that the broker has greeted, until it ends.
package struct StandingConnection: Equatable {
  typealias Action = ConnectionMachine.Action

  /// A broker that does not answer for so long holds up no message.
  static let carefulWait = Span.seconds(2)

  let since: Instant
  /// What the broker has answered to CONNECT.
  package let greeting: BrokerClient.Greeting
  /// The network has changed while it was made: the next one follows at once.
  let isHurried: Bool
  /// It was told of; before, nothing but filters may be under way on it.
  private(set) var isAnnounced = false
  private var stall = BrokerStall()
  /// The request that it is tested with while it is stuck.
  private var question: Int32?

  init(since: Instant, greeting: BrokerClient.Greeting, isHurried: Bool) {
    (self.since, self.greeting, self.isHurried) = (since, greeting, isHurried)
  }

  // MARK: Its beginning

  /// Nil: it was told of before, or the answers to the filters have to be waited for.
  mutating func announce(after subscriptions: BrokerSubscriptions, isWaitOver: Bool) -> Action? {
    if isAnnounced || isCareful(subscriptions) && !isWaitOver { return nil }
    isAnnounced = true
    return .tellConnected(
      isSessionPresent: greeting.isSessionPresent, receiveMaximum: greeting.receiveMaximum)
  }

  /// When to look after the filters next.
  func subscribeAlarm(_ subscriptions: BrokerSubscriptions, at now: Instant) -> Action {
    .set(.subscribe, isAnnounced ? subscriptions.dueAgain : now + Self.carefulWait)
  }

  private func isCareful(_ subscriptions: BrokerSubscriptions) -> Bool {
    subscriptions.isCareful && subscriptions.isUnanswered
  }

  // MARK: Connected but stuck

  /// It is stuck: any acknowledgement is worth a look.
  package var isStuck: Bool { stall.isAsked }

  /// `owed`: since when the broker owes an acknowledgement; `commands`: what to subscribe to again.
  mutating func lookForStall(
    owed: Instant?, commands: String?, _ status: inout Broker.Status, at now: Instant
  ) -> [Action] {
    let step = stall.look(owed: owed, at: now)
    let stuck = BrokerCause.notAcknowledging(seconds: owed.map { Int((now - $0).seconds.rounded()) } ?? 0)
    switch step {
    case .wait(let until):
      if case .notAcknowledging = status.cause { status.show(nil, as: .green, at: now) }
      return [.set(.stall, until)]
    case .ask(let until):
      status.show(stuck, at: now)
      return [.ask(commands), .set(.stall, until)]
    case .stuck(let until):
      status.show(stuck, at: now)
      return [.set(.stall, until)]
    case .reconnect: return [.giveUp(stuck)]
    }
  }

  mutating func asked(number: Int32?) { question = number }

  /// False: it is the answer to something else.
  mutating func answered(_ number: Int32) -> Bool {
    guard number == question else { return false }
    question = nil
    stall.answered()
    return true
  }
}
