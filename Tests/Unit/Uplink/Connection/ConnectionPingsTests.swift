import Testing
import Timebase

@testable import Uplink

/// When the library looks whether a ping is due: once a keepalive where nothing is said.
@Suite struct ConnectionPingsTests {
  /// Connected at 100 s with a keepalive of 60 s; when it looks again after a look so much later.
  private func next(
    after later: Double, isPinged: Bool = false, sent: Double? = nil, heard: Double? = nil,
    wanted: Int? = nil, own: Int = 60
  ) -> Double? {
    var bench = ConnectionBench(at: .greeting) { $0.broker.keepalive = own }
    var greeting = BrokerClient.Greeting(isSessionPresent: true, receiveMaximum: 7, aliasMaximum: 3)
    greeting.keepalive = wanted
    _ = bench.greet(greeting)
    let look = bench.machine.lookedAfterPings(
      isPinged: isPinged, sent: sent.map(bench.at), heard: heard.map(bench.at), at: bench.at(later))
    return look.map { (($0 - bench.now).seconds * 10).rounded() / 10 }
  }

  // behaviour: The window and the limits
  @Test func aConnectionThatSaysNothingIsPingedAfterTheKeepalive() { #expect(next(after: 10) == 60.1) }

  @Test func aPingPutsTheNextOneOff() { #expect(next(after: 60.1, isPinged: true) == 120.2) }

  @Test func trafficBothWaysPostponesPingCheck() {
    #expect(next(after: 60.1, sent: 42, heard: 43) == 102.1)
    #expect(next(after: 60.1, sent: 43, heard: 42) == 102.1)
  }

  /// The broker counts what it hears of us, and the library what it hears of the broker.
  @Test func oneOfTheTwoDoesNot() {
    #expect(next(after: 50, sent: 42) == 60.1)
    #expect(next(after: 50, heard: 42) == 60.1)
  }

  /// The library has heard or sent what we do not know of, or its clock has stood still.
  @Test func oneThatIsDueAndDoesNotComeIsLookedForSoon() {
    #expect(next(after: 60.1) == 70.1)
    #expect(next(after: 500) == 510)
    #expect(next(after: 6, own: 5) == 7)
  }

  // behaviour: The window and the limits
  @Test func theBrokersOwnKeepaliveCounts() {
    #expect(next(after: 5, wanted: 10) == 10.1)
    #expect(next(after: 5, wanted: 90) == 90.1)
  }

  @Test func withoutKeepaliveNoPingCheckIsDue() {
    #expect(next(after: 10, own: 0) == nil)
    #expect(next(after: 10, wanted: 0) == nil)
    #expect(next(after: 10, wanted: 30, own: 0) == 30.1)
  }

  // MARK: A keepalive that grows

  /// Connected with this keepalive, and a longer one while parked.
  private func stretched(_ own: Int = 60, parked: Int = 900, wanted: Int? = nil) -> ConnectionBench {
    var bench = ConnectionBench(at: .greeting) {
      ($0.broker.keepalive, $0.broker.keepaliveParked) = (own, parked)
    }
    var greeting = BrokerClient.Greeting(isSessionPresent: true, receiveMaximum: 7, aliasMaximum: 3)
    greeting.keepalive = wanted
    _ = bench.greet(greeting)
    return bench
  }

  private func look(_ bench: inout ConnectionBench, after later: Double) -> Double? {
    let next = bench.machine.lookedAfterPings(isPinged: false, sent: nil, heard: nil, at: bench.at(later))
    return next.map { (($0 - bench.now).seconds * 10).rounded() / 10 }
  }

  // behaviour: Keepalive of a parked vehicle
  @Test func theBrokerIsPromisedTheLongerOne() {
    func settings(_ own: Int, _ parked: Int) -> [Int] {
      let bench = ConnectionBench { ($0.broker.keepalive, $0.broker.keepaliveParked) = (own, parked) }
      return [bench.settings.keepalive, bench.settings.delivery.rhythm]
    }
    #expect(settings(60, 900) == [900, 60] && settings(60, 0) == [60, 0] && settings(60, 60) == [60, 0])
    #expect(settings(0, 900) == [0, 0] && settings(3, 900) == [900, 5])
    let bench = ConnectionBench { ($0.broker.keepalive, $0.broker.keepaliveParked) = (60, 900) }
    let second = bench.settings.onlyFor(will: bench.settings.will)
    #expect(second.keepalive == 1800 && second.delivery.rhythm == 0)
  }

  // behaviour: Keepalive of a parked vehicle
  @Test func aBoardThatMovesAsksAsOftenAsBefore() {
    var bench = stretched()
    #expect(look(&bench, after: 10) == 60.1)
    #expect(bench.machine.keepRhythm(sent: nil, heard: nil, at: bench.at(59)) == [])
    #expect(bench.machine.keepRhythm(sent: nil, heard: nil, at: bench.at(60)) == [.knock])
    bench.machine.knocked(number: 7, at: bench.at(60))
    #expect(look(&bench, after: 60) == 120.1)
    #expect(bench.machine.keepRhythm(sent: nil, heard: nil, at: bench.at(119)) == [])
    _ = bench.machine.answered(7, owed: nil, at: bench.at(119))
    #expect(bench.machine.keepRhythm(sent: nil, heard: nil, at: bench.at(120)) == [.knock])
  }

  // behaviour: Keepalive of a parked vehicle
  @Test func anUnansweredQuestionEndsTheConnection() {
    var bench = stretched()
    bench.machine.knocked(number: 7, at: bench.at(60))
    #expect(bench.machine.keepRhythm(sent: nil, heard: nil, at: bench.at(120)) == [.giveUp(.silent)])
    // An acknowledgement is as good as its answer.
    #expect(bench.machine.keepRhythm(sent: bench.at(70), heard: bench.at(71), at: bench.at(120)) == [])
  }

  // behaviour: Keepalive of a parked vehicle
  @Test func aParkedBoardAsksNothing() {
    var bench = stretched()
    #expect(bench.machine.parked(true, at: bench.at(300)) == [.set(.keepAlive, bench.at(310))])
    #expect(bench.machine.parked(true, at: bench.at(301)) == [])
    #expect(bench.machine.keepRhythm(sent: nil, heard: nil, at: bench.at(310)) == [])
    #expect(look(&bench, after: 310) == 900.1)
    #expect(bench.machine.parked(false, at: bench.at(320)) == [.set(.keepAlive, bench.at(330))])
    #expect(bench.machine.keepRhythm(sent: nil, heard: nil, at: bench.at(330)) == [.knock])
  }

  // behaviour: Keepalive of a parked vehicle
  @Test func aBrokerThatWantsToBeHeardMoreOftenIs() {
    var bench = stretched(wanted: 50)
    #expect(look(&bench, after: 10) == 50.1)
    #expect(bench.machine.keepRhythm(sent: nil, heard: nil, at: bench.at(100)) == [])
    _ = bench.machine.parked(true, at: bench.at(300))
    #expect(look(&bench, after: 30) == 50.1)
    var other = stretched(wanted: 300)
    _ = other.machine.parked(true, at: other.at(300))
    #expect(look(&other, after: 10) == 300.1)
  }

  // behaviour: Keepalive of a parked vehicle
  @Test func afterALongSilenceAConnectionIsDoubtedSooner() {
    var bench = stretched()
    let sent = bench.at(600)
    #expect(bench.machine.firstLook(heard: bench.at(520), at: sent) == bench.at(630))
    #expect(bench.machine.firstLook(heard: bench.at(500), at: sent) == bench.at(608))
    func stall(_ seconds: Double) -> [ConnectionMachine.Action] {
      bench.machine.lookForStall(owed: sent, heard: bench.at(500), at: bench.at(600 + seconds))
    }
    let asked = stall(8)
    #expect(asked == [.ask(ConnectionBench.filters[0]), .set(.stall, bench.at(615))])
    #expect(stall(15) == [.set(.stall, bench.at(622))])
    #expect(stall(22) == [.giveUp(.notAcknowledging(seconds: 22))])
    let usual = ConnectionBench(at: .connected)
    #expect(usual.machine.firstLook(heard: nil, at: usual.at(600)) == usual.at(630))
  }

  @Test func withoutConnectionNoPingCheckIsDue() {
    var bench = ConnectionBench(at: .greeting)
    #expect(bench.machine.lookedAfterPings(isPinged: false, sent: nil, heard: nil, at: bench.now) == nil)
  }
}
