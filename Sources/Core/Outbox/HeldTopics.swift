import Model
import Timebase

/// Messages that the broker did not take for a reason that may pass (not authorised, quota exceeded), and
/// their topics. They keep their place in the queue, and other topics pass them. One message at a time, the
/// probe, finds out whether the topic is open again.
///
/// A message that was turned away cools down longer than its topic, so that another is the next probe: one
/// that is never taken does not hold back the rest of its topic for good.
///
/// All of it outlasts a connection: brokers may end it with each message that they turn away (mosquitto 2.0
/// does where max_queued_messages is 0).
struct HeldTopics {
  static let firstWait = Span.seconds(10)
  /// Between two probes of a topic.
  static let longestWait = Span.minutes(5)
  /// Of one message, beside that of its topic: several that are never taken must not be the only probes ever sent.
  static let longestCooldown = Span.minutes(120)
  /// Messages remembered before those whose cooldown is over are forgotten, which only makes them probe sooner.
  static let most = 256

  private struct Cooldown {
    var wait: Span
    var until: Instant

    init(after previous: Cooldown?, atMost longest: Span, at now: Instant) {
      wait = previous.map { min($0.wait + $0.wait, longest) } ?? HeldTopics.firstWait
      until = now + wait
    }
  }

  private struct Hold {
    var cooldown: Cooldown
    /// The one message that is under way to find out whether the topic is open.
    var probe: UInt64?
  }

  private var topics: [String: Hold] = [:]
  private var messages: [UInt64: Cooldown] = [:]
  /// A topic was opened since this was reset.
  var hasOpened = false

  /// Turned away for now; the answer is when something may be sent again.
  mutating func postponed(_ message: Message, at now: Instant) -> Instant {
    var hold =
      topics[message.topic] ?? Hold(cooldown: Cooldown(after: nil, atMost: Self.longestWait, at: now))
    if hold.probe == message.sequence {
      hold = Hold(cooldown: Cooldown(after: hold.cooldown, atMost: Self.longestWait, at: now))
    }
    topics[message.topic] = hold
    var own = Cooldown(after: messages[message.sequence], atMost: Self.longestCooldown, at: now)
    own.until = max(own.until, hold.cooldown.until + own.wait)
    // Those that left the queue meanwhile (thinned, thrown away) are never reported here.
    if messages.count >= Self.most { messages = messages.filter { $0.value.until > now } }
    assert(own.until > now && hold.cooldown.until > now - Self.longestWait, "a cooldown that is over")
    messages[message.sequence] = own
    return hold.cooldown.until
  }

  /// The broker has decided about it. Only the probe tells of the topic: what was sent before the
  /// topic was closed may be answered at any time.
  mutating func decided(_ message: Message) {
    guard !topics.isEmpty || !messages.isEmpty else { return }
    messages[message.sequence] = nil
    if topics[message.topic]?.probe == message.sequence {
      topics[message.topic] = nil
      hasOpened = true
    }
  }

  /// It came back without any word of the broker.
  mutating func returned(_ message: Message) {
    if topics[message.topic]?.probe == message.sequence { topics[message.topic]?.probe = nil }
  }

  /// Whether it may go now. Where its topic is held, it then goes as the probe: see `sent`.
  func maySend(_ message: Message, at now: Instant) -> Bool {
    guard !topics.isEmpty || !messages.isEmpty else { return true }
    if isCoolingDown(message.sequence, at: now) { return false }
    guard let hold = topics[message.topic] else { return true }
    return hold.probe == nil && hold.cooldown.until <= now
  }

  /// It goes, and is the probe of its topic where that is held.
  mutating func sent(_ message: Message) {
    if !topics.isEmpty { topics[message.topic]?.probe = message.sequence }
  }

  var isEmpty: Bool { topics.isEmpty }
  var count: Int { topics.count }
  /// Nothing is held, nothing cools down.
  var isQuiet: Bool { topics.isEmpty && messages.isEmpty }
  func isHeld(_ topic: String) -> Bool { topics[topic] != nil }
  func isWaitingForProbe(_ topic: String, at now: Instant) -> Bool {
    guard let hold = topics[topic] else { return false }
    return hold.probe == nil && hold.cooldown.until <= now
  }
  /// Turned away before, and no probe for now.
  func isCoolingDown(_ sequence: UInt64, at now: Instant) -> Bool {
    if let own = messages[sequence] { own.until > now } else { false }
  }

  /// The topics that nothing is taken on for now.
  var names: [String] { topics.keys.sorted() }

  /// When the next of them may be probed; nil: none waits for a time.
  func next(after now: Instant) -> Instant? {
    let waiting = topics.values.map(\.cooldown.until) + messages.values.map(\.until)
    return waiting.filter { $0 > now }.min()
  }
}
