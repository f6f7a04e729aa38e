import Model
import Timebase

/// When the board is switched off: after a long parking, because a battery runs down, or by an order.
///
///     none ──(parked for parkedShutdown, the battery is empty, ordered)──▶ reporting ──(all confirmed, or
///      ▲                                                                      │         120 s)──▶ asked
///      └────────────(ignition on, or the battery is charged again)────────────┴────────────────────┘
struct ShutDown {
  struct Rules {
    var vehicle: VehiclePower.Rules
    /// Seconds of parking; 0: however long.
    var parkedShutdown: Int
  }

  enum Order: Hashable {
    /// Queued messages are to reach the broker first, as far as that is possible.
    case sayLastPlace(HaltCause)
    case switchOff(HaltCause)
    /// The request is withdrawn.
    case stayOn
  }

  private enum State: Hashable {
    case none
    case reporting(HaltCause)
    case asked(HaltCause)
  }

  /// How long the broker may take to confirm what is left.
  static let reportingSpan = Span.seconds(120)
  /// A board that was just started is left to the people who started it, perhaps to repair its settings.
  static let graceSpan = Span.minutes(10)
  /// How often somebody who does not switch the board off is asked again.
  static let askingSpan = Span.minutes(10)

  private var vehicle = VehiclePower()
  private var state = State.none
  private var started = Instant.zero
  /// How far a battery that runs down has made the board step down.
  var battery = BatteryWatch()
  /// Of a board that has woken by itself.
  var checkIn = CheckIn(nil, place: nil)
  /// It is not switched off before this, though it is parked: something has kept it on.
  private var keptOnUntil = Instant.zero
  /// Somebody calls for help: only an empty battery ends that.
  private var isHelpWanted = false

  // MARK: Input

  mutating func start(at now: Instant) {
    assert(state == .none, "an end that began before the start")
    started = now
  }

  /// Something keeps on a board that had woken to check in: as if it had been switched on now, and for so long at least.
  mutating func startAnew(keptOnFor span: Span, rules: Rules, deadlines: inout Deadlines, at now: Instant) {
    assert(now >= started, "started anew before the start")
    (state, started, keptOnUntil) = (.none, now, now + span)
    battery.checksIn(false, deadlines: &deadlines)
    rearm(rules: rules, deadlines: &deadlines, at: now)
  }

  /// Somebody calls for help, or no longer does.
  @discardableResult
  mutating func helpIsWanted(
    _ isWanted: Bool, rules: Rules, deadlines: inout Deadlines, at now: Instant
  ) -> Order? {
    isHelpWanted = isWanted
    if isWanted, state != .none, !isBatteryEmpty {
      return callOff(rules: rules, deadlines: &deadlines, at: now)
    }
    rearm(rules: rules, deadlines: &deadlines, at: now)
    return nil
  }

  /// Somebody has ordered it.
  mutating func park(deadlines: inout Deadlines, at now: Instant) -> Order {
    assert(state == .none && vehicle.line != true, "ordered twice, or while somebody drives")
    state = .reporting(.ordered)
    deadlines[.halt] = now + Self.reportingSpan
    return .sayLastPlace(.ordered)
  }

  /// The check-in that the board was woken for is over.
  mutating func end(_ cause: HaltCause, deadlines: inout Deadlines, at now: Instant) -> Order {
    state = .asked(cause)
    deadlines[.halt] = now + Self.askingSpan
    return .switchOff(cause)
  }

  mutating func line(_ isOn: Bool?, rules: Rules, deadlines: inout Deadlines, at now: Instant) {
    vehicle.line(isOn, at: now)
    battery.ignition(isOn, deadlines: &deadlines, at: now)
    rearm(rules: rules, deadlines: &deadlines, at: now)
  }

  mutating func measured(_ volts: Double?, rules: Rules, deadlines: inout Deadlines, at now: Instant) {
    vehicle.measured(volts, rules: rules.vehicle, at: now)
    battery.measured(volts, deadlines: &deadlines, at: now)
    rearm(rules: rules, deadlines: &deadlines, at: now)
  }

  /// Arms the deadlines anew; also where a setting of theirs has changed.
  mutating func rearm(rules: Rules, deadlines: inout Deadlines, at now: Instant) {
    deadlines[.vehicle] = vehicle.next(rules: rules.vehicle)
    if state == .none { deadlines[.halt] = parkedUntil(rules, at: now) }
    assert(state == .none || deadlines[.halt] != nil, "an end that has begun is waited for")
  }

  /// Changes that have lasted long enough by now; `rearm` comes after it.
  mutating func changes(rules: Rules, at now: Instant) -> [VehiclePower.Change] {
    vehicle.changes(rules: rules.vehicle, at: now)
  }

  /// The deadline `halt` has passed.
  mutating func fellDue(rules: Rules, deadlines: inout Deadlines, at now: Instant) -> Order? {
    switch state {
    case .none:
      guard let due = parkedUntil(rules, at: now), due <= now else { return nil }
      assert(now >= started, "parked before the start")
      let cause = cause(rules)
      state = .reporting(cause)
      deadlines[.halt] = now + Self.reportingSpan
      return .sayLastPlace(cause)
    case .reporting, .asked: return ask(rules, deadlines: &deadlines, at: now)
    }
  }

