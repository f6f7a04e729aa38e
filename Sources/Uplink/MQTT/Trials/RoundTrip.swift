import Timebase

/// Checks that the broker passes on the messages it acknowledges. With MQTT 5 it says so itself. Before that it cannot
/// answer "not allowed": it acknowledges a message that its access rules forbid and drops it (mosquitto does), and the
/// only proof is a message of ours that comes back.
///
/// So the first message on each of our topics is looked for, on each connection and once an hour: its topic is
/// subscribed to just ahead of it, until it has come back. A right may be revoked while the connection stands.
///
///     (nothing) ──a message──▶ asked ──SUBACK──▶ open ──acknowledged──▶ awaited ──▶ proven ──an hour──▶ (nothing)
///                                │                ▲                       │            ▲
///                                └─▶ unreadable   └─ covered by a filter  └─▶ missing ─┘
///                                                    that stands anyway
///
/// A connection that the broker ends over such a subscription may have ended over the message behind it: the topic is
/// requested once more a minute later before that counts as an answer.
///
/// Only messages acknowledged after the SUBACK count: a broker that handles packets in another order than they were
/// sent drops nothing. A missing topic stays listed over connections until a message comes back, or until a person has
/// looked after it.
struct RoundTrip {
  /// How long to wait for a message after its acknowledgement.
  static let patience = Span.seconds(10)
  /// The same for QoS 0, which is not acknowledged and may take longer.
  static let patienceUnacknowledged = Span.seconds(60)
  /// How long a proof counts on one connection.
  static let hour = Span.minutes(60)
  /// How long a topic that we may not read is left alone.
  static let leftAlone = Span.minutes(60)
  /// The same if the broker has once ended the connection instead of answering.
  static let doubted = Span.minutes(1)
  /// Topics, and messages on each, that are looked for at once. There are a dozen topics.
  static let most = (topics: 32, messages: 8)

  private enum State: Hashable {
    case asked(Int32)
    case open
    case awaited(until: Instant)
    case proven(since: Instant)
    case missing
  }

  private struct Look {
    var state: State
    /// Subscribed to for this alone.
    let isForThis: Bool
    /// Of the last messages on it.
    var digests: [UInt64] = []
    /// When one came back last, on this connection.
    var cameBack: Instant?
  }

  private var looks: [String: Look] = [:]
  private var missing: Set<String> = []
  private var unreadable: [String: Instant] = [:]
  /// Topics that the broker may have ended a connection over; not to be requested until then.
  private var doubted: [String: Instant] = [:]
  private(set) var isWanted = false
  /// The broker reports itself what it does with messages (MQTT 5).
  private var hasReasonCodes = false

  init() {}

  // MARK: Inputs

  /// `isOther`: another broker, or we under another name.
  mutating func configured(isWanted: Bool, isOther: Bool) {
    // `hasReasonCodes` belongs to the present connection, so it outlives a change of the setting.
    let hasReasonCodes = hasReasonCodes
    if isWanted != self.isWanted || isOther { self = RoundTrip() }
    (self.isWanted, self.hasReasonCodes) = (isWanted, hasReasonCodes)
  }

  /// A connection stands.
  mutating func connected(level: Int) {
    looks = [:]
    hasReasonCodes = level >= 5
    if hasReasonCodes { (missing, unreadable, doubted) = ([], [:], [:]) }
  }

  /// A message goes out next. True: `topic` has to be subscribed to first, and `asked` is to follow.
  mutating func sends(
    _ topic: String, isCovered: @autoclosure () -> Bool, digest: @autoclosure () -> UInt64, at now: Instant
  ) -> Bool {
    guard isOn else { return false }
    var isNew = false
    switch looks[topic]?.state {
    case .proven(let since) where now - since < Self.hour: return false
    case .proven, nil: isNew = true
    case .asked, .open, .awaited, .missing: break
    }
    if isNew {
      if let until = unreadable[topic] ?? doubted[topic], now < until { return false }
      let known = looks[topic]
      guard known != nil || looks.count < Self.most.topics else { return false }
      looks[topic] = Look(state: .open, isForThis: !isCovered(), cameBack: known?.cameBack)
    }
    looks[topic]?.digests.append(digest())
    if looks[topic]?.digests.count ?? 0 > Self.most.messages { looks[topic]?.digests.removeFirst() }
    return isNew && looks[topic]?.isForThis == true
  }

