import Timebase

/// The dialogue that leads from nothing to advertisements: it knows what is set up, says what is missing, and
/// understands the answers. When to ask, and what to do about silence, is `BeaconRadio`'s business.
///
/// ```
///  channel open? ─▶ commands known? ─▶ adapters listed? ─▶ one chosen? ─▶ on? ─▶ Low Energy? ─▶ method?
///                                                                                                │
///       hears ◀── obeyed? ◀── monitor added ◀── adapter seen to obey, or checked ◀── monitor ◀───┤
///       hears ◀── scan on ◀── parameters set ◀── old scan off ◀── raw socket open ◀── raw ◀──────┘
/// ```
struct ScanSetup {
  typealias Question = BeaconRadio.Question
  typealias Order = BeaconRadio.Order

  /// The one thing that is missing.
  enum Step {
    case openManagement
    case ask(Question)
    /// The adapter is off.
    case switchOn
    case openRaw(hears: Bool)
    /// Nothing.
    case hear
    /// Something is missing that cannot be asked for; why.
    case blocked(String)
  }

  private(set) var settings: BeaconRadio.Settings
  /// CAP_NET_RAW is there.
  private(set) var mayUseRaw: Bool
  private(set) var channel = ManagementChannel.closed
  private(set) var adapters = AdapterChoice()
  private(set) var monitor: MonitorRegistration
  private(set) var raw = RawScan()
  private var refusals = ScanMethod.Refusals()

  init(settings: BeaconRadio.Settings, mayUseRaw: Bool, leftover: MonitorRegistration.Record?) {
    (self.settings, self.mayUseRaw) = (settings, mayUseRaw)
    monitor = MonitorRegistration(leftover: leftover)
  }

  // MARK: Questions

  /// Which method is used, and why.
  var choice: ScanMethodChoice {
    ScanMethodChoice(
      settings: settings, channel: channel, mayUseRaw: mayUseRaw, supportsExtended: raw.supportsExtended,
      refusals: refusals)
  }

  /// The method by which it scans now; nil: it does not.
  var method: ScanMethod? {
    if monitor.handle != nil { return .monitor }
    return raw.isOn ? raw.method : nil
  }

  var isObeyed: Bool { monitor.isObeyed(by: adapters.current?.address) }

  /// Whether there is another method than the monitor in use, and it is not ruled out.
  var hasOtherMethod: Bool { monitor.handle != nil && mayUseRaw && settings.method == .auto }

  /// The first removal; nil: nothing is on.
  var removal: Question? {
    guard adapters.current != nil else { return nil }
    if monitor.handle != nil { return .removeMonitor }
    return raw.isOn ? .rawStop : nil
  }

  /// The adapter that `question` is about; nil: none.
  func subject(of question: Question) -> UInt16? {
    if case .information(let candidate) = question { return candidate.index }
    return adapters.current?.index
  }

  /// `mustAnswer`: the adapter has to prove first that it answers at all.
  mutating func next(mustAnswer: Bool) -> Step {
    guard channel.isOpen else { return .openManagement }
    if channel.hasMonitors == nil { return .ask(.commands) }
    if let question = adapters.question { return .ask(question) }
    guard let adapter = adapters.current else { return .blocked(adapters.absence(wanted: settings.address)) }
    guard adapter.isPowered else { return .switchOn }
    adapters.forgiveSwitchOff()
    // Without the right to give orders the scan itself will tell.
    if !adapter.current.contains(.lowEnergy), channel.isTrusted { return .ask(.lowEnergy) }
    if mustAnswer { return .ask(.probe) }
    switch choice.method {
    case .monitor: return nextForMonitor(adapter)
    case .extended: return nextForRaw(.extended)
    case .legacy: return nextForRaw(.legacy)
    case nil:
      let blockedReason = choice.blockedReason
      // Requests refused a minute ago may be granted then.
      refusals = .init()
      raw.forgetStage()
      return .blocked(blockedReason)
    }
  }

  private func nextForMonitor(_ adapter: Adapter) -> Step {
    if monitor.handle != nil {
      if case .checking(let check) = raw.socket, check.hasSocket { return .ask(.monitorScan) }
      // Nothing is to be seen of it, or nothing has to be.
      return .hear
    }
    if monitor.leftover(on: adapter.address) != nil { return .ask(.removeLeftover) }
    return raw.isChecking || isObeyed ? .ask(.addMonitor) : .openRaw(hears: false)
  }

  private mutating func nextForRaw(_ method: ScanMethod) -> Step {
    switch raw.next(method) {
    case .open: .openRaw(hears: true)
    case .ask(let question): .ask(question)
    case .nothing: .hear
    }
  }

  // MARK: Inputs

  mutating func configured(_ settings: BeaconRadio.Settings) {
    self.settings = settings
    refusals = .init()
  }

  /// CAP_NET_RAW was given up for good.
  mutating func rawGivenUp() { mayUseRaw = false }

  mutating func managementOpened(_ isOpen: Bool, isTrusted: Bool) {
    if isOpen { channel.opened(isTrusted: isTrusted) } else { channel.failed() }
  }

