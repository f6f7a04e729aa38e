import Core
import Model
import OwnTracks
import Timebase
import Uplink

/// What `Broker` does for the shipped `ConnectionMachine`: it performs the actions, and tells the machine what came of
/// them. Nothing is decided here.
extension World {
  private var moment: Instant { clock.instant(at: now) }

  /// The process has a new one.
  func renewClient() {
    client = Client(
      after: client, random: { [unowned self] in wireDice.unit() },
      clockOffset: { [unowned self] instant in
        clock.systemTime(at: now).seconds - Span(nanoseconds: instant.nanoseconds).seconds
      })
    (attempts, news, patience, continuity) = (Attempts(), ConnectionNews(), Patience(), Continuity())
    departed = Departed()
  }

  /// What `ServerConnection.configure` does.
  func configureClient() {
    let will = encoder.will(at: nil)
    var settings = BrokerSettings(configuration, topics: encoder.topics, will: will)
    // Nothing of ours comes back in this world.
    settings.isRoundTripWanted = false
    judgeConfigured(settings)
    let actions = client.machine.configured(settings, at: moment)
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
      let actions = client.machine.clientMade(true, at: moment)
      carryOut(actions)
    case .open(let isIPv4Forced): open(isIPv4Forced: isIPv4Forced)
    case .watch, .discard: break
    case .closeLink: client.closeLink()
    case .giveUp(let cause):
      judgeGivingUp(cause)
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
      client.begin(aliasMaximum: aliasMaximum, at: moment)
      judgeStanding()
    case .ask(let filter): ask(filter)
    case .lookAtPort:
      guard let settings = client.machine.settings else { return }
      plan(.portLooked(settings), in: .seconds(wireDice.spread(0.1, 6)))
    case .tellConnected(_, let receiveMaximum):
      tell("connected")
      complain(news.connected())
      client.windowLimit = min(configuration.broker.maxInFlight, receiveMaximum ?? .max)
      post(.brokerConnected(receiveMaximum: breakage == .windowIsNotTold ? nil : receiveMaximum))
    case .tellLost(let cause, let end):
      tell("lost: \(cause)")
      complain(news.lost(cause))
      post(.brokerLost(end))
    }
  }

  private func giveBack(_ sequences: [UInt64]) {
    for sequence in sequences { post(.sendFailed(sequence)) }
  }

  // MARK: Alarms

  func set(_ alarm: Client.Alarm, _ instant: Instant?) {
    guard client.set(alarm, instant), let instant else { return }
    schedule.add(.alarm(alarm, at: instant, life: life), at: max(now, clock.truth(of: instant)))
  }

  func rings(_ alarm: Client.Alarm, at instant: Instant) {
    guard isRunning, client.rings(alarm, instant) else { return }
    switch alarm {
    case .attempt:
      let isInHandshake = client.isInHandshake && client.machine.phase == .greeting
      let actions = client.machine.timerFired(isInHandshake: isInHandshake, at: moment)
      carryOut(actions)
    case .keepAlive: lookAfterPings()
    case .stall: lookForStall()
    case .subscribe:
      if breakage == .leftOutForGood, news.isConnected { return }
      let actions = client.machine.announce(isWaitOver: true, at: moment)
      carryOut(actions)
      if client.connection != nil { askForSubscriptions() }
    }
    settle()
  }

  /// The end of a wake-up.
  private func settle() { if !isStopping { drain() } }

  private func lookAfterPings() {
    guard client.connection != nil, let settings = client.machine.settings else { return }
    if (now - client.lastHeard).seconds >= Client.pingTimeout { return end(.silent) }
    set(.keepAlive, moment + settings.keepAliveLook)
  }

  // MARK: From the decision to connect to the greeting

  private func plan(_ step: Client.Step, in span: Span) {
    schedule.add(.client(step, turn: client.turn, life: life), at: now + span)
  }

  private func open(isIPv4Forced: Bool) {
    tell("attempt" + (isIPv4Forced ? " over IPv4" : ""))
    judgeAttempt(isIPv4Forced: isIPv4Forced)
    client.open(isOverIPv6: !isIPv4Forced && (wireDice.chance(0.3) || server.isIPv6Alone))
    plan(.resolved, in: wire.isUp ? .seconds(wire.latency * 2) : .seconds(wireDice.spread(0.1, 12)))
  }

  func happens(_ step: Client.Step) {
    guard isRunning else { return }
    switch step {
    case .resolved: if client.machine.phase == .resolving { resolved() }
    case .reached: if client.machine.phase == .opening { reached() }
    case .connectArrives: if client.machine.phase == .greeting { connectArrived() }
    case .greetingArrives: if client.machine.phase == .greeting { greetingArrived() }
    case .portLooked(let settings):
      let actions = client.machine.portFound(nil, at: settings, at: moment)
      carryOut(actions)
    }
    settle()
  }

  private func resolved() {
    if !wire.isUp {
      switch wireDice.whole(0...3) {
      case 0: return end(.nameNotFound(host: configuration.broker.host))
      case 1: return end(.unreachable)
      // The name server is silent, too.
      case 2: return plan(.resolved, in: .seconds(wireDice.between(3, 20)))
      default: break
      }
    }
    let actions = client.machine.connecting(at: moment)
    carryOut(actions)
    plan(.reached, in: .seconds(wire.latency * 2))
  }

  private func reached() {
    // TCP asks again by itself, and now and then the kernel knows better.
    guard wire.isUp else {
      return wireDice.chance(0.1) ? end(.unreachable) : plan(.reached, in: .seconds(3))
    }
    guard isBrokerThere, client.isOverIPv6 || !server.isIPv6Alone else { return end(.refused) }
    if client.machine.settings?.tls == nil, isResetUnheard() { return end(.reset, isInDoubt: true) }
    client.machine.connected()
    client.isInHandshake = client.machine.settings?.tls != nil
    let seconds = wire.latency * 4 + 0.1
    plan(.connectArrives, in: .seconds(seconds * handshakeDice.unit()))
    plan(.greetingArrives, in: .seconds(seconds))
  }

  private func greetingArrived() {
    // What is under way goes again when the way is open, and a broker that reads nothing may read later.
    guard wire.isUp, !server.isPaused else {
      return plan(.greetingArrives, in: .seconds(wireDice.between(1, 5)))
    }
    guard isBrokerThere else { return end(closedUnheard) }
    // It cannot read who it is.
    guard server.speaks(client.level) else { return refuseLevel() }
    guard !server.refusesCredentials else {
      return turnAway(client.level == 5 ? 0x86 : 4, .badCredentials)
    }
    if client.greeting == .none { greet() }
    switch client.greeting {
    case .none: break
    case .lost: loseWithoutGreeting(handshakeDice.whole(0...2))
    case .underWay(let isSessionPresent): greeted(isSessionPresent: isSessionPresent)
    }
  }

  private func turnAway(_ code: Int, _ cause: BrokerCause) {
    let answer = BrokerClient.Greeting(code: code, isSessionPresent: false, receiveMaximum: nil)
    let actions = client.machine.greeted(answer, hasMessages: !client.inFlight.isEmpty, at: moment)
    carryOut(actions)
    end(cause)
  }

  private func refuseLevel() {
    switch server.refusal {
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
      receiveMaximum: client.level == 5 ? server.receiveMaximum : nil)
    answer.aliasMaximum = client.level == 5 ? server.aliasMaximum : 0
    let isClearing = client.machine.session.isClearing
    var again: [Client.InFlight] = []
    if !isClearing {
      connections += 1
      server.accept(connections)
      fallSilent()
      wire.begin()
      again = client.greeted(connections, at: now)
    }
    if isClearing { attempts.cleared() }
    // What is asked for goes ahead of what the library sends again.
    subscribe(after: answer)
    for sent in again { transmit(sent, isRepeated: true) }
    let actions = client.machine.greeted(answer, hasMessages: !again.isEmpty, at: moment)
    carryOut(actions)
    guard !isClearing else { return }
    schedule.add(.clientLooks(connection: connections), at: now + .seconds(10))
    deliverWaiting()
  }

  var isBrokerThere: Bool { server.isUp && configuration.broker.port != Scenario.wrongPort }

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
    judgeEnd(cause)
    if client.machine.connection != nil { noteEnd(cause) }
    let before = client.machine.session
    let actions = client.machine.lost(cause, isOverIPv6: isOverIPv6, isInDoubt: isInDoubt, at: moment)
    if breakage == .sessionIsTrusted { client.machine.session = before }
    carryOut(actions)
  }

  private func noteEnd(_ cause: BrokerCause) {
    lookAtAnswers()
    guard [.closedByBroker, .reset].contains(cause) else { return }
    noteAlone()
    if client.inFlight.isEmpty { hearing.suspect(client.subscriptions) }
  }

  private func closeConnection(isCut: Bool) {
    client.greeting = .none
    guard let connection = client.close(), server.isOpen(connection), wire.isUp || !isCut else { return }
    server.close()
  }

  /// Reads what is left to be read.
  func finishConnection() {
    lookAtAnswers()
    let isAttempt = client.machine.connection == nil
    let before = client.machine.session
    let actions = client.machine.closed(client.evidence, at: moment)
    if breakage == .sessionIsTrusted, isAttempt, before.hasObject == client.machine.session.hasObject {
      client.machine.session = before
    }
    judgeBlame()
    carryOut(actions)
  }

  /// For good, while the process goes on: what is under way is given back.
  func retireClient() {
    let actions = client.machine.leave(for: .retired, at: moment)
    carryOut(actions)
  }

  /// With the process: what is under way is waited for first.
  func leave() {
    let actions = client.machine.leave(for: .stopped, at: moment)
    carryOut(actions)
  }

  func sayGoodbye() {
    judgeGoodbye()
    closeConnection(isCut: false)
    finishConnection()
  }

  // MARK: Sooner than planned

  func hurryClient(isAsked: Bool) {
    guard client.machine.phase == .waiting else { return }
    attempts.mayHurry(isAsked: isAsked)
    let actions = client.machine.hurry(isAsked: isAsked, at: moment)
    carryOut(actions)
  }

  func routeChanged(isOther: Bool) {
    attempts.mayHurry(isAsked: true)
    let actions = client.machine.networkChanged(hasOtherRoute: { isOther }, at: moment)
    carryOut(actions)
  }

  func takeBackFromClient(isOverMessage: Bool) {
    // Over what is given back an attempt that is under way begins anew, at once.
    if [.resolving, .opening, .greeting].contains(client.machine.phase) { attempts.cleared() }
    if isOverMessage { attempts.forgive() }
    let actions = client.machine.takeBack(isOverMessage: isOverMessage, at: moment)
    carryOut(actions)
  }

  // MARK: Connected but stuck

  func lookForStall() {
    let owed = client.owed
    let actions = client.machine.lookForStall(owed: owed, at: moment)
    carryOut(actions)
  }

  /// Something whose answer shows that the broker reads us and we it.
  private func ask(_ filter: String?) {
    guard let connection = client.connection else { return }
    requests += 1
    tell("asks whether anything passes")
    client.machine.asked(number: requests)
    patience.asked(requests)
    let packet = Packet(
      connection: connection, sender: life, place: wire.place(), content: .question(number: requests))
    schedule.add(.packet(packet), at: wire.arrivalUp(at: now, dice: &handshakeDice))
  }
}
