import Model
import Timebase

/// A line that is on or off, as it is published: the first state is no change; a change counts once it has lasted.
///
///     unknown ──first seen──▶ on or off ──the other, for its time──▶ off or on      told
///        ▲                        │
///        └────nothing says it─────┘
struct LineWatch {
  /// How long it has to be on, or off.
  let lasting: (on: Span, off: Span)
  /// The state last reported, or seen first.
  private(set) var known: Bool?
  /// The line's state since then, where it differs.
  private var other: (isOn: Bool, since: Instant)?

  init(on: Span, off: Span) { lasting = (on, off) }

  mutating func seen(_ isOn: Bool?, at now: Instant) {
    guard let isOn, let known else {
      (self.known, other) = (isOn, nil)
      return
    }
    if isOn == known {
      other = nil
    } else if other == nil {
      other = (isOn, now)
    }
  }

  /// The new state of the line; nil: no change has lasted.
  mutating func change(at now: Instant) -> Bool? {
    guard let other, let next, now >= next else { return nil }
    assert(other.isOn != known, "a change to what it was")
    (known, self.other) = (other.isOn, nil)
    return other.isOn
  }

  /// When a change will have lasted.
  var next: Instant? { other.map { $0.since + ($0.isOn ? lasting.on : lasting.off) } }
}

/// The vehicle's lines whose changes are published.
struct VehicleLines {
  /// An engine that is cranked takes the ignition away for some seconds.
  var ignition = LineWatch(on: .seconds(1), off: .seconds(5))
  /// Whether something charges the board; the same cranking, and a loose plug.
  var supply = LineWatch(on: .seconds(10), off: .seconds(10))
  /// No wire of the vehicle, and told as they are.
  var battery = LowBattery()

  mutating func changes(at now: Instant) -> [(trigger: Trigger, reason: Reason)] {
    var found: [(trigger: Trigger, reason: Reason)] = []
    if let isOn = ignition.change(at: now) {
      found.append((.ignition(isOn: isOn), .ignitionTurned(isOn: isOn)))
    }
    if let isOn = supply.change(at: now) {
      found.append((.power(isOn: isOn), .supplyTurned(isOn: isOn)))
    }
    if battery.hasFallen(at: now) {
      found.append((.lowBattery, .batteryLow(level: battery.level, limit: battery.limit)))
    }
    return found
  }

  var next: Instant? {
    var first = ignition.next
    for other in [supply.next, battery.next] {
      first = other.map { min($0, first ?? $0) } ?? first
    }
    return first
  }
}
