import Model
import Timebase

/// Finds the message that a broker ends the connection over.
///
/// A broker that speaks MQTT 3.1.1 has no other way to say that it does not take a message (too large, not
/// allowed there), and some do it with MQTT 5 too. Such a message, sent again with each connection, would let
/// nothing else through for ever. So after two connections in a row that the broker ended with messages
/// unanswered, they are sent one at a time; the one that it ends the next connection over is to blame. It goes
/// again later, as one that is turned away does, and it and what has its topic then travel alone, so that the
/// broker's next word about them is as clear.
struct BrokerBlame {
  /// Two of them so near to each other are no accident.
  static let memory = Span.minutes(10)
  /// An answer or an end that comes later than this has another reason.
  static let patience = Span.seconds(10)

  private var strikes = 0
  private var lastStrike: Instant?
  /// Answers to go until messages travel together again.
  private var isolated = 0
  /// Of messages that a connection was ended over.
  private var topics: Set<String> = []
  /// Under way, and nothing else is.
  private var lone: Message?
  /// Wait for their turn.
  private var waiting: [Message] = []

  private var isIdle: Bool { isolated == 0 && topics.isEmpty && lone == nil && waiting.isEmpty }

  /// False: it is kept, and `next` gives it when its turn has come.
  mutating func lets(_ message: Message, whileInFlight count: Int) -> Bool {
    if isIdle { return true }
    if waiting.isEmpty, mayGo(message, whileInFlight: count) {
      note(message)
      return true
    }
    waiting.append(message)
    return false
  }

  mutating func next(whileInFlight count: Int) -> Message? {
    guard let first = waiting.first, mayGo(first, whileInFlight: count) else { return nil }
    waiting.removeFirst()
    note(first)
    return first
  }

  var isWaiting: Bool { !waiting.isEmpty }

  /// The broker has answered, whatever it said.
  mutating func answered(_ sequence: UInt64) {
    if isolated > 0 {
      isolated -= 1
      if isolated == 0 { strikes = 0 }
    }
    guard let known = lone, known.sequence == sequence else { return }
    lone = nil
    topics.remove(known.topic)
  }

  enum Verdict: Hashable {
    case none
    /// They have to be given back, to be sent one at a time.
    case isolate
    /// The connection was ended over this one.
    case guilty(Message)
  }

  /// The broker has ended a connection on which `count` messages had no answer, the last of them sent then.
  mutating func ended(unanswered count: Int, lastSent: Instant?, at now: Instant) -> Verdict {
    guard count > 0, let lastSent, now - lastSent < Self.patience else { return .none }
    if let lone, count == 1 {
      topics.insert(lone.topic)
      return .guilty(lone)
    }
    let isNear = lastStrike.map { now - $0 < Self.memory } ?? false
    strikes = isNear ? strikes + 1 : 1
    lastStrike = now
    guard strikes >= 2 else { return .none }
    isolated = max(isolated, count)
    return .isolate
  }

  /// The connection is over: what waited has to be given again.
  mutating func takeWaiting() -> [UInt64] {
    defer { (waiting, lone) = ([], nil) }
    return waiting.map(\.sequence)
  }

  private func mayGo(_ message: Message, whileInFlight count: Int) -> Bool {
    count == 0 || (lone == nil && isolated == 0 && !topics.contains(message.topic))
  }

  private mutating func note(_ message: Message) {
    if isolated > 0 || topics.contains(message.topic) { lone = message }
  }
}
