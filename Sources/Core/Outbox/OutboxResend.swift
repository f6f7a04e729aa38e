import Model
import Timebase

/// What was refused for good and is to go once more.
///
///     refused.jsonl ──takeRefused──▶ a file named N ──refusedTaken──▶ queue, from N on ──stored──▶ forgetRefused
///
/// The file is there before the store has the messages, and goes after it: a store that has given N has all of them,
/// because they are events and one batch takes every event that waits. So a start that finds the file knows whether it
/// is still owed, whenever the power went.
extension Outbox {
  /// What may be made between the question and its answer.
  private static let gap: UInt64 = 1 << 20

  /// Nothing else will have a sequence as high before they do.
  var firstOfRefused: UInt64 { nextSequence + Self.gap }

  mutating func takeAgain(_ refused: RefusedMessages, deadlines: inout Deadlines, at now: Instant) {
    releaseAssert(nextSequence <= refused.first, "more was made in a moment than in a year")
    nextSequence = max(nextSequence, refused.first)
    for message in refused.messages {
      releaseAssert(message.isEvent, "one batch takes all events")
      enqueue(message, deadlines: &deadlines, at: now)
    }
    whenDurable(.forgetRefused(first: refused.first))
  }
}
