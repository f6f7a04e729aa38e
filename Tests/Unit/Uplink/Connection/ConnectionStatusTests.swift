import Model
import Testing
import Timebase

@testable import Uplink

/// What the machine shows, and what it makes of the ladder's settings, call by call.
@Suite struct ConnectionStatusTests {
  private typealias Action = ConnectionMachine.Action
  private typealias Evidence = ConnectionMachine.Evidence
  private typealias Bench = ConnectionBench

  // MARK: The light

  @Test func theFirstAttemptIsAmberWithoutACause() {
    let bench = Bench(at: .resolving)
    #expect(bench.machine.status.colour == .amber && bench.machine.status.cause == nil)
    #expect(bench.machine.status.text == "connecting")
  }

  @Test func switchedOnAgainIsAmberWithoutCause() {
    var bench = Bench(at: .opening)
    _ = bench.machine.leave(for: .switchedOff, at: bench.now)
    #expect(bench.machine.status.colour == .blue && bench.machine.status.cause == .switchedOff)
    _ = bench.machine.switchedOn(at: bench.now)
    #expect(bench.machine.status.colour == .amber && bench.machine.status.cause == nil)
  }

  @Test func theLastFailureIsShownWhileTheNextAttemptIsMade() {
    var bench = Bench(at: .opening)
    bench.lose(.refused)
    #expect(bench.machine.status.nextAttempt == bench.at(2))
    bench.attempt(to: .resolving)
    #expect(bench.machine.status.cause == .refused && bench.machine.status.colour == .amber)
    #expect(bench.machine.status.nextAttempt == nil, "it is under way")
  }

  @Test func certificatesThatAreNotCheckedAreSaidAloud() {
    for (isOn, isAllowed) in [(true, true), (true, false), (false, true)] {
      let bench = Bench(at: .connected) {
        $0.tls.isOn = isOn
        $0.tls.allowsInvalidCertificates = isAllowed
      }
      #expect(bench.machine.status.isInsecure == (isOn && isAllowed), "TLS \(isOn), allowed \(isAllowed)")
      #expect(bench.machine.status.text.contains("INSECURE") == (isOn && isAllowed))
    }
  }

  @Test func vanishedOrStoppedShowsSwitchedOff() {
    for phase in [ConnectionMachine.Phase.opening, .connected] {
      var bench = Bench(at: phase)
      _ = bench.machine.leave(for: .vanished, at: bench.now)
      _ = bench.machine.closed(.init(), at: bench.now)
      #expect(bench.machine.status.cause == .switchedOff, "\(phase)")
    }
    var bench = Bench(at: .connected)
    _ = bench.machine.leave(for: .stopped, at: bench.now)
    _ = bench.machine.closed(.init(), at: bench.now)
    #expect(bench.machine.status.cause == .switchedOff)
  }

  @Test func aConnectionThatMayNotBeMadeAnyMoreIsNamed() {
    var bench = Bench(at: .opening)
    bench.lose(.refused)
    bench.configuration.broker.port = 0
    #expect(bench.start() == [.set(.attempt, nil), .dropClient])
    #expect(bench.machine.phase == .idle && bench.machine.status.cause == .portIsZero)
    #expect(bench.pause == nil)
  }

  /// They come between the end and what is read of it.
  @Test func settingsThatComeWhileAnEndIsReadHoldUpNothing() {
    for phase in [ConnectionMachine.Phase.opening, .connected] {
      var bench = Bench(at: phase)
      _ = bench.machine.lost(.reset, at: bench.now)
      bench.configuration.broker.port = 0
      bench.start()
      _ = bench.machine.closed(.init(), at: bench.now)
      #expect(bench.machine.state == .idle, "\(phase)")
      bench.configuration.broker.port = 1883
      #expect(!bench.start().isEmpty && bench.machine.phase != .connected, "\(phase)")
    }
  }

  @Test func theSecondsOfAStallMoveOn() {
    var bench = Bench(at: .connected)
    let owed = bench.now
    _ = bench.machine.lookForStall(owed: owed, at: bench.at(30))
    _ = bench.machine.lookForStall(owed: owed, at: bench.at(44))
    #expect(bench.machine.status.cause == .notAcknowledging(seconds: 44))
    #expect(bench.machine.status.since == bench.at(30), "it is the same trouble")
  }

  @Test func failureOverIPv6IsNotBlamedForIPv4Loss() {
    var bench = Bench(at: .opening)
    let again = bench.machine.lost(.unreachable, isOverIPv6: true, at: bench.now)
    #expect(again.last == .open(isIPv4Forced: true))
    bench.attempt(to: .connected)
    let end = bench.lose(.silent, after: 60)
    #expect(end.contains(.reportLost(.silent, ConnectionEnd(.silent))))
    #expect(bench.machine.status.cause == .silent)
  }

  @Test func aPortThatIsNoneForTLSIsNamed() {
    var bench = Bench(at: .greeting) { $0.tls.isOn = true }
    #expect(bench.lose(.closedInHandshake).contains(.lookAtPort))
    let found = bench.machine.portFound(.plain, at: bench.settings, at: bench.now)
    #expect(found == [.reportLost(.notTLS)] && bench.machine.status.cause == .notTLS)
    // Of another port that says nothing.
    bench.configuration.broker.port += 1
    bench.start()
    bench.attempt(to: .greeting)
    bench.lose(.closedInHandshake)
    #expect(bench.machine.status.cause == .closedInHandshake)
  }

