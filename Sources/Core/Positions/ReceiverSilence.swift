import Timebase

/// Notices a receiver that reports nothing at all, not even that it has no fix, to explain why nothing is published.
/// A receiver that was sent to rest is not silent.
struct ReceiverSilence {
  static let limit = Span.seconds(30)

  /// The last report; before the first one, the start.
  private var last = Instant.zero
  private var isSilent = false

  mutating func start(deadlines: inout Deadlines, at now: Instant) {
    last = now
    deadlines[.receiverSilence] = now + Self.limit
  }

  /// The receiver reported. Returns how long it had been silent; nil: it was not.
  mutating func reported(deadlines: inout Deadlines, at now: Instant) -> Span? {
    let span = isSilent ? now - last : nil
    (last, isSilent) = (now, false)
    // Not moved with every report: it is put off when it falls due.
    if deadlines[.receiverSilence] == nil { deadlines[.receiverSilence] = now + Self.limit }
    return span
  }

  /// The deadline fell due. Nil: the receiver is not silent, or rests.
  mutating func fellDue(isResting: Bool, deadlines: inout Deadlines, at now: Instant) -> Span? {
    if isResting { return nil }
    guard now - last >= Self.limit else {
      deadlines[.receiverSilence] = last + Self.limit
      return nil
    }
    isSilent = true
    return now - last
  }

  /// A look is over, which wakes the board anyway: a receiver that went away while it rested is waited for by nobody
  /// else. Returns how long it has said nothing in this look; nil: it is not silent, or it is known.
  mutating func lookEnded(begun: Instant, at now: Instant) -> Span? {
    let span = now - max(last, begun)
    guard !isSilent, span >= Self.limit else { return nil }
    isSilent = true
    return span
  }
}
