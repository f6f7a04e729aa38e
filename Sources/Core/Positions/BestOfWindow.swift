import Model
import Timebase

/// The most accurate of the fixes from when significant mode owes a location until it is published
/// (`significantWindow`).
///
///     shut ──a location is due──▶ open ──the window is over──▶ shut, and the best fix is published
///                                   └──another location is published──▶ shut
struct BestOfWindow {
  /// Each on its own: Swift 6.3.1 cannot optimise the comparison below where they are parts of one optional.
  private var due: Occasion?
  private var best: Fix?
  /// When the due location is published; nil: none is due.
  private(set) var until: Instant?

  /// A waiting ping gives way to the location of a fix; the deadline stays.
  mutating func begin(
    _ publication: Publication, _ fix: Fix, for span: Span, deadlines: inout Deadlines, at now: Instant
  ) {
    let occasion = Occasion.chosen(publication.trigger, publication.reason)
    guard let before = due else {
      (due, best, until) = (occasion, fix, now + span)
      deadlines[.window] = now + span
      return
    }
    if case .chosen(.ping, _) = before { due = occasion }
  }

  mutating func consider(_ fix: Fix) {
    if let known = best?.accuracy, fix.accuracy <= known { best = fix }
  }

  mutating func end() -> (occasion: Occasion, fix: Fix)? {
    guard let due, let best else { return nil }
    forget()
    return (due, best)
  }

  /// The due location was published.
  mutating func shut(deadlines: inout Deadlines) {
    guard due != nil else { return }
    forget()
    deadlines[.window] = nil
  }

  private mutating func forget() { (due, best, until) = (nil, nil, nil) }
}
