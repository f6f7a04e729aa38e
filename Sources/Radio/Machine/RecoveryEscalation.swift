import Timebase

/// How far recovery may go, and how often: a radio that cannot be helped is left in peace, because every step
/// disturbs everybody else who uses it.
struct RecoveryEscalation: Hashable {
  enum Step: Int, Hashable, CaseIterable, Sendable {
    case restartScan
    case powerCycle
    case otherMethod
    /// Nothing is left but to tell people.
    case report
  }

  /// Steps within `window`.
  static let limit = 4
  static let window = Span.minutes(10)
  /// After so long without a step the trouble is another one.
  static let memory = Span.minutes(60)

  private var next = Step.restartScan
  /// Since the start.
  private(set) var taken = 0
  /// Of the last steps, the oldest first.
  private var times: [Instant] = []

  /// The next step, `lowest` or further; nil while too many were taken.
  mutating func step(from lowest: Step, at now: Instant) -> Step? {
    if let last = times.last, now - last >= Self.memory { next = .restartScan }
    guard mayAct(at: now) else { return nil }
    let chosen = Step(rawValue: max(next.rawValue, lowest.rawValue)) ?? .report
    next = Step(rawValue: chosen.rawValue + 1) ?? .report
    return chosen
  }

  /// Whether one more step is allowed; it counts as taken then.
  mutating func mayAct(at now: Instant) -> Bool {
    guard times.count < Self.limit || now - times[0] >= Self.window else { return false }
    if times.count == Self.limit { times.removeFirst() }
    times.append(now)
    taken += 1
    return true
  }

  /// Somebody was heard: the next trouble begins with the first step.
  mutating func recovered() { next = .restartScan }
}
