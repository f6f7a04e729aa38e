import Timebase

/// A connection that the broker has greeted, until it ends.
package struct StandingConnection: Equatable {
  typealias Action = ConnectionMachine.Action

  /// A broker that does not answer for so long holds up no message.
  static let carefulWait = Span.seconds(2)

  let since: Instant
  /// The broker's answer to CONNECT.
  package let greeting: BrokerClient.Greeting
  /// The network has changed while it was made: the next one follows at once.
  let isHurried: Bool
  /// It was announced; before that, nothing but filters may be in flight on it.
  private(set) var isAnnounced = false
  private var stall = BrokerStall()
  /// The request that it is tested with while it is stuck.
  private var question: Int32?

  /// The last ping, or request in place of one.
  private var pinged: Instant?
  /// A request in place of a ping that is not answered yet, and when it was made.
  private var knock: Knock?

  private struct Knock: Equatable {
    let number: Int32
    let at: Instant
  }

  init(since: Instant, greeting: BrokerClient.Greeting, isHurried: Bool) {
    (self.since, self.greeting, self.isHurried) = (since, greeting, isHurried)
  }

  // MARK: Its pings

  /// The library has checked whether a ping is due; returns when it is to check again, nil: never.
  ///
  /// It pings if it has sent nothing or heard nothing for the keepalive. `sent` and `heard`: the last time that we know
  /// of. If the library knows of a later one, no ping was due, and the next check comes soon; the same applies if its
  /// clock stood still while the board slept.
  mutating func lookedAfterPings(
    _ settings: BrokerSettings, isPinged: Bool, isParked: Bool, sent: Instant?, heard: Instant?,
    at now: Instant
  ) -> Instant? {
    if isPinged { pinged = now }
    let rhythm = isParked ? 0 : rhythm(settings)
    let keepalive = rhythm > 0 ? rhythm : greeting.keepalive ?? settings.keepalive
    guard keepalive > 0 else { return nil }
    let last = min(latest(sent), latest(heard))
    let due = last + .seconds(Double(keepalive)) + Self.coarseness
    return due > now ? due : now + settings.keepAliveLook
  }

  /// Seconds; 0: the library's pings come often enough.
  private func rhythm(_ settings: BrokerSettings) -> Int {
    let rhythm = settings.delivery.rhythm
    guard let wanted = greeting.keepalive, wanted > 0, wanted <= rhythm else { return rhythm }
    return 0
  }

  /// Of a board that is not parked: it asks the broker something harmless where neither has said anything for so long,
  /// and gives the connection up where that is not answered for as long again.
  mutating func keepRhythm(
    _ settings: BrokerSettings, sent: Instant?, heard: Instant?, at now: Instant
  ) -> [Action] {
    let rhythm = Span.seconds(Double(rhythm(settings)))
    guard rhythm > .zero else { return [] }
    if let knock, heard.map({ $0 < knock.at }) ?? true {
      return now - knock.at >= rhythm ? [.giveUp(.silent)] : []
    }
    knock = nil
    return now - min(latest(sent), latest(heard)) >= rhythm ? [.knock] : []
  }

  mutating func knocked(number: Int32?, at now: Instant) {
    pinged = now
    knock = number.map { Knock(number: $0, at: now) }
  }

  /// Nothing was heard for so long that the connection may be dead: a network forgets one that carries nothing.
  func isUnproven(rhythm: Int, heard: Instant?, at now: Instant) -> Bool {
    now - latest(heard) > .seconds(1.5 * Double(rhythm))
  }

  private func latest(_ instant: Instant?) -> Instant { max(since, max(pinged ?? since, instant ?? since)) }

  /// The library's clock goes in steps.
  private static let coarseness = Span.milliseconds(100)

  // MARK: Its beginning

  /// Nil: it was announced before, or the answers to the filters have to be waited for.
  mutating func announce(after subscriptions: BrokerSubscriptions, isWaitOver: Bool) -> Action? {
    if isAnnounced || isCareful(subscriptions) && !isWaitOver { return nil }
    isAnnounced = true
    return .reportConnected(
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
    owed: Instant?, isUnproven: Bool = false, commands: String?, _ status: inout UplinkStatus, at now: Instant
  ) -> [Action] {
    let step = stall.look(owed: owed, isUnproven: isUnproven, at: now)
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
    if number == knock?.number { knock = nil }
    guard number == question else { return false }
    question = nil
    stall.answered()
    return true
  }
}
