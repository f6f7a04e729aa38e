import Timebase

// From nothing to advertisements, and back.
extension BeaconRadio {
  /// A person who switches the adapter off may be about to do something with it.
  static let grace = Span.seconds(5)
  static let minute = Span.minutes(1)
  /// Switching on loads firmware on some adapters.
  static let powerPatience = Span.seconds(15)

  /// Asks for the one thing that is missing; when nothing is, it hears.
  mutating func proceed(at now: Instant) {
    if let until = pauseUntil, until <= now { pauseUntil = nil }
    guard wantsToHear, pauseUntil == nil, !isRestarting, !isCycling else { return windDown(at: now) }
    guard isManaged(at: now), let adapter = readyAdapter(at: now) else { return }
    guard !needsProof else { return probe(adapter, at: now) }
    switch chosenWay {
    case .monitor:
      guard monitor == nil else { return monitored(at: now) }
      if let leftover, leftover.address == adapter.address {
        return manage(.removeLeftover, .removeMonitor, adapter.index, bytes(of: leftover.handle), at: now)
      }
      guard raw.trial != nil || obeyed == adapter.address else { return openTrial(adapter, at: now) }
      manage(.addMonitor, .addMonitor, adapter.index, BluetoothManagement.beaconPattern, at: now)
    case .extended, .legacy: raiseRaw(adapter, at: now)
    case nil: noWay(at: now)
    }
  }

  /// Switches off what is on; then what this was for.
  private mutating func windDown(at now: Instant) {
    // An adapter that is to be switched off needs nothing switched off before.
    if !isCycling, let adapter {
      if let monitor {
        return manage(.removeMonitor, .removeMonitor, adapter.index, bytes(of: monitor), at: now)
      }
      if raw.isOn {
        return send(.rawStop, raw.way == .extended ? 0x2042 : 0x200C, Self.off(raw.way), at: now)
      }
    }
    if isCycling {
      guard let adapter, isTrusted else {
        isCycling = false
        return proceed(at: now)
      }
      return manage(.connections, .getConnections, adapter.index, [], at: now)
    }
    if isReplacing {
      closeRaw()
      (isReplacing, adapter, candidates) = (false, nil, nil)
    }
    if isRestarting {
      isRestarting = false
      return proceed(at: now)
    }
    rest(at: now)
  }

