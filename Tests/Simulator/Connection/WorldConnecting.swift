import Timebase
import Uplink

/// What `Broker` does for the shipped `ConnectionMachine`: it performs the actions, and tells the machine what came of
/// them. Nothing is decided here.
extension World {
  /// The process has a new one.
  func renewClient() {
    client = Client(
      after: client, random: { [unowned self] in line.wireDice.unit() },
      clockOffset: { [unowned self] instant in
        board.clock.systemTime(at: now).seconds - Span(nanoseconds: instant.nanoseconds).seconds
      })
    show(.line(.renewed))
  }

  /// What `ServerConnection.configure` does.
  func configureClient() {
    let will = process.encoder.will(at: nil)
    var settings = BrokerSettings(configuration, topics: process.encoder.topics, will: will)
    // Nothing of ours comes back in this world.
    settings.trials = BrokerSettings.Trials()
    show(.line(.configured(settings)))
    let actions = client.machine.configured(settings, at: boardTime)
    carryOut(actions)
  }

  func carryOut(_ actions: [ConnectionMachine.Action]) {
    for action in actions { carryOut(action) }
  }

  private func carryOut(_ action: ConnectionMachine.Action) {
    switch action {
    case .set(let alarm, let instant): set(alarm, instant)
    case .makeClient(let level, let isSessionClean):
      tell("an object of level \(level), session clean: \(isSessionClean)")
      client.make(level: level)
      let actions = client.machine.clientMade(true, at: boardTime)
      carryOut(actions)
    case .open(let isIPv4Forced): open(isIPv4Forced: isIPv4Forced)
    // No world has a keepalive that grows.
    case .watch, .discard, .knock: break
    case .closeLink: client.closeLink()
    case .giveUp(let cause):
      show(.line(.givesUp(cause)))
      end(cause)
    case .cut: closeConnection(isCut: true)
    case .sayGoodbye, .disconnect: closeConnection(isCut: false)
    case .finish: finishConnection()
    case .dropClient: giveBack(client.drop())
    // With nothing to deliver: at the end of the process, or of an object that only cleared the session.
    case .releaseClient: _ = client.drop()
    case .forgetConnection: giveBack(client.forget())
    case .beginConnection(let aliasMaximum):
      complain(client.wrongAgain)
      client.begin(aliasMaximum: aliasMaximum, at: boardTime)
      show(.line(.stands))
    case .ask(let filter): ask(filter)
    case .lookAtPort:
      guard let settings = client.machine.settings else { return }
      plan(.portLooked(settings), in: .seconds(line.wireDice.spread(0.1, 6)))
    case .reportConnected(_, let receiveMaximum):
      tell("connected")
      show(.line(.toldConnected))
      client.isTold = true
      client.windowLimit = min(configuration.broker.maxInFlight, receiveMaximum ?? .max)
      post(.brokerConnected(receiveMaximum: breakage == .windowIsNotTold ? nil : receiveMaximum))
    case .reportLost(let cause, let end):
      tell("lost: \(cause)")
      show(.line(.toldLost(cause)))
      client.isTold = false
      post(.brokerLost(end))
    }
  }

  private func giveBack(_ sequences: [UInt64]) {
    for sequence in sequences { post(.sendFailed(sequence)) }
  }

  // MARK: Alarms

  func set(_ alarm: Client.Alarm, _ instant: Instant?) {
    guard client.set(alarm, instant), let instant else { return }
    schedule.add(.alarm(alarm, at: instant, life: life), at: max(now, board.clock.truth(of: instant)))
  }

  func rings(_ alarm: Client.Alarm, at instant: Instant) {
    guard process.isRunning, client.rings(alarm, instant) else { return }
    switch alarm {
    case .attempt:
      let isInHandshake = client.isInHandshake && client.machine.phase == .greeting
      let actions = client.machine.timerFired(isInHandshake: isInHandshake, at: boardTime)
      carryOut(actions)
    case .keepAlive: lookAfterPings()
    case .stall: lookForStall()
    case .subscribe:
      if breakage == .leftOutForGood, client.isTold { return }
      let actions = client.machine.announce(isWaitOver: true, at: boardTime)
      carryOut(actions)
      if client.connection != nil { askForSubscriptions() }
    }
    settle()
  }

  /// The end of a wake-up.
  private func settle() { if !process.isStopping { drain() } }

  private func lookAfterPings() {
    guard client.connection != nil, let settings = client.machine.settings else { return }
    if (now - client.lastHeard).seconds >= Client.pingTimeout { return end(.silent) }
    set(.keepAlive, boardTime + settings.keepAliveLook)
  }

  // MARK: From the decision to connect to the greeting

