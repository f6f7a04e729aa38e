import Model
import Testing
import Timebase

@testable import Uplink

/// A broker that has no QoS 2, and no word to say so.
struct QoSLimitTests {
  private typealias Action = ConnectionMachine.Action

  private static var owed: ConnectionMachine.Evidence {
    var evidence = ConnectionMachine.Evidence(
      hasMessages: true, hasUnanswered: true, hasAnswers: false, hasAliasOnly: false)
    evidence.isOwedTwo = true
    return evidence
  }

  @Test func theSecondConnectionThatEndsOverOneIsTheLastWithQoS2() {
    var bench = ConnectionBench(at: .connected)
    bench.grantFilters()
    let first = bench.lose(.closedByBroker, Self.owed)
    #expect(!first.contains(.dropClient))
    #expect(bench.machine.session.qosLimit.most == 2)
    bench.attempt(to: .connected)
    bench.grantFilters()
    // What the object has it would send again as it has it.
    let second = bench.lose(.closedByBroker, Self.owed)
    #expect(second.contains(.dropClient))
    #expect(bench.machine.session.qosLimit.most == 1)
    bench.attempt(to: .connected)
    bench.grantFilters()
    let third = bench.lose(.closedByBroker, Self.owed)
    #expect(!third.contains(.dropClient))
  }

  /// Everything else is answered: nothing but the QoS is wrong.
  @Test func oneThatGetsStuckOverOneIsEnough() {
    var bench = ConnectionBench(at: .connected)
    let actions = bench.lose(.notAcknowledging(seconds: 45), Self.owed)
    #expect(actions.contains(.dropClient))
    #expect(bench.machine.session.qosLimit.most == 1)
  }

  @Test(arguments: [BrokerCause.silent, .routeChanged, .timedOut]) func aBadLineIsNoReason(cause: BrokerCause)
  {
    var bench = ConnectionBench(at: .connected)
    for _ in 0..<5 {
      bench.lose(cause, Self.owed)
      bench.attempt(to: .connected)
    }
    #expect(bench.machine.session.qosLimit.most == 2)
  }

  @Test func norIsOneOfQoS1OrABrokerThatHasCompletedOne() {
    var limit = QoSLimit()
    var changes: [Bool] = []
    for _ in 0..<5 { changes.append(limit.ended(isByBroker: true, isStuck: false, isOwed: false)) }
    limit.completed(qos: 1)
    changes.append(limit.ended(isByBroker: true, isStuck: false, isOwed: true))
    limit.completed(qos: 2)
    for _ in 0..<5 { changes.append(limit.ended(isByBroker: true, isStuck: true, isOwed: true)) }
    #expect(!changes.contains(true))
    #expect(limit.most == 2)
  }

  @Test func anotherBrokerIsAskedAnew() {
    var bench = ConnectionBench(at: .connected)
    bench.lose(.notAcknowledging(seconds: 45), Self.owed)
    bench.configuration.broker.host = "other.example"
    bench.start()
    #expect(bench.machine.session.qosLimit.most == 2)
  }
}
