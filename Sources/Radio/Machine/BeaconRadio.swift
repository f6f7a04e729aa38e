import Model
import Timebase

/// Gets advertisements to arrive, and to arrive again after any fault of the radio.
/// It opens nothing: answers and events go in, orders come out, and `BeaconScanner` performs them.
///
/// ```
///            demand                                every fact is as it should be
///  resting ────────▶ asking ⇄ (adapter? powered? low energy? monitor or scan on?) ──▶ hearing ⇄ pausing
///     ▲                │ refused, no adapter, off                         ▲              │ a minute, silent
///     │                ▼                                                  │ anybody      ▼
///     │             waiting ── a moment later, or when something changes  └────────── doubting ─▶ escalation
///     └───────────── no demand, from everywhere; what was switched on is switched off first
/// ```
/// Instead of a script for each way back there is one question: what is missing (`proceed`)? So an adapter
/// that is unplugged in the middle of anything needs no rule of its own. `ScanSetup` answers it.
struct BeaconRadio {
  private(set) var state = State.resting
  private(set) var demand = ScanDemand()
  private(set) var setup: ScanSetup
  private(set) var cycle = DutyCycle.steady
  private(set) var watchdog = RadioWatchdog()
  private(set) var notices = RadioNotices()
  private(set) var filter = BeaconFilter.asleep
  /// As `ScannerState` has it; nil: nothing is known yet.
  private(set) var isHearing: Bool?
  private var orders: [Order] = []
  /// Whether rfkill holds an adapter down: the kernel's own refusal does not always say so.
  private let isBlocked: (UInt16) -> Bool

  /// `leftover`: a monitor that an earlier run did not remove.
  init(
    settings: Settings = Settings(), mayUseRaw: Bool = false, leftover: MonitorRegistration.Record? = nil,
    isBlocked: @escaping (UInt16) -> Bool = { _ in false }
  ) {
    setup = ScanSetup(settings: settings, mayUseRaw: mayUseRaw, leftover: leftover)
    self.isBlocked = isBlocked
  }

  /// The orders, in this sequence.
  mutating func take() -> [Order] {
    defer { orders.removeAll() }
    return orders
  }

  // MARK: What is wanted

  mutating func planned(_ plan: ScanPlan, at now: Instant) {
    demanded(ScanDemand(plan: plan, isWatched: demand.isWatched), at: now)
  }

  /// People look at the beacons heard.
  mutating func watched(_ isWatched: Bool, at now: Instant) {
    demanded(ScanDemand(plan: demand.plan, isWatched: isWatched), at: now)
  }

  /// For good.
  mutating func stopped(at now: Instant) { demanded(ScanDemand(), at: now) }

  private mutating func demanded(_ demand: ScanDemand, at now: Instant) {
    let before = self.demand
    self.demand = demand
    if demand.isEmpty, state == .resting, filter == .asleep { return }
    guard demand.differs(from: before) else { return }
    // Another duty begins with listening; a raw scan needs other parameters for it.
    if setup.raw.isOn, before.duty != demand.duty { watchdog.restartScan() }
    cycle.reset()
    switch state {
    // The pending answer leads on; a step that failed a moment ago would fail again.
    case .asking: break
    case .waiting where demand.wantsToHear && before.wantsToHear: break
    case .resting, .waiting, .hearing, .pausing, .doubting: proceed(at: now)
    }
  }

  /// Another adapter or another method: begins anew.
  mutating func configured(_ settings: Settings, at now: Instant) {
    setup.configured(settings)
    watchdog.replaceAdapter()
    notices.clear()
    if case .asking = state { return }
    proceed(at: now)
  }

  /// CAP_NET_RAW was given up for good.
  mutating func rawGivenUp() { setup.rawGivenUp() }

  mutating func timerFired(at now: Instant) {
    guard let deadline, deadline <= now else { return }
    switch state {
    case .resting: break
    case .asking(let question, _): unanswered(question, at: now)
    case .waiting, .pausing: proceed(at: now)
    case .doubting: follow(watchdog.nothingHeard(setup.adapters.current), at: now)
    case .hearing: look(at: now)
    }
  }

  // MARK: What the kernel says

