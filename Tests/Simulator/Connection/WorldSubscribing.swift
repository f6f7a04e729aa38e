import Timebase
import Uplink

/// From CONNECT to the last SUBACK: what `Broker` asks for, and what the broker does with it.
extension World {
  // MARK: CONNECT

  func connectArrived() {
    client.isInHandshake = false
    guard line.wire.isUp, isBrokerThere, line.server.speaks(client.level), !line.server.refusesCredentials,
      !line.server.isPaused
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
    if strikes(.sessionExpired) { line.server.forgetSession() }
    let isClearing = client.machine.session.isClearing
    let isPresent = line.server.greet(client.name, isClearing: isClearing)
    show(.line(.greets(isSessionPresent: isPresent)))
    return isPresent
  }

  /// The worker's CONNECT arrives, and the connection is reset before anybody else has looked at it.
  func isResetUnheard() -> Bool {
    guard line.handshakeDice.chance(faults.rates[.greetingCut] / 2), line.server.speaks(client.level),
      !line.server.isPaused,
      !line.server.refusesCredentials
    else { return false }
    _ = takeConnect()
    note(.greetingCut)
    return true
  }

  /// What ends connections ends those that are being made, too: what the broker has said of the session there no
  /// longer holds.
  func loseGreeting() { client.greeting = .lost }

  private func strikes(_ fault: Fault) -> Bool {
    guard line.handshakeDice.chance(faults.rates[fault]) else { return false }
    note(fault)
    return true
  }

  private func note(_ fault: Fault) {
    tell("fault: \(fault)")
    ledger.note(fault)
    show(.line(.disturbed))
  }

  // MARK: SUBSCRIBE

  /// What the library asks for while it reads the greeting.
  func subscribe(after greeting: BrokerClient.Greeting) {
    let filters = client.machine.session.filters(after: greeting, at: boardTime)
    ask(for: filters)
  }

  /// What the broker has kept meanwhile.
  func deliverWaiting() {
    for order in line.server.waiting(for: client.name) { answer(line.connections, .command(order)) }
    guard now < phases.rest else { return }
    schedule.add(.probe, at: now + line.handshakeDice.span(2, 600))
  }

  func askForSubscriptions() {
    let filters = client.machine.session.dueFilters(at: boardTime)
    ask(for: filters)
  }

  private func ask(for filters: [String]) {
    for filter in filters {
      guard let connection = client.connection else { return }
      line.requests += 1
      show(.line(.asksFor(filter: filter)))
      client.machine.session.asked(filter, number: line.requests)
      tell("asks for \(filter)")
      if breakage == .askedIsSubscribed {
        client.machine.session.answered(line.requests, [1], at: boardTime)
      }
      let packet = Packet(
        connection: connection, sender: life, place: line.wire.place(),
        content: .subscribe(filter: filter, number: line.requests))
      schedule.add(.packet(packet), at: line.wire.arrivalUp(at: now, dice: &line.handshakeDice))
    }
    let actions = client.machine.hasAsked()
    carryOut(actions)
  }

  /// SIGHUP: a person has looked after it.
  func askAnew() {
    guard process.isRunning, process.takingUp == nil else { return }
    show(.line(.forgives))
    client.machine.session.forgive(at: boardTime)
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
    if line.server.forbidden == filter {
      tell("the broker ends the connection over \(filter)")
      ledger.note(.filterForbidden)
      show(.line(.forbids(filter: filter)))
      return dropConnection(.closedByBroker)
    }
    let isRefused = strikes(.filterRefused)
    if !isRefused { line.server.subscribe(client.name, to: filter) }
    if strikes(.subackCut) { return cut(connection) }
    answer(connection, .confirmed(number: number, code: isRefused ? 0x87 : 1))
  }

  /// Reset, closed, or without a word.
  private func cut(_ connection: Int) {
    switch line.handshakeDice.whole(0...3) {
    case 0: line.wire.kill(connection)
    case 1: dropConnection(.timedOut)
    case 2: dropConnection(.reset)
    default: dropConnection(.closedByBroker)
    }
  }

  func confirmed(_ number: Int32, _ code: Int32) {
    client.lastHeard = now
    guard process.isRunning, !process.isStopping, client.connection != nil,
      breakage != .confirmationsAreSwallowed
    else {
      return
    }
    show(.line(.confirms(number)))
    let (owed, moment) = (client.owed, boardTime)
    let looked = client.machine.answered(number, owed: owed, at: moment)
    carryOut(looked)
    let actions = client.machine.subscribed(number, [code], at: moment)
    carryOut(actions)
    drain()
  }

  /// Rights are changed, and with them often goes what the broker had kept.
  func forbidFilter() {
    line.server.forbidden = line.handshakeDice.pick(process.encoder.topics.subscriptions)
    if line.handshakeDice.chance(0.7) {
      line.server.forgetSession()
      loseGreeting()
      dropConnection(.closedByBroker)
    }
    show(.line(.forgives))
    // Now and then nobody notices for hours.
    let longest = line.handshakeDice.chance(0.2) ? 12_000.0 : 1800
    schedule.add(.ends(.filterForbidden), at: now + line.handshakeDice.span(30, longest))
  }
}
