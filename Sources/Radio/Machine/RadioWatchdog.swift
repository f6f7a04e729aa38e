import Timebase

/// The response to silence and faults: it knows which steps were tried, decides the next one, and leaves the doing
/// to `BeaconRadio`. Every step counts against one budget (`RecoveryEscalation`).
///
/// ```
///  silence ── empty reports, or no answer ──▶ restart the scan ─▶ switch off and on ─▶ other method ─▶ report
///     │                                             ▲ recovered: somebody was heard, from everywhere
///     └── it answers: a quiet place, or a deaf adapter ─▶ restart the scan ─▶ switch off and on, if it was lively
/// ```
struct RadioWatchdog {
  /// The consequence of a look at the radio.
  enum Action: Hashable {
    case nothing
    /// Strangers are let through, for a moment.
    case doubt
    /// An adapter that was heard a moment ago is switched off and on.
    case switchOffAndOn
    case hear
  }

  /// The consequence of a fault.
  enum Remedy: Hashable {
    case proceed
    case otherMethod
    /// Nothing is left; why rfkill did not help either, where it was tried.
    case giveUp(String?)
    /// Too much was tried in too short a time.
    case wait
  }

  /// A person who switches the adapter off may be about to do something with it.
  static let grace = Span.seconds(5)

  private(set) var silence = SilenceWatch()
  private(set) var escalation = RecoveryEscalation()
  private(set) var pending = PendingRecovery()

  // MARK: Silence

  /// An advertisement: the busy path.
  mutating func heard(isReadable: Bool, at now: Instant) { silence.heard(isReadable: isReadable, at: now) }

  mutating func listen(isNew: Bool, at now: Instant) { silence.listen(isNew: isNew, at: now) }
  mutating func rest() { silence.rest() }

  /// Somebody was heard in a doubt.
  mutating func believe() {
    silence.believe()
    escalation.recovered()
  }

  /// A sender was heard when none was expected any more. True: the radio was given up.
  mutating func takeProof() -> Bool {
    defer { pending.answered() }
    return pending.mustAnswer
  }

  mutating func look(mayCycle: Bool, at now: Instant) -> Action {
    switch silence.look(at: now) {
    case .nothing: return .nothing
    case .silence: return .doubt
    case .sender:
      // Whatever was tried before has helped.
      escalation.recovered()
      return .nothing
    case .deafness:
      // An adapter that answers and is deaf looks the same as one that was carried into a quiet place, so a board
      // on the road pays for this too: with one power cycle for each silence, and at most one in ten minutes.
      guard mayCycle, silence.isCycleDue(at: now), escalation.mayAct(at: now) else { return .hear }
      silence.cycled(at: now)
      pending.cyclePower(.forSilence)
      return .switchOffAndOn
    }
  }

  /// It answers: then it is quiet here, or another program has switched our scan off. True: bursts are no way to listen
  /// until a sender is heard.
  mutating func answeredProbe(at now: Instant) -> Bool {
    if takeProof() {
      pending.restartScan()
    } else if silence.isRestartDue(at: now), escalation.mayAct(at: now) {
      pending.restartScan()
      return silence.restarted(at: now)
    }
    return false
  }

  // MARK: Faults

  /// The next step, `lowest` or further. `mayCycle`: it may be switched off; `hasOtherMethod`: there is one left.
  mutating func escalate(
    from lowest: RecoveryEscalation.Step, mayCycle: Bool, hasOtherMethod: Bool, at now: Instant
  ) -> Remedy {
    silence.distrust()
    pending.askForAnswer()
    pending.countAsFault()
    switch escalation.step(from: lowest, at: now) {
    case .restartScan:
      pending.restartScan()
      return .proceed
    case .powerCycle where mayCycle:
      pending.cyclePower(.forFault)
      pending.answered()
      return .proceed
    case .otherMethod where hasOtherMethod:
      pending.restartScan()
      return .otherMethod
    case .powerCycle, .otherMethod, .report: return .giveUp(pending.blockFailure)
    case nil: return .wait
    }
  }

  /// No answer in time to a question about the adapter `name`. `cause`: the known fault.
  mutating func unanswered(
    _ question: BeaconRadio.Question, of name: String, cause: String?
  ) -> BeaconRadio.Outcome {
    switch question {
    case .commands, .list, .information:
      return .failed(.seconds(10), "the kernel does not answer about adapters")
    case .removeLeftover: return .proceed
    // Somebody else's search keeps the kernel from it: the first report, or a later scan, will tell.
    case .monitorScan: return .hear
    case .block: return .escalate(.otherMethod, cause ?? "\(name) does not hear")
    case .powerOff, .connections:
      pending.endPowerCycle()
      pending.restartScan()
      return .proceed
    case .powerOn, .lowEnergy, .addMonitor, .removeMonitor, .rawCommands, .rawDisable, .rawParameters,
      .rawEnable, .rawStop, .probe:
      return .escalate(.powerCycle, "\(name) does not answer")
    }
  }

