import Core
import Model
import Storage
import Timebase

/// The process: what `homewardd` does around the tracker, in the same order.
extension World {
  // MARK: Beginning

  func startProcess() {
    guard board.isPowered, !process.isRunning, breakage != .processStaysAway || !isCalm else { return }
    process.begin()
    tell("process \(life) starts")
    ledger.lives.began(life, at: now)
    air.radio.plan = .off
    receiver.isAwake = true
    receiver.listenerChanged()
    process.adopt(people.scenario.configuration)
    process.startWaypoints = people.scenario.waypoints
    show(.started)
    renewClient()
    // The sensors do not wait for the store.
    post(.networkChanged(line.wire.isUp ? line.way.network : .none))
    post(.batteryChanged(boardBattery))
    if isMeasured { post(.vehicleVolts(board.voltage.volts)) }
    if isWired { post(.ignition(board.ignition)) }
    if people.distress.hasButton { post(.sosLine(people.distress.heldUntil != nil)) }
    if receiver.isReached { post(.sourceReached("gpsd", true)) }
    post(.scannerChanged(air.radio.state))
    schedule.add(.storeOpened(life: life), at: now + .seconds(faults.dice.spread(0.01, card.latency * 20)))
  }

  func openStore() {
    switch openFile() {
    case .success((let file, var snapshot)):
      process.desk = open(file, snapshot)
      if breakage == .callsAreForgotten { snapshot.journey.sos = nil }
      if breakage == .sidesAreForgotten { snapshot.regions.removeAll { $0.presence == .outside } }
      show(.opened(file, snapshot))
      tell("store open: \(snapshot.queued) from \(snapshot.firstSequence) to \(snapshot.lastSequence)")
      start(snapshot)
    case .failure(let error):
      guard !checkStrike() else { return }
      if error.needsKernelSalvage { return repairStore() }
      tell("no store: \(error.sentence)")
      guard error.mayHeal else {
        return complain(.process, "the store refused for good: \(error.sentence)")
      }
      ledger.lives.blind.insert(life)
      ledger.lives.blindStarts += 1
      ledger.note(breakOf: nil, at: now)
      start(.withoutStore(at: board.clock.systemTime(at: now)))
      schedule.add(.storeReopens(life: life), at: now + .seconds(60))
    }
  }

  private func openFile() -> Result<(StoreFile, Snapshot), StoreError> {
    if breakage == .storeIsNewer {
      return .failure(.newer(path: Scratch.directory, version: 2, known: 1))
    }
    return Result { () throws(StoreError) in
      let file = try StoreFile(
        directory: Scratch.directory, vfs: card.vfs.name, triesBefore: process.failedOpenings * 10)
      return (file, try file.snapshot())
    }
  }

  private func open(_ file: StoreFile, _ snapshot: Snapshot) -> StoreDesk {
    card.twin.opened(file, snapshot)
    complainOfStore()
    return StoreDesk(file, card.twin) { [disk = card.disk] in disk.struck != nil }
  }

  func complainOfStore() {
    for lie in card.twin.takeLies() { complain(.agreement, "store: \(lie)") }
  }

  /// A start without a store: every minute it is tried again.
  func reopenStore() {
    guard process.isRunning, !process.isStopping, process.desk == nil else { return }
    process.failedOpenings += 1
    switch openFile() {
    case .success((let file, let earlier)):
      process.desk = open(file, earlier)
      handOver(to: earlier)
    case .failure(let error):
      if checkStrike() { return }
      if error.needsKernelSalvage { return repairStore() }
      tell("still no store: \(error.sentence)")
      schedule.add(.storeReopens(life: life), at: now + .seconds(60))
    }
  }

  /// Its clock says whether the alarm is still to come. The calm is no time to sleep.
  func woken(_ snapshot: Snapshot) -> Snapshot {
    var snapshot = snapshot
    if snapshot.sleep != nil { snapshot.sleep?.isEarly = isCalm || board.alarm.map { $0 > now } ?? false }
    return snapshot
  }

