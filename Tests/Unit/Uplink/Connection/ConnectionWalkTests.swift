import Model
import Testing
import Timebase

@testable import Uplink

/// The machine against a world that does what it is told: whatever happens in whatever order, it never asks for what
/// there is not, is never left without an alarm, and tells of each connection what became of it.
@Suite struct ConnectionWalkTests {
  @Test func noOrderOfEventsLeadsAstray() {
    for seed in UInt64(1)...1000 {
      var world = ConnectionWorld(seed: seed)
      let fault = world.run(steps: 120)
      #expect(fault == nil, "seed \(seed): \(fault ?? "")")
    }
  }
}

/// What `Broker` is to the machine, without a network.
private struct ConnectionWorld {
  private var bench: ConnectionBench
  private var random: SplitMix
  private var hasClient = false
  private var isWatched = false
  /// The worker has the client.
  private var isAway = false
  private var isTold = false
  private var alarms: [ConnectionMachine.Alarm: Instant] = [:]
  private var fault: String?

  init(seed: UInt64) {
    random = SplitMix(state: seed)
    bench = ConnectionBench { $0.friends.isOn = seed % 2 == 0 }
  }

  mutating func run(steps: Int) -> String? {
    perform(bench.start())
    for step in 0..<steps where fault == nil {
      let event = random.below(18)
      happen(event)
      check()
      if let fault { self.fault = "step \(step), event \(event): \(fault)" }
    }
    return fault
  }

  // MARK: What happens

  private mutating func happen(_ event: Int) {
    bench.seconds += Double(random.below(40))
    let now = bench.now
    switch event {
    case 0: perform(bench.machine.switchedOn(at: now))
    case 1: depart(.switchedOff)
    case 2: if random.below(4) == 0 { depart(random.below(2) == 0 ? .retired : .vanished) }
    case 3:
      bench.configuration.broker.keepalive = random.below(3) * 10
      perform(bench.start())
    case 4:
      bench.configuration.broker.subTopic = "topic\(random.below(3))/#"
      perform(bench.start())
    case 5:
      bench.configuration.broker.port = random.below(3) == 0 ? 0 : 1883
      perform(bench.start())
    case 6:
      let isOther = random.below(2) == 0
      perform(bench.machine.networkChanged(hasOtherRoute: { isOther }, at: now))
    case 7: ring()
    case 8: perform(bench.machine.takeBack(isOverMessage: random.below(2) == 0, at: now))
    case 9: perform(bench.machine.hurry(isAsked: random.below(2) == 0, at: now))
    case 10: if random.below(3) == 0 { perform(bench.machine.reconnect(at: now)) }
    default: advance()
    }
  }

  private mutating func depart(_ departure: ConnectionMachine.Departure) {
    perform(bench.machine.leave(for: departure, at: bench.now))
    // It goes without a word, here too.
    if departure == .vanished { isTold = false }
  }

  /// The earliest alarm.
  private mutating func ring() {
    guard let (alarm, instant) = alarms.min(by: { $0.value < $1.value }) else { return }
    alarms[alarm] = nil
    bench.seconds = max(bench.seconds, (instant - .zero).seconds)
    switch alarm {
    case .attempt: perform(bench.ring(isInHandshake: random.below(2) == 0))
    case .subscribe: perform(bench.machine.announce(isWaitOver: true, at: bench.now))
    case .stall: perform(bench.machine.lookForStall(owed: bench.at(-50), at: bench.now))
    case .keepAlive:
      if bench.machine.connection == nil { fault = "kept alive without a connection" }
      alarms[.keepAlive] = bench.at(10)
    }
  }

  /// The attempt goes on, or ends.
  private mutating func advance() {
    if random.below(4) == 0 { return lose() }
    switch bench.machine.phase {
    case .idle, .waiting: ring()
    case .resolving:
      isAway = false
      perform(bench.machine.connecting(at: bench.now))
    case .opening: bench.machine.connected()
    case .greeting:
      if random.below(5) > 0 { bench.askForFilters() }
      perform(bench.greet(.init(code: random.below(6) == 0 ? 5 : 0), hasMessages: random.below(2) == 0))
    case .connected:
      if let number = bench.machine.session.subscriptions.order.first {
        let codes: [Int32] = [random.below(5) == 0 ? 0x80 : 1]
        perform(bench.machine.subscribed(number, codes, at: bench.now))
      }
    }
  }

