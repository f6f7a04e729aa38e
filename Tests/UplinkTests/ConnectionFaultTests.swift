import Model
import Testing
import Timebase

@testable import Uplink

/// Networks and brokers that fail, call by call.
@Suite struct ConnectionFaultTests {
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

  // MARK: Attempts that fail

  /// What the alarm of the attempts says of each.
  @Test func patienceEndsByStage() {
    var bench = bench(at: .resolving)
    #expect(bench.ring(after: 5) == [.set(.attempt, bench.at(5))])
    #expect(bench.machine.status.cause == .nameServerSilent(seconds: 5))
    #expect(bench.ring(after: 5) == [.set(.attempt, bench.at(5))])
    #expect(bench.machine.status.cause == .nameServerSilent(seconds: 10))
    _ = bench.machine.connecting(at: bench.now)
    #expect(bench.ring(after: 30) == [.giveUp(.timedOut)])
    bench.machine.connected()
    #expect(bench.ring() == [.giveUp(.noGreeting(seconds: 30))])
    #expect(bench.ring(isInHandshake: true) == [.giveUp(.handshakeSilent(seconds: 30))])
  }

  @Test func everyEndReadsTheLastWordsFirst() {
    for phase in [ConnectionMachine.Phase.resolving, .opening, .greeting, .connected] {
      var bench = bench(at: phase)
      let actions = bench.machine.lost(.reset, at: bench.now)
      let cause: BrokerCause? = phase == .connected ? .reset : nil
      #expect(actions == [.set(.attempt, nil), .closeLink, .cut, .finish(cause)], "\(phase)")
      // A greeting that comes with them is too late.
      #expect(bench.greet().isEmpty, "\(phase)")
      #expect(bench.machine.closed(.init(), at: bench.now).contains(.tellLost(.reset)), "\(phase)")
      #expect(bench.machine.phase == .waiting, "\(phase)")
    }
  }

  @Test func aRefusedConnectionClimbsTheLadderAndIsToldOnce() {
    var bench = bench(at: .opening)
    var pauses: [Double?] = []
    var told = 0
    for _ in 0..<7 {
      told += bench.lose(.refused).contains(.tellLost(.refused)) ? 1 : 0
      pauses.append(bench.pause)
      bench.attempt(to: .opening)
    }
    #expect(pauses == [2, 4, 8, 16, 32, 64, 64] && told == 1)
    #expect(bench.machine.status.attempts == 8 && bench.machine.status.colour == .amber)
    // Another reason is news, and so is the first one after a connection.
    #expect(bench.lose(.timedOut).contains(.tellLost(.timedOut)))
    bench.attempt(to: .connected)
    bench.lose(.silent, after: 60)
    bench.attempt(to: .opening)
    #expect(bench.lose(.timedOut).contains(.tellLost(.timedOut)))
  }

  @Test(arguments: [BrokerCause.notAuthorised, .badCredentials, .versionRefused(level: 4), .clientIDReplaced])
  func aVerdictIsNotAskedForSoon(_ cause: BrokerCause) {
    var bench = bench(at: .greeting)
    bench.lose(cause)
    #expect(bench.pause == 64 && bench.machine.status.colour == .red)
    // Other credentials may be better.
    bench.configuration.password = "other"
    #expect(bench.start().last == .makeClient(bench.settings, isSessionClean: false))
  }

  @Test func aRefusalIsKeptUntilTheLibraryTellsOfTheEnd() {
    var bench = bench(at: .greeting)
    let actions = bench.greet(.init(code: 5))
    #expect(actions.isEmpty)
    #expect(bench.machine.refusal == 5 && bench.machine.phase == .greeting)
    bench.lose(.notAuthorised)
    bench.attempt(to: .greeting)
    #expect(bench.machine.refusal == 0)
  }

