import Model
import Testing
import Timebase

@testable import Uplink

/// What the broker keeps for us and what is asked of it, over attempts and connections.
@Suite struct ConnectionSessionTests {
  private typealias Action = ConnectionMachine.Action
  private typealias Evidence = ConnectionMachine.Evidence
  private typealias Bench = ConnectionBench

  private static let present = BrokerClient.Greeting(isSessionPresent: true)
  private static let base = "owntracks/jane/pi"

  /// All filters were granted, the connection was lost, and the next attempt has come so far.
  private func again(
    at phase: ConnectionMachine.Phase, _ change: (inout Configuration) -> Void = { _ in }
  ) -> Bench {
    var bench = Bench(at: .connected, change)
    bench.grantFilters()
    bench.lose(.silent, after: 60)
    bench.attempt(to: phase)
    return bench
  }

  // MARK: A session in doubt

  @Test func whereCONNECTMayHaveGoneOutTheFiltersAreAskedForAgain() {
    for isInDoubt in [false, true] {
      var bench = again(at: .opening)
      _ = bench.machine.lost(.reset, isInDoubt: isInDoubt, at: bench.now)
      _ = bench.machine.closed(.init(), at: bench.now)
      bench.attempt(to: .greeting)
      #expect(bench.askForFilters(Self.present) == (isInDoubt ? Bench.filters : []))
    }
  }

  @Test func anAttemptThatNeverReachedTheBrokerPutsNothingInDoubt() {
    var bench = again(at: .opening)
    bench.lose(.timedOut)
    bench.attempt(to: .greeting)
    #expect(bench.askForFilters(Self.present).isEmpty)
  }

  @Test func anotherLevelPutsTheSessionInDoubt() {
    var bench = again(at: .greeting) { $0.broker.protocolLevel = 0 }
    let other = bench.lose(.versionRefused(level: 5))
    #expect(other.last == .makeClient(level: 4, isSessionClean: false))
    bench.attempt(to: .greeting)
    #expect(bench.askForFilters(Self.present) == Bench.filters)
  }

  // MARK: Filters

  @Test func ownReconnectIsNotHeldAgainstUnansweredFilter() {
    var bench = Bench(at: .connected) { $0.broker.subTopic = "elsewhere/#" }
    bench.configuration.broker.keepalive = 77
    bench.start()
    _ = bench.machine.closed(.init(), at: bench.now)
    bench.attempt(to: .greeting)
    #expect(bench.askForFilters() == ["elsewhere/#"])
  }

  @Test func aFilterThatIsAskedForAgainIsUnansweredAgain() {
    var bench = Bench(at: .connected)
    _ = bench.machine.subscribed(1, [0x87], at: bench.now)
    #expect(bench.machine.status.mqtt.notSubscribed.map(\.word) == ["refused", "unanswered"])
    bench.seconds += 30
    for filter in bench.machine.session.dueFilters(at: bench.now) {
      bench.machine.session.asked(filter, number: 9)
    }
    #expect(bench.machine.hasAsked() == [.set(.subscribe, nil)])
    #expect(bench.machine.status.mqtt.notSubscribed.map(\.word) == ["unanswered", "unanswered"])
    #expect(bench.machine.subscribed(9, [0x87], at: bench.now) == [.set(.subscribe, bench.at(60))])
    #expect(bench.machine.hasAsked() == [.set(.subscribe, bench.at(60))])
  }

  @Test func invalidFilterIsRefusedAtOnce() {
    var bench = Bench(at: .greeting)
    let filters = bench.machine.session.filters(after: .init(), at: bench.now)
    bench.machine.session.impossible(filters[0], at: bench.now)
    bench.machine.session.asked(filters[1], number: 1)
    _ = bench.greet()
    #expect(bench.machine.status.mqtt.notSubscribed.map(\.word) == ["refused", "unanswered"])
  }

  /// The program ends while answers are waited for: what is under way still goes, and it is told of once.
  @Test func connectionBeingLeftIsReportedOnce() {
    var bench = Bench(at: .connected)
    bench.lose(.closedByBroker, after: 60, Evidence(hasMessages: true))
    bench.attempt(to: .greeting)
    bench.askForFilters()
    _ = bench.greet()
    _ = bench.machine.leave(for: .stopped, at: bench.now)
    let told = Action.reportConnected(isSessionPresent: false, receiveMaximum: nil)
    #expect(bench.machine.subscribed(1, [1], at: bench.now).isEmpty)
    #expect(bench.machine.subscribed(2, [1], at: bench.now) == [told])
    #expect(bench.machine.announce(isWaitOver: true, at: bench.now).isEmpty)
  }

  // MARK: Too much

  @Test func tooMuchBeforeTheGreetingTakesACleanSessionToo() {
    var bench = Bench(at: .greeting)
    let end = bench.lose(.oversized(bytes: 60_000_000), Evidence(isOverrun: true))
    #expect(end.first == .dropClient)
    guard case .makeClient(_, let isSessionClean)? = bench.ring(after: bench.pause ?? 0).last else {
      Issue.record("no new client")
      return
    }
    #expect(isSessionClean)
  }

