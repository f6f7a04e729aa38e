import Model
import OwnTracks
import Timebase

@testable import Uplink

/// A `ConnectionMachine` whose clock is set by hand. Seconds count from its making.
struct ConnectionBench {
  typealias Action = ConnectionMachine.Action

  /// The wall clock, which somebody may set.
  final class Wall { var offset = 0.0 }

  let wall = Wall()
  var machine: ConnectionMachine
  var seconds = 100.0
  var configuration = Configuration()

  static let filters = ["owntracks/jane/pi/cmd", "owntracks/jane/pi/listento"]

  init(random: Double = 0, _ change: (inout Configuration) -> Void = { _ in }) {
    machine = ConnectionMachine(random: { random }, clockOffset: { [wall] _ in wall.offset })
    configuration.identity.username = "jane"
    configuration.identity.deviceId = "pi"
    configuration.broker.host = "broker.example"
    configuration.broker.protocolLevel = 4
    configuration.tls.isOn = false
    change(&configuration)
  }

  /// An attempt that has come so far.
  init(at phase: ConnectionMachine.Phase, _ change: (inout Configuration) -> Void = { _ in }) {
    self.init(change)
    attempt(to: phase)
  }

  var now: Instant { at(0) }

  /// This many seconds from now.
  func at(_ later: Double) -> Instant { .zero + .seconds(seconds + later) }

  var settings: BrokerSettings {
    let topics = Topics(configuration, hostName: "board")
    let will = Message(
      topic: topics.base, payload: [], qos: 1, isRetained: false, isEvent: false, time: 1)
    return BrokerSettings(configuration, topics: topics, will: will)
  }

  // MARK: What happens

  @discardableResult
  mutating func start() -> [Action] { machine.configured(settings, at: now) }

  /// The timer rings, later by so much.
  mutating func ring(after later: Double = 0, isInHandshake: Bool = false) -> [Action] {
    seconds += later
    return machine.timerFired(isInHandshake: isInHandshake, at: now)
  }

  mutating func greet(
    _ answer: BrokerClient.Greeting = .init(), hasMessages: Bool = false
  ) -> [Action] {
    machine.greeted(answer, hasMessages: hasMessages, at: now)
  }

  /// The next attempt, from its alarm on: up to there.
  mutating func attempt(to phase: ConnectionMachine.Phase) {
    if machine.phase == .idle, machine.settings == nil { start() }
    if machine.phase == .waiting {
      _ = ring(after: pause ?? 0)
    }
    if machine.phase == .idle { _ = machine.clientMade(true, at: now) }
    if phase == .resolving { return }
    _ = machine.connecting(at: now)
    if phase == .opening { return }
    machine.connected()
    if phase == .greeting { return }
    askForFilters()
    _ = greet()
  }

  /// What the library does when it reads the greeting; the requests have the numbers 1, 2, ...
  @discardableResult
  mutating func askForFilters(_ answer: BrokerClient.Greeting = .init()) -> [String] {
    let filters = machine.session.filters(after: answer, at: now)
    for (index, filter) in filters.enumerated() {
      machine.session.asked(filter, number: Int32(index + 1))
    }
    _ = machine.hasAsked()
    return filters
  }

  mutating func grantFilters() {
    for number in machine.session.subscriptions.order { _ = machine.subscribed(number, [1], at: now) }
  }

  /// The link ends and all is read; what is then to be done.
  @discardableResult
  mutating func lose(
    _ cause: BrokerCause, after later: Double = 0, _ evidence: ConnectionMachine.Evidence = .init()
  ) -> [Action] {
    seconds += later
    let actions = machine.lost(cause, at: now)
    guard actions.last == .finish else { return actions }
    return machine.closed(evidence, at: now)
  }

  /// Until the next attempt; nil: none is planned.
  var pause: Double? { machine.status.nextAttempt.map { ($0 - now).seconds } }
}

extension ConnectionMachine.Action {
  /// Of an attempt, or of a connection that was left.
  static func reportLost(_ cause: BrokerCause) -> Self { .reportLost(cause, ConnectionEnd(.left)) }
}
