import Model
import Timebase

/// Locations that travel together: they wait until the oldest has waited for `span`, until there is a whole batch of
/// them, or until an event is to go, which must not overtake them.
///
///     none ──a location──▶ waiting ──due, full, an event, a new connection──▶ in flight ──taken──▶ none
///                                                                                └─not taken─▶ closed: one by one
///
/// Where the broker does not take a batch, or says that nobody is there to take it apart, the lane is closed for the
/// rest of the connection, and what was in it goes one by one.
struct BatchLane {
  /// Zero: each goes by itself.
  private(set) var span = Span.zero
  private(set) var isClosed = false
  /// When those that wait go; nil: none does.
  private var due: Instant?

  init() {}

  // MARK: What happens

  mutating func configured(span: Span, deadlines: inout Deadlines, at now: Instant) {
    guard span != self.span else { return }
    self.span = span
    hurry(&deadlines, at: now)
  }

  /// All that wait have waited for long enough.
  mutating func connected(deadlines: inout Deadlines, at now: Instant) {
    isClosed = false
    hurry(&deadlines, at: now)
  }

  /// All that waits is to go with the next look at the queue.
  mutating func hurry(_ deadlines: inout Deadlines, at now: Instant) {
    guard span > .zero else {
      (due, deadlines[.batch]) = (nil, nil)
      return
    }
    due = now
  }

  mutating func close() { isClosed = true }

  /// The queue has been gone through; `isWaiting`: some were left for later.
  mutating func looked(isWaiting: Bool, deadlines: inout Deadlines, at now: Instant) {
    guard isWaiting else {
      (due, deadlines[.batch]) = (nil, nil)
      return
    }
    let next = due.flatMap { $0 > now ? $0 : nil } ?? now + span
    (due, deadlines[.batch]) = (next, next)
  }

  // MARK: Questions

  /// Whether locations wait for each other at all.
  var isOpen: Bool { span > .zero && !isClosed }

  func isDue(at now: Instant) -> Bool { due.map { $0 <= now } ?? false }

  /// Whether the message may travel with others: no event, and acknowledged.
  static func takes(_ message: Message, topic: String?) -> Bool {
    !message.isEvent && message.qos > 0 && message.topic == topic
      && message.payload.count <= BatchLimits.longest
  }
}

extension Configuration {
  /// Zero where each location goes by itself: nobody could take a batch apart, or it would not be acknowledged.
  var batchSpan: Span {
    let canBeTakenApart = transport == .mqtt && messages.encryptionKey.isEmpty && messages.qos > 0
    return canBeTakenApart ? .seconds(Double(queue.batchSeconds)) : .zero
  }
}
