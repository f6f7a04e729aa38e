import Timebase

/// When what regions wait for is over, as things stand.
extension RegionEngine {
  /// A vehicle that was seen faster than that, metres a second, and not for so long, seconds, has hardly parked: it may
  /// be on a road through the region, out of sight.
  private static let unparked = (speed: 10.0, silence: Span.seconds(10))

  /// When the first hold-down or dwell is over.
  func nextExpiry(rules: Rules) -> Instant? {
    var first: Instant?
    for index in insideNow {
      if let due = due(tracked[index], rules) { first = first.map { min($0, due) } ?? due }
    }
    return first
  }

  /// Nil: it waits for nothing but fixes.
  func due(_ entry: Tracked, _ rules: Rules) -> Instant? {
    if let heldSince = entry.heldSince { return heldSince + rules.holdDown }
    guard let dwellsSince = entry.dwellsSince, let seen else { return nil }
    // Last seen outside, though that is not believed: the next fix says more.
    guard entry.contradicting == 0 else { return nil }
    let due = dwellsSince + entry.dwell
    let isInDoubt = rules.isReceiverResting || seen.speed > Self.unparked.speed
    return isInDoubt && due >= seen.at + Self.unparked.silence ? nil : due
  }
}
