import Model
import Testing
import Timebase

@testable import Uplink

/// The connection to the broker, call by call: what is done about each thing that can happen.
@Suite struct ConnectionMachineTests {
  private typealias Action = ConnectionMachine.Action
  private typealias Bench = ConnectionBench

  @Test func theWholeWay() {
    var bench = Bench()
    #expect(bench.start() == [.makeClient(level: 4, isSessionClean: false)])
    let opening = bench.machine.clientMade(true, at: bench.now)
    #expect(opening == [.set(.attempt, bench.at(5)), .open(isIPv4Forced: false)])
    #expect(bench.machine.phase == .resolving && bench.machine.status.attempts == 1)
    let watching = bench.machine.connecting(at: bench.now)
    #expect(watching == [.set(.attempt, bench.at(30)), .watch])
    bench.machine.connected()
    #expect(bench.machine.phase == .greeting)
    #expect(bench.askForFilters() == Bench.filters)
    let greeting = BrokerClient.Greeting(isSessionPresent: true, receiveMaximum: 7, aliasMaximum: 3)
    let standing = bench.greet(greeting)
    #expect(
      standing == [
        .set(.attempt, nil), .beginConnection(aliasMaximum: 3), .set(.keepAlive, bench.at(10)),
        .set(.subscribe, nil), .reportConnected(isSessionPresent: true, receiveMaximum: 7),
      ])
    #expect(bench.machine.status.colour == .green && bench.machine.status.connectedSince == bench.now)
    #expect(bench.machine.status.mqtt.notSubscribed.map(\.filter) == Bench.filters)
    bench.grantFilters()
    #expect(bench.machine.status.mqtt.notSubscribed.isEmpty)
  }

  @Test func greetingWithMessagesSetsStallTimer() {
    var bench = Bench(at: .greeting)
    let actions = bench.greet(hasMessages: true)
    #expect(actions.contains(.set(.stall, bench.at(30))))
  }

  // MARK: Leaving

  /// The first actions of leaving, by phase.
  private static let endings: [(ConnectionMachine.Phase, [Action])] = [
    (.waiting, []), (.resolving, [.dropClient]), (.opening, [.closeLink, .cut]),
    (.greeting, [.closeLink, .cut]), (.connected, [.closeLink, .sayGoodbye, .finish]),
  ]

  @Test func switchedOffItLeavesAsIsDueAndStaysOff() {
    for (phase, ending) in Self.endings {
      var bench = Bench(at: phase == .waiting ? .resolving : phase)
      if phase == .waiting { bench.lose(.refused) }
      let actions = bench.machine.leave(for: .switchedOff, at: bench.now)
      #expect(actions == [.set(.attempt, nil)] + ending, "\(phase)")
      if phase == .connected {
        #expect(bench.machine.phase == .connected && bench.machine.isClosing)
        let rest = bench.machine.closed(.init(), at: bench.now)
        #expect(rest == [.forgetConnection, .reportLost(.switchedOff)])
      }
      #expect(bench.machine.state == .off && bench.machine.status.cause == .switchedOff, "\(phase)")
      #expect(bench.machine.status.nextAttempt == nil && bench.machine.status.connectedSince == nil)
      let later = bench.machine.networkChanged(hasOtherRoute: { true }, at: bench.now) + bench.ring(after: 99)
      #expect(later.isEmpty, "\(phase)")
      bench.configuration.broker.keepalive += 1
      #expect(!bench.start().contains { if case .makeClient = $0 { true } else { false } }, "\(phase)")
      #expect(!bench.machine.switchedOn(at: bench.now).isEmpty, "\(phase)")
    }
  }

  @Test func vanishingSaysNothing() {
    var bench = Bench(at: .connected)
    let actions = bench.machine.leave(for: .vanished, at: bench.now)
    #expect(actions == [.set(.attempt, nil), .closeLink, .cut, .finish])
    let rest = bench.machine.closed(.init(), at: bench.now)
    #expect(rest == [.forgetConnection, .dropClient])
    #expect(bench.machine.state == .off)
  }

  @Test func retiringReleasesTheClient() {
    var bench = Bench(at: .connected)
    let actions = bench.machine.leave(for: .retired, at: bench.now)
    #expect(actions == [.set(.attempt, nil), .closeLink, .sayGoodbye, .finish])
    #expect(bench.machine.connection != nil && bench.machine.isClosing)
    let rest = bench.machine.closed(.init(), at: bench.now)
    #expect(rest == [.forgetConnection, .reportLost(.switchedOff), .dropClient])
    #expect(bench.machine.state == .off)
  }

  @Test func atTheEndOfTheProgramNothingIsGivenBack() {
    var bench = Bench(at: .connected)
    let actions = bench.machine.leave(for: .stopped, at: bench.now)
    #expect(actions == [.set(.attempt, nil), .closeLink])
    // What is under way still goes.
    #expect(bench.machine.connection != nil && bench.machine.isClosing)
    let rest = bench.machine.closed(.init(), at: bench.now)
    #expect(rest == [.releaseClient])
    #expect(bench.machine.state == .off && bench.machine.status.connectedSince == nil)
    var early = Bench(at: .opening)
    let cut = early.machine.leave(for: .stopped, at: early.now)
    #expect(cut == [.set(.attempt, nil), .closeLink, .cut])
    #expect(early.machine.state == .off)
  }

  @Test func anEndWhileItIsLeavingChangesNothing() {
    var bench = Bench(at: .connected)
    _ = bench.machine.leave(for: .switchedOff, at: bench.now)
    let actions = bench.machine.lost(.reset, at: bench.now) + bench.greet()
    #expect(actions.isEmpty)
    #expect(bench.machine.lookForStall(owed: .zero, at: bench.now).isEmpty)
  }

  // MARK: Settings

  @Test func theSameSettingsChangeNothing() {
    for phase in [ConnectionMachine.Phase.resolving, .opening, .greeting, .connected] {
      var bench = Bench(at: phase)
      #expect(bench.start() == [], "\(phase)")
      #expect(bench.machine.phase == phase)
    }
  }

  @Test func portZeroOpensNothing() {
    var bench = Bench { $0.broker.port = 0 }
    #expect(bench.start() == [])
    #expect(bench.machine.phase == .idle && bench.machine.status.colour == .blue)
    bench.configuration.broker.port = 1883
    let actions = bench.start()
    #expect(
      actions == [.set(.attempt, nil), .makeClient(level: 4, isSessionClean: true)])
    #expect(bench.machine.clientMade(true, at: bench.now).last == .open(isIPv4Forced: false))
  }

  @Test func anotherPasswordIsAnotherConnectionOfTheSameSession() {
    var bench = Bench(at: .connected)
    bench.configuration.broker.keepalive = 77
    #expect(bench.start() == [.set(.attempt, nil), .closeLink, .sayGoodbye, .finish])
    let rest = bench.machine.closed(.init(), at: bench.now)
    #expect(
      rest == [
        .forgetConnection, .reportLost(.settingsChanged, ConnectionEnd(.replaced)), .dropClient,
        .makeClient(level: 4, isSessionClean: false),
      ])
  }

  @Test func anotherSessionClearsTheOldOneFirst() {
    var bench = Bench(at: .connected)
    bench.configuration.broker.subTopic = "elsewhere/#"
    _ = bench.start()
    let rest = bench.machine.closed(.init(), at: bench.now)
    #expect(rest.last == .makeClient(level: 4, isSessionClean: true))
    bench.attempt(to: .greeting)
    // Nothing is asked for on a connection that is given up at once.
    #expect(bench.askForFilters().isEmpty)
    let cleared = bench.greet()
    #expect(
      cleared == [
        .set(.attempt, nil), .closeLink, .disconnect, .releaseClient,
        .makeClient(level: 4, isSessionClean: false),
      ])
    bench.attempt(to: .connected)
    #expect(bench.machine.session.subscriptions.missing.map(\.filter) == ["elsewhere/#"])
  }

  @Test func aSessionIsClearedUntilThatHasWorked() {
    var bench = Bench(at: .connected)
    bench.configuration.broker.subTopic = "elsewhere/#"
    _ = bench.start()
    _ = bench.machine.closed(.init(), at: bench.now)
    bench.attempt(to: .resolving)
    // The object is lost on the way; the next one is clean again.
    bench.configuration.broker.keepalive = 77
    #expect(bench.start().last == .makeClient(level: 4, isSessionClean: true))
  }

  @Test func aCleanSessionNeedsNoClearing() {
    var bench = Bench { $0.broker.cleanSession = true }
    bench.attempt(to: .connected)
    bench.configuration.broker.subTopic = "elsewhere/#"
    _ = bench.start()
    let rest = bench.machine.closed(.init(), at: bench.now)
    #expect(rest.last == .makeClient(level: 4, isSessionClean: true))
    bench.attempt(to: .connected)
    #expect(bench.machine.phase == .connected)
  }

  @Test func settingsUnusableInMQTTAreNamedAndRetried() {
    var bench = Bench()
    bench.start()
    let actions = bench.machine.clientMade(false, at: bench.now)
    let cause = BrokerCause.settingRefused("clientId, username or will: not usable in MQTT")
    #expect(actions == [.set(.attempt, nil), .closeLink, .reportLost(cause), .set(.attempt, bench.at(2))])
    #expect(bench.machine.status.attempts == 0)
    #expect(bench.ring(after: 2) == [.makeClient(level: 4, isSessionClean: false)])
  }

  @Test func otherTLSFilesTakeANewObject() {
    var bench = Bench(at: .resolving)
    let actions = bench.machine.clientChanged(at: bench.now)
    #expect(actions == [.dropClient, .makeClient(level: 4, isSessionClean: false)])
  }

  // MARK: A connection that is stuck

  @Test func aBrokerThatReadsAndDoesNotAcknowledgeIsLeftAfter45Seconds() {
    var bench = Bench(at: .connected)
    let owed = bench.now
    #expect(bench.machine.lookForStall(owed: owed, at: bench.now) == [.set(.stall, bench.at(30))])
    let question = bench.machine.lookForStall(owed: owed, at: bench.at(30))
    #expect(question == [.ask(Bench.filters[0]), .set(.stall, bench.at(45))])
    bench.machine.asked(number: 9)
    #expect(bench.machine.status.cause == .notAcknowledging(seconds: 30))
    #expect(bench.machine.status.colour == .amber)
    // Something else was answered.
    #expect(bench.machine.answered(8, owed: owed, at: bench.at(31)) == [])
    #expect(bench.machine.answered(9, owed: owed, at: bench.at(31)) == [.set(.stall, bench.at(45))])
    let end = bench.machine.lookForStall(owed: owed, at: bench.at(45))
    #expect(end == [.giveUp(.notAcknowledging(seconds: 45))])
  }

  @Test func aBlockedWayIsWaitedForUntil62Seconds() {
    var bench = Bench(at: .connected)
    let owed = bench.now
    _ = bench.machine.lookForStall(owed: owed, at: bench.at(30))
    bench.machine.asked(number: 9)
    #expect(bench.machine.lookForStall(owed: owed, at: bench.at(61)) == [.set(.stall, bench.at(62))])
    let end = bench.machine.lookForStall(owed: owed, at: bench.at(62))
    #expect(end == [.giveUp(.notAcknowledging(seconds: 62))])
  }

  @Test func anAcknowledgementMakesItGreenAgain() {
    var bench = Bench(at: .connected)
    _ = bench.machine.lookForStall(owed: bench.now, at: bench.at(30))
    #expect(bench.machine.connection?.isStuck == true)
    #expect(bench.machine.lookForStall(owed: nil, at: bench.at(40)) == [.set(.stall, nil)])
    #expect(bench.machine.status.colour == .green && bench.machine.connection?.isStuck == false)
  }

  @Test func tooSmallPacketLimitIsAmber() {
    var bench = Bench(at: .connected)
    bench.machine.takesNothing(.packetLimit(bytes: 100), at: bench.now)
    #expect(bench.machine.status.colour == .amber)
    #expect(bench.machine.status.cause == .packetLimit(bytes: 100))
  }

  @Test func whenTheNumbersComeRoundAllIsSentAgain() {
    var bench = Bench(at: .connected)
    let actions = bench.machine.numbersCameRound()
    #expect(actions == [.giveUp(.notAcknowledging(seconds: 0)), .dropClient])
    bench.lose(.notAcknowledging(seconds: 0))
    #expect(bench.ring(after: 2) == [.makeClient(level: 4, isSessionClean: false)])
  }

  // behaviour: Presence and Home Assistant
  @Test func eachAttemptHasAWillOfItsOwnTime() {
    var bench = ConnectionBench()
    let will = bench.settings.will
    var made = 0
    bench.machine.makeWill = {
      made += 1
      var will = will
      will.time = made
      return will
    }
    bench.attempt(to: .connected)
    #expect(bench.machine.settings?.will.time == 1)
    bench.lose(.reset, after: 60)
    bench.attempt(to: .connected)
    #expect(made == 2 && bench.machine.settings?.will.time == 2)
  }
}