  mutating func managementOpened(_ failure: String?, isTrusted: Bool, at now: Instant) {
    setup.managementOpened(failure == nil, isTrusted: isTrusted)
    follow(failure.map { .failed(Self.retry, $0) } ?? .proceed, at: now)
  }

  /// The reply to a command: `bytes` are what follows the status.
  mutating func replied(
    _ code: UInt16, _ index: UInt16, status: UInt8, _ bytes: UnsafeRawBufferPointer, at now: Instant
  ) {
    guard case .asking(let question, _) = state, question.command?.rawValue == code,
      index == BluetoothManagement.noIndex || index == setup.subject(of: question)
    else { return setup.lateReply(code, index, status: status, bytes, &orders) }
    if status == BluetoothManagement.Status.busy { return wait(.seconds(1), at: now) }
    if status == BluetoothManagement.Status.invalidIndex { return lost(index, at: now) }
    let outcome = setup.replied(question, status: status, bytes, &orders)
    let isSuccess = status == BluetoothManagement.Status.success
    switch question {
    case .powerOff: follow(watchdog.switchedOff(isSuccess, setup.adapters.current, at: now), at: now)
    case .powerOn, .lowEnergy:
      let isHeldDown = !isSuccess && setup.adapters.current.map { isBlocked($0.index) } == true
      follow(watchdog.switchedOn(question, status, of: name, isBlocked: isHeldDown), at: now)
    case .connections:
      let hasOthers = isSuccess && bytes.count >= 2 && bytes.word16(at: 0) > 0
      follow(watchdog.connected(hasOthers, setup.adapters.current), at: now)
    case .commands, .list, .information, .addMonitor, .monitorScan, .removeMonitor, .removeLeftover, .block,
      .rawCommands, .rawDisable, .rawParameters, .rawEnable, .rawStop, .probe:
      follow(outcome, at: now)
    }
  }

  /// The adapter was blocked by rfkill and released: it is off now, and switching it on resets it.
  /// `failure`: why it was not.
  mutating func blocked(_ failure: String?, at now: Instant) {
    guard case .asking(.block, _) = state else { return }
    if failure == nil { setup.blocked() }
    follow(watchdog.blocked(failure, cause: notices.cause), at: now)
  }

  mutating func indexAdded(at now: Instant) {
    guard setup.adapters.current == nil, setup.adapters.question != .list else { return }
    setup.listChanged()
    // A list that is being gone through is gone through again.
    if case .waiting = state { proceed(at: now) }
  }

  mutating func lost(_ index: UInt16, at now: Instant) {
    guard index == setup.adapters.current?.index else {
      setup.listChanged()
      if case .asking(.information(let candidate), _) = state, candidate.index == index { proceed(at: now) }
      return
    }
    let name = name
    setup.lost(&orders)
    watchdog.forgetAdapter()
    isHearing = false
    warn("the Bluetooth adapter \(name) is gone")
    if state != .resting { proceed(at: now) }
  }

  mutating func settingsChanged(_ index: UInt16, _ settings: BluetoothManagement.Settings, at now: Instant) {
    guard index == setup.adapters.current?.index, let isOn = setup.settingsChanged(settings) else { return }
    switch state {
    case .hearing where !isOn, .doubting where !isOn, .pausing where !isOn:
      setup.switchedOffByOthers(at: now)
      isHearing = false
      if setup.raw.isOpen { setup.closeRaw(&orders) }
      proceed(at: now)
    // Another program switched it on: the earlier setup may be gone.
    case .waiting where isOn:
      if setup.monitor.handle == nil { watchdog.forgetScan() } else { watchdog.restartScan() }
      proceed(at: now)
    case .resting, .asking, .waiting, .hearing, .pausing, .doubting: break
    }
  }

  /// Somebody removed our monitor. bluetoothd does so with all of them, handle 0, when it starts.
  mutating func monitorRemoved(_ index: UInt16, _ handle: UInt16, at now: Instant) {
    guard index == setup.adapters.current?.index, let own = setup.monitor.handle, handle == own || handle == 0
    else { return }
    setup.monitorRemoved()
    if isListening { proceed(at: now) }
  }

  // MARK: What the adapter says

