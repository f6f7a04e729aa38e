import Model
import Timebase

/// Ignition and vehicle's battery: the mode follows them, and at the end the board is switched off
/// (D-24, D-73).
///
///     none ──(parked for parkedShutdown, or the battery is empty)──▶ last words ──(all confirmed, or
///      ▲                                                                 │         120 s)──▶ asked
///      └──────────(ignition on, or the battery is charged again)─────────┴────────────────────┘
extension Tracker {
  enum Halting: Hashable {
    case none
    /// What waits is to reach the broker first, as far as that is possible.
    case lastWords(HaltCause)
    case asked(HaltCause)
  }

  /// How long the broker may take to confirm what is left.
  static let lastWordsSpan = Span.seconds(120)
  /// A board that was just started is left to the people who started it, perhaps to mend its settings.
  static let graceSpan = Span.minutes(10)

  /// How often somebody who does not switch the board off is asked again.
  static let askingSpan = Span.minutes(10)

  var vehicleRules: VehiclePower.Rules {
    .init(
      parkedAfter: .seconds(configuration.ignitionDelay), low: configuration.vehicleBatteryLow,
      empty: configuration.vehicleBatteryOff)
  }

  mutating func ignitionChanged(_ isOn: Bool?, at now: Instant) {
    vehicle.line(isOn, at: now)
    journey.ignition = isOn
    vehicleChanged(at: now)
  }

  mutating func vehicleMeasured(_ volts: Double?, at now: Instant) {
    vehicle.measured(volts, rules: vehicleRules, at: now)
    vehicleChanged(at: now)
  }

  /// Arms the deadlines anew; also where a setting of theirs has changed.
  mutating func vehicleChanged(at now: Instant) {
    deadlines[.vehicle] = vehicle.next(rules: vehicleRules)
    if halting == .none { deadlines[.halt] = parkedUntil(at: now) }
  }

  mutating func runVehicleDeadlines(at now: Moment, into effects: inout [Effect]) {
    if deadlines.takeIfDue(.vehicle, at: now.instant) {
      for change in vehicle.changes(rules: vehicleRules, at: now.instant) {
        follow(change, at: now, into: &effects)
      }
      vehicleChanged(at: now.instant)
    }
    if deadlines.takeIfDue(.halt, at: now.instant) { haltIsDue(at: now, into: &effects) }
  }

  private mutating func follow(_ change: VehiclePower.Change, at now: Moment, into effects: inout [Effect]) {
    switch change {
    case .driving:
      endHalt(at: now.instant, into: &effects)
      // Quiet and manual were chosen by somebody who meant it.
      if modes.state.mode == .significant, modes.set(.move) { modeChanged(at: now.instant) }
    case .parked:
      if modes.state.mode == .move, modes.set(.significant) { modeChanged(at: now.instant) }
    case .low:
      if modes.lower() { modeChanged(at: now.instant) }
    case .well: endHalt(at: now.instant, into: &effects)
    // The deadline of the end is armed with the others.
    case .empty: break
    }
  }

  // MARK: The end

  private func parkedUntil(at now: Instant) -> Instant? {
    let isEmpty = vehicle.isEmpty && vehicle.line != true
    let empty = isEmpty ? max(now, started + Self.graceSpan) : nil
    guard configuration.parkedShutdown > 0, let since = vehicle.offSince else { return empty }
    let parked = max(since, started) + .seconds(configuration.parkedShutdown)
    return empty.map { min($0, parked) } ?? parked
  }

  private var haltCause: HaltCause {
    if vehicle.isEmpty, let volts = vehicle.volts { return .batteryLow(volts: volts) }
    return .parked(seconds: Double(configuration.parkedShutdown))
  }

  private mutating func haltIsDue(at now: Moment, into effects: inout [Effect]) {
    switch halting {
    case .none:
      guard let due = parkedUntil(at: now.instant), due <= now.instant else { return }
      halting = .lastWords(haltCause)
      deadlines[.halt] = now.instant + Self.lastWordsSpan
      sayLastPlace(because: .haltingSoon(haltCause), at: now, into: &effects)
    case .lastWords(let cause), .asked(let cause): ask(cause, at: now.instant, into: &effects)
    }
  }

  /// After everything else in a wake-up: once the broker has confirmed all, nothing is waited for.
  mutating func considerHalt(at now: Instant, into effects: inout [Effect]) {
    guard case .lastWords(let cause) = halting, outbox.status.count == 0 else {
      return
    }
    ask(cause, at: now, into: &effects)
  }

  private mutating func ask(_ cause: HaltCause, at now: Instant, into effects: inout [Effect]) {
    guard vehicle.line != true else {
      // Cranked, perhaps: whether somebody drives is known in a moment.
      deadlines[.halt] = now + VehiclePower.starting + VehiclePower.starting
      return
    }
    // Driven, charged, or forbidden by a setting meanwhile.
    guard let due = parkedUntil(at: now), due <= now else { return endHalt(at: now, into: &effects) }
    halting = .asked(cause)
    deadlines[.halt] = now + Self.askingSpan
    effects.append(.halt(cause))
  }

  private mutating func endHalt(at now: Instant, into effects: inout [Effect]) {
    if case .asked = halting { effects.append(.halt(nil)) }
    halting = .none
    deadlines[.halt] = parkedUntil(at: now)
  }

  var vehicleStatus: VehicleStatus {
    .init(
      ignition: vehicle.line, volts: vehicle.volts, isLow: vehicle.isLow, isHalting: halting != .none)
  }
}
