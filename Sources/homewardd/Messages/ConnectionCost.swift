import Timebase

/// When the kernel is asked what the connections to the server have cost: never more than once in an interval by the
/// connection's own events, so that a fix does not pay for it.
struct ConnectionCost {
  static let interval = Span.seconds(60)

  /// Bytes of connections that nothing is left of.
  var bytesOfEarlier = 0
  var toldAt = Instant.zero

  func isDue(at now: Instant) -> Bool { now - toldAt >= Self.interval }
}
