import Model
import Timebase

/// Requests to the broker: the protocol level, the filters, and whether it is there at all.
extension ConnectionMachine {
  /// An attempt has failed, perhaps over the level of MQTT. `isOver`: nothing follows at once.
  mutating func reconsiderLevel(after cause: BrokerCause, at now: Instant) -> (
    actions: [Action], isOver: Bool
  ) {
    // Half a minute without a greeting is rather the fault of this address than of the level.
    let isMute = if case .noGreeting = cause { true } else { false }
    if isMute, round.hasOtherAddresses { return ([], true) }
    let next = session.levelFailed(cause)
    let dropped = next.isOther ? dropClient() : []
    guard next.isAtOnce, !(isMute && hasOthersToTry) else { return (dropped, true) }
    // CONNECT may have gone out.
    session.isInDoubt()
    status.attempts -= 1
    return (dropped + attempt(at: now), false)
  }

  // MARK: The port

  /// The protocol found at the port that `way` tried; nil: none that is known.
  package mutating func portFound(_ kind: PortProbe?, at way: BrokerSettings, at now: Instant) -> [Action] {
    history.portFound(kind, at: way)
    guard let settings, settings.isSameWay(as: way), case .waiting = state, let cause = status.cause else {
      return []
    }
    let known = history.reconsidered(cause, settings)
    guard known != cause else { return [] }
    status.show(known, at: now)
    return isNews(known) ? [.reportLost(known, ConnectionEnd(.left))] : []
  }

  // MARK: Sooner than planned

  /// There is a new message to send, or a person asks (`isAsked`): a waiting attempt is made at once, at most
  /// every 2 s.
  package mutating func hurry(isAsked: Bool, at now: Instant) -> [Action] {
    guard case .waiting(let wait) = state else { return [] }
    let soonest = history.soonest(from: now)
    guard soonest < wait.until, isAsked || history.hurries(after: status.cause) else { return [] }
    if isAsked { history.reset() }
    if soonest <= now { return attempt(at: now) }
    return self.wait(Wait(until: soonest, clockOffset: wait.clockOffset), at: now)
  }

  /// A person wants another connection, or a connection although it was switched off.
  mutating func reconnect(at now: Instant) -> [Action] {
    switch state {
    case .off, .idle: switchedOn(at: now)
    case .waiting: hurry(isAsked: true, at: now)
    case .trying, .failing, .closing: []
    // One that has just been made is another one.
    case .online:
      history.isAttemptDue(at: now)
        ? leave(for: .replaced(isSessionOther: false, for: .askedAnew), at: now) : []
    }
  }

  // MARK: Filters

  mutating func noteSubscriptions() {
    status.note(session.subscriptions, isConnected: connection != nil)
  }

  /// The filters that were due have been requested.
  package mutating func hasAsked() -> [Action] {
    noteSubscriptions()
    guard let connection, connection.isAnnounced else { return [] }
    return [.set(.subscribe, session.subscriptions.dueAgain)]
  }

  /// SUBACK: a code for each filter.
  package mutating func subscribed(_ number: Int32, _ codes: [Int32], at now: Instant) -> [Action] {
    session.answered(number, codes, at: now)
    return announce(at: now)
  }

  /// From here on messages come. `isWaitOver`: the answers to the filters are waited for no longer.
  package mutating func announce(isWaitOver: Bool = false, at now: Instant) -> [Action] {
    let subscriptions = session.subscriptions
    noteSubscriptions()
    guard let announced = change({ $0.announce(after: subscriptions, isWaitOver: isWaitOver) }),
      let alarm = connection?.subscribeAlarm(subscriptions, at: now)
    else { return [] }
    return (isClosing ? [] : [alarm]) + (announced.map { [$0] } ?? [])
  }

  // MARK: Whether what is acknowledged arrives

  /// The fault of a connection over which acknowledged messages do not come back, or no commands arrive; nil: none.
  var doubt: BrokerCause? {
    if session.isPublishForbidden, let settings { return .publishForbidden(topic: settings.will.topic) }
    let topics = session.roundTrip.missingTopics
    guard let settings else { return nil }
    guard topics.isEmpty else {
      return .nothingComesBack(
        topics: topics, base: settings.will.topic, isLevelForced: settings.protocolLevel != 0)
    }
    guard session.echo.finding == .missing, let topic = settings.commandTopic else { return nil }
    return .hearsNoCommands(topic: topic)
  }

  /// To be called when the timer of `CommandEcho` rings: a connection that brings no commands is left for another.
  mutating func echoTimeIsOver(at now: Instant) -> [Action] {
    guard case .online = state, let topic = settings?.commandTopic else { return [] }
    let step = session.echo.timeIsOver(at: now)
    let cause =
      session.echo.finding == .missing ? BrokerCause.hearsNoCommands(topic: topic) : .echoMissing(topic)
    switch step {
    case .nothing: return []
    case .askAnew:
      session.isInDoubt()
      return leave(for: .replaced(isSessionOther: false, for: cause), at: now)
    case .beginAnew: return leave(for: .replaced(isSessionOther: true, for: cause), at: now)
    }
  }

