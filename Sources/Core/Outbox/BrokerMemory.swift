import Model
import Timebase

/// Messages that a broker has lost though it had acknowledged them, because it was killed: mosquitto writes its memory to the disk every
/// half hour.
///
///     acknowledged ──▶ kept for `span` ──connection without the session or the place of before──▶ owed
///     owed ──connected for `grace`, queue empty──▶ into the queue, a few at a time ──▶ done
///
/// The grace is for those who listen: they come back as late as the board, and a broker that has lost its memory has
/// lost their subscriptions too. What is acknowledged meanwhile is therefore owed as well.
struct BrokerMemory {
  static let grace = Span.seconds(120)
  /// Seconds before the place that the broker still has: what was acknowledged then may have come after it.
  static let slack = 60
  /// Messages that go into the queue together.
  static let portion = 32

  private struct Owed {
    /// Acknowledged since then.
    var since: Instant
    /// The place that the broker still has; nil: it has nothing.
    var after: Held?
    /// Number of the next row.
    var next: UInt64 = 0
    /// The board has been connected for long enough.
    var isDue = false
    var isReported = false
    /// The broker is to have the newest place retained.
    var isPlaceOwed: Bool
  }

  /// A place that the broker still has.
  private struct Held {
    /// Its `tst`.
    var time: Int
    /// When it was acknowledged; nil: so long ago that all that is kept is later.
    var at: Instant?

    /// Places go by their own time: after a gap hundreds are acknowledged in a moment. Of anything else that says
    /// nothing: a region is dated by when it was made, the end of a trip by the arrival.
    func isBefore(_ row: AcknowledgedMessages.Row, isPlace: Bool) -> Bool {
      guard let at, row.at < at else { return true }
      let slack = BrokerMemory.slack
      return row.at > at - .seconds(Double(slack)) && (!isPlace || row.message.time > time - slack)
    }

    /// The one that less was acknowledged before.
    func earlier(_ other: Held) -> Held {
      guard let at, let otherAt = other.at else { return at == nil ? self : other }
      return at <= otherAt ? self : other
    }
  }

  /// Zero: nothing is kept.
  private(set) var span: Span
  private var kept: AcknowledgedMessages
  private var owed: Owed?
  /// Sequences of the messages that were sent again last: they are kept already.
  private var again: Range<UInt64> = 0..<0
  /// The last place that the broker was given to retain; not the one with the latest time, for clocks are set back.
  private var place: Message?

  /// `topics`: those worth keeping, of places first.
  init(span: Span, topics: [String]) {
    self.span = span
    kept = AcknowledgedMessages(topics: topics)
  }

  /// Another broker, or the board under another name: nothing of before is owed there.
  mutating func configured(span: Span, topics: [String], isOther: Bool) {
    if isOther || span == .zero || topics != kept.topics { self = BrokerMemory(span: span, topics: topics) }
    self.span = span
  }

  // MARK: What happens

  /// `message` as it was sent.
  mutating func acknowledged(_ message: Message, at now: Instant) {
    guard span > .zero, message.qos > 0, !again.contains(message.sequence),
      kept.append(message, at: now)
    else { return }
    kept.prune(before: owed?.since ?? now - span)
    if message.isRetained, message.topic == kept.topics.first { place = message }
  }

  mutating func connected(deadlines: inout Deadlines, at now: Instant) {
    if owed != nil { deadlines[.brokerMemory] = now + Self.grace }
  }

  mutating func disconnected(deadlines: inout Deadlines) {
    owed?.isDue = false
    deadlines[.brokerMemory] = nil
  }

  /// A new connection has shown this.
  mutating func shown(_ finding: KeptPlace, deadlines: inout Deadlines, at now: Instant) {
    switch finding {
    case .place(let time):
      guard let newest = place?.time, time < newest else { return }
      owe(after: Held(time: time, at: acknowledged(placeOf: time)), isPlaceOwed: true)
    case .nothing: owe(after: nil, isPlaceOwed: place != nil)
    case .unknown: owe(after: nil, isPlaceOwed: false)
    }
    if owed != nil { deadlines[.brokerMemory] = now + Self.grace }
  }

