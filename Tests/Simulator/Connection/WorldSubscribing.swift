import Model
import OwnTracks
import Timebase
import Uplink

/// From CONNECT to the last SUBACK: what `Broker` asks for, and what the broker does with it.
extension World {
  // MARK: CONNECT

  func connectArrived() {
    client.isInHandshake = false
    guard wire.isUp, isBrokerThere, server.speaks(client.level), !server.refusesCredentials, !server.isPaused
    else { return }
    if strikes(.connectCut) {
      client.greeting = .lost
    } else {
      greet()
    }
  }

  /// The broker has read CONNECT, and what it says now may never arrive.
  func greet() {
    client.isInHandshake = false
    let isPresent = takeConnect()
    client.greeting = strikes(.greetingCut) ? .lost : .underWay(isSessionPresent: isPresent)
  }

  private func takeConnect() -> Bool {
    if strikes(.sessionExpired) { server.forgetSession() }
    let isClearing = client.machine.session.isClearing
    let isPresent = server.greet(client.name, isClearing: isClearing)
    complain(continuity.connects(isPresent: isPresent))
    return isPresent
  }

  /// The worker's CONNECT arrives, and the connection is reset before anybody else has looked at it.
  func isResetUnheard() -> Bool {
    guard handshakeDice.chance(rates[.greetingCut] / 2), server.speaks(client.level), !server.isPaused,
      !server.refusesCredentials
    else { return false }
    _ = takeConnect()
    note(.greetingCut)
    return true
  }

  /// What ends connections ends those that are being made, too: what the broker has said of the session there no
  /// longer holds.
  func loseGreeting() { client.greeting = .lost }

  private func strikes(_ fault: Fault) -> Bool {
    guard handshakeDice.chance(rates[fault]) else { return false }
    note(fault)
    return true
  }

  private func note(_ fault: Fault) {
    tell("fault: \(fault)")
    ledger.note(fault)
    attempts.disturbed(at: now)
  }

  // MARK: SUBSCRIBE

  /// What the library asks for while it reads the greeting.
  func subscribe(after greeting: BrokerClient.Greeting) {
    let filters = client.machine.session.filters(after: greeting, at: clock.instant(at: now))
    ask(for: filters)
  }

  /// What the broker has kept meanwhile.
  func deliverWaiting() {
    for order in server.waiting(for: client.name) { answer(connections, .command(order)) }
    hearing.connected(connections, lineChanges, at: now)
    guard now < rest else { return }
    schedule.add(.probe, at: now + handshakeDice.span(2, 600))
  }

  func askForSubscriptions() {
    let filters = client.machine.session.dueFilters(at: clock.instant(at: now))
    ask(for: filters)
  }

  private func ask(for filters: [String]) {
    for filter in filters {
      guard let connection = client.connection else { return }
      requests += 1
      hearing.asked(at: now)
      client.machine.session.asked(filter, number: requests)
      tell("asks for \(filter)")
      if breakage == .askedIsSubscribed {
        client.machine.session.answered(requests, [1], at: clock.instant(at: now))
      }
      let packet = Packet(
        connection: connection, sender: life, place: wire.place(),
        content: .subscribe(filter: filter, number: requests))
      schedule.add(.packet(packet), at: wire.arrivalUp(at: now, dice: &handshakeDice))
    }
    let actions = client.machine.hasAsked()
    carryOut(actions)
  }

  /// SIGHUP: a person has looked after it.
  func askAnew() {
    guard isRunning, takingUp == nil else { return }
    hearing.forgave()
    client.machine.session.forgive()
    if client.connection != nil {
      askForSubscriptions()
    } else {
      let actions = client.machine.hasAsked()
      carryOut(actions)
    }
    hurryClient(isAsked: true)
  }

  func requested(_ filter: String, _ number: Int32, on connection: Int) {
    // Taken over by a newer connection of the same name.
    guard client.connection == connection else { return }
    if strikes(.subscribeCut) { return cut(connection) }
    if server.forbidden == filter {
      tell("the broker ends the connection over \(filter)")
      ledger.note(.filterForbidden)
      hearing.forbade(filter)
      return dropConnection(.closedByBroker)
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
    case 1: dropConnection(.timedOut)
    case 2: dropConnection(.reset)
    default: dropConnection(.closedByBroker)
    }
  }

  func confirmed(_ number: Int32, _ code: Int32) {
    client.lastHeard = now
    guard isRunning, !isStopping, client.connection != nil, breakage != .confirmationsAreSwallowed else {
      return
    }
    patience.answered(number, at: now)
    let (owed, moment) = (client.owed, clock.instant(at: now))
    let looked = client.machine.answered(number, owed: owed, at: moment)
    carryOut(looked)
    let actions = client.machine.subscribed(number, [code], at: moment)
    carryOut(actions)
    drain()
  }

  /// Rights are changed, and with them often goes what the broker had kept.
  func forbidFilter() {
    server.forbidden = handshakeDice.pick(encoder.topics.subscriptions)
    if handshakeDice.chance(0.7) {
      server.forgetSession()
      loseGreeting()
      dropConnection(.closedByBroker)
    }
    hearing.forgave()
    // Now and then nobody notices for hours.
    let longest = handshakeDice.chance(0.2) ? 12_000.0 : 1800
    schedule.add(.ends(.filterForbidden), at: now + handshakeDice.span(30, longest))
  }
}
