import Model
import Timebase

/// Messages that the broker did not take for a reason that may pass (not authorised, quota exceeded, connections end
/// over them), and their topics. They keep their place in the queue, and other topics pass them.
///
/// Newer messages of such a topic wait. After a while the oldest is tried again, alone; if it is taken, two may be in
/// flight, and one more with each that is taken:
///
///     open ─turned away─▶ closed, 10 s ─the oldest is taken─▶ opening, 2 3 4 … 32 at once ─▶ open
///                           │    ▲  ▲                              │
///                           └────┘  └─────────turned away──────────┘
///                       turned away: twice as long
///
/// A message that is never taken must not hold back the rest of its topic for good. So when the oldest was turned away
/// alone six times, another one may go right after it; and if that is taken, the oldest itself is the problem: it
/// cools down, is tried now and then, and others pass it.
///
/// All of it outlasts a connection: brokers may end it with each message that they turn away (mosquitto 2.0
/// does where max_queued_messages is 0).
struct HeldTopics {
  static let firstWait = Span.seconds(10)
  /// Longest wait between two probes of a topic.
  static let longestWait = Span.minutes(5)
  /// Longest cooldown of a message that is passed by.
  static let longestCooldown = Span.minutes(120)
  /// Times that a message is turned away alone before another one of its topic may go.
  static let stubbornness = 6
  /// How soon that other one has to go: one that is taken later proves nothing about the first.
  static let turn = Span.seconds(1)
  /// The same after the end of a connection: a new one has to be made first.
  static let turnAfterEnd = Span.minutes(2)
  /// How many others may go in place of the oldest, one after the other, where a refusal costs no connection.
  static let othersInTurn = 4
  /// A topic with this many in flight is open.
  static let wide = 32
  /// Most messages remembered: then those whose cooldown is over are forgotten, which only makes them probe sooner.
  static let most = 256

  private struct Cooldown {
    var wait: Span
    var until: Instant

    init(
      after previous: Cooldown?, from shortest: Span = HeldTopics.firstWait, atMost longest: Span,
      at now: Instant
    ) {
      wait = previous.map { min($0.wait + $0.wait, longest) } ?? shortest
      until = now + wait
    }
  }

  private struct Hold {
    var cooldown: Cooldown
    /// Messages in flight that were sent since the topic was held.
    var underWay: Set<UInt64> = []
    /// How many may be in flight; more than one: the topic is opening.
    var width = 1
    /// The oldest was turned away alone once too often: another one may go before `until`.
    var turn: (after: UInt64, until: Instant)?
    /// Others that were sent in this turn and turned away too.
    var others = 0

    var isClosed: Bool { width == 1 }
  }

  /// Refusals of one message.
  private struct Refusals {
    var alone = 0
    var cooldown: Cooldown?
    /// Others of its topic were taken when it was not.
    var isPassed = false
  }

  private var topics: [String: Hold] = [:]
  private var messages: [UInt64: Refusals] = [:]
  /// A topic was opened since this was reset.
  var hasOpened = false

  // MARK: What becomes of messages

  /// The message was turned away for now; returns when something may be sent again. `letsOthersPass`: another of its
  /// topic may go right after it; `asksMore`: and another one after that, if that is turned away too.
  mutating func postponed(
    _ message: Message, letsOthersPass: Bool, asksMore: Bool, at now: Instant
  ) -> Instant {
    let sequence = message.sequence
    var hold = topics[message.topic]
    let wasUnderWay = hold?.underWay.remove(sequence) != nil
    defer { topics[message.topic] = hold }
    var refusals = messages[sequence] ?? Refusals()
    if refusals.isPassed {
      refusals.cooldown = Cooldown(after: refusals.cooldown, atMost: Self.longestCooldown, at: now)
      remember(refusals, of: sequence, at: now)
      return refusals.cooldown?.until ?? now
    }
    guard var held = hold, held.isClosed || !wasUnderWay else {
      hold = Hold(cooldown: Cooldown(after: nil, atMost: Self.longestWait, at: now))
      if letsOthersPass {
        hold?.turn = (sequence, now + Self.turnAfterEnd)
        remember(Refusals(alone: Self.stubbornness), of: sequence, at: now)
      }
      return letsOthersPass ? now : now + Self.firstWait
    }
    // Messages sent before the topic was closed may be answered at any time; the answers prove nothing new.
    guard wasUnderWay else { return held.cooldown.until }
    refusals.alone += 1
    if held.turn == nil {
      held.cooldown = Cooldown(after: held.cooldown, atMost: Self.longestWait, at: now)
      if refusals.alone >= Self.stubbornness {
        held.turn = (sequence, now + (letsOthersPass ? Self.turnAfterEnd : Self.turn))
        held.others = 0
      }
    } else if asksMore, held.others + 1 < Self.othersInTurn {
      // Several messages in a row may be at fault.
      held.others += 1
      let shortest = held.cooldown.wait + held.cooldown.wait
      refusals.cooldown = Cooldown(
        after: refusals.cooldown, from: shortest, atMost: Self.longestCooldown, at: now)
    } else {
      held.turn = nil
      // It has had its chances: another one has its turn.
      if refusals.alone >= Self.stubbornness {
        let shortest = held.cooldown.wait + held.cooldown.wait
        refusals.cooldown = Cooldown(
          after: refusals.cooldown, from: shortest, atMost: Self.longestCooldown, at: now)
      }
    }
    remember(refusals, of: sequence, at: now)
    hold = held
    return held.turn == nil ? held.cooldown.until : now
  }

