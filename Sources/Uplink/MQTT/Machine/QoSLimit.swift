/// The highest QoS of messages sent. An MQTT 5 broker announces its maximum. Before MQTT 5 it cannot: some brokers
/// without QoS 2 end the connection over the first such message, and some answer as to one of QoS 1, which the library
/// does not accept as an answer.
///
///     2 ──two connections in a row end over one of QoS 2, or one gets stuck over it──▶ 1
///
/// A broker that has once completed one accepts them, and its other ends have other reasons.
struct QoSLimit {
  /// A line that breaks in the middle of the first message looks the same, but not twice.
  static let endsNeeded = 2

  private(set) var most = 2
  private var hasCompleted = false
  private var ends = 0

  /// A message of this QoS was acknowledged.
  mutating func completed(qos: Int) {
    if qos == 2 { (hasCompleted, ends) = (true, 0) }
  }

  /// A connection has ended. `isOwed`: one of QoS 2 was unanswered. True: from now on there are none.
  mutating func ended(isByBroker: Bool, isStuck: Bool, isOwed: Bool) -> Bool {
    guard isOwed, most == 2, !hasCompleted, isByBroker || isStuck else { return false }
    ends += 1
    guard isStuck || ends >= Self.endsNeeded else { return false }
    most = 1
    return true
  }
}
