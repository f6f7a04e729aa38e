import Model
import Timebase

/// Finds the message that a broker ends the connection over.
///
/// A broker that speaks MQTT 3.1.1 has no other way to say that it does not take a message (too large, not
/// allowed there), and some do it with MQTT 5 too. Such a message, sent again with each connection, would let
/// nothing else through ever again. So after two connections in a row that the broker ended with messages
/// unanswered, they are sent one at a time; the one that it ends the next connection over is to blame. It goes
/// again later, as one that is turned away does, and it and what has its topic then travel alone, so that the
/// broker's next word about them is as clear.
struct BrokerBlame {
  /// Two of them so near to each other are no accident.
  static let memory = Span.minutes(10)
  /// Where many are unanswered, an end that comes later than this after the last of them has another reason.
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

  /// False: it is kept, and `next` gives it when its turn has come. One that is never answered (QoS 0) is not
  /// sent again either, and need not wait.
  mutating func lets(_ message: Message, whileInFlight count: Int) -> Bool {
    if isIdle || message.qos == 0 { return true }
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

  /// The broker has answered, whatever it said; or the message went without any answer to come.
  mutating func answered(_ sequence: UInt64, isByBroker: Bool = true) {
    if isByBroker, isolated > 0 {
      isolated -= 1
      if isolated == 0 { strikes = 0 }
    }
    guard let known = lone, known.sequence == sequence else { return }
    lone = nil
    topics.remove(known.topic)
  }

  enum Verdict: Equatable {
    /// Messages have nothing to do with it.
    case none
    /// One of them may be the reason, or none.
    case accident
    /// They have to be given back, to be sent one at a time.
    case isolate
    /// The connection was ended over this one.
    case guilty(Message)

    var reason: Backoff.Reason {
      switch self {
      case .none: .none
      case .accident, .isolate: .perhapsMessage
      case .guilty: .message
      }
    }

    /// What is under way has to be given back, to be sent otherwise.
    var dividesMessages: Bool {
      switch self {
      case .none, .accident: false
      case .isolate, .guilty: true
      }
    }
  }

  /// A connection on which the message that travels alone had no answer: the broker has ended it, or was left
  /// for its silence. However long that took: a large one may be on its way for minutes.
  mutating func guilty(unanswered count: Int) -> Message? {
    guard count == 1, let lone else { return nil }
    topics.insert(lone.topic)
    return lone
  }

  /// The broker has ended a connection on which `count` messages had no answer, the last of them sent then.
  mutating func ended(unanswered count: Int, lastSent: Instant?, at now: Instant) -> Verdict {
    if let message = guilty(unanswered: count) { return .guilty(message) }
    guard count > 0, let lastSent, now - lastSent < Self.patience else { return .none }
    let isNear = lastStrike.map { now - $0 < Self.memory } ?? false
    strikes = isNear ? strikes + 1 : 1
    lastStrike = now
    guard strikes >= 2 else { return .accident }
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
