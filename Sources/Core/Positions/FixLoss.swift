import Timebase

/// Notices that a receiver which was giving fixes has lost its fix, once for each loss (`reportFixLoss`).
///
///     idle ──fixes for 15 s, at most 10 s apart──▶ watching ──20 s without one──▶ lost ──a fix──▶ idle
///
/// So a receiver that reports rarely loses nothing, and one that comes and goes in a city is lost every 45 s at most.
struct FixLoss {
  /// Time without a fix that is a loss.
  static let silence = Span.seconds(20)
  /// How long there were fixes before, and how far apart at most.
  static let run = Span.seconds(15)
  static let stride = Span.seconds(10)
  /// Least time from one reported loss to the next, in move mode and in others: an earlier one waits.
  static let pause = (move: Span.seconds(45), other: Span.minutes(2))

  /// Beginning of the present run of fixes; nil: it has ended in a loss.
  private var began: Instant?
  private var last: Instant?
  private var lastReported: Instant?

  mutating func fixArrived(deadlines: inout Deadlines, at now: Instant) {
    assert(last.map { now >= $0 } ?? true, "a fix came before the one before it")
    let goesOn = last.map { now - $0 <= Self.stride } ?? false
    let since = goesOn ? began ?? now : now
    (began, last) = (since, now)
    // Not moved with every fix: it is put off when it falls due.
    if now - since >= Self.run, deadlines[.fixLoss] == nil { deadlines[.fixLoss] = now + Self.silence }
  }

  /// The deadline fell due. Nil: there is no loss, or it is not to be reported yet.
  mutating func silence(pause: Span, deadlines: inout Deadlines, at now: Instant) -> Span? {
    guard let began, let last, last - began >= Self.run else { return nil }
    var due = last + Self.silence
    if let lastReported { due = max(due, lastReported + pause) }
    guard now >= due else {
      deadlines[.fixLoss] = due
      return nil
    }
    self.began = nil
    return now - last
  }

  mutating func reported(at now: Instant) { lastReported = now }
}
