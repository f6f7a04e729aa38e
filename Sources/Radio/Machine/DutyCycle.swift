import Timebase

/// Listening in bursts. The kernel listens for half of the time while it monitors (30 ms of 60), and nobody
/// changes that for others: a smaller duty is made of longer pauses.
///
/// ```
///  steady ── a duty below the kernel's ──▶ burst ── its end ──▶ pause
///    ▲                                       ▲                    │ its end
///    └── another duty, or another method     └────────────────────┘
/// ```
enum DutyCycle: Hashable {
  case steady
  case burst(until: Instant)
  case pause(until: Instant)

  /// Percent.
  static let monitorDuty = 50
  /// Seconds: long enough to meet a beacon that calls once a second.
  static let shortestBurst = 3.0
  /// Seconds, at a duty just below the kernel's.
  static let longestBurst = 12.0

  struct Spans: Hashable {
    var listening: Span
    var resting: Span

    /// Nil: the kernel's own duty is as small.
    init?(duty: Int) {
      guard duty < DutyCycle.monitorDuty else { return nil }
      let share = Double(max(1, duty)) / Double(DutyCycle.monitorDuty)
      let listening = max(DutyCycle.shortestBurst, DutyCycle.longestBurst * share)
      self.listening = .seconds(listening)
      resting = .seconds(listening * (1 - share) / share)
    }
  }

  /// Nil: it listens.
  var pauseEnd: Instant? { if case .pause(let until) = self { until } else { nil } }
  /// Nil: it listens all the time, or not at all.
  var burstEnd: Instant? { if case .burst(let until) = self { until } else { nil } }

  mutating func reset() { self = .steady }

  /// It hears. Nil: it is to do so all the time.
  mutating func listen(_ spans: Spans?, at now: Instant) {
    guard let spans else {
      self = .steady
      return
    }
    if let burstEnd, burstEnd > now { return }
    self = .burst(until: now + spans.listening)
  }

  /// Whether a pause begins.
  mutating func pauseIfDue(_ spans: Spans?, at now: Instant) -> Bool {
    guard let spans, let burstEnd, burstEnd <= now else { return false }
    self = .pause(until: now + spans.resting)
    return true
  }

  /// Whether it pauses still.
  mutating func isPausing(at now: Instant) -> Bool {
    guard let pauseEnd else { return false }
    if pauseEnd <= now { self = .steady }
    return pauseEnd > now
  }
}
