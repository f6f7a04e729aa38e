import Timebase

/// Counts of dropped, resent and refused messages, for people.
struct QueueRecord {
  /// Thinned out, since the queue was made.
  private(set) var dropped: Int
  /// Sent again for want of a confirmation, since the start.
  private(set) var resent = 0
  private(set) var refused = 0
  private(set) var lastConfirmed: Instant?

  init(dropped: Int) { self.dropped = dropped }

  mutating func drop(_ count: Int) { dropped += count }
  mutating func resend(_ count: Int = 1) { resent += count }
  mutating func refuse() { refused += 1 }
  mutating func confirmed(at now: Instant) { lastConfirmed = now }
}
