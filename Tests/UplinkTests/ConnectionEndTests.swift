import Model
import Testing
import Timebase

@testable import Uplink

/// Connections that stood and are ended, call by call.
@Suite struct ConnectionEndTests {
  private typealias Action = ConnectionMachine.Action
  private typealias Evidence = ConnectionMachine.Evidence
  private typealias Bench = ConnectionBench

  private func bench(
    at phase: ConnectionMachine.Phase, _ change: (inout Configuration) -> Void = { _ in }
  ) -> Bench {
    var bench = Bench(change)
    bench.attempt(to: phase)
    return bench
  }

  private func message(_ sequence: UInt64) -> Message {
    Message(
      sequence: sequence, topic: "a", payload: [1], qos: 1, isRetained: false, isEvent: false, time: 0)
  }

  @Test func threeYoungDeathsAreARivals() {
    var bench = bench(at: .connected)
    for death in 1...3 {
      bench.grantFilters()
      bench.lose(.closedByBroker, after: 1)
      #expect(bench.machine.status.cause == (death < 3 ? .closedByBroker : .clientIDInUse))
      #expect(bench.pause == (death < 3 ? 2 : 128))
      bench.attempt(to: .connected)
    }
    bench.lose(.closedByBroker, after: 60)
    #expect(bench.machine.status.cause == .closedByBroker && bench.pause == 2)
  }

  @Test func endsOverAFilterAreNoRivals() {
    var bench = bench(at: .connected)
    for _ in 1...3 {
      bench.lose(.closedByBroker, after: 1)
      #expect(bench.machine.status.cause == .closedByBroker && bench.pause == 2)
      bench.attempt(to: .connected)
      #expect(bench.machine.session.subscriptions.isUnanswered)
    }
  }

  @Test func endsOverAMessageAreNoRivals() {
    var bench = bench(at: .connected)
    bench.grantFilters()
    for _ in 1...5 {
      bench.lose(.closedByBroker, after: 1, Evidence(hasMessages: true, verdict: .guilty(message(1))))
      bench.attempt(to: .connected)
      bench.grantFilters()
    }
    #expect(!bench.machine.session.subscriptions.isUnanswered)
    bench.lose(.closedByBroker, after: 1, Evidence(isOverrun: true))
    #expect(bench.machine.status.cause == .closedByBroker)
  }

  @Test func messagesAreTakenBackToGoOneAtATime() {
    var bench = bench(at: .connected)
    let end = bench.lose(.reset, after: 60, Evidence(hasMessages: true, verdict: .isolate))
    #expect(end == [.dropClient, .forgetConnection, .tellLost(.reset), .set(.attempt, bench.at(2))])
    // An accident takes nothing back.
    bench.attempt(to: .connected)
    bench.grantFilters()
    let accident = bench.lose(.reset, after: 60, Evidence(hasMessages: true, verdict: .accident))
    #expect(accident.first == .forgetConnection)
  }

