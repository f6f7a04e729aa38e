import Timebase

// What the kernel and the adapter say.
extension BeaconRadio {
  private typealias Status = BluetoothManagement.Status

  // MARK: The management channel

  /// The reply to a command: `bytes` are what follows the status.
  mutating func replied(
    _ code: UInt16, _ index: UInt16, status: UInt8, _ bytes: UnsafeRawBufferPointer, at now: Instant
  ) {
    guard case .asking(let question, _) = state, Self.command(of: question)?.rawValue == code,
      index == BluetoothManagement.noIndex || index == subject(of: question)
    else { return lateReply(code, index, status: status, bytes) }
    if status == Status.busy { return wait(.seconds(1), nil, at: now) }
    if status == Status.invalidIndex { return lost(index, at: now) }
    switch question {
    case .commands:
      knowsMonitor = status == Status.success && Self.lists(bytes, .addMonitor)
    case .list:
      guard status == Status.success else {
        return wait(Self.minute, refusal("list adapters", status), at: now)
      }
      candidates = Self.list(bytes)
      known = []
    case .information(let candidate):
      candidates?.removeFirst()
      if status == Status.success, let adapter = Adapter(candidate, bytes) { known.append(adapter) }
    case .lowEnergy, .powerOn, .powerOff:
      switched(question, status, bytes, at: now)
      return
    case .addMonitor:
      if status == Status.success, bytes.count >= 2 {
        monitor = bytes.word16(at: 0)
        noteMonitor()
      } else {
        refusals[.monitor] = "the advertisement monitor was refused: \(Status.text(status))"
      }
    case .removeMonitor:
      monitor = nil
      noteMonitor()
    // Whatever the answer: it is gone.
    case .removeLeftover: leftover = nil
    case .connections:
      connected(status == Status.success && bytes.count >= 2 && bytes.word16(at: 0) > 0, at: now)
      return
    case .monitorScan, .block, .rawCommands, .rawDisable, .rawParameters, .rawEnable, .rawStop, .probe: break
    }
    proceed(at: now)
  }

  private mutating func switched(
    _ question: Question, _ status: UInt8, _ bytes: UnsafeRawBufferPointer, at now: Instant
  ) {
    if status == Status.success, bytes.count >= 4 {
      adapter?.current = .init(rawValue: bytes.word32(at: 0))
    }
    if question == .powerOff {
      isCycling = false
      // Another adapter that the configuration names is taken in any case.
      isRestarting = status == Status.success || isReplacing
      // An adapter that answers nothing cannot even be switched off in good order.
      guard status == Status.success else { return block(at: now) }
      // The reply comes before the deed.
      return adapter?.current.contains(.powered) == true ? wait(.seconds(1), nil, at: now) : proceed(at: now)
    }
    let isFirstAfterBlock = question == .powerOn && wasBlocked
    if isFirstAfterBlock { wasBlocked = false }
    if status == Status.success { return proceed(at: now) }
    isHearing = false
    // Kernel 6.12 misses the answer to the first reset after a block that it had to wait for.
    if isFirstAfterBlock { return wait(.seconds(1), nil, at: now) }
    let name = adapter?.name ?? "the adapter"
    if status == Status.blocked || adapter.map({ isBlocked($0.index) }) == true {
      return wait(
        Self.minute, "\(name) is blocked by rfkill: `rfkill unblock bluetooth` lets it go", at: now)
    }
    wait(
      Self.minute, "\(name): " + refusal(question == .powerOn ? "switch on" : "Low Energy", status), at: now)
  }

  private mutating func block(at now: Instant) {
    guard let adapter, ladder.mayAct(at: now) else { return wait(Self.minute, nil, at: now) }
    ask(.block, patience: Self.powerPatience, at: now)
    orders.append(.block(adapter.index))
  }

  /// The adapter was blocked by rfkill and let go: it is off now, and switching it on resets it.
  /// `failure`: why it was not.
  mutating func blocked(_ failure: String?, at now: Instant) {
    guard case .asking(.block, _) = state else { return }
    blockFailure = failure
    guard failure == nil else {
      return climb(from: .otherWay, cause ?? "the adapter does not hear", at: now)
    }
    adapter?.current.remove(.powered)
    (isRestarting, wasBlocked) = (true, true)
    proceed(at: now)
  }

  private func refusal(_ what: String, _ status: UInt8) -> String { "\(what): \(Status.text(status))" }

  /// The answer to something that was given up. A monitor that was made after all is used, not forgotten.
  private mutating func lateReply(
    _ code: UInt16, _ index: UInt16, status: UInt8, _ bytes: UnsafeRawBufferPointer
  ) {
    guard code == BluetoothManagement.Command.addMonitor.rawValue, status == Status.success,
      index == adapter?.index, monitor == nil, bytes.count >= 2
    else { return }
    monitor = bytes.word16(at: 0)
    noteMonitor()
  }

  private mutating func noteMonitor() {
    guard let adapter else { return }
    orders.append(.note(monitor.map { Monitor(address: adapter.address, handle: $0) }))
  }

  static func command(of question: Question) -> BluetoothManagement.Command? {
    switch question {
    case .commands: .readCommands
    case .list: .readExtendedIndexList
    case .information: .readInformation
    case .lowEnergy: .setLowEnergy
    case .powerOn, .powerOff: .setPowered
    case .addMonitor: .addMonitor
    case .removeMonitor, .removeLeftover: .removeMonitor
    case .connections: .getConnections
    case .monitorScan, .block, .rawCommands, .rawDisable, .rawParameters, .rawEnable, .rawStop, .probe: nil
    }
  }

  private func subject(of question: Question) -> UInt16? {
    if case .information(let candidate) = question { return candidate.index }
    return adapter?.index
  }

