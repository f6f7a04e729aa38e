import Timebase

/// Notices a receiver that says nothing at all, not even that it has no fix, for those who ask why nothing is told. One
/// that was sent to rest is not silent.
struct ReceiverSilence {
  static let limit = Span.seconds(30)

  /// The last report; before the first one, the start.
  private var last = Instant.zero
  private var isSilent = false

  mutating func start(deadlines: inout Deadlines, at now: Instant) {
    last = now
    deadlines[.receiverSilence] = now + Self.limit
  }

  /// It said something. For how long it had not; nil: it was not silent.
  mutating func reported(deadlines: inout Deadlines, at now: Instant) -> Span? {
    let span = isSilent ? now - last : nil
    (last, isSilent) = (now, false)
    // Not moved with every report: it is put off when it runs out.
    if deadlines[.receiverSilence] == nil { deadlines[.receiverSilence] = now + Self.limit }
    return span
  }

  /// The deadline ran out. Nil: it is not silent, or rests.
  mutating func fellDue(isResting: Bool, deadlines: inout Deadlines, at now: Instant) -> Span? {
    if isResting { return nil }
    guard now - last >= Self.limit else {
      deadlines[.receiverSilence] = last + Self.limit
      return nil
    }
    isSilent = true
    return now - last
  }
}
