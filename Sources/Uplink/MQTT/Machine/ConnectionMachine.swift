import Model
import Timebase

/// Decides what is done about the connection to the broker, and when. It opens nothing and reads nothing: events come
/// in as calls, the answer is a list of actions, and `Broker` carries them out.
///
///     off ⇄ idle ──▶ resolving ──▶ opening ──▶ greeting ──▶ online
///             ▲       (worker)      (TCP)    (TLS, CONNECT)    │
///             │           │           │           │         closing
///           waiting ◀─────┴────── failing ◀───────┘            │
///             └────────────────────────────────────────────────┘
///
/// When a list is returned the state is already the one that follows it. If more has to be known first, the list ends
/// with a question, whose answer leads on: `makeClient`, `giveUp`, `finish`.
package struct ConnectionMachine {
  /// After this the silence of a name server is reported.
  static let resolverTimeout = Span.seconds(5)

  private(set) var state = State.idle
  /// Nil: nothing is configured yet.
  package internal(set) var settings: BrokerSettings?
  /// Without the counters.
  var status = UplinkStatus()
  /// The session that the broker keeps for our client id.
  package var session = BrokerSession()
  var history: ConnectionHistory
  var round = ConnectionRound()
  /// The vehicle stands: the broker is to be troubled no more often than it was promised.
  var isParked = false
  /// The will of an attempt that begins now: it says when. Nil: that of the settings.
  package var makeWill: (() -> Message)?
  /// How far the wall clock is from the loop's, seconds.
  private let clockOffset: (Instant) -> Double

  /// `random` gives numbers from 0 up to but not including 1.
  package init(random: @escaping () -> Double, clockOffset: @escaping (Instant) -> Double) {
    history = ConnectionHistory(random: random)
    self.clockOffset = clockOffset
  }

  // MARK: What is wanted

  /// Other settings; a new connection only if something changed that the broker can see.
  package mutating func configured(_ new: BrokerSettings, at now: Instant) -> [Action] {
    let change = settings?.change(to: new)
    if change != BrokerSettings.Change.none { session.returnToLevel() }
    session.configured(new, isOther: change == nil || change == .session)
    let turn = change == .session ? nil : settings?.turn
    settings = new
    settings?.turn = turn ?? 0
    if change != BrokerSettings.Change.none { round.configured(after: change) }
    status.mqtt.place = new.places[turn ?? 0]
    history.configured(new)
    status.isInsecure = new.tls?.isVerified == false
    switch change {
    case .some(.none): return []
    case nil: return start(at: now)
    case .connection: return leave(for: .replaced(isSessionOther: false), at: now)
    case .session: return leave(for: .replaced(isSessionOther: true), at: now)
    }
  }

  /// The person's switch, on.
  mutating func switchedOn(at now: Instant) -> [Action] {
    switch state {
    case .off, .idle, .waiting: break
    case .trying, .failing, .online, .closing: return []
    }
    if state == .off { state = .idle }
    return start(at: now)
  }

  /// Ends any connection or attempt, with DISCONNECT if the connection stands.
  package mutating func leave(for departure: Departure, at now: Instant) -> [Action] {
    var actions: [Action] = [.set(.attempt, nil)]
    status.nextAttempt = nil
    switch state {
    case .off, .idle, .waiting: break
    case .trying(let attempt): actions += abandon(attempt)
    case .online(let connection):
      state = .closing(connection, .departure(departure))
      actions.append(.closeLink)
      switch departure {
      case .replaced, .switchedOff, .retired: return actions + [.sayGoodbye, .finish]
      case .vanished: return actions + [.cut, .finish]
      // Waits for messages in flight first.
      case .stopped: return actions
      }
    case .failing, .closing: return []
    }
    return actions + departed(departure, at: now)
  }

  mutating func abandon(_ attempt: Attempt) -> [Action] {
    state = .idle
    // CONNECT may have gone out.
    session.isInDoubt()
    // The worker has the object and nothing else may touch it: it is given up.
    return attempt.isResolving ? dropClient() : [.closeLink, .cut]
  }

  /// There is no connection, nor one in the making.
  private mutating func departed(_ departure: Departure, at now: Instant) -> [Action] {
    switch departure {
    case .replaced(let isSessionOther, _):
      history.forgetIPv6()
      let actions = dropClient()
      if isSessionOther { session.clear(settings) }
      return actions + start(at: now)
    case .switchedOff:
      state = .off
      status.show(.switchedOff, at: now)
      return []
    case .retired:
      state = .off
      return dropClient()
    case .vanished:
      state = .off
      status.show(.switchedOff, at: now)
      return dropClient()
    case .stopped:
      state = .off
      return []
    }
  }

  private mutating func start(at now: Instant) -> [Action] {
    history.reset()
    round.begin()
    guard state != .off, let settings else { return [] }
    if let fault = settings.fault {
      state = .idle
      status.show(fault, at: now)
      return []
    }
    return attempt(at: now)
  }

  /// Another route: a waiting attempt is made at once, a connection over the old route given up.
  package mutating func networkChanged(hasOtherRoute: () -> Bool, at now: Instant) -> [Action] {
    switch state {
    case .off, .idle, .failing, .closing: return []
    case .waiting(let wait):
      history.reset()
      round.begin()
      return self.wait(Wait(until: history.soonest(from: now), clockOffset: wait.clockOffset), at: now)
    case .trying(var attempt):
      if attempt.isResolving {
        attempt.isHurried = true
        state = .trying(attempt)
        return []
      }
      guard history.isAttemptDue(at: now) else { return [] }
      round.begin()
      status.nextAttempt = nil
      return [.set(.attempt, nil)] + abandon(attempt) + self.attempt(at: now)
    case .online: return hasOtherRoute() ? [.giveUp(.routeChanged)] : []
    }
  }

  // MARK: An attempt

  /// The alarm of the attempts. `isInHandshake`: TLS is not over.
  package mutating func timerFired(isInHandshake: Bool, at now: Instant) -> [Action] {
    switch state {
    case .off, .idle, .failing, .online, .closing: return []
    case .waiting(let wait):
      return wait.isOver(at: now, clockOffset) ? attempt(at: now) : self.wait(wait, at: now)
    case .trying(let attempt):
      switch attempt.stage {
      case .resolving(let since):
        status.show(.nameServerSilent(seconds: Int((now - since).seconds.rounded())), at: now)
        return [.set(.attempt, now + Self.resolverTimeout)]
      case .opening: return [.giveUp(.timedOut)]
      case .greeting:
        let seconds = settings?.connectionTimeout ?? 0
        return [.giveUp(isInHandshake ? .handshakeSilent(seconds: seconds) : .noGreeting(seconds: seconds))]
      }
    }
  }

  /// Connects now, with a new client object if there is none.
  package mutating func attempt(at now: Instant) -> [Action] {
    guard state != .off, settings?.fault == nil else { return [] }
    let dropped = takeTurn(at: now)
    guard let settings else { return [] }
    if session.hasObject { return session.isLevelOutdated(at: now) ? clientChanged(at: now) : open(at: now) }
    state = .idle
    let order = session.make(settings, at: now)
    return dropped + [.makeClient(level: order.level, isSessionClean: order.isSessionClean)]
  }

  /// The answer to `makeClient`. False: MQTT cannot carry these settings.
  package mutating func clientMade(_ isUsable: Bool, at now: Instant) -> [Action] {
    if isUsable { return open(at: now) }
    _ = session.drop()
    let cause = BrokerCause.settingRefused("clientId, username or will: not usable in MQTT")
    return [.set(.attempt, nil), .closeLink] + failed(cause, in: nil, Evidence(), at: now)
  }

  private mutating func open(at now: Instant) -> [Action] {
    history.attempted(at: now)
    if let makeWill { settings?.will = makeWill() }
    status.attempts += 1
    status.nextAttempt = nil
    if status.cause == nil || status.colour == .blue { status.show(nil, at: now) }
    state = .trying(Attempt(stage: .resolving(since: now)))
    return [.set(.attempt, now + Self.resolverTimeout), .open(isIPv4Forced: history.isIPv4Forced)]
  }

  /// The files that the object has read are other files now: it takes a new object.
  mutating func clientChanged(at now: Instant) -> [Action] { dropClient() + attempt(at: now) }

  /// The TCP connection is being made.
  package mutating func connecting(at now: Instant) -> [Action] {
    guard advance(to: .opening) else { return [] }
    return [.set(.attempt, now + .seconds(settings?.connectionTimeout ?? 30)), .watch]
  }

  /// The TCP connection stands.
  package mutating func connected() { _ = advance(to: .greeting(refusal: nil)) }

  private mutating func advance(to stage: Attempt.Stage) -> Bool {
    guard case .trying(var attempt) = state else { return false }
    attempt.stage = stage
    state = .trying(attempt)
    return true
  }

  /// The broker's answer to CONNECT. `hasMessages`: the library sends again what had no answer.
  package mutating func greeted(_ answer: BrokerClient.Greeting, hasMessages: Bool, at now: Instant)
    -> [Action]
  {
    let isHurried: Bool
    switch state {
    case .off, .idle, .waiting, .failing, .closing: return []
    case .trying(let attempt): isHurried = attempt.isHurried
    case .online(let connection): isHurried = connection.isHurried
    }
    session.greeted(answer, at: now)
    guard answer.code == 0 else {
      _ = advance(to: .greeting(refusal: answer.code))
      return []
    }
    guard let settings else { return [] }
    if session.isClearing { return sessionCleared(at: now) }
    state = .online(StandingConnection(since: now, greeting: answer, isHurried: isHurried))
    history.greeted(settings)
    status.connected(answer, level: session.level.spoken, but: doubt, at: now)
    var actions: [Action] = [.set(.attempt, nil), .beginConnection(aliasMaximum: answer.aliasMaximum)]
    actions.append(.set(.keepAlive, now + settings.keepAliveLook))
    if hasMessages { actions.append(.set(.stall, now + BrokerStall.timeout)) }
    return actions + announce(at: now)
  }

  /// A clean connection was made and is given up at once: the broker has forgotten the old session, and
  /// the one that now begins is kept from its first minute on.
  private mutating func sessionCleared(at now: Instant) -> [Action] {
    session.cleared()
    state = .idle
    return [.set(.attempt, nil), .closeLink, .disconnect, .releaseClient] + attempt(at: now)
  }

  // MARK: A connection

  /// Nil: there is no connection.
  mutating func change<Answer>(_ step: (inout StandingConnection) -> Answer) -> Answer? {
    switch state {
    case .online(var connection):
      defer { state = .online(connection) }
      return step(&connection)
    case .closing(var connection, let end):
      defer { state = .closing(connection, end) }
      return step(&connection)
    case .off, .idle, .waiting, .trying, .failing: return nil
    }
  }

  // MARK: The end of an attempt or a connection

  /// `isOverIPv6`: as far as is known. `isInDoubt`: CONNECT may have reached the broker.
  package mutating func lost(
    _ cause: BrokerCause, isOverIPv6: Bool = false, isInDoubt: Bool = false, at now: Instant
  ) -> [Action] {
    if isInDoubt { session.isInDoubt() }
    let cut: [Action] = [.set(.attempt, nil), .closeLink, .cut]
    switch state {
    case .off, .idle, .waiting, .failing, .closing: return []
    case .trying(let attempt):
      let isOfRoute = attempt.stage == .opening || attempt.isResolving && cause == .refused
      if isOfRoute, isOverIPv6, history.retriesOverIPv4(after: cause) {
        status.attempts -= 1
        round.passOn()
        return cut + [.discard] + open(at: now)
      }
      state = .failing(attempt, cause)
      return cut + [.finish]
    case .online(let connection):
      state = .closing(connection, .lost(cause))
      return cut + [.finish]
    }
  }

  /// All events of the connection have been read.
  package mutating func closed(_ evidence: Evidence, at now: Instant) -> [Action] {
    switch state {
    case .off, .idle, .waiting, .trying, .online: return []
    case .failing(let attempt, let cause):
      state = .idle
      return failed(cause, in: attempt, evidence, at: now)
    case .closing(let connection, .lost(let cause)):
      state = .idle
      return lost(connection, cause, evidence, at: now)
    case .closing(_, .departure(let departure)):
      state = .idle
      return left(departure, evidence, at: now) + departed(departure, at: now)
    }
  }

  private mutating func failed(
    _ cause: BrokerCause, in attempt: Attempt?, _ evidence: Evidence, at now: Instant
  ) -> [Action] {
    var (actions, isOver) = reconsiderLevel(after: cause, at: now)
    if !isOver { return actions }
    let cause = history.concluded(cause, wasResolving: attempt?.isResolving == true, with: settings)
    var isHurried = attempt?.isHurried == true
    if evidence.isOverrun { actions += reachForLess(&isHurried, at: now) }
    if attempt?.isGreeting == true {
      session.isInDoubt()
      if session.isAtOtherLevel {
        session.giveUpOtherLevel(at: now)
        isHurried = true
        actions += dropClient()
      }
    }
    status.show(cause, at: now)
    if isNews(cause) { actions.append(.reportLost(cause, ConnectionEnd(.left))) }
    if history.isPortUnclear(after: cause, settings) { actions.append(.lookAtPort) }
    return actions + planNext(cause, isHurried: isHurried, isOwn: false, to: .all, at: now)
  }

  /// Not by our own will.
  private mutating func lost(
    _ connection: StandingConnection, _ cause: BrokerCause, _ evidence: Evidence, at now: Instant
  ) -> [Action] {
    var cause = history.concluded(cause, wasResolving: false, with: settings)
    let isByBroker = cause.isTheBrokers
    let end = ConnectionEnd(cause.end, hasAnnouncement: evidence.hasAnnouncement)
    let isOverFilter = isByBroker && session.isPerhapsOverFilter(hasMessages: evidence.hasMessages)
    let reason = evidence.reason(of: cause, isExplained: isOverFilter || evidence.isOverrun)
    session.ended(over: cause, evidence, at: now)
    cause = history.lost(cause, after: now - connection.since, because: reason)
    var isHurried = connection.isHurried
    var actions: [Action] = []
    if evidence.isOverrun { actions += reachForLess(&isHurried, at: now) }
    // Messages in flight may be the reason for any other end: they are given back after that is reported.
    actions.append(.reportLost(cause, end))
    if session.isObjectSpent { actions += dropClient() }
    actions += forget(evidence)
    status.show(cause, at: now)
    _ = isNews(cause)
    let life = now - connection.since
    let isOwn = evidence.isOwnEnd(after: life)
    // Too much of one broker is no business of the others.
    let others: ConnectionRound.Others =
      evidence.isOverrun ? .nowhere : life < Backoff.youth ? .brokers : .first
    return actions + planNext(cause, isHurried: isHurried, isOwn: isOwn, to: others, at: now)
  }

  private mutating func planNext(
    _ cause: BrokerCause, isHurried: Bool, isOwn: Bool, to others: ConnectionRound.Others, at now: Instant
  ) -> [Action] {
    if !isHurried, let settings, round.goesOn(to: others, after: cause, settings) {
      return wait(Wait(until: history.goesOn(at: now), clockOffset: nil), at: now)
    }
    let isClockWatched = cause == .certificateNotYetValid && !isHurried
    let until = history.next(after: cause, isHurried: isHurried, isOwn: isOwn, at: now)
    return wait(Wait(until: until, clockOffset: isClockWatched ? clockOffset(now) : nil), at: now)
  }

  mutating func wait(_ wait: Wait, at now: Instant) -> [Action] {
    guard state != .off, let settings, settings.fault == nil else { return [] }
    state = .waiting(wait)
    status.nextAttempt = wait.until
    return [.set(.attempt, wait.alarm(from: now))]
  }
}
