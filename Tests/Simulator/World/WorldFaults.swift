import Core
import Model
import OwnTracks
import Timebase
import Uplink

/// Who strikes when, for how long, and how it ends.
extension World {
  func planNext(_ fault: Fault) {
    guard !isCalm, rates[fault] > 0 else { return }
    let wait =
      switch fault {
      case .filterForbidden: handshakeDice.wait(perHour: rates[fault])
      case .connectionReset, .quotaReached, .topicHeld, .sendingFailed, .brokerMute, .brokerPaused:
        lineDice.wait(perHour: rates[fault])
      case .fixVague: hazeDice.wait(perHour: rates[fault])
      default: faultDice.wait(perHour: rates[fault])
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
      wake(.gpsdReached(false))
      lasts(fault, 1, 120)
    case .wallStepped: stepWall()
    case .networkCut: cutNetwork()
    case .halfOpen:
      guard let connection = client.connection else { return }
      wire.kill(connection)
    case .networkSlow:
      wire.latency = faultDice.spread(0.3, 8)
      lasts(fault, 10, 600)
    case .acknowledgementsReordered:
      wire.reordersAcknowledgements = true
      lasts(fault, 30, 900)
    case .brokerRestarted: stopBroker()
    case .credentialsRefused:
      server.refusesCredentials = true
      dropConnection(.closedByBroker)
      lasts(fault, 20, 900)
    case .killed:
      guard isRunning, tracker != nil else { return }
      if faultDice.chance(0.2) { return stop() }
      // Counted when it happens.
      effectsLeft = faultDice.whole(1...12)
      return
    case .killedInWrite: return disk.strike(.kill, afterWrites: faultDice.whole(1...30))
    case .powerCutInWrite: return disk.strike(.powerCut, afterWrites: faultDice.whole(1...30))
    case .powerCut: if isPowered { cutPower() } else { return }
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
      server.mute = connection
    case .brokerPaused:
      server.pause()
      schedule.add(.ends(fault), at: now + lineDice.span(2, 200))
    case .parkedNoise, .placeDrifted, .placeJumped: return receiver.ground.wait(for: fault)
    case .fixesLate: receiver.line.fallBehind(at: now)
    case .fixVague: receiver.haze.begin(at: now)
    case .fixLost, .fixLate, .fixRepeated, .fixJumped, .dateRolledOver, .bornIn1970,
      .sessionLost, .messageRefused, .messagePostponed, .writesDropped, .writeTorn, .bitFlipped, .advertLost,
      .switchedOff, .connectCut, .greetingCut, .subscribeCut, .subackCut, .filterRefused, .sessionExpired,
      .messageForbidden, .fixAhead, .leapSecondsLost, .dateWrong:
      return
    }
    ledger.note(fault)
  }

  /// A broker may take what it is sent again after its greeting, and say nothing of it.
  func fallSilent() {
    guard breakage == nil, rates[.brokerMute] > 0, !client.inFlight.isEmpty, muteDice.chance(0.1) else {
      return
    }
    server.mute = connections
    ledger.note(.brokerMute)
  }

  private func strikeDisk(_ fault: Fault) {
    switch fault {
    case .diskFull:
      disk.fault = .full
      lasts(fault, 5, 600)
    case .diskFailing:
      disk.fault = .failing(probability: faultDice.spread(0.02, 1))
      lasts(fault, 1, 120)
    default:
      diskLatency = faultDice.spread(0.2, scenario.isJam ? 20 : 5)
      lasts(fault, 10, 600)
    }
  }

  private func stepWall() {
    clock.step(by: faultDice.pick([1, -1]) * faultDice.spread(3600, 20 * 365 * 86_400))
    planSynchronisation(within: 600)
  }