  /// The broker has refused a message on this topic for want of rights, or has taken one.
  mutating func published(on topic: String, isForbidden: Bool, at now: Instant) {
    guard session.isPublishForbidden != isForbidden, topic == settings?.will.topic else { return }
    session.isPublishForbidden = isForbidden
    showDoubt(at: now)
  }

  /// Green only if nothing is missing. Another fault of the connection takes precedence.
  mutating func showDoubt(at now: Instant) {
    guard case .online = state else { return }
    switch status.cause {
    case nil, .nothingComesBack, .hearsNoCommands, .publishForbidden: status.show(standing: doubt, at: now)
    default: break
    }
  }

  // MARK: Connected but stuck

  /// `owed`: since when the broker owes an acknowledgement; `heard`: when it last gave one.
  package mutating func lookForStall(owed: Instant?, heard: Instant? = nil, at now: Instant) -> [Action] {
    if isClosing { return [] }
    let isUnproven = owed.map { self.isUnproven(heard: heard, at: $0) } ?? false
    let commands = settings?.ownCommands
    var status = status
    let actions = change {
      $0.lookForStall(owed: owed, isUnproven: isUnproven, commands: commands, &status, at: now)
    }
    self.status = status
    showDoubt(at: now)
    return actions ?? []
  }

  private func isUnproven(heard: Instant?, at now: Instant) -> Bool {
    // With every fix: only where the key is set is more of the settings looked at.
    guard let rhythm = settings?.delivery.rhythm, rhythm > 0, let connection else { return false }
    return connection.isUnproven(rhythm: rhythm, heard: heard, at: now)
  }

  /// When to look first whether a message that goes now is acknowledged.
  package func firstLook(heard: Instant?, at now: Instant) -> Instant {
    now + (isUnproven(heard: heard, at: now) ? BrokerStall.unproven.timeout : BrokerStall.timeout)
  }

  /// The request that a stuck connection is tested with; nil: it could not be made.
  package mutating func asked(number: Int32?) { _ = change { $0.asked(number: number) } }

  /// The broker has answered a request; `owed`: since when it owes an acknowledgement.
  package mutating func answered(_ number: Int32, owed: @autoclosure () -> Instant?, at now: Instant)
    -> [Action]
  {
    change { $0.answered(number) } == true ? lookForStall(owed: owed(), at: now) : []
  }

  /// When the library is to look after its pings again, see `StandingConnection.lookedAfterPings`.
  package mutating func lookedAfterPings(isPinged: Bool, sent: Instant?, heard: Instant?, at now: Instant)
    -> Instant?
  {
    guard let settings else { return nil }
    let isParked = isParked
    let next = change {
      $0.lookedAfterPings(
        settings, isPinged: isPinged, isParked: isParked, sent: sent, heard: heard, at: now)
    }
    return next ?? nil
  }

  /// See `StandingConnection.keepRhythm`.
  package mutating func keepRhythm(sent: Instant?, heard: Instant?, at now: Instant) -> [Action] {
    guard let settings, !isParked, case .online = state else { return [] }
    return change { $0.keepRhythm(settings, sent: sent, heard: heard, at: now) } ?? []
  }

  /// The answer to `knock`; nil: the request could not be made.
  package mutating func knocked(number: Int32?, at now: Instant) {
    _ = change { $0.knocked(number: number, at: now) }
  }

  /// The vehicle stands, or stands no more: when to look after the connection again; nil: as before.
  package mutating func parked(_ isNow: Bool, at now: Instant) -> [Action] {
    guard isNow != isParked else { return [] }
    isParked = isNow
    guard let settings, settings.delivery.rhythm > 0, case .online = state else { return [] }
    return [.set(.keepAlive, now + settings.keepAliveLook)]
  }

  // MARK: What is under way

  /// All of it is given back, and goes with the next connection as it is then sent. `isOverMessage`: the last one has
  /// ended over a message, which is no sign of anything else.
  package mutating func takeBack(isOverMessage: Bool, at now: Instant) -> [Action] {
    if isOverMessage { history.forgive() }
    switch state {
    case .off, .idle, .waiting: return dropClient()
    case .trying(let attempt):
      return [.set(.attempt, nil)] + abandon(attempt) + dropClient() + self.attempt(at: now)
    // It has gone again already, or is about to be read.
    case .failing, .online, .closing: return []
    }
  }

  /// 65535 messages later one is still not acknowledged, and its number came round: from here on an
  /// acknowledgement could mean either. Everything is sent again with fresh numbers.
  mutating func numbersCameRound() -> [Action] { [.giveUp(.notAcknowledging(seconds: 0))] + dropClient() }

  /// Nothing goes, for a reason that is the broker's fault and not the messages'.
  mutating func takesNothing(_ cause: BrokerCause, at now: Instant) {
    status.show(cause, as: .amber, at: now)
  }
}
