import Model
import Testing
import Timebase

@testable import Uplink

/// Connections that stood and are ended, call by call.
@Suite struct ConnectionEndTests {
  private typealias Action = ConnectionMachine.Action
  private typealias Evidence = ConnectionMachine.Evidence
  private typealias Bench = ConnectionBench

  @Test func threeYoungDeathsAreARivals() {
    var bench = Bench(at: .connected)
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
    var bench = Bench(at: .connected)
    for _ in 1...3 {
      bench.lose(.closedByBroker, after: 1)
      #expect(bench.machine.status.cause == .closedByBroker && bench.pause == 2)
      bench.attempt(to: .connected)
      #expect(bench.machine.session.subscriptions.isUnanswered)
    }
  }

  /// The outbox has found the message each time.
  @Test func endsOverAMessageAreNoRivals() {
    var bench = Bench(at: .connected)
    bench.grantFilters()
    for _ in 1...7 {
      bench.lose(.closedByBroker, after: 1, Evidence(hasMessages: true, hasUnanswered: true))
      #expect(bench.machine.takeBack(isOverMessage: true, at: bench.now) == [.dropClient])
      bench.attempt(to: .connected)
      bench.grantFilters()
    }
    #expect(!bench.machine.session.subscriptions.isUnanswered)
    bench.lose(.closedByBroker, after: 1, Evidence(isOverrun: true))
    #expect(bench.machine.status.cause == .closedByBroker)
  }

  // behaviour: Connecting
  @Test func resetsWhileMessagesAreBeingAnsweredAreNoRivals() {
    var bench = Bench(at: .connected)
    let middle = Evidence(hasMessages: true, hasUnanswered: true, hasAnswers: true)
    for _ in 1...9 {
      bench.grantFilters()
      bench.lose(.reset, after: 1, middle)
      #expect(bench.machine.status.cause == .reset && bench.pause == 2)
      bench.attempt(to: .connected)
    }
    // An orderly end may be a rival's work, though less surely than where nothing was under way.
    for end in 1...6 {
      bench.grantFilters()
      bench.lose(.closedByBroker, after: 1, middle)
      #expect(bench.machine.status.cause == (end < 6 ? .closedByBroker : .clientIDInUse))
      bench.attempt(to: .connected)
    }
  }

  @Test func messagesInFlightAreTakenBackBeforeReconnecting() {
    var bench = Bench(at: .connected)
    bench.grantFilters()
    let end = bench.lose(.reset, after: 60, Evidence(hasMessages: true, hasAnnouncement: true))
    let told = Action.reportLost(.reset, ConnectionEnd(.closed, hasAnnouncement: true))
    #expect(end == [told, .forgetConnection, .set(.attempt, bench.at(2))])
    #expect(bench.machine.takeBack(isOverMessage: false, at: bench.now) == [.dropClient])
    #expect(bench.machine.takeBack(isOverMessage: false, at: bench.now).isEmpty)
    // Too late for the wait: the attempt that may carry it is made anew.
    #expect(bench.ring(after: 2).last == .makeClient(level: 4, isSessionClean: false))
    _ = bench.machine.clientMade(true, at: bench.now)
    let anew: [Action] = [.set(.attempt, nil), .dropClient, .makeClient(level: 4, isSessionClean: false)]
    #expect(bench.machine.takeBack(isOverMessage: false, at: bench.now) == anew)
    _ = bench.machine.clientMade(true, at: bench.now)
    bench.attempt(to: .connected)
    #expect(bench.machine.takeBack(isOverMessage: false, at: bench.now).isEmpty)
  }

