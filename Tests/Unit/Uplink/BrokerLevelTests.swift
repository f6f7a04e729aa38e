import Model
import Testing
import Timebase

@testable import Uplink

// behaviour: The level of MQTT
/// Which level of MQTT is spoken where no setting says it.
@Suite struct BrokerLevelTests {
  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  private func bench(at phase: ConnectionMachine.Phase) -> ConnectionBench {
    ConnectionBench(at: phase) { $0.broker.protocolLevel = 0 }
  }

  /// The level that the last of these asks for a client of; nil: it asks for none.
  private func level(_ actions: [ConnectionMachine.Action]) -> Int? {
    if case .makeClient(let level, _)? = actions.last { level } else { nil }
  }

  // MARK: Step by step

  @Test func configuredLevelIsKeptAfterRefusal() {
    var level = BrokerLevel()
    for wanted in [3, 4, 5] {
      #expect(level.choose(wanted, at: at(0)) == wanted)
      #expect(level.failed(.versionRefused(level: wanted)) == (false, false))
    }
  }

  @Test(arguments: [
    BrokerCause.versionRefused(level: 5), .notMQTT, .clientIDReplaced, .reason(code: 0x81, text: ""),
    .closedEarly, .closedAfterHandshake,
    .noGreeting(seconds: 30),
  ])
  func level5FailureFallsBackToLevel4(_ cause: BrokerCause) {
    var bench = bench(at: .greeting)
    #expect(level(bench.lose(cause)) == 4)
    #expect(bench.machine.status.attempts == 0 && bench.machine.status.cause == nil)
    bench.attempt(to: .connected)
    #expect(bench.machine.status.colour == .green)
    // It is remembered, and the next attempts use it at once.
    bench.lose(.reset, after: 60)
    #expect(bench.ring(after: bench.pause ?? 0).last == .open(isIPv4Forced: false))
  }

  @Test(arguments: [BrokerCause.badCredentials, .notAuthorised, .refused, .reset, .certificateNotYetValid])
  func otherFailuresDoNotFallBackToLevel4(_ cause: BrokerCause) {
    var bench = bench(at: .greeting)
    #expect(level(bench.lose(cause)) == nil)
    #expect(bench.machine.status.cause == cause)
  }

  @Test func failureAtBothLevelsIsReportedAndRestartsWith5() {
    var bench = bench(at: .greeting)
    let first = bench.lose(.closedEarly)
    #expect(level(first) == 4 && !first.contains(.reportLost(.closedEarly)))
    bench.attempt(to: .greeting)
    let end = bench.lose(.closedEarly)
    #expect(end.contains(.reportLost(.closedEarly)) && end.contains(.dropClient))
    #expect(bench.pause != nil)
    #expect(bench.machine.status.attempts == 1 && bench.machine.status.cause == .closedEarly)
    #expect(level(bench.ring(after: bench.pause ?? 0)) == 5)
  }

  @Test func aBrokerThatHasSpoken5IsNotTakenForAnotherOverABadLine() {
    var bench = bench(at: .connected)
    bench.lose(.reset, after: 60)
    bench.attempt(to: .greeting)
    #expect(level(bench.lose(.closedEarly)) == nil)
    // But where it says so it was replaced by an older one.
    bench.attempt(to: .greeting)
    #expect(level(bench.lose(.versionRefused(level: 5))) == 4)
  }

  @Test func refusalAtLevel5RulesOutFallback() {
    var bench = bench(at: .greeting)
    _ = bench.greet(.init(code: 0x86))
    bench.lose(.badCredentials)
    bench.attempt(to: .greeting)
    #expect(level(bench.lose(.closedEarly)) == nil)
  }

  @Test func aDayLaterTheBrokerMayHaveBeenRenewed() {
    var bench = bench(at: .greeting)
    bench.lose(.closedEarly)
    bench.attempt(to: .connected)
    bench.lose(.reset, after: 86_399)
    #expect(bench.ring(after: 0).last != .dropClient)
    let later = bench.ring(after: max(1, bench.pause ?? 0))
    #expect(later.contains(.dropClient) && level(later) == 5)
  }

  @Test func otherSettingsBeginWith5() {
    var bench = bench(at: .greeting)
    bench.lose(.closedEarly)
    bench.attempt(to: .greeting)
    bench.configuration.broker.host = "other.example"
    #expect(level(bench.start()) == 5)
  }

  // MARK: With brokers

  @Test func mosquittoIsSpokenToWith5() throws {
    let scene = try BrokerScene()
    scene.configuration.broker.protocolLevel = 0
    try scene.startMosquitto("allow_anonymous true\n")
    #expect(scene.isListening())
    scene.start()
    #expect(scene.runs { scene.isConnected })
    #expect(scene.runs { scene.contents("mosquitto.log").contains("(p5, ") })
    #expect(scene.broker.status.mqtt.protocolLevel == 5)
  }

  @Test(
    arguments: [[0x20, 2, 0, 1], [0x20, 5, 0, 0x84, 2, 0x7F, 1], [0x20, 3, 0, 0x84, 0], []] as [[UInt8]])
  func aBrokerWithout5GetsItsMessagesWith4(_ refusal: [UInt8]) throws {
    let scene = try BrokerScene()
    scene.configuration.broker.protocolLevel = 0
    let peer = try ScriptedPeer(scene.loop, port: scene.port)
    (peer.takesLevel5, peer.level5Refusal) = (false, refusal)
    scene.start()
    #expect(scene.runs { scene.isConnected })
    #expect(scene.broker.status.mqtt.protocolLevel == 4)
    scene.broker.send(scene.message(1))
    #expect(scene.runs { scene.acknowledged == [1] })
    #expect(scene.lost.isEmpty)
    // What was learned is remembered.
    scene.cut()
    #expect(scene.runs { peer.connections == 3 && scene.isConnected })
    #expect(peer.levelAsked == 4)
  }
}
