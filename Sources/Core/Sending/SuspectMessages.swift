import Model
import Timebase

/// Finds the message that connections end over.
///
/// A broker that speaks MQTT 3.1.1 can refuse a message (too large, not allowed there) only by ending the connection,
/// and some do so with MQTT 5 too. Such a message, sent again with each connection, would let nothing else through
/// ever again. But most connections that end with messages unanswered end because of the network. So only messages
/// that were unanswered at one end, and at the next one again, are suspect: if everything was answered in between, no
/// message was the cause. Suspects go through a narrow window, in order:
///
///     end, unanswered: a b c d     end, unanswered: c d e     suspects: c d     c ─▶ answered, d ─▶ answered: none
///                                                                               c ─▶ end: once more, alone
///                                                                                         └▶ end: it was c
///
/// The window begins with one and doubles with each answer, so that a good line is soon as fast as before. At each
/// further end those remain that were unanswered again, and the window stays smaller than their number. A message
/// that alone was unanswered at two ends in a row counts as turned away.
struct SuspectMessages {
  /// An end longer ago than this has nothing to do with this one.
  static let memory = Span.minutes(10)
  /// Bytes. Only a message of several packets can cause silence: it may not fit through the path, or not in time.
  static let large = 1200
  /// More than any window allows.
  static let wide = 1 << 16
  /// After a further end the window grows no wider than the number of suspects divided by this.
  static let share = 4
  /// Most messages remembered over which connections ended: a forgotten one is only found once more.
  static let most = 64

  enum Finding: Equatable {
    /// No message is known to be the cause.
    case nothing
    /// The messages in flight have to be given back, to be sent through the window.
    case narrowed
    /// The connection ended over this one.
    case over(Message)
  }

  private var suspects: Set<UInt64> = []
  private var width = 1
  private var widest = SuspectMessages.wide
  /// Unanswered when a connection ended last, and since.
  private var unanswered: Set<UInt64> = []
  private var lastEnd: Instant?
  /// The only message that was unanswered at the last end.
  private var alone: UInt64?
  /// Connections ended over these: one more end is enough.
  private var known: Set<UInt64> = []
  /// The topics of those, until a message of the topic is taken.
  private var topics: Set<String> = []
  /// In flight, and no other message may be.
  private var single: UInt64?

  /// No restrictions: nothing is suspect.
  var isIdle: Bool { suspects.isEmpty && known.isEmpty && topics.isEmpty }
  /// Whether messages go through a narrow window.
  var isSearching: Bool { !suspects.isEmpty || single != nil }

  // MARK: What ends

  /// A connection has ended with these messages unanswered.
  mutating func ended(_ end: ConnectionEnd, unanswered messages: [Message], at now: Instant) -> Finding {
    single = nil
    switch end.kind {
    case .left: return .nothing
    case .replaced:
      self = SuspectMessages()
      return .nothing
    case .closed, .silent: break
    }
    let possible = end.kind == .closed ? messages : messages.filter { $0.size >= Self.large }
    guard !possible.isEmpty else { return .nothing }
    if messages.count == 1, !end.hasAnnouncement, let message = messages.first {
      if known.contains(message.sequence) || alone == message.sequence {
        convict(message)
        return .over(message)
      }
      alone = message.sequence
    } else {
      alone = nil
    }
    return narrow(to: Set(possible.map(\.sequence)), at: now)
  }

  /// The cause is among those that were unanswered at every end.
  private mutating func narrow(to possible: Set<UInt64>, at now: Instant) -> Finding {
    let isFurther = !suspects.isEmpty
    let isNear = lastEnd.map { now - $0 < Self.memory } ?? false
    suspects = (isFurther ? suspects : isNear ? unanswered : []).intersection(possible)
    (unanswered, lastEnd) = (possible, now)
    width = 1
    widest = isFurther ? max(1, suspects.count / Self.share) : Self.wide
    return suspects.isEmpty && !isFurther ? .nothing : .narrowed
  }

  private mutating func convict(_ message: Message) {
    (suspects, unanswered, alone, lastEnd) = ([], [], nil, nil)
    if known.count >= Self.most, let oldest = known.min() { known.remove(oldest) }
    known.insert(message.sequence)
    topics.insert(message.topic)
  }

  // MARK: What becomes of messages

  /// Whether the message may go now, with `count` in flight.
  func hasRoom(for message: Message, whileInFlight count: Int) -> Bool {
    if isIdle { return true }
    if single != nil { return false }
    if !suspects.isEmpty, count >= width { return false }
    return count == 0 || !travelsAlone(message)
  }

  /// Goes alone, so that the broker's next answer is unambiguous.
  private func travelsAlone(_ message: Message) -> Bool {
    known.contains(message.sequence) || topics.contains(message.topic)
  }

  mutating func sent(_ message: Message) {
    if !isIdle, message.qos > 0, travelsAlone(message) { single = message.sequence }
  }

  /// The message came back without an answer from the broker.
  mutating func returned(_ sequence: UInt64) { if single == sequence { single = nil } }

  /// The broker has answered, either way: no connection ends over the message. `isTaken`: nor over its topic.
  mutating func answered(_ message: Message, isTaken: Bool) {
    if alone == message.sequence { alone = nil }
    unanswered.remove(message.sequence)
    returned(message.sequence)
    if !known.isEmpty { known.remove(message.sequence) }
    if isTaken, !topics.isEmpty { topics.remove(message.topic) }
    guard !suspects.isEmpty, message.qos > 0 else { return }
    width = min(widest, width * 2)
    suspects.remove(message.sequence)
    // They go in order: the suspects that are left wait for another reason, or are gone.
    if let last = suspects.max(), last < message.sequence { suspects = [] }
  }
}