  /// Counted when it happens.
  private func strikeWhileSending(_ fault: Fault) {
    switch fault {
    case .connectionReset: wire.resets = (0..<lineDice.whole(1...4)).map { _ in lineDice.whole(1...80) }
    case .topicHeld:
      server.heldTopic = encoder.topics.base
      wantsClear = lineDice.chance(0.3)
      let (shortest, longest) = scenario.isJam ? (600.0, 4800.0) : (60, 1800)
      schedule.add(.ends(fault), at: now + lineDice.span(shortest, longest))
    case .sendingFailed: client.takesNothing(until: now + lineDice.span(0.1, 30))
    default:
      server.quota = .seconds(lineDice.spread(1, 60))
      schedule.add(.ends(fault), at: now + lineDice.span(5, 600))
    }
  }

  private func lasts(_ fault: Fault, _ shortest: Double, _ longest: Double) {
    schedule.add(.ends(fault), at: now + faultDice.span(shortest, longest))
  }

  func repair(_ fault: Fault) {
    tell("over: \(fault)")
    switch fault {
    case .receiverBlind:
      receiver.isBlind = false
      // What has just begun to see is vague.
      if breakage == nil, rates[.fixVague] > 0, hazeDice.chance(0.4) { receiver.haze.begin(at: now) }
    case .gpsdLost:
      guard now < rest else { return }
      receiver.isReached = true
      wake(.gpsdReached(true))
    case .networkCut: networkReturns()
    case .networkSlow: wire.latency = 0.05
    case .acknowledgementsReordered: wire.reordersAcknowledgements = false
    case .brokerRestarted: server.isUp = true
    case .brokerPaused: brokerGoesOn()
    case .credentialsRefused: server.refusesCredentials = false
    case .diskFull, .diskFailing: disk.fault = .none
    case .diskSlow: diskLatency = 0.015
    case .radioHung: freeRadio()
    case .filterForbidden: server.forbidden = nil
    case .quotaReached: server.quota = nil
    case .topicHeld: (server.heldTopic, wantsClear) = (nil, false)
    default: break
    }
  }

  /// The second phase begins: whatever is broken is repaired, and people put right what they set.
  func faultsStop() {
    isCalm = true
    tell("the faults are over")
    rates = Rates()
    effectsLeft = nil
    disk.fault = .none
    diskLatency = 0.015
    disk.callOffStrike()
    receiver.recover()
    wire.recover()
    server.isUp = true
    server.mute = nil
    brokerGoesOn()
    server.refusesCredentials = false
    server.forbidden = nil
    server.allowAll()
    client.takesNothing(until: .zero)
    wantsClear = false
    if !isPowered { schedule.add(.boot, at: now + .seconds(1)) }
    networkReturns()
    freeRadio()
    planSynchronisation(within: 60)
    settleWay()
    voltage.recover()
    scenario.repair()
    applyConfiguration()
    // Who drives is switched off by nobody.
    ignition = true
    if isWired { wake(.ignition(true)) }
    let mode = tracker?.mode.mode
    if mode == .quiet || mode == .manual, faultDice.chance(0.8) { control(.mode(.significant)) }
    ledger.calmSince = now
    schedule.add(.probe, at: now + .seconds(300))
    staysBroken()
  }

  // MARK: The network

  private func cutNetwork() {
    guard wire.isUp else { return }
    wire.isUp = false
    wake(.networkChanged(.none))
    // Sometimes the interface itself goes down, and everybody knows.
    if faultDice.chance(0.3) { dropConnection(.unreachable) }
    lasts(.networkCut, 1, 1800)
  }

  private func stopBroker() {
    server.isUp = false
    server.close()
    if faultDice.chance(rates[.sessionLost]) {
      ledger.note(.sessionLost)
      server.forgetSession()
    }
    loseGreeting()
    dropConnection(wireDice.chance(0.5) ? .closedByBroker : .reset)
    lasts(.brokerRestarted, 1, 120)
  }

  /// The other side closes, and the client hears of it.
  func dropConnection(_ cause: BrokerCause) {
    attempts.disturbed(at: now)
    guard let connection = client.connection else { return }
    if server.isOpen(connection) { server.close() }
    schedule.add(.connectionLost(connection: connection, cause), at: now + .seconds(wire.latency))
  }

