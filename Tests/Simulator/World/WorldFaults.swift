import Model
import Timebase
import Uplink

/// Who strikes when, for how long, and how it ends.
extension World {
  func planNext(_ fault: Fault) {
    guard !isCalm, faults.rates[fault] > 0 else { return }
    let wait =
      switch fault {
      case .filterForbidden: line.handshakeDice.wait(perHour: faults.rates[fault])
      case .connectionReset, .quotaReached, .topicHeld, .sendingFailed, .brokerMute, .brokerPaused:
        line.dice.wait(perHour: faults.rates[fault])
      case .fixVague: faults.hazeDice.wait(perHour: faults.rates[fault])
      default: faults.dice.wait(perHour: faults.rates[fault])
      }
    schedule.add(.strikes(fault), at: now + wait)
  }

  func strike(_ fault: Fault) {
    guard !isCalm else { return }
    planNext(fault)
    tell("fault: \(fault)")
    switch fault {
    case .receiverBlind:
      receiver.isBlind = true
      lasts(fault, 2, 600)
    case .gpsdLost:
      receiver.isReached = false
      wake(.sourceReached("gpsd", false))
      lasts(fault, 1, 120)
    case .wallStepped: stepWall()
    case .networkCut: cutNetwork()
    case .halfOpen:
      guard let connection = client.connection else { return }
      line.wire.kill(connection)
    case .networkSlow:
      line.wire.latency = faults.dice.spread(0.3, 8)
      lasts(fault, 10, 600)
    case .acknowledgementsReordered:
      line.wire.reordersAcknowledgements = true
      lasts(fault, 30, 900)
    case .brokerRestarted: stopBroker()
    case .credentialsRefused:
      line.server.refusesCredentials = true
      dropConnection(.closedByBroker)
      lasts(fault, 20, 900)
    case .killed:
      guard process.isRunning, tracker != nil else { return }
      if faults.dice.chance(0.2) { return stop() }
      // Counted when it happens.
      process.effectsLeft = faults.dice.whole(1...12)
      return
    case .killedInWrite: return card.disk.strike(.kill, afterWrites: faults.dice.whole(1...30))
    case .powerCutInWrite: return card.disk.strike(.powerCut, afterWrites: faults.dice.whole(1...30))
    case .powerCut: if board.isPowered { cutPower() } else { return }
    case .diskFull, .diskFailing, .diskSlow: strikeDisk(fault)
    case .batteryFlapped: flapBattery()
    case .configured: reconfigure()
    case .commanded: command()
    case .radioHung: hangRadio()
    case .ignitionTurned:
      guard isWired else { return }
      turnIgnition()
    case .ordered:
      guard order() else { return }
    // Counted when it happens.
    case .filterForbidden: return forbidFilter()
    case .connectionReset, .quotaReached, .topicHeld, .sendingFailed: return strikeWhileSending(fault)
    case .brokerMute:
      guard let connection = client.connection else { return }
      line.server.mute = connection
    case .brokerPaused:
      line.server.pause()
      schedule.add(.ends(fault), at: now + line.dice.span(2, 200))
    case .parkedNoise, .placeDrifted, .placeJumped: return receiver.ground.wait(for: fault)
    case .fixesLate: receiver.line.fallBehind(at: now)
    case .fixVague: receiver.haze.begin(at: now)
    // Struck by chance, where it can.
    default: return
    }
    ledger.note(fault)
  }

  /// A broker may take what it is sent again after its greeting, and say nothing of it.
  func fallSilent() {
    guard breakage == nil, faults.rates[.brokerMute] > 0, !client.inFlight.isEmpty, line.muteDice.chance(0.1)
    else {
      return
    }
    line.server.mute = line.connections
    ledger.note(.brokerMute)
  }

  private func strikeDisk(_ fault: Fault) {
    switch fault {
    case .diskFull:
      card.disk.fault = .full
      lasts(fault, 5, 600)
    case .diskFailing:
      card.disk.fault = .failing(probability: faults.dice.spread(0.02, 1))
      lasts(fault, 1, 120)
    default:
      card.latency = faults.dice.spread(0.2, people.scenario.isJam ? 20 : 5)
      lasts(fault, 10, 600)
    }
  }

