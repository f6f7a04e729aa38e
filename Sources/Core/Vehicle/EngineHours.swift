import Timebase

/// How long the ignition has been on, in all.
struct EngineHours {
  /// On the disk after so long: what a power cut with the ignition on may cost.
  static let checkpoint = Span.seconds(60)

  /// Seconds, up to the moment that was counted last.
  private(set) var seconds: Double
  /// Seconds that the disk should know.
  private(set) var kept: Double
  /// Counted to here; nil: the ignition is off, or not known.
  private var counted: Instant?

  init(_ stored: Double) { (seconds, kept) = (stored, stored) }

  var isRunning: Bool { counted != nil }

  mutating func ignition(_ isOn: Bool?, at now: Instant) {
    count(to: now)
    counted = isOn == true ? now : nil
    kept = seconds
  }

  /// Seconds that the store has counted before.
  mutating func add(_ stored: Double) { (seconds, kept) = (seconds + stored, kept + stored) }

  mutating func count(to now: Instant) {
    guard let before = counted else { return }
    assert(now >= before, "an engine does not run backwards")
    seconds += (now - before).seconds
    counted = now
    if seconds - kept >= Self.checkpoint.seconds { kept = seconds }
  }

  /// Everything in hand goes to the disk; it may go on afterwards.
  mutating func end(at now: Instant) {
    count(to: now)
    kept = seconds
  }
}
