import Loop
import Timebase

/// Sends the subscriptions.
extension Broker {
  /// Called while the library reads the greeting: packets sent now precede the messages that it resends, so that an end
  /// of the connection has one reason only.
  func subscribe(after greeting: BrokerClient.Greeting) {
    let now = loop.now.instant
    ask(for: machine.session.filters(after: greeting, at: now), at: now)
    lookForPlace(after: greeting, at: now)
  }

  /// Asks again for filters that were left out: a person has looked after them.
  public func askAnew() {
    machine.session.forgive(at: loop.now.instant)
    client?.sought = machine.session.roundTrip.sought
    machine.showDoubt(at: loop.now.instant)
    if phase == .connected { askForSubscriptions() } else { perform(machine.hasAsked()) }
    tryCommands()
  }

  func subscribeTimerFired() {
    perform(machine.announce(isWaitOver: true, at: loop.now.instant))
    if phase == .connected { askForSubscriptions() }
  }

  /// Subscribes to our commands again, if they were left out and are due.
  private func askForSubscriptions() {
    guard let client, client.socket >= 0 else { return }
    let now = loop.now.instant
    ask(for: machine.session.dueFilters(at: now), at: now)
    updateInterest()
  }

  private func ask(for filters: [String], at now: Instant) {
    guard let client, let settings = machine.settings else { return }
    for filter in filters {
      if let number = client.subscribe([filter], qos: settings.subscriptionQoS) {
        machine.session.asked(filter, number: number)
      } else {
        machine.session.impossible(filter, at: now)
      }
    }
    perform(machine.hasAsked())
  }
}
