import Model
import Timebase

/// The vehicle's wires: the ignition, and the voltage of the starter battery.
///
/// An engine that is cranked pulls both down for a moment. So nothing counts before it has lasted:
///
///     ignition on  ──1 s──▶ driving        ignition off ──ignitionDelay──▶ parked
///     volts < vehicleBatteryLow ──60 s──▶ low     volts ≥ 5 % above it ──60 s──▶ well
///     volts < vehicleBatteryOff ──60 s──▶ empty
struct VehiclePower {
  struct Rules {
    /// From off to parked.
    var parkedAfter: Span
    /// Volts; 0: never.
    var low: Double
    /// Volts; 0: never.
    var empty: Double
  }

  static let starting = Span.seconds(1)
  static let lasting = Span.seconds(60)
  /// A battery that is charged stands this much above what counts as low. Less would have it swing.
  static let recovery = 1.05

  /// State of the ignition line; nil: there is no line, or no reading yet.
  private(set) var line: Bool?
  private var lineSince = Instant.zero
  /// The ignition, once it has lasted.
  private(set) var isDriving: Bool?

  /// nil: unknown.
  private(set) var volts: Double?
  private(set) var isLow = false
  private(set) var isEmpty = false
  private var belowLowSince: Instant?
  private var aboveLowSince: Instant?
  private var belowEmptySince: Instant?

  enum Change: Hashable {
    case driving, parked, low, well, empty
  }

  mutating func line(_ isOn: Bool?, at now: Instant) {
    guard isOn != line else { return }
    assert(now >= lineSince, "the line has spoken before it did")
    (line, lineSince) = (isOn, now)
    if isOn == nil { isDriving = nil }
  }

  /// Since when the ignition is off.
  var offSince: Instant? { line == false ? lineSince : nil }

  mutating func measured(_ volts: Double?, rules: Rules, at now: Instant) {
    assert(volts.map(\.isFinite) ?? true, "a gauge reports a number or nothing")
    self.volts = volts
    guard let volts else {
      // An unknown voltage proves nothing, either way; least of all that the board is to be switched off.
      (belowLowSince, aboveLowSince, belowEmptySince) = (nil, nil, nil)
      isEmpty = false
      return
    }
    belowLowSince = volts < rules.low ? belowLowSince ?? now : nil
    aboveLowSince = volts >= rules.low * Self.recovery ? aboveLowSince ?? now : nil
    belowEmptySince = volts < rules.empty ? belowEmptySince ?? now : nil
    if volts >= rules.empty { isEmpty = false }
    assert(belowLowSince == nil || aboveLowSince == nil, "low and well at once")
  }

  /// As far above what is low as a battery is that is charged; false where that is unknown.
  func isWell(rules: Rules) -> Bool { !isLow && (volts.map { $0 >= rules.low * Self.recovery } ?? false) }

  /// Changes that have lasted long enough by now.
  mutating func changes(rules: Rules, at now: Instant) -> [Change] {
    var found: [Change] = []
    assert(line != nil || isDriving == nil, "without a line it is not known whether the vehicle is driven")
    if let line, line != isDriving, now >= lineSince + (line ? Self.starting : rules.parkedAfter) {
      isDriving = line
      found.append(line ? .driving : .parked)
    }
    if !isLow, Self.hasLasted(belowLowSince, now) {
      isLow = true
      found.append(.low)
    } else if isLow, Self.hasLasted(aboveLowSince, now) || rules.low == 0 {
      isLow = false
      found.append(.well)
    }
    if !isEmpty, Self.hasLasted(belowEmptySince, now) {
      isEmpty = true
      found.append(.empty)
    }
    return found
  }

  /// When something may have lasted long enough.
  func next(rules: Rules) -> Instant? {
    var due: [Instant] = []
    assert(volts != nil || !isEmpty, "what is unknown is not empty")
    assert(
      volts != nil || (belowLowSince ?? aboveLowSince ?? belowEmptySince) == nil, "an unknown voltage lasts")
    if let line, line != isDriving { due.append(lineSince + (line ? Self.starting : rules.parkedAfter)) }
    if !isLow, let since = belowLowSince { due.append(since + Self.lasting) }
    if isLow, let since = aboveLowSince { due.append(since + Self.lasting) }
    if !isEmpty, let since = belowEmptySince { due.append(since + Self.lasting) }
    return due.min()
  }

  private static func hasLasted(_ since: Instant?, _ now: Instant) -> Bool {
    since.map { now >= $0 + lasting } ?? false
  }
}
