import Model
import OwnTracks
import Timebase
import Uplink

/// Messages, and the way to the broker and back.
extension World {
  // MARK: The kernel

  /// The regular look at a connection: whether anything passes at all.
  func look(at connection: Int) {
    guard process.isRunning, client.connection == connection, !process.isStopping else { return }
    let isOpen = line.wire.isUp && !line.wire.isDead(connection) && line.server.isOpen(connection)
    if isOpen, client.inFlight.isEmpty, !line.server.isPaused { client.lastHeard = now }
    if !isOpen, client.isDead(at: now) { return connectionLost(.timedOut) }
    schedule.add(.clientLooks(connection: connection), at: now + .seconds(5))
  }

  func connectionLost(_ cause: BrokerCause) {
    guard process.isRunning, !process.isStopping else { return }
    end(cause)
    drain()
  }

  // MARK: Messages

  public func send(_ message: Message) {
    guard client.connection != nil else { return post(.sendFailed(message.sequence)) }
    if ledger.calmSince != nil, line.hiccup.begins(calm: calm) {
      client.takesNothing(until: now + .seconds(OneFailedSend.length))
    }
    if client.takesNothing(at: now) { return failed(toSend: message) }
    show(.line(.sends(message)))
    clearWhileSending()
    let number = client.send(message, at: now, boardTime)
    if message.qos > 0, !client.isSet(.stall) { set(.stall, boardTime + BrokerStall.timeout) }
    transmit(.init(number: number, message: message, sentAt: now), isRepeated: false)
    if breakage == .messagesAreSentTwice {
      show(.line(.sends(message)))
      transmit(.init(number: number, message: message, sentAt: now), isRepeated: false)
    }
  }

  /// Memory is short, or its socket has just gone.
  private func failed(toSend message: Message) {
    ledger.note(.sendingFailed)
    tell("the client does not take \(message.sequence)")
    if let complaint = client.failed(message.sequence, at: now) { complain(.limits, complaint) }
    post(.sendFailed(message.sequence))
  }

  /// Somebody has had enough of what a broker does not take, while something else is under way.
  private func clearWhileSending() {
    let waiting = queue?.count ?? 0
    guard people.wantsClear, waiting > 350, line.dice.chance(0.2) else { return }
    people.wantsClear = false
    schedule.add(.clears(life: life), at: now + .seconds(line.wire.latency * 0.5))
  }

  func transmit(_ sent: Client.InFlight, isRepeated: Bool) {
    guard let connection = client.connection else { return }
    let packet = Packet(
      connection: connection, sender: life, place: line.wire.place(),
      content: .publish(sent.message, number: sent.number, isRepeated: isRepeated))
    schedule.add(.packet(packet), at: line.wire.arrivalUp(at: now, dice: &line.wireDice))
    guard line.server.isOpen(connection), line.wire.isResetDue() else { return }
    tell("fault: \(Fault.connectionReset)")
    ledger.note(.connectionReset)
    dropConnection(.reset)
  }

  /// The manual names it: one message alone, at two ends in a row.
  func noteAlone() {
    let unanswered = client.inFlight.filter { $0.message.qos > 0 }.map(\.message)
    guard !unanswered.isEmpty else { return }
    let alone =
      unanswered.count == 1 ? unanswered.first.map { Line.Alone(life: life, sequence: $0.sequence) } : nil
    if let alone, alone == line.lastAlone {
      for part in parts(of: unanswered[0]) { ledger.passing.passed(part) }
    }
    line.lastAlone = alone
  }

