import Model
import Timebase

/// The most accurate of the fixes from when significant mode owes a location until it is told (`significantWindow`).
///
///     shut ──a location is due──▶ open ──the window is over──▶ shut, and the best fix is told
///                                   └──another location is told──▶ shut
struct BestOfWindow {
  private var due: (occasion: Occasion, best: Fix, until: Instant)?

  /// When what was due is told; nil: nothing is.
  var until: Instant? { due?.until }

  /// A ping that waits gives way to the location of a fix, and changes nothing of the time.
  mutating func begin(
    _ publication: Publication, _ fix: Fix, for span: Span, deadlines: inout Deadlines, at now: Instant
  ) {
    let occasion = Occasion.chosen(publication.trigger, publication.reason)
    guard let before = due else {
      due = (occasion, fix, now + span)
      deadlines[.window] = now + span
      return
    }
    if case .chosen(.ping, _) = before.occasion { due?.occasion = occasion }
  }

  mutating func consider(_ fix: Fix) {
    if let due, fix.accuracy <= due.best.accuracy { self.due?.best = fix }
  }

  mutating func end() -> (occasion: Occasion, fix: Fix)? {
    defer { due = nil }
    return due.map { ($0.occasion, $0.best) }
  }

  /// What was due is told.
  mutating func shut(deadlines: inout Deadlines) {
    guard due != nil else { return }
    due = nil
    deadlines[.window] = nil
  }
}
