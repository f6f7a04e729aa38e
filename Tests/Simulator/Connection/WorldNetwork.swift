import Core
import Model
import OwnTracks
import Timebase
import Uplink

/// Messages, and the way to the broker and back.
extension World {
  /// What topics begin with where no `username` is set.
  private static let nobody = "owntracks/user/"

  // MARK: The kernel

  /// The regular look at a connection: whether anything passes at all.
  func look(at connection: Int) {
    guard isRunning, client.connection == connection, !isStopping else { return }
    let isOpen = wire.isUp && !wire.isDead(connection) && server.isOpen(connection)
    if isOpen, client.inFlight.isEmpty, !server.isPaused { client.lastHeard = now }
    if !isOpen, client.isDead(at: now) { return connectionLost(.timedOut) }
    schedule.add(.clientLooks(connection: connection), at: now + .seconds(5))
  }

  func connectionLost(_ cause: BrokerCause) {
    guard isRunning, !isStopping else { return }
    end(cause)
    drain()
  }

  // MARK: Messages

  public func send(_ message: Message) {
    guard client.connection != nil else { return post(.sendFailed(message.sequence)) }
    if let calm = ledger.calmSince, hiccup.begins(calm: (now - calm).seconds) {
      client.takesNothing(until: now + .seconds(Hiccup.length))
    }
    if client.takesNothing(at: now) { return failed(toSend: message) }
    judge(sent: message)
    clearWhileSending()
    let moment = clock.instant(at: now)
    let number = client.send(message, at: now, moment)
    if message.qos > 0, !client.isSet(.stall) { set(.stall, moment + BrokerStall.timeout) }
    if client.inFlight.count > client.windowLimit {
      ledger.complain(
        .limits, "\(client.inFlight.count) unacknowledged, the window is \(client.windowLimit)", at: now)
    }
    transmit(.init(number: number, message: message, sentAt: now), isRepeated: false)
  }

  /// Memory is short, or its socket has just gone.
  private func failed(toSend message: Message) {
    ledger.note(.sendingFailed)
    tell("the client does not take \(message.sequence)")
    if let complaint = client.failed(message.sequence, at: now) {
      ledger.complain(.limits, complaint, at: now)
    }
    post(.sendFailed(message.sequence))
  }

  /// Somebody has had enough of what a broker does not take, while something else is under way.
  private func clearWhileSending() {
    let waiting = tracker?.status(at: clock.moment(at: now)).queue.count ?? 0
    guard wantsClear, waiting > 350, lineDice.chance(0.2) else { return }
    wantsClear = false
    schedule.add(.clears(life: life), at: now + .seconds(wire.latency * 0.5))
  }

  func transmit(_ sent: Client.InFlight, isRepeated: Bool) {
    guard let connection = client.connection else { return }
    let packet = Packet(
      connection: connection, sender: life, place: wire.place(),
      content: .publish(sent.message, number: sent.number, isRepeated: isRepeated))
    schedule.add(.packet(packet), at: wire.arrivalUp(at: now, dice: &wireDice))
    guard server.isOpen(connection), wire.isResetDue() else { return }
    tell("fault: \(Fault.connectionReset)")
    ledger.note(.connectionReset)
    dropConnection(.reset)
  }

  /// The manual names it: one message alone, at two ends in a row.
  func noteAlone() {
    let unanswered = client.inFlight.filter { $0.message.qos > 0 }.map(\.message)
    guard !unanswered.isEmpty else { return }
    let alone =
      unanswered.count == 1 ? unanswered.first.map { Alone(life: life, sequence: $0.sequence) } : nil
    if let alone, alone == lastAlone { ledger.passed(unanswered[0]) }
    lastAlone = alone
  }

  func arrived(_ packet: Packet) {
    guard !wire.isDead(packet.connection) else { return }
    guard wire.isUp else { return wire.hold(packet) }
    guard server.isOpen(packet.connection) else { return }
    if server.isPaused { return server.leaveUnread(packet) }
    for packet in wire.inOrder(packet) {
      guard server.isOpen(packet.connection) else { return }
      switch packet.content {
      case .disconnect: server.close()
      case .publish(let message, let number, let isRepeated):
        if endsConnection(message, isRepeated) {
          // The board may have given this one up already: then nobody hears of its end.
          server.close()
          if client.connection == packet.connection { dropConnection(.closedByBroker) }
          return
        }
        let verdict = verdict(on: message, number, from: packet.sender, isRepeated)
        // It says nothing of what it has taken any more.
        if server.mute == packet.connection { continue }
        answer(packet.connection, .acknowledged(number: number, verdict))
      case .subscribe(let filter, let number): requested(filter, number, on: packet.connection)
      case .question(let number): answer(packet.connection, .confirmed(number: number, code: 1))
      }
    }
  }

  /// The kernel closes what a dead process had open.
  func hangUp() {
    guard let connection = client.connection else { return }
    let packet = Packet(connection: connection, sender: life, place: wire.place(), content: .disconnect)
    schedule.add(.packet(packet), at: wire.arrivalUp(at: now, dice: &wireDice))
  }