  @Test func withoutAConnectionNothingWaitsForAnAnswer() {
    for departure in [ConnectionMachine.Departure.switchedOff, .vanished, .replaced(isSessionOther: false)] {
      var bench = Bench(at: .connected)
      #expect(bench.machine.status.mqtt.notSubscribed.map(\.word) == ["unanswered", "unanswered"])
      _ = bench.machine.leave(for: departure, at: bench.now)
      _ = bench.machine.closed(.init(), at: bench.now)
      #expect(bench.machine.status.mqtt.notSubscribed.isEmpty, "\(departure)")
    }
  }

  // MARK: The ladder

  @Test func theLadderIsThatOfTheSettings() {
    var bench = Bench(at: .opening) { ($0.retry.least, $0.retry.most) = (5, 20) }
    var pauses: [Double?] = []
    for _ in 0..<4 {
      bench.lose(.refused)
      pauses.append(bench.pause)
      bench.attempt(to: .opening)
    }
    #expect(pauses == [5, 10, 20, 20])
    // It is taken over without a new connection.
    (bench.configuration.retry.least, bench.configuration.retry.most) = (3, 7)
    #expect(bench.start().isEmpty)
    bench.lose(.refused)
    #expect(bench.pause == 7)
  }

  @Test func otherSettingsBeginTheLadderAnew() {
    var bench = Bench(at: .opening)
    for _ in 0..<5 {
      bench.lose(.refused)
      bench.attempt(to: .opening)
    }
    bench.configuration.broker.keepalive = 77
    bench.start()
    bench.attempt(to: .opening)
    bench.lose(.refused)
    #expect(bench.pause == 2)
  }

  @Test func aWaitThatHasNothingToDoWithTheClockIsOneAlarm() {
    var bench = Bench(at: .opening)
    for _ in 0..<3 {
      bench.lose(.refused)
      bench.attempt(to: .opening)
    }
    #expect(bench.lose(.refused).last == .set(.attempt, bench.at(16)))
  }

  @Test func onlyMoreThanThirtySecondsAreAClockThatWasSet() {
    let wait = ConnectionMachine.Wait(until: .zero + .seconds(600), clockOffset: 100)
    for (offset, isOver) in [(130.0, false), (130.5, true), (70, false), (69.5, true)] {
      #expect(wait.isOver(at: .zero) { _ in offset } == isOver, "\(offset)")
    }
  }

  @Test func aPersonsHurryBeginsTheLadderAnew() {
    var bench = Bench(at: .opening)
    for _ in 0..<4 {
      bench.lose(.refused)
      bench.attempt(to: .opening)
    }
    bench.lose(.refused, after: 2)
    #expect(bench.machine.hurry(isAsked: true, at: bench.now).last == .open(isIPv4Forced: false))
    bench.lose(.refused)
    #expect(bench.pause == 2)
  }

  /// Only a person may have done something about a rival.
  @Test func newsDoesNotForgiveConnectionsThatDieYoung() {
    for isAsked in [false, true] {
      var bench = Bench(at: .connected)
      for _ in 0..<2 {
        bench.grantFilters()
        bench.lose(.closedByBroker, after: 3)
        _ = bench.machine.hurry(isAsked: isAsked, at: bench.now)
        bench.attempt(to: .connected)
      }
      bench.grantFilters()
      bench.lose(.closedByBroker, after: 3)
      #expect(bench.machine.status.cause == (isAsked ? .closedByBroker : .clientIDInUse))
    }
  }

  @Test func aPersonsReconnectionDoesNotWait() {
    var bench = Bench(at: .greeting)
    bench.lose(.badCredentials)
    bench.seconds += 2
    #expect(bench.machine.reconnect(at: bench.now).last == .open(isIPv4Forced: false))
  }

  @Test func whereNothingIsKnownToBeWrongHurryIsOfUse() {
    var history = ConnectionHistory(random: { 0 })
    let answers = [nil, .badCredentials].map { history.hurries(after: $0) }
    #expect(answers == [true, false])
  }

  @Test func anEndOverUnansweredMessagesIsTheirsPerhaps() {
    let sent = Evidence(hasMessages: true, hasUnanswered: true)
    let answered = Evidence(hasMessages: true, hasUnanswered: true, hasAnswers: true)
    for (evidence, reason) in [
      (sent, Backoff.Reason.perhapsMessage), (answered, .other), (.init(), .unknown),
    ] {
      #expect(evidence.reason(of: .reset, isExplained: false) == reason)
      #expect(evidence.reason(of: .reset, isExplained: true) == .other)
    }
  }

  // MARK: What comes too late

  @Test func aWorkerThatComesTooLateOpensNothing() {
    var bench = Bench(at: .resolving)
    bench.lose(.refused)
    #expect(bench.machine.connecting(at: bench.now).isEmpty)
    #expect(bench.machine.phase == .waiting)
  }
}
