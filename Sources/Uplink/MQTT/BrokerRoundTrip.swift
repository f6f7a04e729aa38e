import Model
import Timebase

/// Checks that messages acknowledged by the broker are passed on: results in reason codes, or messages that come back.
extension Broker {
  /// MQTT 5: accepted, but no matching subscribers.
  static let noSubscribers = 0x10
  /// Limit of topics without subscribers; the board has a dozen topics.
  private static let unheardLimit = 32

  /// Called just before a message is sent, for brokers that do not report what they do with it. Messages without a
  /// sequence number are not in the queue and need no proof.
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
    if !machine.session.placeLook.hasPlace, entry.topic == machine.settings?.will.topic {
      machine.session.placeLook.acknowledged()
    }
    guard machine.session.roundTrip.isOn else { return }
    machine.session.roundTrip.acknowledged(entry.topic, qos: entry.qos, at: loop.now.instant)
    setRoundTripTimer()
  }

  /// Whether it waits for subscribers. The answer is the same for what the broker retains, and is no loss there.
  func isHeldUnheard(_ entry: BrokerInFlight.Entry) -> Bool {
    guard entry.sequence > 0, !entry.isRetained, let settings = machine.settings else { return false }
    // A batch that nobody takes apart is in nobody's hands.
    return settings.delivery.holdsUnheard || entry.topic == settings.will.topic + "/batch"
  }

  /// Replaces the broker's earlier answer for the topic.
  func noteUntaken(_ entry: BrokerInFlight.Entry, _ cause: BrokerCause) {
    unheard.remove(entry.topic)
    if untaken.count < Self.unheardLimit || untaken[entry.topic] != nil { untaken[entry.topic] = cause }
  }

  func cameBack(_ topic: String, _ digest: UInt64) {
    guard let found = machine.session.roundTrip.cameBack(topic, digest: digest, at: loop.now.instant) else {
      return
    }
    if topic == machine.settings?.will.topic { machine.session.placeLook.cameBack() }
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
    machine.session.placeLook.timeIsOver(at: loop.now.instant)
    placeLookWentOn()
    perform(machine.echoTimeIsOver(at: loop.now.instant))
    tryCommands()
    setRoundTripTimer()
    machine.showDoubt(at: loop.now.instant)
    for topic in missing { post(.missing(topic: topic)) }
  }
}