  private func brokerGoesOn() {
    for packet in server.goOn() { arrived(packet) }
  }

  // MARK: The board

  func planSynchronisation(within seconds: Double) {
    schedule.add(.synchronised(boot: boots), at: now + faultDice.span(5, seconds))
  }

  func synchronise() {
    guard !clock.isSynchronised else { return }
    guard wire.isUp else { return planSynchronisation(within: 300) }
    clock.synchronise()
  }

  /// Once a second. An adapter that hangs just before a beacon would count as lost: what is over by then must not be.
  func hangInSilence() {
    let timeout = Double(configuration.beacons.lossTimeout)
    guard !isCalm, rates[.radioHung] > 0, !radio.isHung, timeout > 0, silenceDice.chance(0.3) else { return }
    let isNear = radio.identities.contains { one in
      lastHeard.silence(of: one.beacon, at: now).map { $0 > timeout - 2.5 && $0 < timeout } ?? false
    }
    guard isNear else { return }
    hangRadio()
    ledger.note(.radioHung)
  }

  private func hangRadio() {
    radio.isHung = true
    lastHeard.hangs(true, at: now)
    if breakage != .radioHangsUnseen { wake(.scannerChanged(radio.state)) }
    lasts(.radioHung, 1, 900)
  }

  private func freeRadio() {
    radio.isHung = false
    lastHeard.hangs(false, at: now)
    wake(.scannerChanged(radio.state))
  }

  private func flapBattery() {
    let state = faultDice.pick([Battery.State.unplugged, .charging, .full, .unknown])
    battery = Battery(level: faultDice.whole(0...100), state: state)
    wake(.batteryChanged(boardBattery))
  }

  var isWired: Bool { scenario.configuration.power.ignitionInput.value != nil }

  /// An engine that is cranked takes the ignition away for a moment.
  private func turnIgnition() {
    ignition.toggle()
    if ignition, faultDice.chance(0.5) {
      wake(.ignition(true))
      wake(.ignition(false))
    }
    wake(.ignition(ignition))
  }

  // MARK: People

  /// Nobody hears it whom the broker does not know as subscribed.
  private func order() -> Bool {
    guard server.isUp else { return false }
    let command = scenario.order()
    tell("ordered over the network: \(command)")
    return publish(command, isProbe: false) != nil
  }

  private func command() {
    let request = scenario.command()
    control(request)
  }

  func control(_ request: ControlRequest) {
    guard isRunning, tracker != nil, !isStopping else { return }
    tell("a person: \(request)")
    controlLines += 1
    switch request {
    case .queueClear: ledger.cleared()
    case .regionAdd, .regionSet, .regionRemove, .regionImport: ledger.note(breakOf: nil, at: now)
    case .publish, .card, .mode, .tag, .status, .queue, .queueResend, .why, .regionList, .history,
      .historyClear, .historyDelete,
      .settingsClear, .settingsSet, .withdraw,
      .friendForget,
      .reload:
      break
    }
    wake(.control(request, from: controlLines))
  }

  private func reconfigure() {
    scenario.edit()
    applyConfiguration()
  }

  /// SIGHUP. What is in force comes back from the tracker.
  func applyConfiguration() {
    guard isRunning, !isStopping else { return }
    guard tracker != nil else {
      // Not read yet, as far as anybody can tell: the store is still being opened.
      (configuration, startWaypoints) = (scenario.configuration, scenario.waypoints)
      encoder = Encoder(configuration, hostName: "board")
      return
    }
    ledger.note(breakOf: nil, at: now)
    askAnew()
    guard breakage != nil else {
      return wake(.configured(scenario.configuration, waypoints: scenario.waypoints))
    }
    configuration = scenario.configuration
    encoder = Encoder(configuration, hostName: "board")
    configureClient()
    wake(.configured(breakage?.told(configuration) ?? configuration, waypoints: scenario.waypoints))
  }
}