  private mutating func remember(_ refusals: Refusals, of sequence: UInt64, at now: Instant) {
    // Messages that left the queue meanwhile (thinned, cleared) are never reported here.
    if messages.count >= Self.most {
      messages = messages.filter { ($0.value.cooldown?.until ?? now) > now }
    }
    messages[sequence] = refusals
  }

  /// The broker has decided about the message. Only one sent since its topic was held proves anything about the topic,
  /// and only one that is taken opens it.
  mutating func decided(_ message: Message, isTaken: Bool, at now: Instant) {
    guard !topics.isEmpty || !messages.isEmpty else { return }
    messages[message.sequence] = nil
    guard var hold = topics[message.topic], hold.underWay.remove(message.sequence) != nil else { return }
    defer { topics[message.topic] = hold.width > Self.wide ? nil : hold }
    guard isTaken else { return }
    if hold.isClosed {
      hasOpened = true
      if let turn = hold.turn, turn.after != message.sequence {
        let cooldown = Cooldown(after: nil, from: hold.cooldown.wait, atMost: Self.longestCooldown, at: now)
        remember(Refusals(cooldown: cooldown, isPassed: true), of: turn.after, at: now)
      }
      hold.turn = nil
    }
    hold.width += 1
  }

  /// The message came back without an answer from the broker.
  mutating func returned(_ message: Message) { topics[message.topic]?.underWay.remove(message.sequence) }

  /// Whether the message may go now; ask from the oldest on. If its topic is closed, it goes as the probe: see `sent`.
  func maySend(_ message: Message, at now: Instant) -> Bool {
    guard !topics.isEmpty || !messages.isEmpty else { return true }
    if messages[message.sequence]?.isPassed == true, isCoolingDown(message.sequence, at: now) { return false }
    guard let hold = topics[message.topic] else { return true }
    guard hold.underWay.count < hold.width else { return false }
    if !hold.isClosed || hold.cooldown.until <= now { return true }
    guard let turn = hold.turn, turn.until > now, turn.after != message.sequence else { return false }
    return !isCoolingDown(message.sequence, at: now)
  }

  /// The message is sent, as the probe of its topic if that is closed.
  mutating func sent(_ message: Message, at now: Instant) {
    guard !topics.isEmpty, var hold = topics[message.topic] else { return }
    hold.underWay.insert(message.sequence)
    if hold.cooldown.until <= now { hold.turn = nil }
    topics[message.topic] = hold
  }

  // MARK: Questions

  private var closed: [String: Hold] { topics.filter { $0.value.isClosed } }
  var isEmpty: Bool { topics.isEmpty || closed.isEmpty }
  var count: Int { closed.count }
  /// Nothing is held, nothing cools down.
  var isQuiet: Bool { isEmpty && messages.isEmpty }
  func isHeld(_ topic: String) -> Bool { topics[topic]?.isClosed ?? false }
  func isWaitingForProbe(_ topic: String, at now: Instant) -> Bool {
    guard let hold = topics[topic], hold.isClosed else { return false }
    return hold.underWay.isEmpty && (hold.cooldown.until <= now || hold.turn.map { $0.until > now } ?? false)
  }
  /// Passed by and not tried again yet, or for now not the one that goes in place of the oldest.
  func isCoolingDown(_ sequence: UInt64, at now: Instant) -> Bool {
    messages[sequence]?.cooldown.map { $0.until > now } ?? false
  }

  /// Others of its topic are taken, and it is not.
  func isPassedBy(_ sequence: UInt64) -> Bool { messages[sequence]?.isPassed == true }

  /// The topics on which nothing is taken for now.
  var names: [String] { closed.keys.sorted() }

  /// When the next topic or message may be probed; nil: none waits for a time.
  func next(after now: Instant) -> Instant? {
    let waiting = closed.values.map(\.cooldown.until) + messages.values.compactMap { $0.cooldown?.until }
    return waiting.filter { $0 > now }.min()
  }
}
