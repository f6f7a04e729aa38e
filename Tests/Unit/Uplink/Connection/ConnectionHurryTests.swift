import Model
import Testing
import Timebase

@testable import Uplink

// behaviour: Connecting
/// When an attempt is made sooner than it was planned, and what a person may ask of the connection.
@Suite struct ConnectionHurryTests {
  private typealias Bench = ConnectionBench

  /// It waits after so many failures, the last of them a moment ago.
  private func waiting(after cause: BrokerCause, times: Int = 5) -> Bench {
    var bench = Bench()
    for _ in 0..<times {
      bench.attempt(to: .greeting)
      bench.lose(cause)
    }
    return bench
  }

  private func hurry(_ bench: inout Bench, isAsked: Bool = false, after later: Double = 0)
    -> [ConnectionMachine.Action]
  {
    bench.seconds += later
    return bench.machine.hurry(isAsked: isAsked, at: bench.now)
  }

  @Test func newsIsTriedAtOnce() {
    var bench = waiting(after: .refused)
    #expect(bench.pause == 32)
    #expect(hurry(&bench, after: 3).last == .open(isIPv4Forced: false))
    // And the waits begin anew.
    bench.lose(.refused)
    #expect(bench.pause == 2)
  }

  @Test func atMostEveryTwoSeconds() {
    var bench = waiting(after: .refused)
    #expect(hurry(&bench, after: 0.5) == [.set(.attempt, bench.at(1.5))])
    #expect(bench.pause == 1.5)
    #expect(hurry(&bench, after: 0.5).isEmpty, "it is planned already")
    #expect(bench.ring(after: 1).last == .open(isIPv4Forced: false))
  }

  @Test func whileConnectedOrTryingNewsChangesNothing() {
    for phase in [ConnectionMachine.Phase.resolving, .opening, .greeting, .connected] {
      var bench = Bench()
      bench.attempt(to: phase)
      #expect(hurry(&bench, after: 5).isEmpty && bench.machine.phase == phase, "\(phase)")
    }
  }

  @Test(arguments: [
    BrokerCause.badCredentials, .notAuthorised, .clientIDInUse, .certificateExpired, .certificateNotYetValid,
    .serverUnavailable, .clientCertificateMissing,
  ])
  func whereHurryIsOfNoUseOnlyAPersonHurries(_ cause: BrokerCause) {
    var bench = waiting(after: cause)
    let planned = bench.pause
    #expect(hurry(&bench, after: 0).isEmpty && bench.pause == planned)
    #expect(hurry(&bench, isAsked: true, after: 2).last == .open(isIPv4Forced: false))
  }

  @Test func connectionsThatKeepDyingYoungAreNotHurried() {
    var bench = Bench()
    for _ in 0..<3 {
      bench.attempt(to: .connected)
      bench.lose(.closedByBroker, after: 3)
    }
    #expect(hurry(&bench, after: 2).isEmpty)
  }

  @Test func anotherConnectionTakesThePlaceOfThisOne() {
    var bench = Bench()
    bench.attempt(to: .connected)
    bench.grantFilters()
    let soon = bench.machine.reconnect(at: bench.at(1))
    #expect(soon.isEmpty, "it has just been made")
    bench.seconds += 2
    let actions = bench.machine.reconnect(at: bench.now)
    #expect(actions == [.set(.attempt, nil), .closeLink, .sayGoodbye, .finish])
    let rest = bench.machine.closed(.init(), at: bench.now)
    #expect(rest.prefix(2) == [.forgetConnection, .reportLost(.askedAnew, ConnectionEnd(.replaced))])
    #expect(rest.last == .makeClient(level: 4, isSessionClean: false))
  }

  @Test func onlySwitchOnOrReconnectReopensWhenOff() {
    for isReconnection in [false, true] {
      var bench = Bench()
      bench.attempt(to: .opening)
      _ = bench.machine.leave(for: .switchedOff, at: bench.now)
      #expect(hurry(&bench, isAsked: true, after: 5).isEmpty)
      let actions =
        isReconnection ? bench.machine.reconnect(at: bench.now) : bench.machine.switchedOn(at: bench.now)
      #expect(actions.last == .open(isIPv4Forced: false))
    }
  }

  // MARK: A fleet

  /// A board of a fleet whose draw is this part of `reconnectSpread`.
  private func fleet(draw: Double, spread: Int = 60) -> Bench {
    Bench(random: draw) { $0.retry.spread = spread }
  }

  @Test(arguments: [
    BrokerCause.closedByBroker, .reset, .serverUnavailable, .reason(code: 0x89, text: "busy"),
    .reason(code: 0x97, text: "quota"), .reason(code: 0x98, text: "administrative action"),
  ])
  func brokersEndIsSpread(_ cause: BrokerCause) {
    for draw in [0.1, 0.5, 0.9] {
      var bench = fleet(draw: draw)
      bench.attempt(to: .connected)
      bench.lose(cause, after: 30)
      #expect(bench.pause == 60 * draw)
      #expect(hurry(&bench, after: 3).isEmpty, "news does not end it")
      #expect(hurry(&bench, isAsked: true).last == .open(isIPv4Forced: false))
    }
  }

