import Timebase

// Whether what should be heard is heard: one look a minute, and a ladder where it is not.
extension BeaconRadio {
  /// The kernel listens for half of the time while it monitors (30 ms of 60), and nobody changes that for
  /// others. A smaller duty is made of longer pauses.
  static let monitorDuty = 50
  /// Listening at a stretch: long enough to meet a beacon that calls once a second.
  static let shortestBurst = 3.0
  static let burst = 12.0
  /// Silence that a look takes notice of.
  static let silence = Span.seconds(15)
  /// For a stranger to be heard, once strangers are let through.
  static let doubt = Span.seconds(2)
  /// In a quiet place the scan is started anew this often, in case it was switched off behind our back.
  static let quietRestart = Span.minutes(10)
  /// A look that finds such a silence, too short yet to mean anything, is followed by one as soon as it is
  /// long enough: the beacons of most places call more often.
  static let pause = Span.seconds(3)
  /// Beacons heard so shortly before a silence cannot all have left, or so it is suspected.
  static let lively = Span.minutes(3)
  /// For the scan that was started anew to hear somebody.
  static let suspicion = Span.seconds(15)

  /// Everything is as it should be.
  mutating func hear(at now: Instant) {
    state = .hearing
    set(isDoubtful ? .everything : .beacons)
    if tick == nil { tick = now + Self.minute }
    lastHeard = max(lastHeard, isHearing == true ? lastHeard : now)
    isHearing = true
    cause = nil
    let phases = phases
    // A burst of the monitor's means nothing to a raw scan, which has the duty in its window.
    if phases == nil || phaseEnds.map({ $0 <= now }) != false { phaseEnds = phases.map { now + $0.listening } }
    report()
  }

  private mutating func report() {
    guard let adapter, let way else { return }
    var text = "beacons: listening on \(adapter.name) (\(BeaconAddress.text(adapter.address))), \(way.words)"
    if let reason, way != .monitor { text += " because \(reason)" }
    guard said != text else { return }
    said = text
    orders.append(.say(isWarning: false, text))
  }

  /// How long to listen and to rest in turn; nil: all the time.
  var phases: (listening: Span, resting: Span)? {
    guard way == .monitor, duty < Self.monitorDuty, suspectedUntil == nil else { return nil }
    let share = Double(max(1, duty)) / Double(Self.monitorDuty)
    let listening = max(Self.shortestBurst, Self.burst * share)
    return (.seconds(listening), .seconds(listening * (1 - share) / share))
  }

  /// An advertisement arrived. This is the busy path: only in doubt there is more to do.
  mutating func heard(isReadable: Bool, at now: Instant) {
    guard isReadable else {
      emptyReports &+= 1
      return
    }
    lastHeard = now
    lastReadable = now
    if raw.trial != nil { endTrial(at: now) }
    if isDoubtful { believed(at: now) }
  }

  private mutating func believed(at now: Instant) {
    isDoubtful = false
    emptyReports = 0
    restarted = nil
    suspectedUntil = nil
    ladder.healed()
    switch state {
    case .doubting, .hearing: hear(at: now)
    // Given up, and there it is again.
    case .waiting where needsProof:
      needsProof = false
      proceed(at: now)
    case .resting, .asking, .waiting, .pausing: break
    }
  }

  /// The minute is over, or the burst.
  mutating func watch(at now: Instant) {
    if let until = suspectedUntil, until <= now { return switchOffAndOn(at: now) }
    if let tick, tick <= now {
      let silence = now - lastHeard
      self.tick =
        now + (silence >= Self.pause && silence < Self.silence ? Self.silence - silence : Self.minute)
      if silence >= Self.silence {
        isDoubtful = true
        emptyReports = 0
        set(.everything)
        state = .doubting(until: now + Self.doubt)
        return
      }
      // Whatever was tried before has helped.
      ladder.healed()
    }
    if let ends = phaseEnds, ends <= now, let phases {
      pauseUntil = now + phases.resting
      phaseEnds = nil
      proceed(at: now)
    }
  }

  /// Not even strangers. A place without any radio is no fault: the adapter has to answer, then all is well.
  mutating func nobodyThere(at now: Instant) {
    guard let adapter else { return proceed(at: now) }
    if emptyReports > 0 {
      return climb(from: .powerCycle, "\(adapter.name) reports only empty advertisements", at: now)
    }
    probe(adapter, at: now)
  }

  mutating func probe(_ adapter: Adapter, at now: Instant) {
    guard raw.isOpen else {
      orders.append(.openRaw(adapter.index, hears: false))
      state = .asking(.probe, until: now + .seconds(2))
      return
    }
    send(.probe, 0x1001, [], at: now)
  }