  @Test func theMessageThatTheBrokerEndsItOverIsTakenOut() {
    var bench = bench(at: .connected)
    bench.grantFilters()
    let end = bench.lose(.reset, after: 60, Evidence(hasMessages: true, verdict: .guilty(message(7))))
    #expect(
      end == [
        .takeOut(7), .dropClient, .forgetConnection, .tellLost(.reset),
        .tellPostponed(7, .closedOver(bytes: message(7).size)), .set(.attempt, bench.at(2)),
      ])
    bench.attempt(to: .connected)
    bench.grantFilters()
    let silent = BrokerCause.notAcknowledging(seconds: 45)
    let swallowed = bench.lose(silent, after: 60, Evidence(hasMessages: true, verdict: .guilty(message(7))))
    #expect(swallowed.contains(.tellPostponed(7, silent)))
  }

  @Test func anAliasIsNeverSentAgain() {
    var bench = bench(at: .connected)
    let end = bench.lose(.silent, after: 60, Evidence(hasMessages: true, hasAliasOnly: true))
    #expect(end == [.forgetConnection, .dropClient, .tellLost(.silent), .set(.attempt, bench.at(2))])
    #expect(bench.ring(after: 2) == [.makeClient(level: 4, isSessionClean: false)])
  }

  // MARK: Filters

  @Test func aSessionInDoubtIsSubscribedAnew() {
    let present = BrokerClient.Greeting(isSessionPresent: true)
    var bench = bench(at: .connected)
    bench.grantFilters()
    bench.lose(.reset, after: 60)
    bench.attempt(to: .greeting)
    #expect(bench.askForFilters(present).isEmpty)
    // No greeting: CONNECT may have begun another session.
    bench.lose(.reset)
    bench.attempt(to: .greeting)
    #expect(bench.askForFilters(present) == Bench.filters)
    bench.grantFilters()
    bench.lose(.refused)
    bench.attempt(to: .opening)
    // The same where it was met on the worker.
    _ = bench.machine.lost(.reset, isInDoubt: true, at: bench.now)
    _ = bench.machine.closed(.init(), at: bench.now)
    bench.attempt(to: .greeting)
    #expect(bench.askForFilters(present) == Bench.filters)
  }

  @Test func anAttemptThatIsGivenUpPutsTheSessionInDoubt() {
    var bench = bench(at: .connected)
    bench.grantFilters()
    bench.lose(.reset, after: 60)
    bench.attempt(to: .opening)
    bench.configuration.broker.keepalive = 77
    bench.start()
    bench.attempt(to: .greeting)
    #expect(bench.askForFilters(.init(isSessionPresent: true)) == Bench.filters)
  }

  @Test func requestsEndWithTheirConnection() {
    var bench = bench(at: .connected)
    #expect(bench.machine.session.subscriptions.isUnanswered)
    _ = bench.machine.leave(for: .switchedOff, at: bench.now)
    _ = bench.machine.closed(.init(), at: bench.now)
    #expect(!bench.machine.session.subscriptions.isUnanswered)
  }

  @Test func messagesWaitForFiltersWhereBothMayBeToBlame() {
    var bench = bench(at: .connected)
    let end = bench.lose(.closedByBroker, after: 60, Evidence(hasMessages: true))
    #expect(end.first == .dropClient)
    bench.attempt(to: .greeting)
    bench.askForFilters()
    let standing = bench.greet()
    #expect(standing.last == .set(.subscribe, bench.at(2)))
    #expect(bench.machine.subscribed(1, [1], at: bench.now) == [.set(.subscribe, bench.at(2))])
    let told = Action.tellConnected(isSessionPresent: false, receiveMaximum: nil)
    #expect(bench.machine.subscribed(2, [1], at: bench.now) == [.set(.subscribe, nil), told])
    // Once.
    #expect(bench.machine.announce(isWaitOver: true, at: bench.now) == [.set(.subscribe, nil)])
  }

  @Test func filtersWithoutAnswerAreWaitedForTwoSeconds() {
    var bench = bench(at: .connected)
    bench.lose(.closedByBroker, after: 60, Evidence(hasMessages: true))
    bench.attempt(to: .connected)
    let told = bench.machine.announce(isWaitOver: true, at: bench.at(2))
    #expect(told.contains(.tellConnected(isSessionPresent: false, receiveMaximum: nil)))
  }

  @Test func aFilterThatEndsTheConnectionIsLeftOut() {
    var bench = bench(at: .connected) { $0.broker.subTopic = "elsewhere/#" }
    bench.lose(.closedByBroker, after: 60)
    #expect(bench.machine.status.notSubscribed.map(\.word) == ["ended"])
    bench.attempt(to: .greeting)
    #expect(bench.askForFilters().isEmpty)
    // A person says that it is worth another try.
    _ = bench.greet()
    bench.machine.session.forgive()
    #expect(bench.machine.session.dueFilters(at: bench.now) == ["elsewhere/#"])
  }

  @Test func ourCommandsAreAskedForAgainOnTheSameConnection() {
    var bench = bench(at: .connected)
    #expect(bench.machine.subscribed(1, [0x87], at: bench.now) == [.set(.subscribe, bench.at(30))])
    #expect(bench.machine.status.notSubscribed.map(\.word) == ["refused", "unanswered"])
    bench.seconds += 30
    #expect(bench.machine.session.dueFilters(at: bench.now) == [Bench.filters[0]])
  }

  // MARK: Too much

  @Test func tooMuchIsMetWithFewerFiltersThenTheNewerProtocolThenNone() {
    var bench = bench(at: .connected) { $0.friends.isOn = true }
    bench.grantFilters()
    let giant = BrokerCause.oversized(bytes: 60_000_000)
    let first = bench.lose(giant, after: 60, Evidence(isOverrun: true))
    #expect(first == [.dropClient, .forgetConnection, .tellLost(giant), .set(.attempt, bench.at(2))])
    #expect(Set(bench.machine.status.notSubscribed.map(\.word)) == ["oversized"])
    // What waits in the session goes first.
    #expect(bench.ring(after: 2) == [.makeClient(level: 4, isSessionClean: true)])
    bench.attempt(to: .greeting)
    _ = bench.greet()
    bench.attempt(to: .greeting)
    #expect(bench.askForFilters() == Bench.filters)
    _ = bench.greet()
    bench.lose(giant, after: 60, Evidence(isOverrun: true))
    #expect(bench.ring(after: 2) == [.makeClient(level: 5, isSessionClean: true)])
    bench.attempt(to: .greeting)
    // It does not speak that: at once the usual way, with nothing subscribed.
    let refused = bench.lose(.versionRefused(level: 5))
    #expect(refused.first == .dropClient && bench.pause == 2)
    #expect(bench.ring(after: 2) == [.makeClient(level: 4, isSessionClean: true)])
    bench.attempt(to: .greeting)
    _ = bench.greet()
    bench.attempt(to: .greeting)
    #expect(bench.askForFilters().isEmpty)
  }

  @Test func otherSettingsGoBackToTheirOwnProtocol() {
    var bench = bench(at: .connected)
    bench.grantFilters()
    bench.lose(.oversized(bytes: 60_000_000), after: 60, Evidence(isOverrun: true))
    bench.configuration.broker.keepalive = 77
    #expect(bench.start().last == .makeClient(level: 4, isSessionClean: true))
  }
}