  @Test func anAliasIsNeverSentAgain() {
    var bench = Bench(at: .connected)
    let end = bench.lose(.silent, after: 60, Evidence(hasMessages: true, hasAliasOnly: true))
    #expect(
      end == [
        .reportLost(.silent, ConnectionEnd(.silent)), .forgetConnection, .dropClient,
        .set(.attempt, bench.at(2)),
      ])
    #expect(bench.ring(after: 2) == [.makeClient(level: 4, isSessionClean: false)])
  }

  // MARK: Filters

  @Test func aSessionInDoubtIsSubscribedAnew() {
    let present = BrokerClient.Greeting(isSessionPresent: true)
    var bench = Bench(at: .connected)
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
    var bench = Bench(at: .connected)
    bench.grantFilters()
    bench.lose(.reset, after: 60)
    bench.attempt(to: .opening)
    bench.configuration.broker.keepalive = 77
    bench.start()
    bench.attempt(to: .greeting)
    #expect(bench.askForFilters(.init(isSessionPresent: true)) == Bench.filters)
  }

  @Test func requestsEndWithTheirConnection() {
    var bench = Bench(at: .connected)
    #expect(bench.machine.session.subscriptions.isUnanswered)
    _ = bench.machine.leave(for: .switchedOff, at: bench.now)
    _ = bench.machine.closed(.init(), at: bench.now)
    #expect(!bench.machine.session.subscriptions.isUnanswered)
  }

  @Test func messagesWaitForFiltersWhereBothMayBeTheReason() {
    var bench = Bench(at: .connected)
    let end = bench.lose(.closedByBroker, after: 60, Evidence(hasMessages: true))
    #expect(end.prefix(2) == [.reportLost(.closedByBroker, ConnectionEnd(.closed)), .dropClient])
    bench.attempt(to: .greeting)
    bench.askForFilters()
    let standing = bench.greet()
    #expect(standing.last == .set(.subscribe, bench.at(2)))
    #expect(bench.machine.subscribed(1, [1], at: bench.now) == [.set(.subscribe, bench.at(2))])
    let told = Action.reportConnected(isSessionPresent: false, receiveMaximum: nil)
    #expect(bench.machine.subscribed(2, [1], at: bench.now) == [.set(.subscribe, nil), told])
    // Once.
    #expect(bench.machine.announce(isWaitOver: true, at: bench.now) == [.set(.subscribe, nil)])
  }

  @Test func filtersWithoutAnswerAreWaitedForTwoSeconds() {
    var bench = Bench(at: .connected)
    bench.lose(.closedByBroker, after: 60, Evidence(hasMessages: true))
    bench.attempt(to: .connected)
    let told = bench.machine.announce(isWaitOver: true, at: bench.at(2))
    #expect(told.contains(.reportConnected(isSessionPresent: false, receiveMaximum: nil)))
  }

  @Test func aFilterThatEndsTheConnectionIsLeftOut() {
    var bench = Bench(at: .connected) { $0.broker.subTopic = "elsewhere/#" }
    bench.lose(.closedByBroker, after: 60)
    #expect(bench.machine.status.mqtt.notSubscribed.map(\.word) == ["ended"])
    bench.attempt(to: .greeting)
    #expect(bench.askForFilters().isEmpty)
    // A person says that it is worth another try.
    _ = bench.greet()
    bench.machine.session.forgive(at: bench.now)
    #expect(bench.machine.session.dueFilters(at: bench.now) == ["elsewhere/#"])
  }

  @Test func ourCommandsAreAskedForAgainOnTheSameConnection() {
    var bench = Bench(at: .connected)
    #expect(bench.machine.subscribed(1, [0x87], at: bench.now) == [.set(.subscribe, bench.at(30))])
    #expect(bench.machine.status.mqtt.notSubscribed.map(\.word) == ["refused", "unanswered"])
    bench.seconds += 30
    #expect(bench.machine.session.dueFilters(at: bench.now) == [Bench.filters[0]])
  }

  // MARK: Too much

  @Test func tooMuchIsMetWithFewerFiltersThenTheNewerProtocolThenNone() {
    var bench = Bench(at: .connected) { $0.friends.isOn = true }
    bench.grantFilters()
    let giant = BrokerCause.oversized(bytes: 60_000_000)
    let first = bench.lose(giant, after: 60, Evidence(isOverrun: true))
    #expect(first == [.dropClient, .reportLost(giant), .forgetConnection, .set(.attempt, bench.at(2))])
    #expect(Set(bench.machine.status.mqtt.notSubscribed.map(\.word)) == ["oversized"])
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
    var bench = Bench(at: .connected)
    bench.grantFilters()
    bench.lose(.oversized(bytes: 60_000_000), after: 60, Evidence(isOverrun: true))
    bench.configuration.broker.keepalive = 77
    #expect(bench.start().last == .makeClient(level: 4, isSessionClean: true))
  }
}
