import Timebase

/// Messages that libmosquitto holds and the broker has not acknowledged, by the library's message number. One table per
/// client object: the numbers of another object mean other messages.
package struct BrokerInFlight {
  /// One message in flight.
  package struct Entry: Hashable, Sendable {
    /// Its sequence number in the queue; 0: it is not in the queue.
    package var sequence: UInt64
    var topic: String
    var qos: Int
    /// Whether the broker was to keep it.
    var isRetained: Bool
    /// Last sent; set anew when the library sends it again on a new connection.
    package var sentAt: Instant
    /// Sent with an alias instead of a topic: meaningless on any other connection.
    var isAliasOnly: Bool
    /// Counts the messages in the order they were sent.
    fileprivate(set) var ordinal = 0
  }

  /// In the order sent, in which they are acknowledged as a rule.
  private var entries: [(number: Int32, entry: Entry)] = []
  private var nextOrdinal = 0
  private var newestAcknowledged = -1
  private var lastAcknowledgement: Instant?
  /// When the last one was sent, and when the broker last answered one, on this connection or an earlier one.
  private(set) var (lastSent, lastAnswer): (Instant?, Instant?)

  /// No messages in flight.
  package init() {}

  var count: Int { entries.count }
  /// Whether all is acknowledged.
  package var isEmpty: Bool { entries.isEmpty }

  /// Whether a message with an alias and no topic is among those that are resent until they are answered.
  package var hasAliasOnly: Bool { entries.contains { $0.entry.isAliasOnly && $0.entry.qos > 0 } }

  /// False if the number is in use: the library's 65535 numbers have wrapped around.
  package mutating func add(
    _ number: Int32, sequence: UInt64, topic: String = "", qos: Int, isRetained: Bool = false,
    isAliasOnly: Bool, at now: Instant
  ) -> Bool {
    for known in entries where known.number == number { return false }
    let entry = Entry(
      sequence: sequence, topic: topic, qos: qos, isRetained: isRetained, sentAt: now,
      isAliasOnly: isAliasOnly, ordinal: nextOrdinal)
    entries.append((number, entry))
    nextOrdinal += 1
    lastSent = now
    return true
  }

  /// Nil: not one of ours (a number that was acknowledged before).
  package mutating func take(_ number: Int32, at now: Instant) -> Entry? {
    guard let index = entries.firstIndex(where: { $0.number == number }) else { return nil }
    let entry = index == entries.count - 1 ? entries.removeLast() : entries.remove(at: index)
    newestAcknowledged = max(newestAcknowledged, entry.entry.ordinal)
    lastAcknowledgement = now
    if entry.entry.qos > 0 { (hasAnswers, lastAnswer) = (true, now) }
    return entry.entry
  }

  /// Takes out the messages that the library forgets with the connection (QoS 0), in the order sent.
  package mutating func takeForgotten() -> [UInt64] { take { $0.qos == 0 } }

  /// Takes out all messages, in the order sent: the object that held them is gone.
  package mutating func takeAll() -> [UInt64] { take { _ in true } }

  /// A new connection stands and the library sends all of them again.
  package mutating func sentAgain(at now: Instant) {
    for index in entries.indices { entries[index].entry.sentAt = now }
    newestAcknowledged = -1
    lastAcknowledgement = nil
    hasAnswers = false
  }

  /// Whether any message is left that is resent until it is answered.
  package var hasUnanswered: Bool { entries.contains { $0.entry.qos > 0 } }
  /// Whether one of these is of QoS 2.
  var isOwedTwo: Bool { entries.contains { $0.entry.qos == 2 } }
  /// Whether one of these is not in the queue.
  var hasAnnouncement: Bool { entries.contains { $0.entry.qos > 0 && $0.entry.sequence == 0 } }
  /// Whether the broker has answered any on this connection.
  package private(set) var hasAnswers = false

  /// Since when the broker owes an answer; nil: it owes none. Acknowledgements come in the order of
  /// the messages (MQTT 4.6), so while some arrive the others only wait in line, unless the oldest was
  /// passed over: then its own age counts.
  package var owedSince: Instant? {
    guard let oldest = entries.first(where: { $0.entry.qos > 0 })?.entry else { return nil }
    guard oldest.ordinal > newestAcknowledged, let last = lastAcknowledgement else { return oldest.sentAt }
    return max(oldest.sentAt, last)
  }

  private mutating func take(_ belongs: (Entry) -> Bool) -> [UInt64] {
    let taken = entries.filter { belongs($0.entry) }.map(\.entry.sequence)
    entries.removeAll { belongs($0.entry) }
    return taken
  }
}
