import Timebase

/// How far the radio's watchdog may go, and how often: a radio that cannot be helped is left in peace,
/// because every step disturbs other users of it.
struct BeaconLadder: Hashable {
  enum Rung: Int, Hashable, CaseIterable, Sendable {
    case restartScan
    case powerCycle
    case otherWay
    /// Nothing is left but to tell people.
    case report
  }

  static let most = 4
  static let window = Span.minutes(10)
  /// After so long the trouble is another one.
  static let memory = Span.minutes(60)

  private(set) var rung = Rung.restartScan
  private(set) var taken = 0
  /// Of the last steps, the oldest first.
  private var times: [Instant] = []

  /// The next step, `from` or higher; nil while too many were taken.
  mutating func step(from lowest: Rung, at now: Instant) -> Rung? {
    if let last = times.last, now - last >= Self.memory { rung = .restartScan }
    guard mayAct(at: now) else { return nil }
    let chosen = Rung(rawValue: max(rung.rawValue, lowest.rawValue)) ?? .report
    rung = Rung(rawValue: chosen.rawValue + 1) ?? .report
    return chosen
  }

  /// Whether one more step is allowed; it counts as taken then.
  mutating func mayAct(at now: Instant) -> Bool {
    guard times.count < Self.most || now - times[0] >= Self.window else { return false }
    if times.count == Self.most { times.removeFirst() }
    times.append(now)
    taken += 1
    return true
  }

  /// Somebody was heard: the next trouble begins at the bottom.
  mutating func healed() { rung = .restartScan }
}
