import Model
import Timebase

/// The state as the connection to a broker changes it.
extension UplinkStatus {
  /// `doubt`: what is wrong with it all the same.
  mutating func connected(
    _ greeting: BrokerClient.Greeting, level: Int, but doubt: BrokerCause? = nil, at now: Instant
  ) {
    attempts = 0
    connectedSince = now
    mqtt.isSessionPresent = greeting.isSessionPresent
    (mqtt.protocolLevel, mqtt.receiveMaximum) = (level, greeting.receiveMaximum)
    show(standing: doubt, at: now)
  }

  /// Of a connection that stands; `doubt` nil: nothing is wrong with it.
  mutating func show(standing doubt: BrokerCause?, at now: Instant) {
    show(doubt, as: doubt == nil ? .green : nil, at: now)
  }

  mutating func ended() { (connectedSince, mqtt.protocolLevel, mqtt.receiveMaximum) = (nil, nil, nil) }

  /// Without a connection only the filters that are left out are listed.
  mutating func note(_ subscriptions: BrokerSubscriptions, isConnected: Bool) {
    let missing = isConnected ? subscriptions.missing : subscriptions.leftOut
    mqtt.notSubscribed = missing.map { missing in
      NotSubscribed(filter: missing.filter, word: missing.gap.rawValue, why: missing.gap.sentence)
    }
  }
}

extension BrokerSubscriptions.Gap {
  /// For people.
  fileprivate var sentence: String {
    switch self {
    case .unanswered: "the broker has not confirmed it yet"
    case .refused: "the broker refuses it: see its access rules"
    case .ended: "the broker ends the connection over it: see its access rules; asked for again later"
    case .oversized:
      "left out: more comes there than is taken in (a message over \(PacketLimits.payload / 1024) KiB, or many of "
        + "QoS 2 at once); asked for again later"
    }
  }
}
