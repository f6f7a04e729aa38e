import Core
import OwnTracks
import Timebase

/// What the broker delivers to us, counted, and how often a bad message is worth a line in the journal.
struct Traffic {
  /// Rubbish or forbidden commands sent all day do not fill the journal.
  static let lineGap = Span.seconds(10)

  private(set) var received = 0
  private(set) var malformed = 0
  /// Topic and reason of the last one.
  private(set) var lastMalformed: String?
  var nextPressure = Instant.zero
  private var nextLine: [String: Instant] = [:]
  private var budget = LineBudget()

  mutating func count() { received += 1 }

  /// The line for the journal; nil: the last one is too recent. `status` shows the newest all the same.
  mutating func complain(_ text: String, at now: Instant) -> String? {
    malformed += 1
    lastMalformed = text
    return isTime(for: "malformed", at: now) ? "message from the broker is malformed: \(text)" : nil
  }

  /// Refused commands and settings that were taken back are no everyday matter.
  mutating func isWorthALine(_ reason: Reason, at now: Instant) -> Bool {
    switch reason {
    case .configurationRolledBack: true
    case .commandRefused(let action, let refusal): isTime(for: "\(action) \(refusal.rawValue)", at: now)
    case _: false
    }
  }

  /// `text` as it may be said now, with how many were not; nil: the minute's lines are used up.
  mutating func line(_ text: String, of cause: LineBudget.Cause, at now: Instant) -> String? {
    budget.take(text, of: cause, at: now)
  }

  mutating func isTime(for matter: String, at now: Instant, gap: Span = Traffic.lineGap) -> Bool {
    if let next = nextLine[matter], now < next { return false }
    nextLine[matter] = now + gap
    return true
  }
}
