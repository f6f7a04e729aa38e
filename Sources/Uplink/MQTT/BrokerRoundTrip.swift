import Model
import Timebase

/// What becomes of messages that the broker has acknowledged.
extension Broker {
  /// MQTT 5: taken, and nobody had subscribed to it.
  private static let noSubscribers = 0x10
  /// Topics that nobody listens on; ours are a dozen.
  private static let unheardLimit = 32

  /// Just ahead of a message, where the broker does not say itself what it does with it. What has no place in the queue
  /// is not owed to anybody.
  func seek(_ message: Message, with client: BrokerClient) {
    guard message.sequence > 0, let base = machine.settings?.will.topic, message.topic.hasPrefix(base),
      message.topic.utf8.count == base.utf8.count
        || message.topic.utf8.dropFirst(base.utf8.count).first == 0x2F
    else { return }
    let subscriptions = machine.session.subscriptions
    let isUnasked = machine.session.roundTrip.sends(
      message.topic, isCovered: subscriptions.covers(message.topic),
      digest: RoundTrip.digest(message.payload), at: loop.now.instant)
    if isUnasked {
      machine.session.roundTrip.asked(message.topic, number: client.subscribe([message.topic], qos: 1))
    }
    if isUnasked || client.sought.isEmpty { client.sought = machine.session.roundTrip.sought }
  }

  func noteTaken(_ entry: BrokerInFlight.Entry, _ reason: Int) {
    if !untaken.isEmpty { untaken[entry.topic] = nil }
    if reason == Self.noSubscribers {
      if unheard.count < Self.unheardLimit { unheard.insert(entry.topic) }
    } else if !unheard.isEmpty {
      unheard.remove(entry.topic)
    }
    guard machine.session.roundTrip.isOn else { return }
    machine.session.roundTrip.acknowledged(entry.topic, qos: entry.qos, at: loop.now.instant)
    setRoundTripTimer()
  }

  /// What the broker said of it before counts no more.
  func noteUntaken(_ entry: BrokerInFlight.Entry, _ cause: BrokerCause) {
    unheard.remove(entry.topic)
    if untaken.count < Self.unheardLimit || untaken[entry.topic] != nil { untaken[entry.topic] = cause }
  }

  func cameBack(_ topic: String, _ digest: UInt64) {
    guard let found = machine.session.roundTrip.cameBack(topic, digest: digest, at: loop.now.instant) else {
      return
    }
    if found.isForThis { _ = client?.unsubscribe(topic) }
    client?.sought = machine.session.roundTrip.sought
    if found.wasMissing {
      machine.showDoubt(at: loop.now.instant)
      post(.cameBack(topic: topic))
    }
  }

  func roundTripTimerFired() {
    guard machine.connection != nil else { return }
    let missing = machine.session.roundTrip.timeIsOver(at: loop.now.instant)
    perform(machine.echoTimeIsOver(at: loop.now.instant))
    tryCommands()
    setRoundTripTimer()
    machine.showDoubt(at: loop.now.instant)
    for topic in missing { post(.missing(topic: topic)) }
  }
}
