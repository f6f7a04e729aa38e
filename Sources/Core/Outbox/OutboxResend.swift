import Model
import Timebase

/// Sends messages again that were refused for good.
///
///     refused.jsonl ──takeRefused──▶ a file named N ──refusedTaken──▶ queue, from N on ──stored──▶ forgetRefused
///
/// The file is there before the store has the messages, and is removed after it: a store that has assigned N has all
/// of them, because they are events and one batch takes every event that waits. So a start that finds the file knows
/// whether its messages are still to be queued, whenever the power went.
extension Outbox {
  /// Most messages that may be made between the request and its answer.
  private static let gap: UInt64 = 1 << 20

  /// No other message will have a sequence as high before they do.
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
