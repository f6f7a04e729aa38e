import Model
import Timebase

/// Puts the positions of a recording on the clock of the replay: the first one with a time is second
/// 0, and from there on the wall clock is trusted.
struct Pace {
  /// Unix seconds up to the year 5138: a receiver that tells another time knows none.
  private static let possible = 0..<1e11

  private var first: WallTime?
  /// Where the replay's clock is.
  private(set) var last = Span.zero

  /// The reading, after a clock line where it is the first. Without a time it happens together with
  /// the one before; where time went back too, since the replay's clock never does.
  mutating func entries(_ reading: Reading, line: Int) -> [TimelineEntry] {
    var entries: [TimelineEntry] = []
    if let time = reading.time, reading.mode >= 2 || reading.isVoid, Self.possible.contains(time.seconds) {
      if let first {
        // A recording that spans more than a year has a broken date in it.
        let since = time - first
        if since > last, since < .seconds(366 * 86_400) { last = since }
      } else {
        first = time
        entries.append(TimelineEntry(at: .zero, what: .clock(time.seconds), line: line))
      }
    }
    guard first != nil else { return [] }
    return entries + [TimelineEntry(at: last, what: .reading(reading), line: line)]
  }
}
