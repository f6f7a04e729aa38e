import Model
import Timebase

/// Messages that the broker did not take for a reason that may pass (not authorised, quota exceeded), and
/// the topics it said so of. They keep their place in the queue; other topics pass them by, and one message
/// at a time asks whether the topic is open again.
///
/// A message that was turned away rests longer than its topic, so that another one asks next: one that is
/// never taken does not hold back the rest of its topic for good.
///
/// All of it outlasts a connection: brokers may end it with each message that they turn away (mosquitto 2.0
/// does where max_queued_messages is 0).
struct HeldTopics {
  static let firstWait = Span.seconds(10)
  /// Between two questions about a topic.
  static let longestWait = Span.minutes(5)
  /// Of one message, beside that of its topic: several that are never taken must not be all that ever asks.
  static let longestRest = Span.minutes(120)
  /// Messages remembered before the rested ones are forgotten, which only makes them ask sooner.
  static let most = 256

  private struct Rest {
    var wait: Span
    var until: Instant

    init(after previous: Rest?, atMost longest: Span, at now: Instant) {
      wait = previous.map { min($0.wait + $0.wait, longest) } ?? HeldTopics.firstWait
      until = now + wait
    }
  }

  private struct Hold {
    var rest: Rest
    /// The one message that is under way to find out.
    var asking: UInt64?
  }

  private var topics: [String: Hold] = [:]
  private var messages: [UInt64: Rest] = [:]
  /// A topic was opened since this was reset.
  var hasOpened = false

  /// Turned away for now; the answer is when something may be sent again.
  mutating func postponed(_ message: Message, at now: Instant) -> Instant {
    var hold = topics[message.topic] ?? Hold(rest: Rest(after: nil, atMost: Self.longestWait, at: now))
    if hold.asking == message.sequence {
      hold = Hold(rest: Rest(after: hold.rest, atMost: Self.longestWait, at: now))
    }
    topics[message.topic] = hold
    var own = Rest(after: messages[message.sequence], atMost: Self.longestRest, at: now)
    own.until = max(own.until, hold.rest.until + own.wait)
    // Those that left the queue meanwhile (thinned, thrown away) are told of by nobody.
    if messages.count >= Self.most { messages = messages.filter { $0.value.until > now } }
    assert(own.until > now && hold.rest.until > now - Self.longestWait, "a rest that is over")
    messages[message.sequence] = own
    return hold.rest.until
  }

  /// The broker has decided about it. Only the one that asked tells of the topic: what was sent before the
  /// topic was closed may be answered at any time.
  mutating func decided(_ message: Message) {
    guard !topics.isEmpty || !messages.isEmpty else { return }
    messages[message.sequence] = nil
    if topics[message.topic]?.asking == message.sequence {
      topics[message.topic] = nil
      hasOpened = true
    }
  }

  /// It came back without any word of the broker.
  mutating func returned(_ message: Message) {
    if topics[message.topic]?.asking == message.sequence { topics[message.topic]?.asking = nil }
  }

  /// Whether it may go now. Where its topic is held, it is then the one that asks: see `asks`.
  func lets(_ message: Message, pass now: Instant) -> Bool {
    guard !topics.isEmpty || !messages.isEmpty else { return true }
    if isResting(message.sequence, at: now) { return false }
    guard let hold = topics[message.topic] else { return true }
    return hold.asking == nil && hold.rest.until <= now
  }

  /// It goes.
  mutating func asks(_ message: Message) {
    if !topics.isEmpty { topics[message.topic]?.asking = message.sequence }
  }

  var isEmpty: Bool { topics.isEmpty }
  var count: Int { topics.count }
  /// Nothing is held, nothing rests.
  var isQuiet: Bool { topics.isEmpty && messages.isEmpty }
  func isHeld(_ topic: String) -> Bool { topics[topic] != nil }
  func isWaitingForAsker(_ topic: String, at now: Instant) -> Bool {
    guard let hold = topics[topic] else { return false }
    return hold.asking == nil && hold.rest.until <= now
  }
  /// Turned away before, and not to ask for now.
  func isResting(_ sequence: UInt64, at now: Instant) -> Bool {
    if let own = messages[sequence] { own.until > now } else { false }
  }

  /// The topics that nothing is taken on for now.
  var names: [String] { topics.keys.sorted() }

  /// When the next of them may be asked for; nil: none waits for a time.
  func next(after now: Instant) -> Instant? {
    let waiting = topics.values.map(\.rest.until) + messages.values.map(\.until)
    return waiting.filter { $0 > now }.min()
  }
}