  @Test func aCertificateOfTomorrowIsTriedWhenTheClockIsSet() {
    var bench = bench(at: .greeting)
    bench.lose(.certificateNotYetValid)
    #expect(bench.pause == 600)
    // The wall clock is looked at every five seconds.
    #expect(bench.ring(after: 5) == [.set(.attempt, bench.at(5))])
    bench.wall.offset = 29
    #expect(bench.ring(after: 5) == [.set(.attempt, bench.at(5))])
    bench.wall.offset = 31
    #expect(bench.ring(after: 5).last == .open(isIPv4Forced: false))
    // The next wait has nothing to do with a clock.
    bench.lose(.refused)
    #expect(bench.ring(after: 1) == [.set(.attempt, bench.at(1))])
  }

  @Test func aClockThatIsNeverSetIsTriedAfterTenMinutes() {
    var bench = bench(at: .greeting)
    bench.lose(.certificateNotYetValid)
    #expect(bench.ring(after: 598) == [.set(.attempt, bench.at(2))])
    #expect(bench.ring(after: 2).last == .open(isIPv4Forced: false))
  }

  @Test func whatFailsOverIPv6IsTriedOverIPv4AtOnce() {
    var bench = bench(at: .opening)
    let again = bench.machine.lost(.unreachable, isOverIPv6: true, at: bench.now)
    #expect(
      again == [
        .set(.attempt, nil), .closeLink, .cut, .discard, .set(.attempt, bench.at(5)),
        .open(isIPv4Forced: true),
      ])
    #expect(bench.machine.status.attempts == 1)
    // A host without IPv4: what is told is the first reason.
    let told = bench.lose(.nameNotFound(host: "broker.example"))
    #expect(told == [.tellLost(.unreachable), .set(.attempt, bench.at(2))])
    bench.attempt(to: .opening)
    let next = bench.machine.lost(.unreachable, isOverIPv6: true, at: bench.now)
    #expect(next.last == .open(isIPv4Forced: true))
    _ = bench.machine.connecting(at: bench.now)
    let end = bench.machine.lost(.timedOut, isOverIPv6: true, at: bench.now)
    #expect(end.last == .finish(nil))
    let told4 = bench.machine.closed(.init(), at: bench.now)
    #expect(told4.first == .tellLost(.timedOut))
  }

  @Test func onTheWorkerOnlyARefusalIsTriedOverIPv4() {
    for (cause, isAgain) in [(BrokerCause.refused, true), (.timedOut, false)] {
      var bench = bench(at: .resolving)
      let actions = bench.machine.lost(cause, isOverIPv6: true, at: bench.now)
      #expect(actions.contains(.open(isIPv4Forced: true)) == isAgain)
    }
    var bench = bench(at: .greeting)
    let actions = bench.machine.lost(.reset, isOverIPv6: true, at: bench.now)
    #expect(actions.last == .finish(nil))
  }

  @Test func closedWithoutAWordMeansWhatIsKnownOfTheBroker() {
    var bench = bench(at: .greeting)
    #expect(bench.lose(.closedEarly).first == .tellLost(.closedEarly))
    bench.attempt(to: .connected)
    bench.lose(.silent, after: 60)
    bench.attempt(to: .greeting)
    #expect(bench.lose(.closedEarly).first == .tellLost(.takesNoConnections))
    var newer = self.bench(at: .greeting) { $0.mqttProtocolLevel = 5 }
    #expect(newer.lose(.closedEarly).first == .tellLost(.closedAtLevel5(isTLS: false)))
  }

  // MARK: The network

  @Test func anotherRouteEndsAWaitButNotTheGap() {
    var bench = bench(at: .opening)
    for _ in 0..<3 {
      bench.lose(.refused)
      bench.attempt(to: .opening)
    }
    bench.lose(.refused, after: 1)
    #expect(bench.pause == 16)
    let actions = bench.machine.networkChanged(hasOtherRoute: { true }, at: bench.now)
    #expect(actions == [.set(.attempt, bench.at(1))])
    _ = bench.ring(after: 1)
    // The ladder begins anew.
    bench.lose(.refused)
    #expect(bench.pause == 2)
  }

  @Test func anotherRouteWhileTheWorkerResolvesHurriesTheNextAttempt() {
    var bench = bench(at: .resolving)
    for _ in 0..<3 {
      bench.lose(.refused)
      bench.attempt(to: .resolving)
    }
    #expect(bench.machine.networkChanged(hasOtherRoute: { true }, at: bench.now).isEmpty)
    _ = bench.machine.connecting(at: bench.now)
    bench.lose(.timedOut, after: 30)
    #expect(bench.pause == 0)
    bench.attempt(to: .resolving)
    bench.lose(.timedOut)
    #expect(bench.pause == 16)
  }

  @Test func anotherRouteBeginsAnAttemptAnewUnlessItIsYoung() {
    for phase in [ConnectionMachine.Phase.opening, .greeting] {
      var bench = bench(at: phase)
      bench.seconds += 1
      #expect(bench.machine.networkChanged(hasOtherRoute: { true }, at: bench.now).isEmpty)
      bench.seconds += 1
      let actions = bench.machine.networkChanged(hasOtherRoute: { true }, at: bench.now)
      #expect(
        actions == [
          .set(.attempt, nil), .closeLink, .cut, .set(.attempt, bench.at(5)), .open(isIPv4Forced: false),
        ])
    }
  }

  @Test func aConnectionOverAnotherRouteIsGivenUp() {
    var bench = bench(at: .connected)
    #expect(bench.machine.networkChanged(hasOtherRoute: { false }, at: bench.now).isEmpty)
    let actions = bench.machine.networkChanged(hasOtherRoute: { true }, at: bench.now)
    #expect(actions == [.giveUp(.routeChanged)])
    let end = bench.lose(.routeChanged, after: 60)
    #expect(end == [.forgetConnection, .tellLost(.routeChanged), .set(.attempt, bench.now)])
  }

  // MARK: Connections that end

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
        .takeOut(message(7)), .dropClient, .forgetConnection, .tellLost(.reset),
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
    #expect(bench.ring(after: 2) == [.makeClient(bench.settings, isSessionClean: false)])
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
    var bench = bench(at: .connected) { $0.subTopic = "elsewhere/#" }
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
    var bench = bench(at: .connected) { $0.friends = true }
    bench.grantFilters()
    let giant = BrokerCause.oversized(bytes: 60_000_000)
    let first = bench.lose(giant, after: 60, Evidence(isOverrun: true))
    #expect(first == [.dropClient, .forgetConnection, .tellLost(giant), .set(.attempt, bench.at(2))])
    #expect(Set(bench.machine.status.notSubscribed.map(\.word)) == ["oversized"])
    // What waits in the session goes first.
    #expect(bench.ring(after: 2) == [.makeClient(bench.settings, isSessionClean: true)])
    bench.attempt(to: .greeting)
    _ = bench.greet()
    bench.attempt(to: .greeting)
    #expect(bench.askForFilters() == Bench.filters)
    _ = bench.greet()
    bench.lose(giant, after: 60, Evidence(isOverrun: true))
    var newer = bench.settings
    newer.protocolLevel = 5
    #expect(bench.ring(after: 2) == [.makeClient(newer, isSessionClean: true)])
    bench.attempt(to: .greeting)
    // It does not speak that: at once the usual way, with nothing subscribed.
    let refused = bench.lose(.versionRefused(level: 5))
    #expect(refused.first == .dropClient && bench.pause == 2)
    #expect(bench.ring(after: 2) == [.makeClient(bench.settings, isSessionClean: true)])
    bench.attempt(to: .greeting)
    _ = bench.greet()
    bench.attempt(to: .greeting)
    #expect(bench.askForFilters().isEmpty)
  }
}