  /// When the broker acknowledged the place of this `tst`; nil: that is not kept.
  private func acknowledged(placeOf time: Int) -> Instant? {
    kept.rows(from: 0, limit: .max) { $0.message.time == time && $0.message.topic == kept.topics.first }.rows
      .last?.at
  }

  private mutating func owe(after: Held?, isPlaceOwed: Bool) {
    guard span > .zero, let newest = kept.newest else { return }
    var new = Owed(since: newest - span, after: after, isPlaceOwed: isPlaceOwed)
    // An earlier loss has not been made good yet.
    if let owed {
      new.since = min(owed.since, new.since)
      new.after = if let one = owed.after, let other = after { one.earlier(other) } else { nil }
      new.isPlaceOwed = isPlaceOwed || owed.isPlaceOwed
    }
    owed = new
  }

  /// Where places go.
  var placeTopic: String? { kept.topics.first }

  // MARK: What is sent again

  /// Whether a portion is to go into the queue as soon as that is empty.
  var isDue: Bool { owed?.isDue == true }

  mutating func graceIsOver() { owed?.isDue = true }
  mutating func giveUp() { owed = nil }

  /// How many messages will be sent again, once for each loss; nil: it has been reported, or there are none.
  mutating func takeReport() -> Int? {
    guard let owed, !owed.isReported else { return nil }
    self.owed?.isReported = true
    let count = rows(of: owed, limit: .max).rows.count
    return count + (count == 0 && owed.isPlaceOwed ? 1 : 0)
  }

  /// The next messages, which get sequences from `first` on. Places are not retained, but for the newest.
  mutating func portion(first: UInt64) -> [Message] {
    guard var owed else { return [] }
    let (rows, next) = rows(of: owed, limit: Self.portion)
    var messages = rows.map(\.message)
    for index in messages.indices where messages[index].topic == kept.topics.first {
      let isNewest = messages[index].time == place?.time
      if isNewest { owed.isPlaceOwed = false }
      messages[index].isRetained = isNewest && messages[index].isRetained
    }
    let isEnd = next == kept.end
    // It was acknowledged so long ago that nothing else of that time is kept.
    if isEnd, owed.isPlaceOwed, let place { messages.append(place) }
    owed.next = next
    self.owed = isEnd ? nil : owed
    again = first..<first + UInt64(messages.count)
    return messages
  }

  private func rows(of owed: Owed, limit: Int) -> (rows: [AcknowledgedMessages.Row], next: UInt64) {
    kept.rows(from: owed.next, limit: limit) { row in
      row.at >= owed.since
        && owed.after?.isBefore(row, isPlace: row.message.topic == kept.topics.first) ?? true
    }
  }
}

extension Outbox {
  /// A part of what the broker has lost, if the time has come: nothing may be waiting, so that no newer message of its
  /// topic is behind it. Returns how many messages are to be sent again, when the first of them is.
  mutating func sendLostAgain(deadlines: inout Deadlines, at now: Instant) -> Int? {
    guard isConnected, memory.isDue, size.count == 0 else { return nil }
    if old.policy == .never { memory.giveUp() }
    guard !old.isWaiting else { return nil }
    let report = memory.takeReport()
    for message in memory.portion(first: nextSequence) {
      enqueue(message, deadlines: &deadlines, at: now)
    }
    return report
  }
}

extension Configuration {
  /// How long what was acknowledged is kept; zero where nothing could show that it is lost.
  var keptSpan: Span {
    let canBeSeen = transport == .mqtt && (messages.retain || !broker.cleanSession)
    return canBeSeen ? .seconds(Double(queue.resendLost)) : .zero
  }
}