  private func plan(_ step: Client.Step, in span: Span) {
    schedule.add(.client(step, turn: client.turn, life: life), at: now + span)
  }

  private func open(isIPv4Forced: Bool) {
    tell("attempt" + (isIPv4Forced ? " over IPv4" : ""))
    show(.line(.attempt(isIPv4Forced: isIPv4Forced)))
    client.open(isOverIPv6: !isIPv4Forced && (line.wireDice.chance(0.3) || line.server.isIPv6Alone))
    plan(
      .resolved,
      in: line.wire.isUp ? .seconds(line.wire.latency * 2) : .seconds(line.wireDice.spread(0.1, 12)))
  }

  func happens(_ step: Client.Step) {
    guard process.isRunning else { return }
    switch step {
    case .resolved: if client.machine.phase == .resolving { resolved() }
    case .reached: if client.machine.phase == .opening { reached() }
    case .connectArrives: if client.machine.phase == .greeting { connectArrived() }
    case .greetingArrives: if client.machine.phase == .greeting { greetingArrived() }
    case .portLooked(let settings):
      let actions = client.machine.portFound(nil, at: settings, at: boardTime)
      carryOut(actions)
    }
    settle()
  }

  private func resolved() {
    if !line.wire.isUp {
      switch line.wireDice.whole(0...3) {
      case 0: return end(.nameNotFound(host: configuration.broker.host))
      case 1: return end(.unreachable)
      // The name server is silent, too.
      case 2: return plan(.resolved, in: .seconds(line.wireDice.between(3, 20)))
      default: break
      }
    }
    let actions = client.machine.connecting(at: boardTime)
    carryOut(actions)
    plan(.reached, in: .seconds(line.wire.latency * 2))
  }

  private func reached() {
    // TCP asks again by itself, and now and then the kernel knows better.
    guard line.wire.isUp else {
      return line.wireDice.chance(0.1) ? end(.unreachable) : plan(.reached, in: .seconds(3))
    }
    guard isBrokerThere, client.isOverIPv6 || !line.server.isIPv6Alone else { return end(.refused) }
    if client.machine.settings?.tls == nil, isResetUnheard() { return end(.reset, isInDoubt: true) }
    client.machine.connected()
    client.isInHandshake = client.machine.settings?.tls != nil
    let seconds = line.wire.latency * 4 + 0.1
    plan(.connectArrives, in: .seconds(seconds * line.handshakeDice.unit()))
    plan(.greetingArrives, in: .seconds(seconds))
  }

  private func greetingArrived() {
    // What is under way goes again when the way is open, and a broker that reads nothing may read later.
    guard line.wire.isUp, !line.server.isPaused else {
      return plan(.greetingArrives, in: .seconds(line.wireDice.between(1, 5)))
    }
    guard isBrokerThere else { return end(closedUnheard) }
    // It cannot read who it is.
    guard line.server.speaks(client.level) else { return refuseLevel() }
    guard !line.server.refusesCredentials else {
      return turnAway(client.level == 5 ? 0x86 : 4, .badCredentials)
    }
    if client.greeting == .none { greet() }
    switch client.greeting {
    case .none: break
    case .lost: loseWithoutGreeting(line.handshakeDice.whole(0...2))
    case .underWay(let isSessionPresent): greeted(isSessionPresent: isSessionPresent)
    }
  }

  private func turnAway(_ code: Int, _ cause: BrokerCause) {
    let answer = BrokerClient.Greeting(code: code, isSessionPresent: false, receiveMaximum: nil)
    let actions = client.machine.greeted(answer, hasMessages: !client.inFlight.isEmpty, at: boardTime)
    carryOut(actions)
    end(cause)
  }

  private func refuseLevel() {
    switch line.server.refusal {
    case .says: turnAway(client.level == 5 ? 0x84 : 1, .versionRefused(level: client.level))
    case .closes: end(closedUnheard)
    case .keepsSilent: break
    }
  }

  /// Closed, reset, or without a word.
  private func loseWithoutGreeting(_ kind: Int) {
    tell("no greeting")
    if kind == 0 { end(closedUnheard) }
    if kind == 1 { end(.reset) }
  }

  /// Closed by the other side before it said anything.
  private var closedUnheard: BrokerCause {
    if client.machine.settings?.tls == nil { return .closedEarly }
    return client.isInHandshake ? .closedInHandshake : .closedAfterHandshake
  }