  private func stepWall() {
    board.clock.step(by: faults.dice.pick([1, -1]) * faults.dice.spread(3600, 20 * 365 * 86_400))
    planSynchronisation(within: 600)
  }

  /// Counted when it happens.
  private func strikeWhileSending(_ fault: Fault) {
    switch fault {
    case .connectionReset:
      line.wire.resets = (0..<line.dice.whole(1...4)).map { _ in line.dice.whole(1...80) }
    case .topicHeld:
      line.server.heldTopic = process.encoder.topics.base
      people.wantsClear = line.dice.chance(0.3)
      let (shortest, longest) = people.scenario.isJam ? (600.0, 4800.0) : (60, 1800)
      schedule.add(.ends(fault), at: now + line.dice.span(shortest, longest))
    case .sendingFailed: client.takesNothing(until: now + line.dice.span(0.1, 30))
    default:
      line.server.quota = .seconds(line.dice.spread(1, 60))
      schedule.add(.ends(fault), at: now + line.dice.span(5, 600))
    }
  }

  private func lasts(_ fault: Fault, _ shortest: Double, _ longest: Double) {
    schedule.add(.ends(fault), at: now + faults.dice.span(shortest, longest))
  }

  func repair(_ fault: Fault) {
    tell("over: \(fault)")
    switch fault {
    case .receiverBlind:
      receiver.isBlind = false
      // What has just begun to see is vague.
      if breakage == nil, faults.rates[.fixVague] > 0, faults.hazeDice.chance(0.4) {
        receiver.haze.begin(at: now)
      }
    case .gpsdLost:
      guard now < phases.rest else { return }
      receiver.isReached = true
      wake(.sourceReached("gpsd", true))
    case .networkCut: networkReturns()
    case .networkSlow: line.wire.latency = 0.05
    case .acknowledgementsReordered: line.wire.reordersAcknowledgements = false
    case .brokerRestarted: line.server.isUp = true
    case .brokerPaused: brokerGoesOn()
    case .credentialsRefused: line.server.refusesCredentials = false
    case .diskFull, .diskFailing: card.disk.fault = .none
    case .diskSlow: card.latency = Card.usual
    case .radioHung: freeRadio()
    case .filterForbidden: line.server.forbidden = nil
    case .quotaReached: line.server.quota = nil
    case .topicHeld: (line.server.heldTopic, people.wantsClear) = (nil, false)
    default: break
    }
  }

  /// The second phase begins: whatever is broken is repaired, and people put right what they set.
  func faultsStop() {
    phases.isCalm = true
    tell("the faults are over")
    faults.rates = Rates()
    process.effectsLeft = nil
    card.recover()
    receiver.recover()
    line.wire.recover()
    line.server.isUp = true
    line.server.mute = nil
    brokerGoesOn()
    line.server.refusesCredentials = false
    line.server.forbidden = nil
    line.server.allowAll()
    client.takesNothing(until: .zero)
    people.wantsClear = false
    if !board.isPowered { schedule.add(.boot, at: now + .seconds(1)) }
    networkReturns()
    freeRadio()
    planSynchronisation(within: 60)
    settleWay()
    board.voltage.recover()
    if mayStepDown { chargeBattery() }
    people.scenario.repair()
    applyConfiguration()
    // Who drives is switched off by nobody.
    board.ignition = true
    if isWired { wake(.ignition(true)) }
    let mode = tracker?.mode.mode
    if mode == .quiet || mode == .manual, faults.dice.chance(0.8) { control(.mode(.significant)) }
    ledger.calmSince = now
    schedule.add(.probe, at: now + .seconds(300))
    staysBroken()
  }

  // MARK: The network

  private func cutNetwork() {
    guard line.wire.isUp else { return }
    line.wire.isUp = false
    wake(.networkChanged(.none))
    // Sometimes the interface itself goes down, and everybody knows.
    if faults.dice.chance(0.3) { dropConnection(.unreachable) }
    lasts(.networkCut, 1, 1800)
  }

  private func stopBroker() {
    line.server.isUp = false
    line.server.close()
    if faults.dice.chance(faults.rates[.sessionLost]) {
      ledger.note(.sessionLost)
      line.server.forgetSession()
    }
    loseGreeting()
    dropConnection(line.wireDice.chance(0.5) ? .closedByBroker : .reset)
    lasts(.brokerRestarted, 1, 120)
  }

