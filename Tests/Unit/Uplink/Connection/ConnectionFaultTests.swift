import Model
import Testing
import Timebase

@testable import Uplink

/// Attempts that fail and networks that change, call by call.
@Suite struct ConnectionFaultTests {
  private typealias Bench = ConnectionBench

  // MARK: Attempts that fail

  /// What the alarm of the attempts says of each.
  @Test func timeoutsEndByStage() {
    var bench = Bench(at: .resolving)
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

  @Test func everyLossReadsPendingEventsFirst() {
    for phase in [ConnectionMachine.Phase.resolving, .opening, .greeting, .connected] {
      var bench = Bench(at: phase)
      let actions = bench.machine.lost(.reset, at: bench.now)
      #expect(actions == [.set(.attempt, nil), .closeLink, .cut, .finish], "\(phase)")
      let end = ConnectionEnd(phase == .connected ? .closed : .left)
      // A greeting that comes with them is too late.
      #expect(bench.greet().isEmpty, "\(phase)")
      #expect(bench.machine.closed(.init(), at: bench.now).contains(.reportLost(.reset, end)), "\(phase)")
      #expect(bench.machine.phase == .waiting, "\(phase)")
    }
  }

  @Test func refusedConnectionBacksOffAndIsReportedOnce() {
    var bench = Bench(at: .opening)
    var pauses: [Double?] = []
    var told = 0
    for _ in 0..<7 {
      told += bench.lose(.refused).contains(.reportLost(.refused)) ? 1 : 0
      pauses.append(bench.pause)
      bench.attempt(to: .opening)
    }
    #expect(pauses == [2, 4, 8, 16, 32, 64, 64] && told == 1)
    #expect(bench.machine.status.attempts == 8 && bench.machine.status.colour == .amber)
    // Another reason is news.
    #expect(bench.lose(.timedOut).contains(.reportLost(.timedOut)))
  }

  @Test func sameCauseIsNewsOnlyAfterAConnection() {
    var bench = Bench(at: .opening)
    bench.lose(.refused)
    bench.attempt(to: .connected)
    bench.lose(.reset, after: 60)
    bench.attempt(to: .opening)
    #expect(!bench.lose(.reset).contains(.reportLost(.reset)))
    bench.attempt(to: .opening)
    #expect(bench.lose(.refused).contains(.reportLost(.refused)))
    // It stood in between: the same again is news.
    bench.attempt(to: .connected)
    bench.configuration.broker.keepalive = 77
    bench.start()
    _ = bench.machine.closed(.init(), at: bench.now)
    bench.attempt(to: .opening)
    #expect(bench.lose(.refused).contains(.reportLost(.refused)))
  }

  @Test(arguments: [BrokerCause.notAuthorised, .badCredentials, .versionRefused(level: 4), .clientIDReplaced])
  func aVerdictIsNotAskedForSoon(_ cause: BrokerCause) {
    var bench = Bench(at: .greeting)
    bench.lose(cause)
    #expect(bench.pause == 64 && bench.machine.status.colour == .red)
    // Other credentials may be better.
    bench.configuration.login.password = "other"
    #expect(bench.start().last == .makeClient(level: 4, isSessionClean: false))
  }

  @Test func refusalIsKeptUntilTheConnectionEnds() {
    var bench = Bench(at: .greeting)
    let actions = bench.greet(.init(code: 5))
    #expect(actions.isEmpty)
    #expect(bench.machine.refusal == 5 && bench.machine.phase == .greeting)
    bench.lose(.notAuthorised)
    bench.attempt(to: .greeting)
    #expect(bench.machine.refusal == 0)
  }

  @Test func aCertificateOfTomorrowIsTriedWhenTheClockIsSet() {
    var bench = Bench(at: .greeting)
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
    var bench = Bench(at: .greeting)
    bench.lose(.certificateNotYetValid)
    #expect(bench.ring(after: 598) == [.set(.attempt, bench.at(2))])
    #expect(bench.ring(after: 2).last == .open(isIPv4Forced: false))
  }

  @Test func failureOverIPv6IsRetriedOverIPv4AtOnce() {
    var bench = Bench(at: .opening)
    let again = bench.machine.lost(.unreachable, isOverIPv6: true, at: bench.now)
    #expect(
      again == [
        .set(.attempt, nil), .closeLink, .cut, .discard, .set(.attempt, bench.at(5)),
        .open(isIPv4Forced: true),
      ])
    #expect(bench.machine.status.attempts == 1)
    // A host without IPv4: what is told is the first reason.
    let told = bench.lose(.nameNotFound(host: "broker.example"))
    #expect(told == [.reportLost(.unreachable), .set(.attempt, bench.at(2))])
    bench.attempt(to: .opening)
    let next = bench.machine.lost(.unreachable, isOverIPv6: true, at: bench.now)
    #expect(next.last == .open(isIPv4Forced: true))
    _ = bench.machine.connecting(at: bench.now)
    let end = bench.machine.lost(.timedOut, isOverIPv6: true, at: bench.now)
    #expect(end.last == .finish)
    let told4 = bench.machine.closed(.init(), at: bench.now)
    #expect(told4.first == .reportLost(.timedOut))
  }