  mutating func rawOpened(_ failure: String?, hears: Bool, at now: Instant) {
    guard let failure else {
      return setup.rawOpened(hears: hears) ? ask(.probe, at: now) : proceed(at: now)
    }
    // No way to ask: then the silence alone has to do.
    let wasProbe = setup.rawFailed(failure, hears: hears, &orders)
    wasProbe ? answeredProbe(at: now) : proceed(at: now)
  }

  /// The answer to an HCI command: `bytes` are what follows the status.
  mutating func answered(
    _ opcode: UInt16, status: UInt8, _ bytes: UnsafeRawBufferPointer, at now: Instant
  ) {
    switch setup.overheard(opcode, status: status) {
    case .undecided: break
    case .obeys: obeyed(at: now)
    case .refuses: disobeyed(status, at: now)
    }
    guard case .asking(let question, _) = state, opcode == question.opcode(setup.raw.method) else { return }
    if question == .probe { return answeredProbe(at: now) }
    follow(setup.answered(question, status: status, bytes), at: now)
  }

  /// It obeys the kernel, or something was heard through it.
  private mutating func obeyed(at now: Instant) {
    setup.obeyed(&orders)
    if isCheckingMonitor { proceed(at: now) }
  }

  private mutating func disobeyed(_ status: UInt8, at now: Instant) {
    setup.closeRaw(&orders)
    setup.refuse(.monitor, "the adapter refused the kernel's scan: \(HCI.text(status))")
    watchdog.restartScan()
    // Otherwise the pending answer leads on.
    if isListening || isCheckingMonitor { proceed(at: now) }
  }

  /// An advertisement arrived. This is the busy path: only in doubt there is more to do.
  mutating func heard(isReadable: Bool, at now: Instant) {
    watchdog.heard(isReadable: isReadable, at: now)
    guard isReadable, isUnsure else { return }
    if setup.raw.isChecking { obeyed(at: now) }
    guard watchdog.silence.isDoubtful else { return }
    watchdog.believe()
    if isListening { return hear(at: now) }
    // Given up, and there it is again.
    if case .waiting = state, watchdog.takeProof() { proceed(at: now) }
  }

  // MARK: What is missing

  /// Asks for the one thing that is missing; when nothing is, it hears.
  private mutating func proceed(at now: Instant) {
    let isPausing = cycle.isPausing(at: now)
    guard demand.wantsToHear, !isPausing, watchdog.pending.isEmpty else { return windDown(at: now) }
    let step = setup.next(mustAnswer: watchdog.pending.mustAnswer)
    if setup.channel.isOpen, filter == .asleep { set(.nothing) }
    switch step {
    case .openManagement:
      orders.append(.openManagement)
      wait(Self.retry, at: now)
    case .ask(let question): ask(question, at: now)
    case .switchOn: switchOn(at: now)
    case .openRaw(let hears):
      setup.openRaw(hears: hears, &orders)
      wait(.seconds(1), at: now)
    case .hear: hear(at: now)
    case .blocked(let why): follow(.failed(Self.retry, why), at: now)
    }
  }

  /// Switches off what is on; then what this was for.
  private mutating func windDown(at now: Instant) {
    // An adapter that is to be switched off needs nothing switched off before.
    guard watchdog.pending.powerCycle == .none else {
      if setup.adapters.current != nil, setup.channel.isTrusted { return ask(.connections, at: now) }
      watchdog.cancelPowerCycle()
      return proceed(at: now)
    }
    if let removal = setup.removal { return ask(removal, at: now) }
    if watchdog.pending.restart == .adapter {
      setup.closeRaw(&orders)
      setup.letGo()
    }
    guard watchdog.pending.restart == .none else {
      watchdog.restarted()
      return proceed(at: now)
    }
    rest(at: now)
  }

  private mutating func rest(at now: Instant) {
    isHearing = notices.cause == nil
    if demand.wantsToHear, let until = cycle.pauseEnd {
      state = .pausing(until: until)
      return set(.nothing)
    }
    setup.closeRaw(&orders)
    cycle.reset()
    watchdog.rest()
    state = .resting
    guard demand.isEmpty else { return set(.nothing) }
    // Nothing is heard of adapters that come and go meanwhile.
    set(.asleep)
    setup.letGo()
  }

