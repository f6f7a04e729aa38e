import Loop
import Timebase

/// Asking for what the broker is to deliver.
extension Broker {
  /// Called while the library reads the greeting: what goes out now goes ahead of the messages that it sends
  /// again, so that an end of the connection has one reason only.
  func subscribe(after greeting: BrokerClient.Greeting) {
    let now = loop.now.instant
    ask(for: machine.session.filters(after: greeting, at: now), at: now)
  }

  /// What was left out is asked for again: a person has looked after it.
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

  /// Our commands again, where they were left out and are due.
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