  private func start(_ snapshot: Snapshot) {
    guard !checkStrike() else { return }
    let snapshot = woken(snapshot)
    let told = breakage?.told(configuration) ?? configuration
    let disguised = Disguise(process.encoder, breakage)
    let tracker = LivingTracker(
      Tracker(configuration: told, snapshot: snapshot, encoder: disguised))
    process.tracker = tracker
    adopt(tracker.settings)
    evidence.overflow.begin(snapshot.dropped)
    show(.begun)
    process.inbox.insert(.configured(told, waypoints: process.startWaypoints), at: 0)
    process.startWaypoints = []
    configureClient()
    drain()
  }

  // MARK: The four steps

  func post(_ event: Event) { process.inbox.append(event) }

  /// A process that is about to end closes gpsd, the control socket and the rest first.
  func wake(_ event: Event) {
    guard process.isRunning, !process.isStopping else { return }
    post(event)
    drain()
  }

  func drain() {
    guard process.isRunning, !process.isStopping || process.isDrainingLast else { return }
    guard tracker != nil, process.takingUp == nil else {
      if process.inbox.count > 900 { process.inbox.removeFirst(process.inbox.count - 900) }
      return
    }
    ledger.disk.wokeUp()
    let thisLife = life
    var next = 0
    while next < process.inbox.count {
      handle(process.inbox[next])
      guard life == thisLife, process.isRunning else { return }
      next += 1
    }
    process.inbox.removeAll(keepingCapacity: true)
    if process.desk?.isSettled == true { ledger.disk.settled(at: now) }
  }

  private func handle(_ event: Event) {
    var moment = self.moment
    if breakage == .clockIsAhead { moment.wall?.seconds += 8 }
    show(.event(event))
    guard let effects = tracker?.handle(event, at: moment) else { return }
    evidence.telling.decided(effects, tracker)
    // Nothing was told of what was crossed meanwhile.
    if evidence.telling.modeBefore == .quiet, tracker?.mode.mode != .quiet {
      ledger.note(breakOf: nil, at: now)
    }
    show(.decided)
    let thisLife = life
    for effect in effects {
      if effect.isOfConsequence, let left = process.effectsLeft {
        process.effectsLeft = left - 1
        if left <= 1 {
          ledger.note(.killed)
          return kill()
        }
      }
      perform(effect)
      guard life == thisLife, process.isRunning else { return }
    }
    show(.handled(event))
  }

  private func durable(_ writes: [StoreWrite]) {
    for write in writes {
      switch write {
      case .insert(let message):
        ledger.stored(message)
        process.writing.doubtful[message.sequence] = nil
      case .region(let region, _): ledger.regions.insert(region.rid)
      default: break
      }
    }
  }

  /// The disk may have it all the same: overflow that takes it from memory then leaves it there, for the next life.
  private func failed(_ writes: [StoreWrite]) {
    for case .insert(let message) in writes { process.writing.doubtful[message.sequence] = message }
  }

  // MARK: The worker at the disk

  func runDesk() {
    guard let desk = process.desk, desk.begin() else { return }
    show(.diskWorked)
    guard !checkStrike() else { return }
    schedule.add(
      .diskDone(life: life), at: now + .seconds(card.latency * faults.dice.between(0.5, 2)))
  }

  func diskDone() {
    guard let desk = process.desk else { return }
    guard let events = desk.finish() else {
      if desk.needsRepair { return repairStore() }
      return schedule.add(.diskTriesAgain(life: life), at: now + Store.retryAfter)
    }
    if desk.needsRepair { return repairStore() }
    for event in events {
      if case .loaded(let messages) = event {
        for message in messages { process.writing.known[message.sequence] = message }
      }
      tell("disk: \(event.summary)")
      if case .stored(let batch, _) = event {
        durable(process.writing.batches.removeValue(forKey: batch) ?? [])
      } else if case .storeFailed(let batch) = event {
        let writes = process.writing.batches.removeValue(forKey: batch) ?? []
        process.writing.tried.formUnion(writes.compactMap(\.inserted))
        failed(writes)
      }
      if process.takingUp != nil { handedOver(event) } else if !process.isStopping { post(event) }
    }
    runDesk()
    if process.isRunning { drain() }
  }

