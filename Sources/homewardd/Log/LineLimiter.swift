import Core
import Timebase

/// How often the same matter is worth a line in the journal, and how many lines others can cause.
struct LineLimiter {
  /// Forbidden commands sent all day do not fill the journal.
  static let lineGap = Span.seconds(10)

  private var nextLine: [String: Instant] = [:]
  private var budget = LineBudget()
  private var narration = Narration()

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

  /// What the tracker has noted; nil: that has no line, or not now.
  mutating func line(about entry: Journal.Entry, at now: Instant) -> String? {
    narration.line(about: entry, at: now)
  }

  /// Counts as said where it is true.
  mutating func isTime(for matter: String, at now: Instant, gap: Span = LineLimiter.lineGap) -> Bool {
    if let next = nextLine[matter], now < next { return false }
    nextLine[matter] = now + gap
    return true
  }
}