  /// `number` is that of the answer to come; nil: the request could not be made.
  mutating func asked(_ topic: String, number: Int32?) {
    if let number { looks[topic]?.state = .asked(number) } else { looks[topic] = nil }
  }

  /// The broker's answer to a filter, perhaps not to one of these. `codes`: from 0x80 on it has refused.
  mutating func answered(_ number: Int32, _ codes: [Int32], at now: Instant) {
    guard let (topic, _) = looks.first(where: { $0.value.state == .asked(number) }) else { return }
    doubted[topic] = nil
    if let code = codes.first, code < 0x80 { looks[topic]?.state = .open } else { leaveAlone(topic, at: now) }
  }

  /// The broker has it, or with QoS 0 it has gone out.
  mutating func acknowledged(_ topic: String, qos: Int, at now: Instant) {
    guard looks[topic]?.state == .open else { return }
    looks[topic]?.state = .awaited(until: now + (qos == 0 ? Self.patienceUnacknowledged : Self.patience))
  }

  /// A message came back: whether its topic was subscribed to for this alone, and was missing. Nil: it proves nothing.
  mutating func cameBack(_ topic: String, digest: UInt64, at now: Instant) -> (
    isForThis: Bool, wasMissing: Bool
  )? {
    guard let look = looks[topic], look.digests.contains(digest) else { return nil }
    if case .proven = look.state { return nil }
    looks[topic] = Look(state: .proven(since: now), isForThis: look.isForThis, cameBack: now)
    unreadable[topic] = nil
    return (look.isForThis, missing.remove(topic) != nil)
  }

  /// The topics whose messages are newly found not to have come back.
  mutating func timeIsOver(at now: Instant) -> [String] {
    var found: [String] = []
    for (topic, look) in looks {
      guard case .awaited(let until) = look.state, until <= now else { continue }
      looks[topic]?.state = .missing
      if missing.insert(topic).inserted { found.append(topic) }
    }
    return found.sorted()
  }

  /// The connection is over. `isByBroker`: perhaps because of a subscription.
  mutating func ended(isByBroker: Bool, at now: Instant) {
    for (topic, look) in looks {
      guard case .asked = look.state, isByBroker else { continue }
      if doubted.removeValue(forKey: topic) == nil, unreadable[topic] == nil {
        doubted[topic] = now + Self.doubted
      } else {
        leaveAlone(topic, at: now)
      }
    }
    looks = [:]
  }

  /// A person has looked after it.
  mutating func forgive() {
    looks = looks.filter { if case .proven = $0.value.state { true } else { false } }
    (missing, unreadable, doubted) = ([], [:], [:])
  }

  private mutating func leaveAlone(_ topic: String, at now: Instant) {
    looks[topic] = nil
    unreadable[topic] = now + Self.leftAlone
    missing.remove(topic)
  }

  // MARK: Questions

  /// The check is wanted, and the broker does not report itself what becomes of messages.
  var isOn: Bool { isWanted && !hasReasonCodes }

  /// A filter of these has no answer yet.
  var isUnanswered: Bool { looks.values.contains { if case .asked = $0.state { true } else { false } } }

  /// When `timeIsOver` has to be called; nil: nothing is awaited.
  var next: Instant? {
    let moments = looks.values.compactMap { look -> Instant? in
      if case .awaited(let until) = look.state { until } else { nil }
    }
    return moments.min()
  }

  /// The topics on which a message is looked for; true: messages on it are for others as well.
  var sought: [String: Bool] {
    looks.filter { if case .proven = $0.value.state { false } else { true } }.mapValues { !$0.isForThis }
  }

  var missingTopics: [String] { missing.sorted() }

  /// Nil: no messages are looked for.
  var finding: UplinkStatus.RoundTripFinding? {
    guard isOn else { return nil }
    let proven = looks.compactMapValues { $0.state == .missing ? nil : $0.cameBack }
    return UplinkStatus.RoundTripFinding(
      proven: proven.keys.sorted(), cameBack: proven, missing: missingTopics,
      unreadable: unreadable.keys.sorted())
  }

  /// FNV-1a: distinguishes our messages.
  static func digest(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