  private func bytes(of handle: UInt16) -> [UInt8] {
    [UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8)]
  }

  private mutating func rest(at now: Instant) {
    isHearing = cause == nil
    if let until = pauseUntil, wantsToHear {
      state = .pausing(until: until)
      set(.nothing)
      return
    }
    closeRaw()
    tick = nil
    phaseEnds = nil
    suspectedUntil = nil
    state = .resting
    guard plan.wanted.isEmpty, !isWatched else { return set(.nothing) }
    // Nothing is heard of adapters that come and go meanwhile.
    set(.asleep)
    (candidates, known, adapter) = (nil, [], nil)
  }

  static func off(_ way: Way) -> [UInt8] { way == .extended ? [0, 0, 0, 0, 0, 0] : [0, 0] }

  // MARK: The adapter

  private mutating func isManaged(at now: Instant) -> Bool {
    if hasManagement != true {
      orders.append(.openManagement)
      state = .waiting(until: now + Self.minute)
      return false
    }
    if filter == .asleep { set(.nothing) }
    if knowsMonitor == nil {
      manage(.commands, .readCommands, BluetoothManagement.noIndex, [], at: now)
      return false
    }
    return true
  }

  mutating func managementOpened(_ failure: String?, isTrusted: Bool, at now: Instant) {
    hasManagement = failure == nil
    self.isTrusted = isTrusted
    guard let failure else { return proceed(at: now) }
    isHearing = false
    wait(Self.minute, failure, at: now)
  }

  /// The adapter, switched on; nil: the next question is on its way.
  private mutating func readyAdapter(at now: Instant) -> Adapter? {
    guard let candidates else {
      manage(.list, .readExtendedIndexList, BluetoothManagement.noIndex, [], at: now)
      return nil
    }
    if let next = candidates.first {
      manage(.information(next), .readInformation, next.index, [], at: now)
      return nil
    }
    if adapter == nil { choose() }
    guard let adapter else {
      isHearing = false
      wait(Self.minute, noAdapter, at: now)
      return nil
    }
    guard adapter.current.contains(.powered) else {
      powerUp(adapter, at: now)
      return nil
    }
    offSince = nil
    // Only with the right to give orders: without it, the scan itself will tell.
    if !adapter.current.contains(.lowEnergy), isTrusted {
      manage(.lowEnergy, .setLowEnergy, adapter.index, [1], at: now)
      return nil
    }
    return adapter
  }

  private mutating func choose() {
    let usable = known.filter { $0.supported.contains(.lowEnergy) }
    if let address = settings.address {
      adapter = usable.first { $0.address == address }
    } else {
      adapter =
        usable.first { $0.address == lastAddress } ?? usable.first { $0.current.contains(.powered) }
        ?? usable.first
    }
    lastAddress = adapter?.address ?? lastAddress
  }

  private var noAdapter: String {
    if let address = settings.address {
      return "no Bluetooth adapter has the address \(BeaconAddress.text(address)) (scanAdapter)"
    }
    return known.isEmpty ? "there is no Bluetooth adapter" : "no Bluetooth adapter here knows Low Energy"
  }

  private mutating func powerUp(_ adapter: Adapter, at now: Instant) {
    isHearing = false
    guard isTrusted else {
      return wait(
        Self.minute, "\(adapter.name) is off, and without CAP_NET_ADMIN it cannot be switched on here",
        at: now)
    }
    if let since = offSince {
      complain("\(adapter.name) was switched off")
      guard now - since >= Self.grace else {
        state = .waiting(until: since + Self.grace)
        return
      }
      guard ladder.mayAct(at: now) else {
        return wait(Self.minute, "\(adapter.name) is switched off again and again", at: now)
      }
      offSince = nil
    }
    manage(.powerOn, .setPowered, adapter.index, [1], patience: Self.powerPatience, at: now)
  }

  // MARK: The way

  var chosenWay: Way? {
    if settings.method != .raw, isTrusted, knowsMonitor == true, refusals[.monitor] == nil { return .monitor }
    guard settings.method != .monitor, mayUseRaw else { return nil }
    if raw.supportsExtended != false, refusals[.extended] == nil { return .extended }
    return refusals[.legacy] == nil ? .legacy : nil
  }

  /// Why it is not the monitor; nil: it is.
  var reason: String? {
    if settings.method == .raw { return "as configured (scanMethod)" }
    if let refusal = refusals[.monitor] { return refusal }
    if !isTrusted { return "without CAP_NET_ADMIN the kernel takes no monitor" }
    return knowsMonitor == false ? "this kernel knows no advertisement monitors" : nil
  }

  private static let rawIsMissing =
    "CAP_NET_RAW is missing (systemctl edit homeward, and there under [Service] the lines"
    + " CapabilityBoundingSet=CAP_NET_RAW and AmbientCapabilities=CAP_NET_RAW)"

  private mutating func noWay(at now: Instant) {
    isHearing = false
    var text = reason ?? "nothing listens"
    if settings.method != .monitor {
      let refusal = refusals[.legacy] ?? refusals[.extended]
      text += "; raw scanning: \(refusal ?? Self.rawIsMissing)"
    }
    // What was refused a minute ago may be granted then.
    refusals = Refusals()
    raw.stage = .unknown
    wait(Self.minute, text, at: now)
  }

  private mutating func raiseRaw(_ adapter: Adapter, at now: Instant) {
    if !raw.isOpen || !raw.hears {
      closeRaw()
      orders.append(.openRaw(adapter.index, hears: true))
      state = .waiting(until: now + .seconds(1))
      return
    }
    guard let chosenWay, raw.supportsExtended != nil else {
      return send(.rawCommands, 0x1002, [], at: now)
    }
    if raw.way != chosenWay { (raw.way, raw.stage) = (chosenWay, .unknown) }
    let isExtended = chosenWay == .extended
    switch raw.stage {
    case .unknown: send(.rawDisable, isExtended ? 0x2042 : 0x200C, Self.off(chosenWay), at: now)
    case .off: send(.rawParameters, isExtended ? 0x2041 : 0x200B, parameters(isExtended), at: now)
    // On, and every repetition is wanted: only they tell that a beacon is still there.
    case .set:
      send(.rawEnable, isExtended ? 0x2042 : 0x200C, isExtended ? [1, 0, 0, 0, 0, 0] : [1, 0], at: now)
    case .on: hear(at: now)
    }
  }

  /// Passive: nobody is asked anything. The window is the duty's share of the interval; units of 0.625 ms.
  private func parameters(_ isExtended: Bool) -> [UInt8] {
    let interval = 160
    let window = min(interval, max(4, interval * duty / 100))
    let times = [interval, window].flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    return isExtended ? [0, 0, 1, 0] + times : [0] + times + [0, 0]
  }

  mutating func rawOpened(_ failure: String?, hears: Bool, at now: Instant) {
    if raw.trial == .opening {
      (raw.isOpen, raw.trial) = (failure == nil, failure == nil ? .open : .blind)
    } else if let failure {
      closeRaw()
      if hears {
        refusals[.extended] = failure
        refusals[.legacy] = failure
      } else {
        // No way to ask: then the silence alone has to do.
        return answeredProbe(at: now)
      }
    } else {
      (raw.isOpen, raw.hears) = (true, hears)
      if !hears { return send(.probe, 0x1001, [], at: now) }
    }
    proceed(at: now)
  }

  mutating func closeRaw() {
    if raw.isOpen { orders.append(.closeRaw) }
    raw = Raw(supportsExtended: raw.supportsExtended)
  }

  // MARK: Questions

  mutating func manage(
    _ question: Question, _ command: BluetoothManagement.Command, _ index: UInt16, _ parameters: [UInt8],
    patience: Span = .seconds(5), at now: Instant
  ) {
    state = .asking(question, until: now + patience)
    orders.append(.manage(command, index, parameters))
  }

  mutating func send(_ question: Question, _ opcode: UInt16, _ parameters: [UInt8], at now: Instant) {
    state = .asking(question, until: now + .seconds(2))
    orders.append(.command(opcode, parameters))
  }
}

extension BeaconRadio.Adapter {
  var name: String { "hci\(index)" }
}
