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

  @Test func withoutConnectionNoPingCheckIsDue() {
    var bench = ConnectionBench(at: .greeting)
    #expect(bench.machine.lookedAfterPings(isPinged: false, sent: nil, heard: nil, at: bench.now) == nil)
  }
}
