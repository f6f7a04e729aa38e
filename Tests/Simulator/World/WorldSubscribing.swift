import Model
import OwnTracks
import Timebase
import Uplink

/// What `Broker` does from CONNECT to the last SUBACK, with the shipped account of what is subscribed,
/// and what the broker does with it.
extension World {
  // MARK: CONNECT

  /// `seconds`: until the greeting arrives; nil: there will be none.
  func prepareHandshake(seconds: Double?) {
    client.greeting = .none
    if client.name != encoder.topics.base { client.renewSession(encoder.topics) }
    guard let seconds else { return }
    schedule.add(
      .connectArrives(turn: client.turn, life: life), at: now + .seconds(seconds * handshakeDice.unit()))
  }

  func connectArrived() {
    guard isRunning, !isStopping, client.phase == .opening, wire.isUp, isBrokerThere,
      !server.refusesCredentials
    else { return }
    if strikes(.connectCut) {
      client.greeting = .lost
    } else {
      greet()
    }
  }

  /// The broker has read CONNECT, and what it says now may never arrive.
  func greet() {
    if strikes(.sessionExpired) { server.forgetSession() }
    let isPresent = server.greet(client.name, isClearing: client.mustClearSession)
    client.greeting = strikes(.greetingCut) ? .lost : .underWay(isSessionPresent: isPresent)
  }

  /// What ends connections ends those that are being made, too: what the broker has said of the session there no
  /// longer holds.
  func loseGreeting() { client.greeting = .lost }

  private func strikes(_ fault: Fault) -> Bool {
    guard handshakeDice.chance(rates[fault]) else { return false }
    tell("fault: \(fault)")
    ledger.note(fault)
    return true
  }

  /// No answer to CONNECT, which may have reached the broker.
  func doubtSession() {
    if client.greeting != .none, breakage != .sessionIsTrusted { client.subscriptions.sessionInDoubt() }
  }

  // MARK: SUBSCRIBE

  func subscribe(isSessionPresent: Bool) {
    client.subscriptions.connected(isSessionPresent: isSessionPresent)
    askForSubscriptions()
    for order in server.waiting(for: client.name) { answer(connections, .command(order)) }
    hearing.connected(connections, wire.changes, at: now)
    guard now < rest else { return }
    schedule.add(.probe, at: now + handshakeDice.span(2, 600))
  }

  func askForSubscriptions() {
    guard isRunning, !isStopping, let connection = client.connection else { return }
    let moment = clock.instant(at: now)
    for filter in client.subscriptions.due(at: moment) {
      requests += 1
      hearing.asked(at: now)
      client.subscriptions.asked(filter, number: requests)
      tell("asks for \(filter)")
      if breakage == .askedIsSubscribed { client.subscriptions.answered(requests, [1], at: moment) }
      let packet = Packet(
        connection: connection, sender: life, place: wire.place(),
        content: .subscribe(filter: filter, number: requests))
      schedule.add(.packet(packet), at: wire.arrivalUp(at: now, dice: &handshakeDice))
    }
    planAskingAgain(connection)
  }

  private func planAskingAgain(_ connection: Int) {
    guard let due = client.subscriptions.dueAgain, due != client.asksAgain, breakage != .leftOutForGood else {
      return
    }
    client.asksAgain = due
    schedule.add(.clientAsksAgain(connection: connection), at: max(now, clock.truth(of: due)))
  }

  /// SIGHUP: a person has looked after it.
  func askAnew() {
    guard isRunning else { return }
    hearing.forgave()
    client.subscriptions.forgive()
    askForSubscriptions()
  }

  func requested(_ filter: String, _ number: Int32, on connection: Int) {
    // Taken over by a newer connection of the same name.
    guard client.connection == connection else { return }
    if strikes(.subscribeCut) { return cut(connection) }
    if server.forbidden == filter {
      tell("the broker ends the connection over \(filter)")
      ledger.note(.filterForbidden)
      hearing.forbade(filter)
      return dropConnection(isByBroker: true)
    }
    let isRefused = strikes(.filterRefused)
    if !isRefused { server.subscribe(client.name, to: filter) }
    if strikes(.subackCut) { return cut(connection) }
    answer(connection, .confirmed(number: number, code: isRefused ? 0x87 : 1))
  }

  /// Reset, closed, or without a word.
  private func cut(_ connection: Int) {
    switch handshakeDice.whole(0...3) {
    case 0: wire.kill(connection)
    case 1: dropConnection(isByBroker: false)
    default: dropConnection(isByBroker: true)
    }
  }

  func confirmed(_ number: Int32, _ code: Int32) {
    client.lastHeard = now
    guard isRunning, !isStopping, let connection = client.connection,
      breakage != .confirmationsAreSwallowed
    else { return }
    client.subscriptions.answered(number, [code], at: clock.instant(at: now))
    planAskingAgain(connection)
    if client.isUnannounced, !client.subscriptions.isUnanswered { announce() }
  }

  func subscriptionsEnded(isByBroker: Bool) {
    if isByBroker, client.inFlight.isEmpty { hearing.suspect(client.subscriptions) }
    defer { judgeBlame() }
    client.subscriptions.ended(
      isByBroker: isByBroker, hasMessages: !client.inFlight.isEmpty, at: clock.instant(at: now))
    guard client.subscriptions.isCareful else { return }
    for sequence in client.dropInFlight() { post(.sendFailed(sequence)) }
  }

  /// Rights are changed, and with them often goes what the broker had kept.
  func forbidFilter() {
    server.forbidden = handshakeDice.pick(encoder.topics.subscriptions)
    if handshakeDice.chance(0.7) {
      server.forgetSession()
      loseGreeting()
      dropConnection(isByBroker: true)
    }
    hearing.forgave()
    // Now and then nobody notices for hours.
    let longest = handshakeDice.chance(0.2) ? 12_000.0 : 1800
    schedule.add(.ends(.filterForbidden), at: now + handshakeDice.span(30, longest))
  }

  // MARK: From here on messages

  func announceUnlessCareful() {
    guard client.subscriptions.isCareful, client.subscriptions.isUnanswered else {
      return announce(isFirst: true)
    }
    client.isUnannounced = true
    schedule.add(.clientAnnounces(connection: connections), at: now + .seconds(2))
  }

  func announce(isFirst: Bool = false) {
    guard isFirst || client.isUnannounced else { return }
    client.isUnannounced = false
    wake(.brokerConnected(receiveMaximum: breakage == .windowIsNotTold ? nil : server.receiveMaximum))
  }
}