  /// There is no newer protocol to try: at once, with nothing subscribed.
  @Test func tooMuchAtLevel5IsMetWithNoFilters() {
    var bench = Bench(at: .connected) { $0.broker.protocolLevel = 5 }
    bench.grantFilters()
    bench.lose(.oversized(bytes: 60_000_000), after: 60, Evidence(isOverrun: true))
    #expect(bench.pause == 0)
    #expect(bench.machine.status.mqtt.notSubscribed.map(\.word) == ["oversized", "oversized"])
    #expect(bench.ring() == [.makeClient(level: 5, isSessionClean: true)])
  }

  // MARK: The level

  @Test func exactlyADayLater5IsTriedOnceMore() {
    var level = BrokerLevel()
    let start = Instant.zero
    #expect(level.choose(0, at: start) == 5)
    #expect(level.failed(.versionRefused(level: 5)) == (true, true))
    #expect(level.choose(0, at: start) == 4)
    level.greeted(at: start)
    #expect(!level.isOutdated(at: start + .seconds(86_399.9)))
    #expect(level.isOutdated(at: start + .seconds(86_400)))
  }

  /// Of all its answers only these two say nothing about the level that it was asked at.
  @Test(arguments: [(1, true), (2, false), (0x84, true), (0x85, false), (0, false)])
  func onlyARefusalOfTheLevelLeavesItOpen(_ code: Int, isOpen: Bool) {
    var session = BrokerSession()
    _ = session.make(Bench { $0.broker.protocolLevel = 0 }.settings, at: .zero)
    session.greeted(.init(code: code), at: .zero)
    #expect(session.levelFailed(.closedEarly).isOther == isOpen)
  }

  // MARK: Whether what is acknowledged arrives

  private func seeking(_ level: Int = 4) -> Bench {
    Bench(at: .connected) {
      $0.broker.roundTrip = true
      $0.broker.protocolLevel = level
    }
  }

  /// A message that is acknowledged and does not come back within its ten seconds.
  private func loseMessage(_ bench: inout Bench) {
    let now = bench.now
    _ = bench.machine.session.roundTrip.sends(Self.base, isCovered: false, digest: 1, at: now)
    bench.machine.session.roundTrip.asked(Self.base, number: 40)
    bench.machine.session.answered(40, [1], at: now)
    bench.machine.session.roundTrip.acknowledged(Self.base, qos: 1, at: now)
    bench.seconds += 10
    #expect(bench.machine.session.roundTrip.timeIsOver(at: bench.now) == [Self.base])
    bench.machine.showDoubt(at: bench.now)
  }

  @Test func itIsLookedForWhereTheSettingsWantItAndTheLevelSaysNothing() {
    #expect(seeking(4).machine.session.roundTrip.isOn)
    #expect(!seeking(5).machine.session.roundTrip.isOn)
    let off = Bench(at: .connected) { $0.broker.roundTrip = false }
    #expect(!off.machine.session.roundTrip.isOn)
  }

  @Test func missingRoundTripIsShownUntilForgiven() {
    var bench = seeking()
    loseMessage(&bench)
    let doubt = BrokerCause.nothingComesBack(topics: [Self.base], base: Self.base, isLevelForced: true)
    #expect(bench.machine.status.cause == doubt && bench.machine.status.colour == .amber)
    // Another trouble has the word while it lasts.
    let owed = bench.now
    _ = bench.machine.lookForStall(owed: owed, at: bench.at(30))
    #expect(bench.machine.status.cause == .notAcknowledging(seconds: 30))
    _ = bench.machine.lookForStall(owed: nil, at: bench.at(31))
    #expect(bench.machine.status.cause == doubt && bench.machine.status.colour == .amber)
    bench.machine.session.forgive(at: bench.now)
    bench.machine.showDoubt(at: bench.at(32))
    #expect(bench.machine.status.cause == nil && bench.machine.status.colour == .green)
  }

  @Test func aLevelThatWasFoundOutIsNotForced() {
    var bench = Bench {
      $0.broker.roundTrip = true
      $0.broker.protocolLevel = 0
    }
    bench.attempt(to: .greeting)
    bench.lose(.versionRefused(level: 5))
    bench.attempt(to: .connected)
    loseMessage(&bench)
    let doubt = BrokerCause.nothingComesBack(topics: [Self.base], base: Self.base, isLevelForced: false)
    #expect(bench.machine.status.cause == doubt)
  }

  @Test func anEndOverTheFilterOfARoundTripIsRemembered() {
    var bench = seeking()
    bench.grantFilters()
    _ = bench.machine.session.roundTrip.sends(Self.base, isCovered: false, digest: 1, at: bench.now)
    bench.machine.session.roundTrip.asked(Self.base, number: 40)
    bench.lose(.closedByBroker, after: 60, Evidence(hasMessages: true))
    // It may have been over the message: the topic is left alone, and nothing is said of it.
    #expect(bench.machine.session.roundTrip.finding?.unreadable == [])
    bench.machine.session.roundTrip.connected(level: 4)
    let isAsked = bench.machine.session.roundTrip.sends(
      Self.base, isCovered: false, digest: 1, at: bench.now)
    #expect(!isAsked)
  }
}
