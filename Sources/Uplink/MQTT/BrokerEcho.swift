import Model
import Timebase

/// Whether commands still arrive: see `CommandEcho`.
extension Broker {
  /// Sends a command of our own, if one is due.
  func tryCommands() {
    let now = loop.now.instant
    guard let topic = machine.settings?.commandTopic, let client, client.socket >= 0, !machine.isClosing,
      let connection = machine.connection, connection.isAnnounced,
      machine.session.subscriptions.covers(topic), let payload = machine.session.echo.payload(at: now)
    else { return }
    let qos = min(1, connection.greeting.qosMaximum)
    let message = Message(
      topic: topic, payload: payload, qos: qos, isRetained: false, isEvent: false, time: 0)
    let (code, number) = client.publish(message, qos: qos, alias: nil, isTopicNeeded: true)
    let isTaken = number != 0 && (qos > 0 || code == 0)
    machine.session.echo.sent(isTaken ? number : nil, at: now)
    // QoS 0 is not acknowledged, and the message has gone out.
    if qos == 0 { _ = machine.session.echo.acknowledged(number, reason: 0, qos: 0, at: now) }
    setRoundTripTimer()
    updateInterest()
  }

  /// An echo has arrived.
  func echoed(_ number: UInt64) {
    let wasMissing = machine.session.echo.cameBack(number, at: loop.now.instant)
    setRoundTripTimer()
    guard wasMissing else { return }
    machine.showDoubt(at: loop.now.instant)
    post(.hearsCommands)
  }

  /// For the end of the wait for a message or an echo, or for the next echo.
  func setRoundTripTimer() {
    let message = machine.session.roundTrip.next
    let command = machine.session.echo.next(after: loop.now.instant)
    let next = [message, command, machine.session.placeLook.next].compactMap { $0 }
    roundTripTimer?.set(at: next.min())
  }

  /// Whether the acknowledged message was an echo.
  func isEchoAcknowledged(_ number: Int32, _ reason: Int32) -> Bool {
    guard machine.session.echo.isUnanswered,
      machine.session.echo.acknowledged(number, reason: Int(reason), at: loop.now.instant)
    else { return false }
    setRoundTripTimer()
    return true
  }
}
