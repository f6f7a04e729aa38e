import Model
import Timebase

/// Messages that the broker did not take for a reason that may pass (not authorised, quota exceeded, connections end
/// over them), and their topics. They keep their place in the queue, and other topics pass them.
///
/// Nothing newer of such a topic goes. After a while the oldest is tried again, alone; where it is taken, two may be
/// under way, and one more with each that is taken:
///
///     open ─turned away─▶ closed, 10 s ─the oldest is taken─▶ opening, 2 3 4 … 32 at once ─▶ open
///                           │    ▲  ▲                              │
///                           └────┘  └─────────turned away──────────┘
///                       turned away: twice as long
///
/// One that is never taken must not hold back the rest of its topic for good. So where the oldest was turned away
/// alone six times, another one may go right after it; and if that is taken, the oldest itself is the trouble: it
/// cools down, is tried now and then, and others pass it.
///
/// All of it outlasts a connection: brokers may end it with each message that they turn away (mosquitto 2.0
/// does where max_queued_messages is 0).
struct HeldTopics {
  static let firstWait = Span.seconds(10)
  /// Between two probes of a topic.
  static let longestWait = Span.minutes(5)
  /// Of one message that is passed by.
  static let longestCooldown = Span.minutes(120)
  /// So often is a message turned away alone before another one of its topic may go.
  static let stubbornness = 6
  /// How soon that other one has to go: what is taken later says nothing of the first.
  static let turn = Span.seconds(1)
  /// The same where a connection has ended: another one has to be made first.
  static let turnAfterEnd = Span.minutes(2)
  /// How many others may go in place of the oldest, one after the other, where to ask costs no connection.
  static let othersInTurn = 4
  /// A topic with so many under way is open.
  static let wide = 32
  /// Messages remembered before those whose cooldown is over are forgotten, which only makes them probe sooner.
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
    /// Sent since it is held.
    var underWay: Set<UInt64> = []
    /// How many may be; more than one: it is opening.
    var width = 1
    /// The oldest was turned away alone once too often: another may go until then.
    var turn: (after: UInt64, until: Instant)?
    /// How many have gone in this turn, and were turned away too.
    var others = 0

    var isClosed: Bool { width == 1 }
  }

  /// Of one message.
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

  /// Turned away for now; the answer is when something may be sent again. `letsOthersPass`: another of its topic may go
  /// right after it; `asksMore`: and another one after that, where it is turned away too.
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
    // What was sent before the topic was closed may be answered at any time, and tells nothing new.
    guard wasUnderWay else { return held.cooldown.until }
    refusals.alone += 1
    if held.turn == nil {
      held.cooldown = Cooldown(after: held.cooldown, atMost: Self.longestWait, at: now)
      if refusals.alone >= Self.stubbornness {
        held.turn = (sequence, now + (letsOthersPass ? Self.turnAfterEnd : Self.turn))
        held.others = 0
      }
    } else if asksMore, held.others + 1 < Self.othersInTurn {
      // Several in a row may be wrong.
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
    // Those that left the queue meanwhile (thinned, thrown away) are never reported here.
    if messages.count >= Self.most {
      messages = messages.filter { ($0.value.cooldown?.until ?? now) > now }
    }
    messages[sequence] = refusals
  }

  /// The broker has decided about it. Only what was sent since its topic is held tells of the topic, and only what was
  /// taken opens it.
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

  /// It came back without any word of the broker.
  mutating func returned(_ message: Message) { topics[message.topic]?.underWay.remove(message.sequence) }

  /// Whether it may go now, asked from the oldest on. Where its topic is closed, it then goes as the probe: see `sent`.
  func maySend(_ message: Message, at now: Instant) -> Bool {
    guard !topics.isEmpty || !messages.isEmpty else { return true }
    if messages[message.sequence]?.isPassed == true, isCoolingDown(message.sequence, at: now) { return false }
    guard let hold = topics[message.topic] else { return true }
    guard hold.underWay.count < hold.width else { return false }
    if !hold.isClosed || hold.cooldown.until <= now { return true }
    guard let turn = hold.turn, turn.until > now, turn.after != message.sequence else { return false }
    return !isCoolingDown(message.sequence, at: now)
  }

  /// It goes, and is the probe of its topic where that is closed.
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

  /// The topics that nothing is taken on for now.
  var names: [String] { closed.keys.sorted() }

  /// When the next of them may be probed; nil: none waits for a time.
  func next(after now: Instant) -> Instant? {
    let waiting = closed.values.map(\.cooldown.until) + messages.values.compactMap { $0.cooldown?.until }
    return waiting.filter { $0 > now }.min()
  }
}
