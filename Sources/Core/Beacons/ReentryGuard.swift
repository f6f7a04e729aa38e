import Timebase

/// The condition for entering a beacon's region again soon after leaving it. A vehicle that drives off still
/// hears a stray packet now and then; one that comes back hears several, or ever stronger ones.
struct ReentryGuard {
  /// Three packets within this much listening are no strays: `times` has the two before.
  static let window = Span.seconds(10)
  /// A rise from one packet to the next that fading alone rarely explains, dB ...
  static let rise: Float = 6
  /// ... to no less than this far below the mean strength of the last stay, dB.
  static let nearness: Float = 10

  let leftAt: Instant
  /// Mean strength of the last stay, dBm.
  let stay: Float?
  private var times: (Span?, Span?) = (nil, nil)
  private var before: Float?
  /// Packets of the present burst, for people.
  private(set) var seen = 0

  init(leftAt: Instant, stay: Float?) {
    self.leftAt = leftAt
    self.stay = stay
  }

  /// A packet that is no candidate, too weak or too far away: only the next one is compared with it.
  mutating func note(rssi: Int8?) { before = rssi.map { Float($0) } ?? before }

  /// True: this is no stray.
  mutating func admits(rssi: Int8?, listened: Span) -> Bool {
    assert(times.0 == nil || times.1 != nil, "a packet before the last, and no last")
    assert(times.1.map { listened >= $0 } ?? true, "listening time runs back")
    let isBurst = times.0.map { listened - $0 <= Self.window } ?? false
    seen = 1 + [times.0, times.1].count(where: { $0.map { listened - $0 <= Self.window } ?? false })
    times = (times.1, listened)
    let strength = rssi.map { Float($0) }
    defer { note(rssi: rssi) }
    if isBurst { return true }
    guard let strength, let before, let stay else { return false }
    return strength - before >= Self.rise && strength >= stay - Self.nearness
  }
}