  /// It answers: then it is quiet here, or somebody has switched our scan off.
  mutating func answeredProbe(at now: Instant) {
    if !raw.hears { closeRaw() }
    let wasProof = needsProof
    needsProof = false
    if wasProof {
      isRestarting = true
    } else if restarted.map({ now - $0 >= Self.quietRestart }) ?? true, ladder.mayAct(at: now) {
      // Only the first silence after somebody was heard: later ones are a quiet place's.
      if restarted == nil, lastReadable.map({ now - $0 <= Self.lively }) == true {
        suspectedUntil = now + Self.suspicion
        // Somebody heard while the adapter was asked has ended the doubt, and has to be able to end this, too.
        isDoubtful = true
        phaseEnds = nil
      }
      restarted = now
      isRestarting = true
    }
    proceed(at: now)
  }

  /// Somebody was heard a moment ago, now nobody is, and a new scan has not helped. An adapter that answers
  /// and is deaf looks the same as one that was carried into a quiet place, so a board on the road pays for
  /// this too: with one power cycle for each silence, and no more than one in ten minutes.
  private mutating func switchOffAndOn(at now: Instant) {
    suspectedUntil = nil
    guard isTrusted, cycledForSilence.map({ now - $0 >= Self.quietRestart }) ?? true, ladder.mayAct(at: now)
    else { return hear(at: now) }
    cycledForSilence = now
    isHearing = false
    closeRaw()
    complain("\(adapter?.name ?? "the adapter") suddenly hears nobody: switching it off and on")
    (isCycling, isSuspect) = (true, true)
    proceed(at: now)
  }

  /// No answer in time.
  mutating func unanswered(_ question: Question, at now: Instant) {
    let name = adapter?.name ?? "the adapter"
    switch question {
    case .commands, .list, .information:
      (candidates, known, adapter) = (nil, [], nil)
      isHearing = false
      wait(.seconds(10), "the kernel does not answer about adapters", at: now)
    case .removeLeftover:
      leftover = nil
      proceed(at: now)
    // Somebody else's search keeps the kernel from it: the first report, or a later scan, will tell.
    case .monitorScan: hear(at: now)
    case .block: climb(from: .otherWay, cause ?? "\(name) does not hear", at: now)
    case .powerOff, .connections:
      isCycling = false
      isRestarting = true
      proceed(at: now)
    case .powerOn, .lowEnergy, .addMonitor, .removeMonitor, .rawCommands, .rawDisable, .rawParameters,
      .rawEnable, .rawStop, .probe:
      // What the kernel could not take away goes with the power.
      if question == .removeMonitor { monitor = nil }
      climb(from: .powerCycle, "\(name) does not answer", at: now)
    }
  }

  /// One rung further up.
  mutating func climb(from rung: BeaconLadder.Rung, _ trouble: String, at now: Instant) {
    isHearing = false
    needsProof = true
    isDoubtful = true
    (suspectedUntil, isSuspect) = (nil, false)
    closeRaw()
    // That nothing helped stays said.
    if cause?.hasPrefix(trouble) != true { complain(trouble) }
    switch ladder.step(from: rung, at: now) {
    case .restartScan:
      isRestarting = true
      proceed(at: now)
    case .powerCycle where isTrusted:
      isCycling = true
      needsProof = false
      proceed(at: now)
    case .otherWay where monitor != nil && mayUseRaw && settings.method == nil:
      refusals[.monitor] = "the monitor heard nothing"
      isRestarting = true
      proceed(at: now)
    case .powerCycle, .otherWay, .report:
      let why = blockFailure.map { " (nor may rfkill switch it off: \($0))" } ?? ""
      wait(Self.minute, "\(trouble), and nothing helped\(why): unplug it, or start the board anew", at: now)
    case nil: wait(Self.minute, nil, at: now)
    }
  }

  /// Whether others would lose something by a power cycle.
  mutating func connected(_ hasOthers: Bool, at now: Instant) {
    guard let adapter else { return proceed(at: now) }
    let isSuspect = isSuspect
    self.isSuspect = false
    guard !hasOthers else {
      isCycling = false
      // Nothing but its silence speaks against it.
      guard !isSuspect else { return proceed(at: now) }
      needsProof = true
      return wait(Self.minute, "\(adapter.name) does not hear, but others are connected by it", at: now)
    }
    manage(.powerOff, .setPowered, adapter.index, [0], patience: Self.powerPatience, at: now)
  }
}
