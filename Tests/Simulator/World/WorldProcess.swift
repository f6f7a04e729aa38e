import Core
import Model
import OwnTracks
import Storage
import Timebase

/// The process: what `homewardd` does around the tracker, in the same order.
extension World {
  // MARK: Beginning

  func startProcess() {
    guard isPowered, !isRunning, breakage != .processStaysAway || !isCalm else { return }
    isRunning = true
    isStopping = false
    isSwitchedOff = false
    life += 1
    tell("process \(life) starts")
    ledger.began(life: life, at: now)
    ledger.old.began()
    (choice, pace, sag, intervals) = (Choice(), PaceWatch(), Sag(), Intervals())
    radio.plan = .off
    receiver.isAwake = true
    receiver.listenerChanged()
    (approach, upkeep, owed, refusedHere) = (Approach(), Upkeep(), OwedPoints(), 0)
    (regionWatch, fullness, coldStart, ears) = (RegionWatch(), Fullness(), ColdStart(), Ears())
    (inbox, gathered) = ([], [])
    effectsLeft = nil
    failedOpenings = 0
    configuration = scenario.configuration
    startWaypoints = scenario.waypoints
    encoder = Encoder(configuration, hostName: "board")
    renewClient()
    hearing.forgave()
    // The sensors do not wait for the store.
    post(.networkChanged(wire.isUp ? way.network : .none))
    post(.batteryChanged(boardBattery))
    if isMeasured { post(.vehicleVolts(voltage.volts)) }
    if isWired { post(.ignition(ignition)) }
    if receiver.isReached { post(.gpsdReached(true)) }
    post(.scannerChanged(radio.state))
    schedule.add(.storeOpened(life: life), at: now + .seconds(faultDice.spread(0.01, diskLatency * 20)))
  }

  func openStore() {
    switch openFile() {
    case .success((let file, var snapshot)):
      desk = open(file, snapshot)
      if breakage == .sidesAreForgotten { snapshot.regions.removeAll { $0.presence == .outside } }
      judge(remembered: snapshot)
      judgeOpening(file)
      tell("store open: \(snapshot.queued) from \(snapshot.firstSequence) to \(snapshot.lastSequence)")
      start(snapshot)
    case .failure(let error):
      guard !checkStrike() else { return }
      if error.needsKernelSalvage { return repairStore() }
      tell("no store: \(error.sentence)")
      guard error.mayHeal else {
        return ledger.complain(.process, "the store refused for good: \(error.sentence)", at: now)
      }
      ledger.blindLives.insert(life)
      ledger.blindStarts += 1
      ledger.note(breakOf: nil, at: now)
      start(.withoutStore(at: clock.systemTime(at: now)))
      schedule.add(.storeReopens(life: life), at: now + .seconds(60))
    }
  }

  private func openFile() -> Result<(StoreFile, Snapshot), StoreError> {
    if breakage == .storeIsNewer {
      return .failure(.newer(path: Scratch.directory, version: 2, known: 1))
    }
    return Result { () throws(StoreError) in
      let file = try StoreFile(
        directory: Scratch.directory, vfs: vfs.name, triesBefore: failedOpenings * 10)
      return (file, try file.snapshot())
    }
  }

  private func open(_ file: StoreFile, _ snapshot: Snapshot) -> StoreDesk {
    twin.opened(file, snapshot)
    complainOfStore()
    return StoreDesk(file, twin) { [disk] in disk.struck != nil }
  }

  func complainOfStore() {
    for lie in twin.takeLies() { ledger.complain(.agreement, "store: \(lie)", at: now) }
  }

  /// A start without a store: every minute it is tried again.
  func reopenStore() {
    guard isRunning, !isStopping, desk == nil else { return }
    failedOpenings += 1
    switch openFile() {
    case .success((let file, let earlier)):
      desk = open(file, earlier)
      handOver(to: earlier)
    case .failure(let error):
      if checkStrike() { return }
      if error.needsKernelSalvage { return repairStore() }
      tell("still no store: \(error.sentence)")
      schedule.add(.storeReopens(life: life), at: now + .seconds(60))
    }
  }

  private func start(_ snapshot: Snapshot) {
    guard !checkStrike() else { return }
    let told = breakage?.told(configuration) ?? configuration
    let disguised = Disguise(encoder, breakage)
    let tracker = LivingTracker(
      Tracker(configuration: told, snapshot: snapshot, encoder: disguised))
    self.tracker = tracker
    adopt(tracker.settings)
    judging = Reasons()
    (droppedBefore, overflowed, thinned, resendable) = (snapshot.dropped, snapshot.dropped, nil, 0)
    inbox.insert(.configured(told, waypoints: startWaypoints), at: 0)
    startWaypoints = []
    configureClient()
    drain()
  }

