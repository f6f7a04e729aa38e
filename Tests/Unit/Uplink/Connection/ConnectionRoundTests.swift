import Model
import Testing
import Timebase

@testable import Uplink

// behaviour: Several brokers
/// Brokers of a list, and addresses of a name, in turn.
@Suite struct ConnectionRoundTests {
  private typealias Bench = ConnectionBench

  /// Three brokers, the second with a port of its own.
  private func trio(random: Double = 0, _ change: (inout Configuration) -> Void = { _ in }) -> Bench {
    Bench(random: random) {
      $0.broker.host = "a.example, b.example:8884, 192.0.2.7"
      $0.broker.port = 1883
      change(&$0)
    }
  }

  private func place(_ bench: Bench) -> String {
    bench.machine.settings.map { "\($0.host):\($0.port)" } ?? ""
  }

  private func fail(_ bench: inout Bench, _ cause: BrokerCause, after later: Double = 0) {
    bench.attempt(to: .greeting)
    bench.lose(cause, after: later)
  }

  @Test func brokersAreTriedInOrderAndTheLadderCountsRounds() {
    var bench = trio()
    for ladder in [2.0, 4, 8] {
      bench.attempt(to: .greeting)
      #expect(place(bench) == "a.example:1883" && bench.machine.status.mqtt.place?.host == "a.example")
      bench.lose(.refused)
      // Attempts keep their distance.
      #expect(bench.pause == 2)
      bench.attempt(to: .greeting)
      #expect(place(bench) == "b.example:8884" && bench.machine.status.mqtt.place?.port == 8884)
      bench.lose(.timedOut, after: 30)
      #expect(bench.pause == 0)
      bench.attempt(to: .greeting)
      #expect(place(bench) == "192.0.2.7:1883")
      bench.lose(.badCredentials, after: 1)
      #expect(bench.pause == 64, "a verdict of the last one")
      bench.attempt(to: .greeting)
      for _ in 1...2 {
        bench.lose(.unreachable)
        bench.attempt(to: .greeting)
      }
      bench.lose(.refused)
      #expect(bench.pause == ladder)
    }
  }

  @Test(arguments: [true, false]) func brokerIsLookedAtUnlessAnotherHasTakenMessages(hasConnected: Bool) {
    var bench = trio()
    bench.attempt(to: .greeting)
    bench.machine.session.placeLook.acknowledged()
    bench.lose(.refused)
    bench.attempt(to: .greeting)
    #expect(place(bench) == "b.example:8884" && !bench.machine.session.placeLook.hasPlace)
    if hasConnected { bench.machine.round.connected() }
    bench.lose(.refused)
    fail(&bench, .refused)
    bench.attempt(to: .greeting)
    #expect(place(bench) == "a.example:1883" && bench.machine.session.placeLook.hasPlace == !hasConnected)
  }

  @Test func nothingIsDrawnWithinARound() {
    final class Draws { var count = 0 }
    let draws = Draws()
    var bench = trio()
    let random = {
      draws.count += 1
      return 0.0
    }
    bench.machine = ConnectionMachine(random: random, clockOffset: { _ in 0 })
    for drawn in [0, 0, 1, 1, 1, 2] {
      fail(&bench, .refused)
      #expect(draws.count == drawn)
    }
  }

  @Test func aConnectionThatStoodIsFollowedByTheFirst() {
    var bench = trio()
    fail(&bench, .refused)
    bench.attempt(to: .connected)
    #expect(place(bench) == "b.example:8884")
    bench.lose(.closedByBroker, after: 60)
    #expect(bench.pause == 2)
    bench.attempt(to: .greeting)
    #expect(place(bench) == "a.example:1883")
  }

  @Test func aConnectionThatDiesYoungIsFollowedByTheNext() {
    var bench = trio()
    for name in ["a.example", "b.example", "192.0.2.7", "a.example"] {
      bench.attempt(to: .connected)
      #expect(bench.machine.settings?.host == name)
      bench.lose(.closedByBroker, after: 3)
    }
  }

  @Test func aFaultOfTheBoardItselfIsTheSameEverywhere() {
    var bench = trio()
    fail(&bench, .fileUnreadable(path: "/x", why: "gone"))
    #expect(bench.pause == 2)
    bench.attempt(to: .greeting)
    #expect(place(bench) == "a.example:1883")
  }