  /// The broker has confirmed everything: nothing else is waited for.
  mutating func allConfirmed(rules: Rules, deadlines: inout Deadlines, at now: Instant) -> Order? {
    isReporting ? ask(rules, deadlines: &deadlines, at: now) : nil
  }

  /// Somebody drives, or the battery is well again.
  mutating func callOff(rules: Rules, deadlines: inout Deadlines, at now: Instant) -> Order? {
    let wasAsked = isAsked
    assert(now >= started, "called off before the start")
    state = .none
    deadlines[.halt] = parkedUntil(rules, at: now)
    return wasAsked ? .stayOn : nil
  }

  /// Adapters told another tracker of this process, and tell nothing twice. An end that it had begun is
  /// judged anew.
  mutating func goOn(from earlier: ShutDown, deadlines: inout Deadlines, at now: Instant) {
    vehicle = earlier.vehicle
    battery.goOn(from: earlier.battery, deadlines: &deadlines, at: now)
  }

  private mutating func ask(_ rules: Rules, deadlines: inout Deadlines, at now: Instant) -> Order? {
    assert(state != .none, "the last reports come first")
    guard vehicle.line != true else {
      // Cranked, perhaps: whether somebody drives is known in a moment.
      deadlines[.halt] = now + VehiclePower.starting + VehiclePower.starting
      return nil
    }
    switch state {
    case .asked(.checkedIn), .asked(.ordered), .reporting(.ordered):
      return again(deadlines: &deadlines, at: now)
    case .none, .reporting, .asked: break
    }
    // Driven, charged, or forbidden by a setting meanwhile.
    guard let due = parkedUntil(rules, at: now), due <= now else {
      return callOff(rules: rules, deadlines: &deadlines, at: now)
    }
    // Of two that there were, one may have gone.
    let cause = cause(rules)
    state = .asked(cause)
    deadlines[.halt] = now + Self.askingSpan
    return .switchOff(cause)
  }

  /// No parking and no voltage has to last for it.
  private mutating func again(deadlines: inout Deadlines, at now: Instant) -> Order? {
    switch state {
    case .none: return nil
    case .reporting(let cause), .asked(let cause):
      state = .asked(cause)
      deadlines[.halt] = now + Self.askingSpan
      return .switchOff(cause)
    }
  }

  // MARK: Questions

  /// Only the broker's word is still waited for.
  var isReporting: Bool { if case .reporting = state { true } else { false } }

  /// Somebody was asked to switch the board off.
  var isAsked: Bool { if case .asked = state { true } else { false } }

  /// It is to be switched off because somebody has ordered it.
  var isOrdered: Bool { state == .reporting(.ordered) || state == .asked(.ordered) }

  var isVehicleLow: Bool { vehicle.isLow }

  /// Why the program ends, if it does so now.
  var departure: Departure {
    switch state {
    case .asked(.parked), .asked(.ordered): .parked
    case .asked(.checkedIn): checkIn.sleep?.isBatteryLow == true ? .batteryLow : .parked
    case .asked(.batteryLow), .asked(.batteryStep): .batteryLow
    case .none, .reporting: .stopped
    }
  }

  func isVehicleWell(rules: Rules) -> Bool { vehicle.isWell(rules: rules.vehicle) }

  var status: VehicleStatus {
    .init(
      ignition: vehicle.line, volts: vehicle.volts, isLow: vehicle.isLow, isHalting: state != .none,
      isCheckingIn: checkIn.isUnderWay)
  }

  /// First violated invariant, or nil.
  func inconsistency(_ deadlines: Deadlines) -> String? {
    state != .none && deadlines[.halt] == nil ? "\(state), and nothing is waited for" : nil
  }

  /// A check-in ends by itself, however short a parking may be.
  private func parkedUntil(_ rules: Rules, at now: Instant) -> Instant? {
    if checkIn.isUnderWay { return nil }
    let isEmpty = (isBatteryEmpty || (battery.haltCause != nil && !isHelpWanted)) && vehicle.line != true
    let empty = isEmpty ? max(now, started + Self.graceSpan) : nil
    guard rules.parkedShutdown > 0, !isHelpWanted, let since = vehicle.offSince else { return empty }
    let parked = max(max(since, started) + .seconds(rules.parkedShutdown), keptOnUntil)
    assert(parked > since, "parked for no time")
    return empty.map { min($0, parked) } ?? parked
  }

  /// Nothing keeps the board on then, but the ignition.
  private var isBatteryEmpty: Bool {
    vehicle.isEmpty || (battery.step == .off && battery.haltCause != nil)
  }

  private func cause(_ rules: Rules) -> HaltCause {
    if vehicle.isEmpty, let volts = vehicle.volts { return .batteryLow(volts: volts) }
    if let cause = battery.haltCause { return cause }
    return .parked(seconds: Double(rules.parkedShutdown))
  }
}