  // MARK: The four steps

  func post(_ event: Event) { inbox.append(event) }

  /// A process that is about to end closes gpsd, the control socket and the rest first.
  func wake(_ event: Event) {
    guard isRunning, !isStopping else { return }
    post(event)
    drain()
  }

  func drain() {
    guard isRunning, !isStopping || isDrainingLast else { return }
    guard tracker != nil, takingUp == nil else {
      if inbox.count > 900 { inbox.removeFirst(inbox.count - 900) }
      return
    }
    ledger.wokeUp()
    let thisLife = life
    var next = 0
    while next < inbox.count {
      handle(inbox[next])
      guard life == thisLife, isRunning else { return }
      next += 1
    }
    inbox.removeAll(keepingCapacity: true)
    if desk?.isSettled == true { ledger.settled(at: now) }
  }

  private func handle(_ event: Event) {
    var moment = clock.moment(at: now)
    if breakage == .clockIsAhead { moment.wall?.seconds += 8 }
    judging.heard(event, tracker)
    noteLookAtOld(event)
    // A timer may end what lasts before anybody looks once a second.
    if isMeasured { sag.look(configuration.power, at: now) }
    if case .vehicleVolts(let volts) = event { sag.told(volts, configuration.power, at: now) }
    upkeep.begin(event, tracker)
    beginAnswers(to: event)
    rulesWatch.begin(event, tracker, at: now)
    regionWatch.begin(event, tracker)
    guard let effects = tracker?.handle(event, at: moment) else { return }
    judging.decided(effects, tracker)
    noteEndOfQuiet()
    if let wrong = tracker?.inconsistency { ledger.complain(.agreement, wrong, at: now) }
    let thisLife = life
    for effect in effects {
      if effect.isOfConsequence, let left = effectsLeft {
        effectsLeft = left - 1
        if left <= 1 {
          ledger.note(.killed)
          return kill()
        }
      }
      perform(effect)
      guard life == thisLife, isRunning else { return }
    }
    judgeMode(after: event)
    judgeRules(after: event)
    judgeThinning(after: event)
    judgeResending(after: event)
    judgeRegions(after: event)
  }

  private func durable(_ writes: [StoreWrite]) {
    for write in writes {
      switch write {
      case .insert(let message):
        ledger.stored(message)
        doubtful[message.sequence] = nil
      case .region(let region, _): ledger.regions.insert(region.rid)
      default: break
      }
    }
  }

  /// The disk may have it all the same: overflow that takes it from memory then leaves it there, for the next life.
  private func failed(_ writes: [StoreWrite]) {
    for case .insert(let message) in writes { doubtful[message.sequence] = message }
  }

  // MARK: The worker at the disk

  func runDesk() {
    guard let desk, desk.begin() else { return }
    checkStore()
    guard !checkStrike() else { return }
    schedule.add(
      .diskDone(life: life), at: now + .seconds(diskLatency * faultDice.between(0.5, 2)))
  }

  /// A flipped bit may make tables and counters disagree. The disk's faults are not for this question, which no
  /// process asks.
  private func checkStore() {
    guard disk.struck == nil, ledger.counts[Fault.bitFlipped.rawValue] == 0 else { return }
    if case .none = disk.fault, let points = desk?.file?.points { twin.counted(points) }
    complainOfStore()
    let fault = disk.fault
    disk.fault = .none
    defer { disk.fault = fault }
    if let wrong = desk?.file?.inconsistency(countingTo: StoreFile.fewRows) {
      ledger.complain(.agreement, "store: \(wrong)", at: now)
    }
  }

  func diskDone() {
    guard let desk else { return }
    guard let events = desk.finish() else {
      if desk.needsRepair { return repairStore() }
      return schedule.add(.diskTriesAgain(life: life), at: now + Store.retryAfter)
    }
    if desk.needsRepair { return repairStore() }
    for event in events {
      if case .loaded(let messages) = event { for message in messages { known[message.sequence] = message } }
      tell("disk: \(event.summary)")
      if case .stored(let batch, _) = event {
        durable(batches.removeValue(forKey: batch) ?? [])
      } else if case .storeFailed(let batch) = event {
        let writes = batches.removeValue(forKey: batch) ?? []
        tried.formUnion(writes.compactMap(\.inserted))
        failed(writes)
      }
      if takingUp != nil { handedOver(event) } else if !isStopping { post(event) }
    }
    runDesk()
    if isRunning { drain() }
  }

  /// Whether the disk ended the process in the middle of a write.
  private func checkStrike() -> Bool {
    switch disk.takeStrike() {
    case nil: return false
    case .kill:
      ledger.note(.killedInWrite)
      kill()
    case .powerCut:
      ledger.note(.powerCutInWrite)
      cutPower()
    }
    return true
  }