  /// Not even strangers. A place without any radio is no fault: the adapter has to answer, then all is well.
  func nothingHeard(_ adapter: Adapter?) -> BeaconRadio.Outcome {
    guard let adapter else { return .proceed }
    guard silence.hasOnlyEmptyReports else { return .ask(.probe) }
    return .escalate(.powerCycle, "\(adapter.name) reports only empty advertisements")
  }

  // MARK: The power cycle

  /// It is known whether others are connected by the adapter, and would lose that.
  mutating func connected(_ hasOthers: Bool, _ adapter: Adapter?) -> BeaconRadio.Outcome {
    guard let adapter else { return .proceed }
    let isFaulty = pending.powerCycle != .forSilence
    pending.countAsFault()
    guard hasOthers else { return .ask(.powerOff) }
    pending.endPowerCycle()
    // Nothing but its silence speaks against it.
    guard isFaulty else { return .proceed }
    pending.askForAnswer()
    return .wait(BeaconRadio.retry, "\(adapter.name) does not hear, but others are connected by it")
  }

  /// `adapter`: as it is after the answer.
  mutating func switchedOff(_ isSuccess: Bool, _ adapter: Adapter?, at now: Instant) -> BeaconRadio.Outcome {
    pending.endPowerCycle()
    guard isSuccess else {
      // An adapter that answers nothing cannot even be switched off in good order.
      pending.forgetScan()
      return adapter != nil && escalation.mayAct(at: now) ? .ask(.block) : .wait(BeaconRadio.retry)
    }
    pending.restartScan()
    // The reply comes before the deed.
    return adapter?.isPowered == true ? .wait(.seconds(1)) : .proceed
  }

  /// There is nothing to be switched off, or no right to.
  mutating func cancelPowerCycle() { pending.endPowerCycle() }

  /// It was blocked by rfkill and released: it is off now, and switching it on resets it. `failure`: why not.
  mutating func blocked(_ failure: String?, cause: String?) -> BeaconRadio.Outcome {
    pending.blocked(failure)
    guard failure == nil else { return .escalate(.otherMethod, cause ?? "the adapter does not hear") }
    pending.restartScan()
    return .proceed
  }

  /// The next step for an adapter that is off. `offSince`: another program switched it off then.
  mutating func switchOn(
    _ name: String, isTrusted: Bool, offSince: Instant?, at now: Instant
  ) -> BeaconRadio.Outcome {
    guard isTrusted else {
      let why = "\(name) is off, and without CAP_NET_ADMIN it cannot be switched on here"
      return .wait(BeaconRadio.retry, why)
    }
    guard let offSince else { return .ask(.powerOn) }
    if now - offSince < Self.grace { return .wait(offSince + Self.grace - now) }
    guard escalation.mayAct(at: now) else {
      return .wait(BeaconRadio.retry, "\(name) is switched off again and again")
    }
    return .ask(.powerOn)
  }

  /// The answer to `powerOn` or `lowEnergy`. `isBlocked`: rfkill holds it down.
  mutating func switchedOn(
    _ question: BeaconRadio.Question, _ status: UInt8, of name: String, isBlocked: Bool
  ) -> BeaconRadio.Outcome {
    let isFirstAfterBlock = question == .powerOn && pending.switchedOn()
    if status == BluetoothManagement.Status.success { return .proceed }
    // Kernel 6.12 misses the answer to the first reset after a block that it had to wait for.
    if isFirstAfterBlock { return .failed(.seconds(1)) }
    if status == BluetoothManagement.Status.blocked || isBlocked {
      return .failed(
        BeaconRadio.retry, "\(name) is blocked by rfkill: `rfkill unblock bluetooth` lets it go")
    }
    let what = "\(name): \(question == .powerOn ? "switch on" : "Low Energy")"
    return .failed(BeaconRadio.retry, BluetoothManagement.refusal(what, status))
  }

  // MARK: What is to be done anew

  mutating func restartScan() { pending.restartScan() }
  mutating func forgetScan() { pending.forgetScan() }
  mutating func replaceAdapter() { pending.replaceAdapter() }
  mutating func restarted() { pending.restarted() }

  /// Another adapter has nothing to do with this one.
  mutating func forgetAdapter() {
    pending.forgetAdapter()
    silence.forgetAdapter()
  }
}