  private func greeted(isSessionPresent: Bool) {
    var answer = BrokerClient.Greeting(
      code: 0, isSessionPresent: isSessionPresent,
      receiveMaximum: client.level == 5 ? line.server.receiveMaximum : nil)
    answer.aliasMaximum = client.level == 5 ? line.server.aliasMaximum : 0
    let isClearing = client.machine.session.isClearing
    var again: [Client.InFlight] = []
    if !isClearing {
      line.connections += 1
      line.server.accept(line.connections)
      fallSilent()
      line.wire.begin()
      again = client.greeted(line.connections, at: now)
    }
    if isClearing { show(.line(.cleared)) }
    // What is asked for goes ahead of what the library sends again.
    subscribe(after: answer)
    for sent in again { transmit(sent, isRepeated: true) }
    let actions = client.machine.greeted(answer, hasMessages: !again.isEmpty, at: boardTime)
    carryOut(actions)
    guard !isClearing else { return }
    schedule.add(.clientLooks(connection: line.connections), at: now + .seconds(10))
    deliverWaiting()
  }

  var isBrokerThere: Bool { line.server.isUp && configuration.broker.port != Scenario.wrongPort }

  // MARK: The end of an attempt or a connection

  /// `isInDoubt`: CONNECT may have reached the broker.
  func end(_ cause: BrokerCause, isInDoubt: Bool = false) {
    let isOverIPv6 =
      switch client.machine.phase {
      case .opening: client.isOverIPv6
      // Only the name tells, and it is no address.
      case .resolving: true
      case .idle, .waiting, .greeting, .connected: false
      }
    show(.line(.ends(cause)))
    if client.machine.connection != nil { noteEnd(cause) }
    let before = client.machine.session
    let actions = client.machine.lost(cause, isOverIPv6: isOverIPv6, isInDoubt: isInDoubt, at: boardTime)
    if breakage == .sessionIsTrusted { client.machine.session = before }
    carryOut(actions)
  }

  private func noteEnd(_ cause: BrokerCause) {
    lookAtAnswers()
    guard [.closedByBroker, .reset].contains(cause) else { return }
    noteAlone()
    if client.inFlight.isEmpty { show(.line(.endsOverNothing)) }
  }

  private func closeConnection(isCut: Bool) {
    client.greeting = .none
    guard let connection = client.close(), line.server.isOpen(connection), line.wire.isUp || !isCut else {
      return
    }
    line.server.close()
  }

  /// Reads what is left to be read.
  func finishConnection() {
    lookAtAnswers()
    let isAttempt = client.machine.connection == nil
    let before = client.machine.session
    let actions = client.machine.closed(client.evidence, at: boardTime)
    if breakage == .sessionIsTrusted, isAttempt, before.hasObject == client.machine.session.hasObject {
      client.machine.session = before
    }
    show(.line(.isBlamed))
    carryOut(actions)
  }

  /// For good, while the process goes on: what is under way is given back.
  func retireClient() {
    let actions = client.machine.leave(for: .retired, at: boardTime)
    carryOut(actions)
  }

  /// With the process: what is under way is waited for first.
  func leave() {
    let actions = client.machine.leave(for: .stopped, at: boardTime)
    carryOut(actions)
  }

  func sayGoodbye() {
    show(.leaves)
    closeConnection(isCut: false)
    finishConnection()
  }

  // MARK: Sooner than planned

  func hurryClient(isAsked: Bool) {
    guard client.machine.phase == .waiting else { return }
    show(.line(.hurries(isAsked: isAsked)))
    let actions = client.machine.hurry(isAsked: isAsked, at: boardTime)
    carryOut(actions)
  }

  func routeChanged(isOther: Bool) {
    show(.line(.hurries(isAsked: true)))
    let actions = client.machine.networkChanged(hasOtherRoute: { isOther }, at: boardTime)
    carryOut(actions)
  }

  func takeBackFromClient(isOverMessage: Bool) {
    // Over what is given back an attempt that is under way begins anew, at once.
    if [.resolving, .opening, .greeting].contains(client.machine.phase) { show(.line(.cleared)) }
    if isOverMessage { show(.line(.explained)) }
    let actions = client.machine.takeBack(isOverMessage: isOverMessage, at: boardTime)
    carryOut(actions)
  }

  // MARK: Connected but stuck

  func lookForStall() {
    let owed = client.owed
    let actions = client.machine.lookForStall(owed: owed, at: boardTime)
    carryOut(actions)
  }

  /// Something whose answer shows that the broker reads us and we it.
  private func ask(_ filter: String?) {
    guard let connection = client.connection else { return }
    line.requests += 1
    tell("asks whether anything passes")
    client.machine.asked(number: line.requests)
    show(.line(.asks(line.requests)))
    let packet = Packet(
      connection: connection, sender: life, place: line.wire.place(),
      content: .question(number: line.requests))
    schedule.add(.packet(packet), at: line.wire.arrivalUp(at: now, dice: &line.handshakeDice))
  }
}