  // MARK: Ending

  /// The orderly end.
  func stop() {
    tell("asked to stop")
    guard isRunning, !isStopping else { return }
    guard tracker != nil else { return kill() }
    post(.stopping)
    drain()
    guard isRunning else { return }
    isStopping = true
    leave()
    let wait = client.connection != nil && !client.inFlight.isEmpty ? 2.0 : 0.05
    schedule.add(.processEnd(life: life), at: now + .seconds(wait))
  }

  func endProcess() {
    isDrainingLast = true
    drain()
    isDrainingLast = false
    guard isRunning else { return }
    noteUndurable(isCrash: false)
    let isAllStored = desk?.close() ?? false
    guard !checkStrike() else { return }
    if disk.openFiles != 0 {
      ledger.complain(.limits, "\(disk.openFiles) files of the store stay open at the end", at: now)
    }
    if isAllStored {
      for batch in batches.keys.sorted() { durable(batches[batch] ?? []) }
    }
    ledger.ended(isAllStored: isAllStored, at: now)
    sayGoodbye()
    gone(restartIn: isSwitchedOff ? .infinity : 0.5)
    if isSwitchedOff { stayOff() }
  }

  /// In good order: the process is told to end, and what was written is written.
  func switchOff() {
    guard isRunning, isPowered, !isStopping else { return }
    ledger.note(.switchedOff)
    isSwitchedOff = true
    guard tracker != nil else {
      kill()
      return stayOff()
    }
    stop()
  }

  private func stayOff() {
    isPowered = false
    tell("switched off")
    schedule.add(.boot, at: now + (isCalm ? .seconds(1) : faultDice.span(30, 1200)))
  }

  func kill() {
    tell("killed")
    disk.killHandles()
    noteUndurable()
    ledger.crashed(at: now)
    hangUp()
    gone(restartIn: faultDice.spread(0.1, 20))
  }

  /// A disk that takes nothing does not hold events back: what they say of regions ends with the process, and
  /// with a crash even if the store is back, as long as it was not written to.
  func noteUndurable(isCrash: Bool = true) {
    let isBlind = isCrash && ledger.blindLives.contains(life) && !ledger.takenUp.contains(life)
    guard desk == nil || desk?.isFailing == true || isBlind else { return }
    ledger.note(breakOf: nil, at: now)
    ledger.undurable.append(ledger.made.count)
  }

  func gone(restartIn seconds: Double) {
    noteDropped()
    watchOverflow()
    remember()
    desk?.abandon()
    desk = nil
    underWay = UnderWay(batches.values.map { $0 }, after: tried)
    (batches, tried) = ([:], [])
    for message in doubtful.values { ledger.passed(message) }
    (known, doubtful) = ([:], [:])
    lastHeard.newLife()
    (rulesWatch, answers) = (RulesWatch(), Answers())
    (tracker, takingUp) = (nil, nil)
    (inbox, gathered) = ([], [])
    isRunning = false
    isStopping = false
    life += 1
    if seconds.isFinite { schedule.add(.processStart, at: now + .seconds(seconds)) }
  }

  func cutPower() {
    let drops = faultDice.chance(rates[.writesDropped])
    let tears = faultDice.chance(rates[.writeTorn])
    let sectors = disk.cutPower(drops: drops, tears: tears)
    tell("power cut: \(sectors)")
    twin.powerCut()
    noteUndurable()
    if sectors.dropped > 0 { ledger.note(.writesDropped) }
    if sectors.dropped > 0, sectors.kept > 0 { ledger.note(.writeTorn) }
    ledger.crashed(at: now)
    if let connection = client.connection, faultDice.chance(0.5) { wire.kill(connection) }
    isPowered = false
    gone(restartIn: .infinity)
    schedule.add(.boot, at: now + faultDice.span(2, 900))
  }

  func boot() {
    guard !isPowered else { return }
    isPowered = true
    boots += 1
    let isIn1970 = faultDice.chance(rates[.bornIn1970])
    if isIn1970 { ledger.note(.bornIn1970) }
    clock.boot(at: now, took: faultDice.span(4, 60), isIn1970: isIn1970)
    planSynchronisation(within: 300)
    flipBitsAtRest()
    startProcess()
  }
}

extension Effect {
  /// What a process that dies at it may leave half done. Withheld reports change nothing.
  var isOfConsequence: Bool {
    switch self {
    case .published, .send, .takeBack, .takeRefused, .forgetRefused, .store, .load, .loadIndex, .answer,
      .recall, .setScan, .setReceiver, .halt:
      true
    case .withheld, .adopt, .announce, .deadLetter, .settingsChanged: false
    }
  }
}
