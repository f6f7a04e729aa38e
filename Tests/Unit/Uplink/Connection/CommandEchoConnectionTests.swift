import Model
import Testing
import Timebase

@testable import Uplink

// behaviour: Whether commands arrive
/// What a connection does about commands that do not arrive.
@Suite struct CommandEchoConnectionTests {
  private typealias Action = ConnectionMachine.Action
  private typealias Bench = ConnectionBench

  private static let topic = "owntracks/jane/pi/cmd"
  private static let present = BrokerClient.Greeting(isSessionPresent: true)

  /// Connected at MQTT 5, with all filters granted.
  private func bench(isSessionClean: Bool = false) -> Bench {
    var bench = Bench(at: .connected) {
      $0.broker.protocolLevel = 5
      $0.broker.cleanSession = isSessionClean
      $0.commands.isOn = true
    }
    bench.grantFilters()
    return bench
  }

  /// A command to ourselves goes out, is acknowledged and does not come.
  private func miss(_ bench: inout Bench) -> [Action] {
    #expect(bench.machine.session.echo.payload(at: bench.now) != nil)
    bench.machine.session.echo.sent(40, at: bench.now)
    _ = bench.machine.session.echo.acknowledged(40, reason: 0, at: bench.now)
    bench.seconds += 10
    return bench.machine.echoTimeIsOver(at: bench.now)
  }

  @Test func firstTheFiltersAreAskedForAnewInTheSameSession() {
    var bench = bench()
    #expect(miss(&bench) == [.set(.attempt, nil), .closeLink, .sayGoodbye, .finish])
    let end = bench.machine.closed(.init(), at: bench.now)
    #expect(end.contains(.reportLost(.hearsNoCommands(topic: Self.topic), ConnectionEnd(.replaced))))
    #expect(end.last == .makeClient(level: 5, isSessionClean: false))
    bench.attempt(to: .greeting)
    #expect(bench.askForFilters(Self.present) == Bench.filters, "the session's word does not count")
    _ = bench.greet(Self.present)
    #expect(bench.machine.status.colour == .amber)
    #expect(bench.machine.status.cause == .hearsNoCommands(topic: Self.topic))
  }

  @Test func thenTheSessionIsThrownAway() {
    var bench = bench()
    _ = miss(&bench)
    _ = bench.machine.closed(.init(), at: bench.now)
    bench.attempt(to: .connected)
    bench.grantFilters()
    _ = miss(&bench)
    #expect(bench.machine.closed(.init(), at: bench.now).last == .makeClient(level: 5, isSessionClean: true))
    // And where it is of no use either, the connection is left alone.
    bench.attempt(to: .greeting)
    _ = bench.greet()
    bench.attempt(to: .connected)
    bench.grantFilters()
    #expect(miss(&bench).isEmpty)
    #expect(bench.machine.status.colour == .amber)
  }

  @Test func echoAfterMissTurnsGreen() throws {
    var bench = bench()
    _ = miss(&bench)
    _ = bench.machine.closed(.init(), at: bench.now)
    bench.attempt(to: .connected)
    bench.grantFilters()
    let due = bench.machine.session.echo.payload(at: bench.now)
    let payload = try #require(due)
    bench.machine.session.echo.sent(41, at: bench.now)
    let number = try #require(payload.withUnsafeBytes { CommandEcho.number(in: $0) })
    let wasMissing = bench.machine.session.echo.cameBack(number, at: bench.now)
    #expect(wasMissing)
    bench.machine.showDoubt(at: bench.now)
    #expect(bench.machine.status.colour == .green)
  }

  /// The message that goes out first on a connection is no evidence against those behind it, and does not go again
  /// by the library's own will.
  @Test func anEndOverItIsHeldAgainstNothingElse() {
    var bench = bench()
    _ = bench.machine.session.echo.payload(at: bench.now)
    bench.machine.session.echo.sent(40, at: bench.now)
    let end = bench.lose(.closedByBroker, after: 1, .init(hasMessages: true))
    #expect(end.contains(.dropClient))
    #expect(bench.machine.session.echo.finding == .barred(.closedByBroker))
    var other = self.bench()
    #expect(!other.lose(.closedByBroker, after: 1, .init(hasMessages: true)).contains(.dropClient))
  }

  /// What was granted went with the session that a packet too large has cost.
  @Test func afterTooMuchNothingThatWasGrantedCounts() {
    var bench = Bench(at: .connected)
    bench.grantFilters()
    bench.lose(.oversized(bytes: 60_000_000), after: 60, .init(isOverrun: true))
    bench.attempt(to: .greeting)
    // The object that clears the session, and is gone; and a broker that has kept it all the same.
    _ = bench.greet()
    bench.attempt(to: .greeting)
    #expect(bench.askForFilters(Self.present) == Bench.filters)
  }
}