  private mutating func switchOn(at now: Instant) {
    let offSince = setup.adapters.offSince
    isHearing = false
    if setup.channel.isTrusted, offSince != nil { warn("\(name) was switched off") }
    let outcome = watchdog.switchOn(name, isTrusted: setup.channel.isTrusted, offSince: offSince, at: now)
    if outcome == .ask(.powerOn) { setup.forgiveSwitchOff() }
    follow(outcome, at: now)
  }

  // MARK: Whether it hears

  /// Everything is as it should be.
  private mutating func hear(at now: Instant) {
    state = .hearing
    set(watchdog.silence.isDoubtful ? .everything : .beacons)
    watchdog.listen(isNew: isHearing != true, at: now)
    isHearing = true
    notices.clear()
    cycle.listen(spans, at: now)
    if let text = listening, let line = notices.inform(text) { orders.append(.say(isWarning: false, line)) }
  }

  /// The minute is over, or the burst.
  private mutating func look(at now: Instant) {
    switch watchdog.look(mayCycle: setup.channel.isTrusted, at: now) {
    case .nothing: if cycle.pauseIfDue(spans, at: now) { proceed(at: now) }
    case .doubt:
      set(.everything)
      state = .doubting(until: now + Self.doubt)
    case .hear: hear(at: now)
    case .switchOffAndOn:
      isHearing = false
      setup.closeRaw(&orders)
      warn("\(name) no longer receives anything: switching it off and on")
      proceed(at: now)
    }
  }

  private mutating func answeredProbe(at now: Instant) {
    if !setup.raw.hears { setup.closeRaw(&orders) }
    if watchdog.answeredProbe(at: now) { cycle.reset() }
    proceed(at: now)
  }

  /// No answer in time.
  private mutating func unanswered(_ question: Question, at now: Instant) {
    setup.unanswered(question)
    follow(watchdog.unanswered(question, of: name, cause: notices.cause), at: now)
  }

  /// One step further.
  private mutating func escalate(from step: RecoveryEscalation.Step, _ trouble: String, at now: Instant) {
    isHearing = false
    setup.closeRaw(&orders)
    // That nothing helped stays said.
    if notices.cause?.hasPrefix(trouble) != true { warn(trouble) }
    let (mayCycle, hasOther) = (setup.channel.isTrusted, setup.hasOtherMethod)
    switch watchdog.escalate(from: step, mayCycle: mayCycle, hasOtherMethod: hasOther, at: now) {
    case .proceed: proceed(at: now)
    case .otherMethod:
      setup.refuse(.monitor, "the monitor heard nothing")
      proceed(at: now)
    case .giveUp(let blockFailure):
      let why = blockFailure.map { " (nor may rfkill switch it off: \($0))" } ?? ""
      wait(Self.retry, "\(trouble), and nothing helped\(why): unplug it, or start the board anew", at: now)
    case .wait: wait(Self.retry, at: now)
    }
  }

  // MARK: States and orders

  private mutating func ask(_ question: Question, at now: Instant) {
    state = .asking(question, until: now + question.timeout)
    if let order = order(for: question) { orders.append(order) }
  }

  /// Not now; `proceed` looks again.
  private mutating func wait(_ span: Span, _ cause: String? = nil, at now: Instant) {
    if let cause { warn(cause) }
    state = .waiting(until: now + span)
  }

  private mutating func follow(_ outcome: Outcome, at now: Instant) {
    switch outcome {
    case .proceed: proceed(at: now)
    case .hear: hear(at: now)
    case .ask(let question): ask(question, at: now)
    case .wait(let span, let cause): wait(span, cause, at: now)
    case .failed(let span, let cause):
      isHearing = false
      wait(span, cause, at: now)
    case .escalate(let step, let trouble): escalate(from: step, trouble, at: now)
    }
  }

  private mutating func warn(_ text: String) {
    if let line = notices.warn(text) { orders.append(.say(isWarning: true, line)) }
  }

  private mutating func set(_ filter: BeaconFilter) {
    guard filter != self.filter else { return }
    self.filter = filter
    orders.append(.filter(filter))
  }
}