  @Test func otherBrokersGetAnotherClientObject() {
    var bench = trio()
    bench.attempt(to: .greeting)
    bench.lose(.refused)
    let actions = bench.ring(after: 2)
    #expect(actions == [.dropClient, .makeClient(level: 4, isSessionClean: false)])
    #expect(bench.machine.status.cause == nil, "what was said of the other one")
  }

  @Test func levelOfABrokerIsRememberedForItsNextTurn() {
    var bench = trio { $0.broker.protocolLevel = 0 }
    // The first one speaks no MQTT 5, and says so.
    bench.attempt(to: .greeting)
    #expect(bench.lose(.versionRefused(level: 5)).last == .makeClient(level: 4, isSessionClean: false))
    _ = bench.machine.clientMade(true, at: bench.now)
    #expect(place(bench) == "a.example:1883" && bench.machine.round.choice == .again)
    _ = bench.machine.connecting(at: bench.now)
    bench.machine.connected()
    _ = bench.greet()
    bench.lose(.closedByBroker, after: 3)
    for level in [5, 5, 4] {
      #expect(bench.ring(after: bench.pause ?? 0).last == .makeClient(level: level, isSessionClean: false))
      bench.attempt(to: .greeting)
      bench.lose(.refused)
    }
  }

  @Test func silenceIsNotHeldAgainstMQTT5WhileOthersRemain() {
    var bench = trio { $0.broker.protocolLevel = 0 }
    for (host, level) in [("a.example", 5), ("b.example", 5)] {
      bench.attempt(to: .greeting)
      #expect(bench.machine.settings?.host == host && bench.machine.session.level.spoken == level)
      bench.lose(.noGreeting(seconds: 30), after: 30)
      #expect(bench.pause == 0)
    }
    bench.attempt(to: .greeting)
    let last = bench.lose(.noGreeting(seconds: 30), after: 30)
    #expect(last.last == .makeClient(level: 4, isSessionClean: false))
    // It is, the next time.
    _ = bench.machine.clientMade(true, at: bench.now)
    _ = bench.machine.connecting(at: bench.now)
    bench.machine.connected()
    bench.lose(.noGreeting(seconds: 30), after: 30)
    bench.attempt(to: .greeting)
    #expect(place(bench) == "a.example:1883" && bench.machine.session.level.spoken == 4)
  }

  // MARK: Addresses

  @Test func addressesOfANameComeBeforeTheNextBroker() {
    var bench = trio()
    for (isMore, choice) in [(true, BrokerAddresses.Choice.first), (true, .next), (false, .next)] {
      bench.attempt(to: .greeting)
      #expect(place(bench) == "a.example:1883" && bench.machine.round.choice == choice)
      bench.machine.round.hasOtherAddresses = isMore
      bench.lose(.handshakeSilent(seconds: 30), after: 30)
      #expect(bench.pause == 0)
    }
    bench.attempt(to: .greeting)
    #expect(place(bench) == "b.example:8884" && bench.machine.round.choice == .first)
  }

  @Test func addressesOfASingleNameAreARound() {
    var bench = Bench()
    for ladder in [2.0, 4] {
      bench.attempt(to: .greeting)
      #expect(bench.machine.round.choice == .first)
      bench.machine.round.hasOtherAddresses = true
      #expect(bench.lose(.timedOut, after: 30).last == .set(.attempt, bench.now))
      bench.attempt(to: .greeting)
      #expect(bench.machine.round.choice == .next)
      bench.lose(.timedOut, after: 30)
      #expect(bench.pause == ladder)
    }
  }

  @Test func aVerdictHoldsForAllAddresses() {
    for cause in [BrokerCause.badCredentials, .notAuthorised, .clientIDInUse] {
      var bench = trio()
      bench.attempt(to: .greeting)
      bench.machine.round.hasOtherAddresses = true
      bench.lose(cause)
      bench.attempt(to: .greeting)
      #expect(place(bench) == "b.example:8884")
    }
  }

  @Test func silenceOfAnAddressIsNotHeldAgainstMQTT5() {
    var bench = Bench { $0.broker.protocolLevel = 0 }
    bench.attempt(to: .greeting)
    bench.machine.round.hasOtherAddresses = true
    bench.lose(.noGreeting(seconds: 30), after: 30)
    bench.attempt(to: .connected)
    #expect(bench.machine.round.choice == .next && bench.machine.session.level.spoken == 5)
  }