  private func verdict(
    on message: Message, _ number: Int, from sender: Int, _ isRepeated: Bool
  ) -> Packet.Verdict {
    endings.answered()
    // What was taken once is not refused when it comes again.
    if !isRepeated, wireDice.chance(rates[.messageRefused]) {
      ledger.note(.messageRefused)
      ledger.refused(message)
      return .refused
    }
    if wireDice.chance(rates[.messagePostponed]) {
      ledger.note(.messagePostponed)
      noteTurnedAway(message)
      server.turnedAway.append(message)
      return .postponed
    }
    let isHeld = server.heldTopic == message.topic || isStuck(message)
    if isHeld || server.isOverQuota(at: now) {
      ledger.note(isHeld ? .topicHeld : .quotaReached)
      noteTurnedAway(message)
      server.turnedAway.append(message)
      return .postponed
    }
    if server.take(message, number: number, from: sender, isRepeated: isRepeated) {
      // The board has yet to hear of them, if it ever does.
      for other in server.turnedAway { ledger.turnedAway(other, beside: [message]) }
      deliver(message)
    }
    return .accepted
  }

  /// Whether the broker has no other way to say that it does not take this, or not for now.
  private func endsConnection(_ message: Message, _ isRepeated: Bool) -> Bool {
    if !isRepeated, lineDice.chance(rates[.messageForbidden]) {
      server.forbid(message, until: now + lineDice.span(10, 1800))
    }
    guard server.forbids(message, at: now) else { return false }
    tell("the broker ends the connection over \(message.sequence)")
    ledger.note(.messageForbidden)
    judgeEnding(over: message)
    return true
  }

  private func judgeEnding(over message: Message) {
    guard isRunning, let tracker else { return }
    let isAlone = tracker.status(at: clock.moment(at: now)).queue.count < 2
    // What is old may have to wait for another network.
    let isHeld = configuration.queue.backlog != .always
    complain(
      endings.ended(over: Alone(life: life, sequence: message.sequence), isAlone: isAlone || isHeld))
  }

  /// What is under way now may pass it, and nothing else.
  private func noteTurnedAway(_ message: Message) {
    ledger.turnedAway(message, beside: client.inFlight.map(\.message))
  }

  private func deliver(_ message: Message) {
    if breakage == .brokerForgets, wireDice.chance(0.01) { return }
    tell(
      "broker takes \(message.sequence): \(message.topic) \(String(decoding: message.payload, as: UTF8.self))"
    )
    if message.topic.hasPrefix(Self.nobody) {
      ledger.complain(.truth, "\(message.topic) is published, and nobody is named", at: now)
    }
    ledger.delivered(message, at: now)
  }

  /// The broker's, on its way.
  func answer(_ connection: Int, _ answer: Packet.Answer) {
    let arrival: Instant
    if case .acknowledged = answer {
      arrival = wire.arrivalDown(at: now, dice: &wireDice)
    } else {
      arrival = wire.arrivalDown(at: now, dice: &handshakeDice)
    }
    schedule.add(.answer(connection: connection, answer), at: arrival)
  }

  func answered(_ connection: Int, _ answer: Packet.Answer) {
    guard !wire.isDead(connection), client.connection == connection else { return }
    guard wire.isUp else { return wire.hold(connection, answer) }
    switch answer {
    case .acknowledged(let number, let verdict): acknowledged(number, verdict)
    case .confirmed(let number, let code): confirmed(number, code)
    case .command(let order): heard(order, on: connection)
    }
  }

  private func acknowledged(_ number: Int, _ verdict: Packet.Verdict) {
    // What was acknowledged before makes room, and more goes out, before the board knows of this.
    if verdict != .accepted, !gathered.isEmpty {
      let thisLife = life
      lookAtAnswers()
      if !isStopping { drain() }
      guard life == thisLife, isRunning else { return }
    }
    guard let message = client.answered(number, at: now, clock.instant(at: now)) else { return }
    patience.acknowledged(at: now)
    if verdict != .postponed { known[message.sequence] = nil }
    switch verdict {
    case .accepted:
      gathered.append(message.sequence)
      if !isStopping, !client.inFlight.isEmpty, answerDice.chance(0.7) {
        if gathered.count == 1 {
          schedule.add(.looksAtAnswers(life: life), at: now + answerDice.span(0.001, 0.5))
        }
        return
      }
      lookAtAnswers()
    case .refused:
      refusedHere += 1
      post(.refused(message.sequence))
    case .postponed:
      server.turnedAway.removeAll { $0.sequence == message.sequence }
      noteTurnedAway(message)
      if !client.inFlight.contains(where: { $0.message.topic == message.topic }) {
        ledger.turnedAwayAlone(message)
      }
      post(.postponed(message.sequence))
    }
    if !isStopping { drain() }
  }

  /// What was acknowledged since the last wake-up, however much it is.
  func lookAtAnswers() {
    guard !gathered.isEmpty else { return }
    post(.acknowledged(gathered))
    departed.told(gathered, at: now)
    // Another one is taken for acknowledged that is only under way.
    if breakage == .acknowledgementsRunAhead, gathered.count > 3, let next = client.inFlight.first {
      post(.acknowledged([next.message.sequence]))
    }
    gathered = []
    if client.machine.connection?.isStuck == true { lookForStall() }
  }

  // MARK: Faults

  func networkReturns() {
    let isOtherRoute = !wire.isUp && wireDice.chance(0.3)
    wire.isUp = true
    for packet in wire.release() {
      schedule.add(.packet(packet), at: wire.arrivalUp(at: now, dice: &wireDice))
    }
    for held in wire.releaseAnswers() { answer(held.connection, held.answer) }
    guard isRunning else { return }
    routeChanged(isOther: isOtherRoute)
    wake(.networkChanged(way.network))
  }

  /// What makes the line another one.
  var lineChanges: Int { wire.changes + server.pauses }
}