  @Test func otherSettingsAreTriedOverIPv6Again() {
    var bench = Bench(at: .opening)
    _ = bench.machine.lost(.unreachable, isOverIPv6: true, at: bench.now)
    bench.configuration.broker.keepalive = 77
    bench.start()
    #expect(bench.machine.clientMade(true, at: bench.now).last == .open(isIPv4Forced: false))
  }

  @Test func onTheWorkerOnlyARefusalIsTriedOverIPv4() {
    for (cause, isAgain) in [(BrokerCause.refused, true), (.timedOut, false)] {
      var bench = Bench(at: .resolving)
      let actions = bench.machine.lost(cause, isOverIPv6: true, at: bench.now)
      #expect(actions.contains(.open(isIPv4Forced: true)) == isAgain)
    }
    var bench = Bench(at: .greeting)
    let actions = bench.machine.lost(.reset, isOverIPv6: true, at: bench.now)
    #expect(actions.last == .finish)
  }

  @Test func earlyCloseIsInterpretedByBrokerHistory() {
    var bench = Bench(at: .greeting)
    #expect(bench.lose(.closedEarly).first == .reportLost(.closedEarly))
    bench.attempt(to: .connected)
    bench.lose(.silent, after: 60)
    bench.attempt(to: .greeting)
    #expect(bench.lose(.closedEarly).first == .reportLost(.takesNoConnections))
    var newer = Bench(at: .greeting) { $0.broker.protocolLevel = 5 }
    #expect(newer.lose(.closedEarly).first == .reportLost(.closedAtLevel5(isTLS: false)))
  }

  // MARK: The network

  @Test func anotherRouteEndsAWaitButNotTheGap() {
    var bench = Bench(at: .opening)
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
    var bench = Bench(at: .resolving)
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

  @Test func itHurriesEvenIfTheAttemptSucceeded() {
    var bench = Bench(at: .resolving)
    _ = bench.machine.networkChanged(hasOtherRoute: { true }, at: bench.now)
    _ = bench.machine.connecting(at: bench.now)
    bench.machine.connected()
    _ = bench.greet()
    bench.lose(.silent, after: 60)
    #expect(bench.pause == 0)
  }

  @Test func anotherRouteBeginsAnAttemptAnewUnlessItIsYoung() {
    for phase in [ConnectionMachine.Phase.opening, .greeting] {
      var bench = Bench(at: phase)
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
    var bench = Bench(at: .connected)
    #expect(bench.machine.networkChanged(hasOtherRoute: { false }, at: bench.now).isEmpty)
    let actions = bench.machine.networkChanged(hasOtherRoute: { true }, at: bench.now)
    #expect(actions == [.giveUp(.routeChanged)])
    let end = bench.lose(.routeChanged, after: 60)
    #expect(end == [.reportLost(.routeChanged), .forgetConnection, .set(.attempt, bench.now)])
  }
}