  @Test func eachRefusedAttemptIsSpreadAnew() {
    var bench = fleet(draw: 0.5)
    for cause in [BrokerCause.refused, .closedEarly, .noGreeting(seconds: 30), .refused] {
      bench.attempt(to: .greeting)
      bench.lose(cause)
      #expect(bench.pause == 30)
    }
  }

  @Test func spreadAttemptsKeepTheirDistance() {
    var bench = fleet(draw: 0)
    bench.attempt(to: .greeting)
    bench.lose(.refused)
    #expect(bench.pause == 2)
  }

  /// A reset after coverage was lost, and the end of a connection that the broker has just taken, look like others.
  @Test func ownLossOfCoverageIsNotSpread() {
    var waited = ConnectionMachine.Evidence()
    waited.hasWaited = true
    let ends: [(cause: BrokerCause, life: Double, evidence: ConnectionMachine.Evidence)] = [
      (.silent, 600, .init()), (.timedOut, 600, .init()), (.unreachable, 600, .init()),
      (.nameNotFound(host: "a"), 600, .init()), (.notAcknowledging(seconds: 30), 600, .init()),
      (.reset, 600, waited), (.closedByBroker, 9, .init()),
    ]
    for end in ends {
      var bench = fleet(draw: 0.5)
      bench.attempt(to: .connected)
      bench.lose(end.cause, after: end.life, end.evidence)
      #expect(bench.pause == 2.2, "\(end.cause)")
      #expect(hurry(&bench, after: 2).last == .open(isIPv4Forced: false), "\(end.cause)")
    }
  }

  @Test func verdictsAndRivalsAreNotSpread() {
    var bench = fleet(draw: 0.5)
    bench.attempt(to: .greeting)
    bench.lose(.badCredentials)
    #expect(bench.pause == 70.4)
  }

  @Test func newsHurriesAgainAfterTheSpread() {
    var bench = fleet(draw: 0.5)
    bench.attempt(to: .connected)
    bench.lose(.closedByBroker, after: 30)
    bench.attempt(to: .greeting)
    bench.lose(.timedOut)
    #expect(hurry(&bench, after: 2).last == .open(isIPv4Forced: false))
  }

  @Test func newRouteEndsTheSpread() {
    var bench = fleet(draw: 0.5)
    bench.attempt(to: .connected)
    bench.lose(.closedByBroker, after: 30)
    let actions = bench.machine.networkChanged(hasOtherRoute: { true }, at: bench.now)
    #expect(actions.last == .set(.attempt, bench.now))
  }

  // MARK: What the port speaks

  @Test func portClosingEarlyIsProbedOnce() {
    var bench = Bench()
    bench.attempt(to: .greeting)
    #expect(bench.lose(.closedEarly).contains(.lookAtPort))
    let found = bench.machine.portFound(.tls, at: bench.settings, at: bench.now)
    #expect(found == [.reportLost(.expectsTLS)])
    #expect(bench.machine.status.colour == .red)
    bench.attempt(to: .greeting)
    #expect(!bench.lose(.closedEarly).contains(.lookAtPort))
    #expect(bench.machine.status.cause == .expectsTLS)
    // Of another port nothing is known.
    bench.configuration.broker.port += 1
    bench.start()
    bench.attempt(to: .greeting)
    #expect(bench.lose(.closedEarly).contains(.lookAtPort))
    #expect(bench.machine.status.cause == .closedEarly)
  }

  @Test func unidentifiedPortStaysAmber() {
    var bench = Bench { $0.tls.isOn = true }
    bench.attempt(to: .greeting)
    bench.lose(.closedInHandshake)
    let found = bench.machine.portFound(nil, at: bench.settings, at: bench.now)
    #expect(found.isEmpty && bench.machine.status.colour == .amber)
  }

  @Test func missingClientCertificateStaysTheCause() {
    var bench = Bench { $0.tls.isOn = true }
    bench.attempt(to: .greeting)
    bench.lose(.clientCertificateMissing)
    for end in [BrokerCause.closedInHandshake, .closedAfterHandshake] {
      bench.attempt(to: .greeting)
      #expect(!bench.lose(end).contains(.reportLost(end)))
      #expect(bench.machine.status.cause == .clientCertificateMissing && bench.machine.status.colour == .red)
    }
    bench.configuration.tls.clientCertificate = "/c"
    bench.configuration.tls.clientKey = "/k"
    bench.start()
    bench.attempt(to: .greeting)
    bench.lose(.closedInHandshake)
    #expect(bench.machine.status.cause == .closedInHandshake)
  }
}