  /// Whether the disk ended the process in the middle of a write.
  private func checkStrike() -> Bool {
    switch card.disk.takeStrike() {
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
    guard process.isRunning, !process.isStopping else { return }
    guard tracker != nil else { return kill() }
    post(.stopping)
    drain()
    guard process.isRunning else { return }
    process.isStopping = true
    leave()
    let wait = client.connection != nil && !client.inFlight.isEmpty ? 2.0 : 0.05
    schedule.add(.processEnd(life: life), at: now + .seconds(wait))
  }

  func endProcess() {
    process.isDrainingLast = true
    drain()
    process.isDrainingLast = false
    guard process.isRunning else { return }
    noteUndurable(isCrash: false)
    let isAllStored = process.desk?.close() ?? false
    guard !checkStrike() else { return }
    if card.disk.openFiles != 0 {
      complain(.limits, "\(card.disk.openFiles) files of the store stay open at the end")
    }
    if isAllStored {
      for batch in process.writing.batches.keys.sorted() { durable(process.writing.batches[batch] ?? []) }
    }
    ledger.ended(isAllStored: isAllStored, at: now)
    sayGoodbye()
    gone(restartIn: process.isSwitchedOff ? .infinity : 0.5)
    if process.isSwitchedOff { stayOff() }
  }

  /// In good order: the process is told to end, and what was written is written.
  func switchOff() {
    guard process.isRunning, board.isPowered, !process.isStopping else { return }
    ledger.note(.switchedOff)
    process.isSwitchedOff = true
    guard tracker != nil else {
      kill()
      return stayOff()
    }
    stop()
  }

  private func stayOff() {
    board.isPowered = false
    tell("switched off")
    guard !isCalm else { return schedule.add(.boot, at: now + .seconds(1)) }
    // A person or the vehicle's supply may be there before the alarm.
    guard let alarm = board.alarm, !faults.dice.chance(0.25) else {
      return schedule.add(.boot, at: now + faults.dice.span(30, 1200))
    }
    schedule.add(.boot, at: max(alarm, now + .seconds(1)))
  }

  func kill() {
    tell("killed")
    card.disk.killHandles()
    noteUndurable()
    ledger.crashed(at: now)
    hangUp()
    gone(restartIn: faults.dice.spread(0.1, 20))
  }

  /// A disk that takes nothing does not hold events back: what they say of regions ends with the process, and
  /// with a crash even if the store is back, as long as it was not written to.
  func noteUndurable(isCrash: Bool = true) {
    let isBlind = isCrash && isBlind && !ledger.lives.takenUp.contains(life)
    guard process.desk == nil || process.desk?.isFailing == true || isBlind else { return }
    ledger.note(breakOf: nil, at: now)
    ledger.lives.undurable.append(ledger.made.count)
  }

  func gone(restartIn seconds: Double) {
    noteDropped()
    show(.gone)
    for message in process.writing.doubtful.values { ledger.passing.passed(message) }
    process.end()
    if seconds.isFinite { schedule.add(.processStart, at: now + .seconds(seconds)) }
  }

  func cutPower() {
    let drops = faults.dice.chance(faults.rates[.writesDropped])
    let tears = faults.dice.chance(faults.rates[.writeTorn])
    let sectors = card.disk.cutPower(drops: drops, tears: tears)
    tell("power cut: \(sectors)")
    card.twin.powerCut()
    noteUndurable()
    if sectors.dropped > 0 { ledger.note(.writesDropped) }
    if sectors.dropped > 0, sectors.kept > 0 { ledger.note(.writeTorn) }
    ledger.crashed(at: now)
    if let connection = client.connection, faults.dice.chance(0.5) { line.wire.kill(connection) }
    board.isPowered = false
    gone(restartIn: .infinity)
    schedule.add(.boot, at: now + faults.dice.span(2, 900))
  }

  func boot() {
    guard !board.isPowered else { return }
    board.isPowered = true
    board.boots += 1
    let isIn1970 = faults.dice.chance(faults.rates[.bornIn1970])
    if isIn1970 { ledger.note(.bornIn1970) }
    board.clock.boot(at: now, took: faults.dice.span(4, 60), isIn1970: isIn1970)
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
      .recall, .renew, .setScan, .setReceiver, .halt:
      true
    case .withheld, .adopt, .announce, .deadLetter, .settingsChanged: false
    }
  }
}
