import Timebase

/// The number of messages in memory that no write has taken yet, and whether a write is due.
struct UnwrittenMessages {
  private(set) var count = 0
  /// How many of them are events.
  private(set) var events = 0
  /// A commit came due while another was under way.
  private(set) var isCommitOwed = false

  mutating func add(isEvent: Bool) {
    count += 1
    if isEvent { events += 1 }
  }

  mutating func remove(isEvent: Bool) {
    count -= 1
    if isEvent { events -= 1 }
    releaseAssert(count >= 0 && events >= 0, "more was written than there was")
  }

  /// Resets the counts before a recount.
  mutating func forget() { (count, events) = (0, 0) }

  mutating func oweCommit() { isCommitOwed = true }

  /// A write takes all of them, or the events alone; returns their number.
  mutating func claim(all: Bool) -> Int {
    isCommitOwed = false
    let claimed = all ? count : events
    count -= claimed
    events = 0
    return claimed
  }
}
