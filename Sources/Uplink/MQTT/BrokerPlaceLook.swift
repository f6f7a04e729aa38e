import Model
import Timebase

/// Whether the broker still has what it had acknowledged: see `PlaceLook`.
extension Broker {
  /// Sent with the subscriptions, ahead of any message: what is retained is then that of before.
  func lookForPlace(after greeting: BrokerClient.Greeting, at now: Instant) {
    guard greeting.code == 0, !machine.session.isClearing, let client, let settings = machine.settings else {
      return
    }
    machine.round.connected()
    let isWanted = machine.session.placeLook.connected(
      isSessionPresent: greeting.isSessionPresent, isSessionClean: settings.isSessionClean, at: now)
    client.isPlaceSought = false
    guard isWanted else { return }
    machine.session.placeLook.asked(number: client.subscribe([settings.will.topic], qos: 0))
    client.isPlaceSought = machine.session.placeLook.isUnderWay
  }

  /// The broker has answered, or has had its time.
  func placeLookWentOn() {
    guard let client, client.isPlaceSought else { return }
    setRoundTripTimer()
    guard !machine.session.placeLook.isUnderWay else { return }
    client.isPlaceSought = false
    if let topic = machine.settings?.will.topic, !isSubscribedOtherwise(topic, client) {
      _ = client.unsubscribe(topic)
      updateInterest()
    }
    reportPlace()
  }

  /// A person has set this very filter, or one of our messages is awaited on the topic.
  private func isSubscribedOtherwise(_ topic: String, _ client: BrokerClient) -> Bool {
    machine.settings?.subscriptions.contains(topic) == true || client.sought[topic] != nil
  }

  /// Once the connection has been reported.
  func reportPlace() {
    guard machine.connection?.isAnnounced == true, let finding = machine.session.placeLook.takeFinding()
    else {
      return
    }
    switch finding {
    case .retained(let payload): post(.placeRetained(payload))
    case .nothing: post(.placeLost)
    case .sessionLost: post(.sessionLost)
    }
  }
}
