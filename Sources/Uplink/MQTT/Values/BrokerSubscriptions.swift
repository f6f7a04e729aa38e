import Timebase

/// The subscriptions at the broker: a filter counts as subscribed once the broker has confirmed it, not before.
///
/// Each filter is sent in a SUBSCRIBE of its own, our commands first, all of them ahead of any message. So if a broker
/// ends the connection over one (some do, if rights forbid it), the first without an answer is the one; the others
/// still hold. If messages were sent after them, these may be the reason as well: on the next connection messages wait
/// until all filters are answered (`isCareful`).
///
///     wanted ──asked──▶ asked ──SUBACK──▶ granted ──session lost──▶ wanted
///       ▲                 │ └──refused──▶ left out ──time is up──▶ wanted
///       └─connection lost─┴──by the broker, again and again──▶ left out
package struct BrokerSubscriptions {
  /// Why a filter is not subscribed.
  package enum Gap: String, Hashable, Sendable {
    /// No answer yet, or no connection.
    case unanswered
    /// The broker has refused the subscription.
    case refused
    /// The broker ended the connection each time the filter was requested.
    case ended
    /// Its messages do not fit into our memory.
    case oversized
  }

  /// A filter, and why it delivers nothing.
  package struct Missing: Hashable, Sendable {
    /// As requested.
    package var filter: String
    /// The reason.
    package var gap: Gap
  }

  /// A van may also lose coverage at just that moment: our commands are given up later than others' filters.
  private static let endsAllowed = (own: 5, other: 1)
  /// How long our commands are left out at first; twice as long each time, up to the limit below.
  private static let firstWait = Span.seconds(30)
  private static let longestWait = Span.minutes(60)

  private enum State: Hashable {
    case wanted
    case asked(Int32)
    case granted
    case leftOut(Gap, until: Instant)
  }

  private struct Entry {
    let filter: String
    let isOwn: Bool
    var state = State.wanted
    /// Connections in a row that the broker ended over this filter.
    var ends = 0
    var wait = BrokerSubscriptions.firstWait
  }

  private var entries: [Entry] = []

  /// Nothing is wanted.
  package init() {}

  /// `own`: those of them for messages meant for this board.
  package init(_ filters: [String], own: [String]) {
    let all = filters.map { Entry(filter: $0, isOwn: own.contains($0)) }
    entries = all.filter(\.isOwn) + all.filter { !$0.isOwn }
  }

  // MARK: Inputs

  /// The broker's greeting: subscriptions that it has kept are not requested again.
  package mutating func connected(isSessionPresent: Bool) {
    for index in entries.indices {
      if case .granted = entries[index].state, isSessionPresent { continue }
      if case .leftOut = entries[index].state { continue }
      entries[index].state = .wanted
    }
  }

  /// CONNECT may have reached the broker, and its greeting has not reached us. If the broker had lost the session, that
  /// began a new one with nothing subscribed, which is reported as present from then on.
  package mutating func sessionInDoubt() {
    for index in entries.indices where entries[index].state == .granted { entries[index].state = .wanted }
  }

  /// The filters to ask for now, in this order; each is to be followed by `asked` or `impossible`.
  package mutating func due(at now: Instant) -> [String] {
    for index in entries.indices {
      if case .leftOut(_, let until) = entries[index].state, until <= now { entries[index].state = .wanted }
    }
    let wanted = entries.filter { $0.state == .wanted }
    return (wanted.filter { $0.ends == 0 } + wanted.filter { $0.ends > 0 }).map(\.filter)
  }

  /// The request was sent; `number` is that of the answer to come.
  package mutating func asked(_ filter: String, number: Int32) {
    guard let index = entries.firstIndex(where: { $0.filter == filter }) else { return }
    entries[index].state = .asked(number)
    order.append(number)
  }

  /// It is not a valid filter.
  mutating func impossible(_ filter: String, at now: Instant) {
    guard let index = entries.firstIndex(where: { $0.filter == filter }) else { return }
    leaveOut(index, .refused, at: now)
  }

  /// `codes`: the broker's, from 0x80 on a refusal.
  package mutating func answered(_ number: Int32, _ codes: [Int32], at now: Instant) {
    order.removeAll { $0 == number }
    if order.isEmpty { isCareful = false }
    guard let index = entries.firstIndex(where: { $0.state == .asked(number) }) else { return }
    entries[index].ends = 0
    guard let code = codes.first, code < 0x80 else { return leaveOut(index, .refused, at: now) }
    entries[index].state = .granted
    entries[index].wait = Self.firstWait
  }

  /// The connection is over. `isByBroker`: perhaps because of a filter; `hasMessages`: or of a message.
  package mutating func ended(isByBroker: Bool, hasMessages: Bool, at now: Instant) {
    let endedOver = isByBroker && !hasMessages ? order.first : nil
    if isByBroker, hasMessages, isUnanswered { isCareful = true }
    order = []
    for index in entries.indices {
      guard case .asked(let number) = entries[index].state else { continue }
      entries[index].state = .wanted
      guard number == endedOver else { continue }
      entries[index].ends += 1
      let allowed = entries[index].isOwn ? Self.endsAllowed.own : Self.endsAllowed.other
      if entries[index].ends >= allowed { leaveOut(index, .ended, at: now) }
    }
  }

  /// A packet was too large for us: the strangers' filters are left out, or all of them.
  mutating func overran(evenOwn: Bool, at now: Instant) {
    for index in entries.indices where evenOwn || !entries[index].isOwn {
      leaveOut(index, .oversized, at: now)
    }
  }

  /// A person says that it is worth another try.
  package mutating func forgive() {
    for index in entries.indices {
      guard case .leftOut = entries[index].state else { continue }
      entries[index].state = .wanted
      (entries[index].ends, entries[index].wait) = (0, Self.firstWait)
    }
  }

  private mutating func leaveOut(_ index: Int, _ gap: Gap, at now: Instant) {
    let wait = entries[index].isOwn ? entries[index].wait : Self.longestWait
    entries[index].state = .leftOut(gap, until: now + wait)
    entries[index].wait = min(Self.longestWait, .seconds(entries[index].wait.seconds * 2))
  }

  // MARK: Questions

  /// Whether the broker delivers this topic to us anyway.
  func covers(_ topic: String) -> Bool {
    entries.contains { $0.state == .granted && TopicFilter.covers($0.filter, topic) }
  }

  /// The requests without an answer, in the order they went out.
  private(set) var order: [Int32] = []

  /// Some requests have no answer yet.
  package var isUnanswered: Bool { !order.isEmpty }

  /// Messages have to wait for the answers.
  package private(set) var isCareful = false

  /// Whether any filter but our own is subscribed or requested.
  var reachesOthers: Bool {
    entries.contains { entry in
      if case .leftOut = entry.state { return false }
      return !entry.isOwn
    }
  }

  /// When our commands are to be requested again, on the connection that stands. Other filters wait for the next one.
  package var dueAgain: Instant? {
    let moments = entries.compactMap { entry -> Instant? in
      guard entry.isOwn, case .leftOut(_, let until) = entry.state else { return nil }
      return until
    }
    return moments.min()
  }

  /// The filters that the broker has granted, in the order of the requests.
  package var granted: [String] { entries.filter { $0.state == .granted }.map(\.filter) }

  /// In the order of the requests.
  package var missing: [Missing] {
    entries.compactMap { entry in
      switch entry.state {
      case .granted: nil
      case .wanted, .asked: Missing(filter: entry.filter, gap: .unanswered)
      case .leftOut(let gap, _): Missing(filter: entry.filter, gap: gap)
      }
    }
  }

  /// Filters that are left out, whether there is a connection or not.
  var leftOut: [Missing] { missing.filter { $0.gap != .unanswered } }
}