  func arrived(_ packet: Packet) {
    guard !line.wire.isDead(packet.connection) else { return }
    guard line.wire.isUp else { return line.wire.hold(packet) }
    guard line.server.isOpen(packet.connection) else { return }
    if line.server.isPaused { return line.server.leaveUnread(packet) }
    for packet in line.wire.inOrder(packet) {
      guard line.server.isOpen(packet.connection) else { return }
      switch packet.content {
      case .disconnect: line.server.close()
      case .publish(let message, let number, let isRepeated):
        if endsConnection(message, isRepeated) {
          // The board may have given this one up already: then nobody hears of its end.
          line.server.close()
          if client.connection == packet.connection { dropConnection(.closedByBroker) }
          return
        }
        let verdict = verdict(on: message, number, from: packet.sender, isRepeated)
        // It says nothing of what it has taken any more.
        if line.server.mute == packet.connection { continue }
        answer(packet.connection, .acknowledged(number: number, verdict))
      case .subscribe(let filter, let number): requested(filter, number, on: packet.connection)
      case .question(let number): answer(packet.connection, .confirmed(number: number, code: 1))
      }
    }
  }

  /// The kernel closes what a dead process had open.
  func hangUp() {
    guard let connection = client.connection else { return }
    let packet = Packet(connection: connection, sender: life, place: line.wire.place(), content: .disconnect)
    schedule.add(.packet(packet), at: line.wire.arrivalUp(at: now, dice: &line.wireDice))
  }

  private func verdict(
    on message: Message, _ number: Int, from sender: Int, _ isRepeated: Bool
  ) -> Packet.Verdict {
    show(.line(.decides))
    // What was taken once is not refused when it comes again.
    if !isRepeated, line.wireDice.chance(faults.rates[.messageRefused]) {
      ledger.note(.messageRefused)
      guard parts(of: message).count > 1 else {
        ledger.refused(message)
        return .refused
      }
      // Those of a batch come again, one by one.
      noteTurnedAway(message)
      line.server.turnedAway.append(message)
      return .refused
    }
    if line.wireDice.chance(faults.rates[.messagePostponed]) {
      ledger.note(.messagePostponed)
      noteTurnedAway(message)
      line.server.turnedAway.append(message)
      return .postponed
    }
    let isHeld = parts(of: message).contains { line.server.heldTopic == $0.topic || isStuck($0) }
    if isHeld || line.server.isOverQuota(at: now) {
      ledger.note(isHeld ? .topicHeld : .quotaReached)
      noteTurnedAway(message)
      line.server.turnedAway.append(message)
      return .postponed
    }
    if line.server.take(message, number: number, from: sender, isRepeated: isRepeated) {
      // The board has yet to hear of them, if it ever does.
      for other in line.server.turnedAway.flatMap(parts) {
        ledger.passing.turnedAway(other, beside: parts(of: message))
      }
      deliver(message)
    }
    return .accepted
  }

  /// Whether the broker has no other way to say that it does not take this, or not for now.
  private func endsConnection(_ message: Message, _ isRepeated: Bool) -> Bool {
    if !isRepeated, line.dice.chance(faults.rates[.messageForbidden]) {
      line.server.forbid(message, until: now + line.dice.span(10, 1800))
    }
    guard ([message] + parts(of: message)).contains(where: { line.server.forbids($0, at: now) }) else {
      return false
    }
    tell("the broker ends the connection over \(message.sequence)")
    ledger.note(.messageForbidden)
    for part in parts(of: message) { ledger.passing.turnedAway(part, from: life, at: now) }
    show(.line(.endsOver(message)))
    return true
  }

  /// What is under way now may pass it, and nothing else.
  private func noteTurnedAway(_ message: Message) {
    let beside = client.inFlight.map(\.message).flatMap(parts)
    for part in parts(of: message) {
      ledger.passing.turnedAway(part, beside: beside)
      ledger.passing.turnedAway(part, from: life, at: now)
    }
  }

  /// What somebody at the server makes of it: the messages of a batch, else the message itself.
  func parts(of message: Message) -> [Message] {
    guard message.topic.hasSuffix("/batch"), let batch = try? Batch.unpacked(message.payload) else {
      return [message]
    }
    return batch.payloads.map {
      Message(
        topic: String(message.topic.dropLast(6)), payload: $0, qos: message.qos, isRetained: batch.isRetained,
        isEvent: false, time: message.time)
    }
  }