  /// The other side closes, and the client hears of it.
  func dropConnection(_ cause: BrokerCause) {
    show(.line(.disturbed))
    guard let connection = client.connection else { return }
    if line.server.isOpen(connection) { line.server.close() }
    schedule.add(.connectionLost(connection: connection, cause), at: now + .seconds(line.wire.latency))
  }

  private func brokerGoesOn() {
    for packet in line.server.goOn() { arrived(packet) }
  }

  // MARK: The board

  func planSynchronisation(within seconds: Double) {
    schedule.add(.synchronised(boot: board.boots), at: now + faults.dice.span(5, seconds))
  }

  func synchronise() {
    guard !board.clock.isSynchronised else { return }
    guard line.wire.isUp else { return planSynchronisation(within: 300) }
    board.clock.synchronise()
  }

  /// Once a second. An adapter that hangs just before a beacon would count as lost: what is over by then must not be.
  func hangInSilence() {
    let timeout = Double(configuration.beacons.lossTimeout)
    guard !isCalm, faults.rates[.radioHung] > 0, !air.radio.isHung, timeout > 0, air.dice.chance(0.3) else {
      return
    }
    let isNear = air.radio.identities.contains { one in
      evidence.packets.silence(of: one.beacon, at: now).map { $0 > timeout - 2.5 && $0 < timeout } ?? false
    }
    guard isNear else { return }
    hangRadio()
    ledger.note(.radioHung)
  }

  private func hangRadio() {
    air.radio.isHung = true
    evidence.packets.hangs(true, at: now)
    if breakage != .radioHangsUnseen { wake(.scannerChanged(air.radio.state)) }
    lasts(.radioHung, 1, 900)
  }

  private func freeRadio() {
    air.radio.isHung = false
    evidence.packets.hangs(false, at: now)
    wake(.scannerChanged(air.radio.state))
  }

  private func flapBattery() {
    let state = faults.dice.pick([Battery.State.unplugged, .charging, .full, .unknown])
    board.battery = Battery(level: faults.dice.whole(0...100), state: state)
    wake(.batteryChanged(boardBattery))
  }

  /// For good.
  private func chargeBattery() {
    board.battery = Battery(level: 100, state: .charging)
    wake(.batteryChanged(boardBattery))
  }

  var isWired: Bool { people.scenario.configuration.power.ignitionInput.value != nil }

  /// An engine that is cranked takes the ignition away for a moment.
  private func turnIgnition() {
    board.ignition.toggle()
    if board.ignition, faults.dice.chance(0.5) {
      wake(.ignition(true))
      wake(.ignition(false))
    }
    wake(.ignition(board.ignition))
  }

  // MARK: People

  /// Nobody hears it whom the broker does not know as subscribed.
  private func order() -> Bool {
    guard line.server.isUp else { return false }
    let command = people.scenario.order()
    tell("ordered over the network: \(command)")
    return publish(command, isProbe: false) != nil
  }

  private func command() {
    let request = people.scenario.command()
    control(request)
  }

  func control(_ request: ControlRequest) {
    guard process.isRunning, tracker != nil, !process.isStopping else { return }
    tell("a person: \(request)")
    people.lines += 1
    switch request {
    case .queueClear: ledger.cleared()
    case .regionAdd, .regionSet, .regionRemove, .regionImport: ledger.note(breakOf: nil, at: now)
    default: break
    }
    wake(.control(request, from: people.lines))
  }

  private func reconfigure() {
    people.scenario.edit()
    applyConfiguration()
  }

  /// SIGHUP. What is in force comes back from the tracker.
  func applyConfiguration() {
    guard process.isRunning, !process.isStopping else { return }
    guard tracker != nil else {
      // Not read yet, as far as anybody can tell: the store is still being opened.
      process.adopt(people.scenario.configuration)
      process.startWaypoints = people.scenario.waypoints
      return
    }
    ledger.note(breakOf: nil, at: now)
    askAnew()
    guard breakage != nil else {
      return wake(.configured(people.scenario.configuration, waypoints: people.scenario.waypoints))
    }
    process.adopt(people.scenario.configuration)
    configureClient()
    wake(.configured(breakage?.told(configuration) ?? configuration, waypoints: people.scenario.waypoints))
  }
}