  /// The reply of the kernel: `bytes` are what follows the status.
  mutating func replied(
    _ question: Question, status: UInt8, _ bytes: UnsafeRawBufferPointer, _ orders: inout [Order]
  ) -> BeaconRadio.Outcome {
    let isSuccess = status == BluetoothManagement.Status.success
    switch question {
    case .commands:
      channel.answered(hasMonitors: isSuccess && ManagementReply.lists(.addMonitor, in: bytes))
    case .list:
      guard isSuccess else {
        return .wait(BeaconRadio.retry, BluetoothManagement.refusal("list adapters", status))
      }
      adapters.listed(ManagementReply.adapters(bytes), wanted: settings.address)
    case .information(let candidate):
      let adapter = isSuccess ? ManagementReply.adapter(candidate, bytes) : nil
      adapters.described(adapter, wanted: settings.address)
    case .lowEnergy, .powerOn, .powerOff: if isSuccess { switched(bytes) }
    case .addMonitor:
      if isSuccess, bytes.count >= 2 {
        added(bytes, &orders)
      } else {
        let what = "the advertisement monitor was refused"
        refusals[.monitor] = BluetoothManagement.refusal(what, status)
      }
    case .removeMonitor: removed(&orders)
    case .removeLeftover: monitor.leftoverRemoved()
    case .connections, .monitorScan, .block, .rawCommands, .rawDisable, .rawParameters, .rawEnable, .rawStop,
      .probe:
      break
    }
    return .proceed
  }

  /// A reply that is no longer awaited. A monitor that was added after all is used, not forgotten.
  mutating func lateReply(
    _ code: UInt16, _ index: UInt16, status: UInt8, _ bytes: UnsafeRawBufferPointer,
    _ orders: inout [Order]
  ) {
    guard code == BluetoothManagement.Command.addMonitor.rawValue, index == adapters.current?.index,
      status == BluetoothManagement.Status.success, monitor.handle == nil, bytes.count >= 2
    else { return }
    added(bytes, &orders)
  }

  private mutating func switched(_ bytes: UnsafeRawBufferPointer) {
    if bytes.count >= 4 { _ = adapters.changed(.init(rawValue: bytes.word32(at: 0))) }
  }

  private mutating func added(_ bytes: UnsafeRawBufferPointer, _ orders: inout [Order]) {
    guard let address = adapters.current?.address else { return }
    orders.append(.record(monitor.added(bytes.word16(at: 0), on: address)))
  }

  private mutating func removed(_ orders: inout [Order]) {
    monitor.removed()
    if adapters.current != nil { orders.append(.record(nil)) }
  }

  /// The answer of the adapter: `bytes` are what follows the status.
  mutating func answered(
    _ question: Question, status: UInt8, _ bytes: UnsafeRawBufferPointer
  ) -> BeaconRadio.Outcome {
    switch raw.answered(question, status: status, bytes) {
    case .proceed: return .proceed
    case .refused(let method, let why):
      refusals[method] = why
      return .proceed
    case .failed(let why): return .failed(.seconds(10), why)
    }
  }

  /// No answer in time.
  mutating func unanswered(_ question: Question) {
    switch question {
    case .commands, .list, .information: adapters.letGo()
    case .removeLeftover: monitor.leftoverRemoved()
    // A monitor that the kernel could not remove goes with the power.
    case .removeMonitor: monitor.removed()
    case .lowEnergy, .powerOn, .addMonitor, .monitorScan, .rawCommands, .rawDisable, .rawParameters,
      .rawEnable, .rawStop, .connections, .powerOff, .block, .probe:
      break
    }
  }

  // MARK: The raw socket

  mutating func overheard(_ opcode: UInt16, status: UInt8) -> MonitorCheck.Verdict {
    raw.overheard(opcode, status: status)
  }

  /// True: the open question to the adapter can be answered by asking it now.
  mutating func rawOpened(hears: Bool) -> Bool {
    let isForCheck = raw.socket == .checking(.opening)
    raw.opened(hears: hears)
    return !hears && !isForCheck
  }

  /// True: there is no way to ask the adapter whether it answers.
  mutating func rawFailed(_ failure: String, hears: Bool, _ orders: inout [Order]) -> Bool {
    if raw.checkIsBlind() { return false }
    closeRaw(&orders)
    if hears { (refusals[.extended], refusals[.legacy]) = (failure, failure) }
    return !hears
  }

  mutating func openRaw(hears: Bool, _ orders: inout [Order]) {
    closeRaw(&orders)
    if !hears { raw.check() }
    if let index = adapters.current?.index { orders.append(.openRaw(index, hears: hears)) }
  }

  mutating func closeRaw(_ orders: inout [Order]) {
    if raw.close() { orders.append(.closeRaw) }
  }

  /// The adapter obeys the kernel, or something was heard through it.
  mutating func obeyed(_ orders: inout [Order]) {
    monitor.obeyed(by: adapters.current?.address)
    closeRaw(&orders)
  }

  mutating func refuse(_ method: ScanMethod, _ why: String) { refusals[method] = why }

  // MARK: Adapters

  mutating func listChanged() { adapters.unlist() }

  /// The adapter in use was unplugged.
  mutating func lost(_ orders: inout [Order]) {
    // The adapter took it along.
    if monitor.handle != nil { removed(&orders) }
    adapters.lost()
    closeRaw(&orders)
    raw.forgetAdapter()
    refusals = .init()
  }

  /// The answer: whether the adapter is on, where that is new.
  mutating func settingsChanged(_ settings: BluetoothManagement.Settings) -> Bool? {
    adapters.changed(settings)
  }

  mutating func monitorRemoved() { monitor.removed() }
  mutating func switchedOffByOthers(at now: Instant) { adapters.switchedOffByOthers(at: now) }
  mutating func forgiveSwitchOff() { adapters.forgiveSwitchOff() }
  mutating func blocked() { adapters.blocked() }
  mutating func letGo() { adapters.letGo() }
}