  private static func lists(_ bytes: UnsafeRawBufferPointer, _ command: BluetoothManagement.Command) -> Bool {
    guard bytes.count >= 4 else { return false }
    let count = min(Int(bytes.word16(at: 0)), (bytes.count - 4) / 2)
    return (0..<count).contains { bytes.word16(at: 4 + 2 * $0) == command.rawValue }
  }

  /// Configured adapters; the others cannot be used.
  private static func list(_ bytes: UnsafeRawBufferPointer) -> [Candidate] {
    guard bytes.count >= 2 else { return [] }
    let count = min(Int(bytes.word16(at: 0)), (bytes.count - 2) / 4)
    return (0..<count).compactMap { place in
      let start = 2 + 4 * place
      return bytes[start + 2] == 0 ? Candidate(index: bytes.word16(at: start), bus: bytes[start + 3]) : nil
    }.sorted { $0.index < $1.index }
  }

  // MARK: What happens to adapters

  mutating func indexAdded(at now: Instant) {
    guard adapter == nil, candidates != nil else { return }
    candidates = nil
    // A list that is being gone through is gone through again.
    if case .waiting = state { proceed(at: now) }
  }

  mutating func lost(_ index: UInt16, at now: Instant) {
    guard index == adapter?.index else {
      candidates = nil
      if case .asking(.information(let candidate), _) = state, candidate.index == index { proceed(at: now) }
      return
    }
    let name = adapter?.name ?? ""
    // The adapter took it along.
    if monitor != nil { orders.append(.note(nil)) }
    (adapter, monitor, candidates, offSince) = (nil, nil, nil, nil)
    (needsProof, isRestarting, isCycling, isReplacing, isDoubtful) = (false, false, false, false, false)
    (suspectedUntil, isSuspect) = (nil, false)
    closeRaw()
    raw.supportsExtended = nil
    refusals = Refusals()
    isHearing = false
    complain("the Bluetooth adapter \(name) is gone")
    if state != .resting { proceed(at: now) }
  }

  mutating func settingsChanged(_ index: UInt16, _ settings: BluetoothManagement.Settings, at now: Instant) {
    guard index == adapter?.index else { return }
    let wasOn = adapter?.current.contains(.powered) ?? false
    adapter?.current = settings
    guard wasOn != settings.contains(.powered) else { return }
    switch (settings.contains(.powered), state) {
    case (false, .hearing), (false, .doubting), (false, .pausing):
      offSince = now
      isHearing = false
      if raw.isOpen { closeRaw() }
      proceed(at: now)
    // Somebody switched it on: what was set up before may be gone.
    case (true, .waiting):
      isRestarting = monitor != nil || isReplacing
      proceed(at: now)
    default: break
    }
  }

  /// Somebody took our monitor away. bluetoothd does so with all of them, handle 0, when it starts.
  mutating func monitorRemoved(_ index: UInt16, _ handle: UInt16, at now: Instant) {
    guard index == adapter?.index, monitor != nil, handle == monitor || handle == 0 else { return }
    monitor = nil
    switch state {
    case .hearing, .doubting: proceed(at: now)
    case .resting, .asking, .waiting, .pausing: break
    }
  }

  // MARK: The adapter itself

  /// The answer to an HCI command: `bytes` are what follows the status.
  mutating func answered(
    _ opcode: UInt16, status: UInt8, _ bytes: UnsafeRawBufferPointer, at now: Instant
  ) {
    if raw.trial != nil { judge(opcode, status, at: now) }
    guard case .asking(let question, _) = state, opcode == code(of: question) else { return }
    let isRefused = status == 0x01 || status == 0x0C
    switch question {
    case .rawCommands:
      // Octet 37, bits 5 and 6: extended scan parameters and enable.
      raw.supportsExtended = status == 0 && bytes.count > 37 && bytes[37] & 0x60 == 0x60
    case .rawDisable:
      // Disallowed: there was nothing to switch off.
      if status == 0 || status == 0x0C { raw.stage = .off } else { refuse(raw.way, status) }
    case .rawParameters, .rawEnable:
      if status == 0 {
        raw.stage = question == .rawEnable ? .on : .set
      } else if isRefused {
        refuse(raw.way, status)
      } else {
        isHearing = false
        return wait(.seconds(10), "scanning: HCI status 0x\(String(status, radix: 16))", at: now)
      }
    case .rawStop: raw.stage = .unknown
    case .probe:
      return answeredProbe(at: now)
    default: break
    }
    proceed(at: now)
  }

  private mutating func refuse(_ way: Way, _ status: UInt8) {
    refusals[way] = "\(way.words) scanning was refused: HCI status 0x\(String(status, radix: 16))"
    raw.stage = .unknown
  }

  private func code(of question: Question) -> UInt16? {
    let isExtended = raw.way == .extended
    return switch question {
    case .rawCommands: 0x1002
    case .rawParameters: isExtended ? 0x2041 : 0x200B
    case .rawDisable, .rawEnable, .rawStop: isExtended ? 0x2042 : 0x200C
    case .probe: 0x1001
    default: nil
    }
  }
}

extension BeaconRadio.Way {
  var words: String {
    switch self {
    case .monitor: "advertisement monitor"
    case .extended: "raw extended"
    case .legacy: "raw legacy"
    }
  }
}

extension BeaconRadio.Adapter {
  /// Address, version, manufacturer (2), supported (4) and current (4) settings, and names.
  fileprivate init?(_ candidate: BeaconRadio.Candidate, _ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= 17 else { return nil }
    self.init(
      index: candidate.index, address: bytes.address(at: 0), bus: candidate.bus,
      supported: .init(rawValue: bytes.word32(at: 9)), current: .init(rawValue: bytes.word32(at: 13)))
  }
}