  private mutating func lose() {
    guard hasClient, bench.machine.phase != .idle, bench.machine.phase != .waiting else { return }
    let causes: [BrokerCause] = [
      .refused, .reset, .closedByBroker, .notAuthorised, .certificateNotYetValid, .closedEarly, .timedOut,
    ]
    isAway = false
    let isOverIPv6 = random.below(2) == 0
    let cause = causes[random.below(causes.count)]
    perform(bench.machine.lost(cause, isOverIPv6: isOverIPv6, at: bench.now))
  }

  private mutating func evidence() -> ConnectionMachine.Evidence {
    var evidence = ConnectionMachine.Evidence()
    evidence.hasMessages = random.below(2) == 0
    evidence.hasAliasOnly = random.below(5) == 0
    evidence.isOverrun = random.below(6) == 0
    evidence.hasUnanswered = evidence.hasMessages && random.below(2) == 0
    evidence.hasAnswers = random.below(2) == 0
    return evidence
  }

  // MARK: What is done

  private mutating func perform(_ actions: [ConnectionMachine.Action]) {
    for action in actions where fault == nil { perform(action) }
  }

  private mutating func perform(_ action: ConnectionMachine.Action) {
    switch action {
    case .set(let alarm, let instant): alarms[alarm] = instant
    case .makeClient:
      if hasClient { fault = "a second client" }
      hasClient = random.below(20) > 0
      perform(bench.machine.clientMade(hasClient, at: bench.now))
    case .open:
      if !hasClient || isAway || isWatched { fault = "opened: \(hasClient) \(isAway) \(isWatched)" }
      isAway = true
    case .watch:
      if !hasClient || isAway { fault = "nothing to watch" }
      isWatched = true
    case .closeLink:
      isWatched = false
      for alarm in [ConnectionMachine.Alarm.keepAlive, .stall, .subscribe] { alarms[alarm] = nil }
    case .giveUp(let cause): perform(bench.machine.lost(cause, at: bench.now))
    case .cut, .sayGoodbye, .disconnect, .discard:
      if !hasClient || isAway || isWatched { fault = "\(action): \(hasClient) \(isAway) \(isWatched)" }
    case .finish: perform(bench.machine.closed(evidence(), at: bench.now))
    case .dropClient, .releaseClient:
      if !hasClient { fault = "no client to drop" }
      (hasClient, isAway) = (false, false)
    case .beginConnection, .ask, .knock: if !isWatched { fault = "\(action) without a connection" }
    case .reportConnected:
      if isTold { fault = "told twice" }
      isTold = true
    case .reportLost: isTold = false
    case .lookAtPort:
      let kinds: [PortProbe?] = [nil, .tls, .plain]
      perform(bench.machine.portFound(kinds[random.below(3)], at: bench.settings, at: bench.now))
    case .forgetConnection: break
    }
  }

  private mutating func check() {
    guard fault == nil else { return }
    let phase = bench.machine.phase
    let needsAlarm = [.waiting, .resolving, .opening, .greeting].contains(phase)
    if needsAlarm, alarms[.attempt] == nil { fault = "no alarm while \(phase)" }
    if phase == .connected, alarms[.keepAlive] == nil { fault = "no pings" }
    if phase == .connected, !isTold, alarms[.subscribe] == nil { fault = "never told" }
    if phase != .connected, isTold, bench.machine.state != .off { fault = "told, but \(phase)" }
    if phase == .resolving, !isAway { fault = "resolving without the worker" }
    let isShown = bench.machine.status.connectedSince != nil
    if isShown != (phase == .connected) { fault = "shown as connected: \(isShown), \(phase)" }
    if bench.machine.status.nextAttempt != nil, phase != .waiting { fault = "next attempt while \(phase)" }
    if case .closing = bench.machine.state { fault = "left halfway" }
    if case .failing = bench.machine.state { fault = "failed halfway" }
  }
}

/// Numbers that are the same for a seed, always (splitmix64).
private struct SplitMix {
  var state: UInt64

  mutating func below(_ limit: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return Int((mixed ^ mixed >> 31) % UInt64(max(1, limit)))
  }
}
