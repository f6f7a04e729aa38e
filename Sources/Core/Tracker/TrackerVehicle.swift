import Model
import Timebase

/// Ignition and vehicle's battery: the mode follows them, and at the end the board is switched off
/// (docs/behaviour.md, "Ignition and battery of the vehicle").
extension Tracker {
  mutating func ignitionChanged(_ isOn: Bool?, at now: Instant) {
    if isOn != nil { announcement.ignitionFound() }
    if isOn != journey.ignition { announcement.presenceDoubted() }
    journey.ignition = isOn
    journey.engine.ignition(isOn, at: now)
    keepEngineHours(at: now)
    rememberJourney(isUrgent: isOn == false)
    journey.lines.ignition.seen(isOn, at: now)
    supplyChanged(at: now)
    shutDown.line(isOn, rules: layers.rules.shutDown, deadlines: &deadlines, at: now)
  }

  /// They go to the disk while the engine runs, fixes or none.
  mutating func keepEngineHours(at now: Instant) {
    if journey.engine.isRunning { deadlines.arm(.housekeeping, by: now + EngineHours.checkpoint) }
  }

  mutating func vehicleMeasured(_ volts: Double?, at now: Instant) {
    if volts != nil { announcement.voltsFound() }
    supplyChanged(at: now)
    shutDown.measured(volts, rules: layers.rules.shutDown, deadlines: &deadlines, at: now)
  }

  mutating func batteryChanged(_ battery: Battery?, at now: Instant) {
    surroundings.batteryChanged(battery)
    if battery != nil { announcement.batteryFound() }
    shutDown.battery.seen(battery, deadlines: &deadlines, at: now)
    supplyChanged(at: now)
  }

  /// A charging board is supplied by the vehicle, where a vehicle is known.
  private func suppliedBy(_ battery: Battery?) -> Bool? {
    guard announcement.hasIgnition || announcement.hasVolts else { return nil }
    switch battery?.state {
    case .charging, .full: return true
    case .unplugged: return false
    case .unknown, nil: return nil
    }
  }

  mutating func supplyChanged(at now: Instant) {
    journey.lines.supply.seen(suppliedBy(surroundings.battery), at: now)
    journey.lines.battery.seen(surroundings.battery, below: layers.inForce.reports.downgrade, at: now)
    deadlines[.lines] = journey.lines.next
  }

  /// Publishes each changed line with the position.
  private mutating func publishLines(at now: Moment, into effects: inout [Effect]) {
    for (trigger, reason) in journey.lines.changes(at: now.instant) {
      publishOrOwe(.vehicle(trigger, reason), positioning.position, at: now, into: &effects)
    }
    deadlines[.lines] = journey.lines.next
  }

  /// For every location.
  var vehicleWords: VehicleWords {
    VehicleWords(
      ignition: journey.ignition, volts: shutDown.status.volts,
      isMoving: isMovementWanted && journey.movement.isKnown ? journey.movement.isMoving : nil,
      engineSeconds: journey.ignition == nil ? nil : journey.engine.seconds,
      batteryStep: shutDown.battery.step)
  }

  /// Arms the deadlines anew; also where a setting of theirs has changed.
  mutating func vehicleChanged(at now: Instant) {
    shutDown.rearm(rules: layers.rules.shutDown, deadlines: &deadlines, at: now)
  }

  mutating func runVehicleDeadlines(at now: Moment, into effects: inout [Effect]) {
    if deadlines.takeIfDue(.lines, at: now.instant) { publishLines(at: now, into: &effects) }
    if deadlines.takeIfDue(.vehicle, at: now.instant) {
      for change in shutDown.changes(rules: layers.rules.shutDown, at: now.instant) {
        follow(change, at: now, into: &effects)
      }
      vehicleChanged(at: now.instant)
    }
    if deadlines.takeIfDue(.batteryStep, at: now.instant) { batteryStepFellDue(at: now, into: &effects) }
    if deadlines.takeIfDue(.checkIn, at: now.instant) { checkInFellDue(at: now.instant) }
    if deadlines.takeIfDue(.halt, at: now.instant) {
      let order = shutDown.fellDue(rules: layers.rules.shutDown, deadlines: &deadlines, at: now.instant)
      obey(order, at: now, into: &effects)
    }
  }

  private mutating func follow(_ change: VehiclePower.Change, at now: Moment, into effects: inout [Effect]) {
    assert(change != .driving || journey.ignition == true, "driven, and the ignition is not on")
    assert(change != .parked || journey.ignition == false, "parked, and the ignition is not off")
    let before = modes.state.mode
    switch change {
    case .driving:
      callOffHalt(at: now, into: &effects)
      keepOn(.ignition, at: now)
      // Quiet and manual were chosen on purpose.
      if before == .significant, modes.set(.move, isByRule: true) {
        modeChanged(from: before, because: .ignition(isOn: true), at: now)
      }
    case .parked:
      if before == .move, modes.set(.significant, isByRule: true) {
        modeChanged(from: before, because: .ignition(isOn: false), at: now)
      }
    case .low:
      if modes.lower() { modeChanged(from: before, because: .vehicleBatteryLow, at: now) }
    case .well: batteryIsWell(at: now, into: &effects)
    // The deadline of the end is armed with the others.
    case .empty: break
    }
  }

  // MARK: The end

  /// After everything else in a wake-up: once the broker has confirmed all, nothing is waited for.
  mutating func considerHalt(at now: Moment, into effects: inout [Effect]) {
    guard shutDown.isReporting, outbox.pending == 0 else { return }
    let order = shutDown.allConfirmed(rules: layers.rules.shutDown, deadlines: &deadlines, at: now.instant)
    obey(order, at: now, into: &effects)
  }

  /// It ends what was done for want of it; an order was none of that.
  mutating func batteryIsWell(at now: Moment, into effects: inout [Effect]) {
    guard !shutDown.checkIn.isUnderWay, !shutDown.isOrdered else { return }
    callOffHalt(at: now, into: &effects)
  }

  private mutating func callOffHalt(at now: Moment, into effects: inout [Effect]) {
    let order = shutDown.callOff(rules: layers.rules.shutDown, deadlines: &deadlines, at: now.instant)
    assert(!shutDown.isReporting && !shutDown.status.isHalting, "called off, and still under way")
    obey(order, at: now, into: &effects)
  }

  mutating func obey(_ order: ShutDown.Order?, at now: Moment, into effects: inout [Effect]) {
    releaseAssert(order == nil || order == .stayOn || deadlines[.halt] != nil, "asked once and never again")
    switch order {
    case .sayLastPlace(let cause): sayLastPlace(because: .haltingSoon(cause), at: now, into: &effects)
    case .switchOff(let cause): fallAsleep(because: cause, at: now, into: &effects)
    case .stayOn:
      stayAwake()
      effects.append(.halt(nil))
    case nil: break
    }
  }
}