  // MARK: What else begins an attempt

  @Test func newsIsNoSoonerThanTheRoundAndBeginsTheNext() {
    var bench = trio()
    for _ in 1...2 {
      for name in ["a.example", "b.example", "192.0.2.7"] {
        fail(&bench, .refused)
        #expect(bench.machine.settings?.host == name)
        if name != "192.0.2.7" { #expect(bench.machine.hurry(isAsked: false, at: bench.now).isEmpty) }
      }
    }
    #expect(bench.pause == 4)
    bench.seconds += 2
    let actions = bench.machine.hurry(isAsked: false, at: bench.now)
    #expect(actions.last == .makeClient(level: 4, isSessionClean: false))
    #expect(place(bench) == "a.example:1883")
  }

  @Test func anotherRouteBeginsWithTheFirst() {
    var bench = trio()
    fail(&bench, .refused)
    bench.seconds += 2
    _ = bench.machine.networkChanged(hasOtherRoute: { true }, at: bench.now)
    bench.attempt(to: .greeting)
    #expect(place(bench) == "a.example:1883")
    fail(&bench, .refused)
    bench.attempt(to: .greeting)
    #expect(place(bench) == "b.example:8884")
    bench.seconds += 2
    _ = bench.machine.networkChanged(hasOtherRoute: { true }, at: bench.now)
    #expect(place(bench) == "a.example:1883")
  }

  @Test func otherSettingsBeginWithTheFirst() {
    let changes: [(inout Configuration) -> Void] = [
      { $0.broker.keepalive = 77 }, { $0.broker.subQos = 2 },
    ]
    for change in changes {
      var bench = trio()
      fail(&bench, .refused)
      bench.attempt(to: .connected)
      change(&bench.configuration)
      bench.start()
      _ = bench.machine.closed(.init(), at: bench.now)
      #expect(place(bench) == "a.example:1883")
    }
    // One that no broker sees ends nothing.
    var bench = trio()
    fail(&bench, .refused)
    bench.attempt(to: .connected)
    bench.configuration.retry.most = 77
    #expect(bench.start().isEmpty && place(bench) == "b.example:8884")
  }

  @Test func subscriptionsOfEarlierSettingsAreClearedAtEachBroker() {
    var bench = trio()
    bench.attempt(to: .connected)
    bench.configuration.broker.subQos = 2
    bench.start()
    let first = bench.machine.closed(.init(), at: bench.now)
    #expect(first.last == .makeClient(level: 4, isSessionClean: true))
    bench.attempt(to: .greeting)
    bench.lose(.refused)
    #expect(bench.ring(after: bench.pause ?? 0).last == .makeClient(level: 4, isSessionClean: true))
  }

  @Test func aFleetIsSpreadByRounds() {
    var bench = trio(random: 0.5) { $0.retry.spread = 60 }
    bench.attempt(to: .connected)
    bench.lose(.closedByBroker, after: 30)
    #expect(bench.pause == 30)
    for pause in [2.0, 2, 30] {
      fail(&bench, .refused)
      #expect(bench.pause == pause)
    }
  }

  @Test func theSameFailureOfABrokerIsReportedOnce() {
    var bench = trio()
    let causes: [BrokerCause] = [.refused, .timedOut, .unreachable]
    for isNew in [true, false] {
      for cause in causes {
        bench.attempt(to: .greeting)
        let actions = bench.lose(cause)
        #expect(actions.contains(.reportLost(cause)) == isNew, "\(cause)")
      }
    }
  }

  @Test func whileOthersRemainNothingIsSettled() {
    var bench = trio()
    bench.attempt(to: .greeting)
    #expect(!bench.machine.isRoundUnderWay)
    for isUnderWay in [true, true, false] {
      bench.lose(.refused)
      #expect(bench.machine.isRoundUnderWay == isUnderWay)
      bench.attempt(to: .greeting)
      #expect(bench.machine.isRoundUnderWay == isUnderWay)
    }
    bench.attempt(to: .connected)
    #expect(!bench.machine.isRoundUnderWay)
  }
}