  private func deliver(_ message: Message) {
    if breakage == .brokerForgets, line.wireDice.chance(0.01) { return }
    tell(
      "broker takes \(message.sequence): \(message.topic) \(String(decoding: message.payload, as: UTF8.self))"
    )
    for part in parts(of: message) {
      show(.line(.delivers(part)))
      ledger.delivered(part, at: now)
    }
  }

  /// The broker's, on its way.
  func answer(_ connection: Int, _ answer: Packet.Answer) {
    let arrival: Instant
    if case .acknowledged = answer {
      arrival = line.wire.arrivalDown(at: now, dice: &line.wireDice)
    } else {
      arrival = line.wire.arrivalDown(at: now, dice: &line.handshakeDice)
    }
    schedule.add(.answer(connection: connection, answer), at: arrival)
  }

  func answered(_ connection: Int, _ answer: Packet.Answer) {
    guard !line.wire.isDead(connection), client.connection == connection else { return }
    guard line.wire.isUp else { return line.wire.hold(connection, answer) }
    switch answer {
    case .acknowledged(let number, let verdict): acknowledged(number, verdict)
    case .confirmed(let number, let code): confirmed(number, code)
    case .command(let order): heard(order, on: connection)
    }
  }

  private func forget(_ messages: [Message]) {
    let contents = Set(messages.map(Ledger.Content.init))
    process.writing.known = process.writing.known.filter { !contents.contains(Ledger.Content($0.value)) }
  }

  private func acknowledged(_ number: Int, _ verdict: Packet.Verdict) {
    // What was acknowledged before makes room, and more goes out, before the board knows of this.
    if verdict != .accepted, !process.gathered.isEmpty {
      let thisLife = life
      lookAtAnswers()
      if !process.isStopping { drain() }
      guard life == thisLife, process.isRunning else { return }
    }
    guard let message = client.answered(number, at: now, boardTime) else { return }
    show(.line(.acknowledged))
    let together = parts(of: message)
    if together.count > 1 {
      if verdict == .accepted { forget(together) }
    } else if verdict != .postponed {
      process.writing.known[message.sequence] = nil
    }
    switch verdict {
    case .accepted:
      process.gathered.append(message.sequence)
      if !process.isStopping, !client.inFlight.isEmpty, line.answerDice.chance(0.7) {
        if process.gathered.count == 1 {
          schedule.add(.looksAtAnswers(life: life), at: now + line.answerDice.span(0.001, 0.5))
        }
        return
      }
      lookAtAnswers()
    case .refused:
      if together.count == 1 {
        show(.line(.refused))
      } else {
        line.server.turnedAway.removeAll { $0.sequence == message.sequence }
        noteTurnedAway(message)
      }
      post(.refused(message.sequence))
    case .postponed:
      line.server.turnedAway.removeAll { $0.sequence == message.sequence }
      noteTurnedAway(message)
      if !client.inFlight.contains(where: { $0.message.topic == message.topic }) {
        ledger.passing.turnedAwayAlone(message)
      }
      post(.postponed(message.sequence))
    }
    if !process.isStopping { drain() }
  }

  /// What was acknowledged since the last wake-up, however much it is.
  func lookAtAnswers() {
    guard !process.gathered.isEmpty else { return }
    post(.acknowledged(process.gathered))
    show(.line(.gathered(process.gathered)))
    // Another one is taken for acknowledged that is only under way.
    if breakage == .acknowledgementsRunAhead, process.gathered.count > 3, let next = client.inFlight.first {
      post(.acknowledged([next.message.sequence]))
    }
    process.gathered = []
    if client.machine.connection?.isStuck == true { lookForStall() }
  }

  // MARK: Faults

  func networkReturns() {
    let isOtherRoute = !line.wire.isUp && line.wireDice.chance(0.3)
    line.wire.isUp = true
    for packet in line.wire.release() {
      schedule.add(.packet(packet), at: line.wire.arrivalUp(at: now, dice: &line.wireDice))
    }
    for held in line.wire.releaseAnswers() { answer(held.connection, held.answer) }
    guard process.isRunning else { return }
    routeChanged(isOther: isOtherRoute)
    wake(.networkChanged(line.way.network))
  }
}
