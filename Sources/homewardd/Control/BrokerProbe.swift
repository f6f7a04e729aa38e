import Host
import Loop
import Model
import OwnTracks
import Timebase
import Uplink

/// One connection to the broker while no daemon runs, for `homeward doctor`: name, port, TLS, login and
/// subscriptions, by the very code that the daemon connects with. It publishes nothing, and leaves the session of the
/// daemon alone: it has a name of its own.
struct BrokerProbe {
  /// In all. The way there has `connectionTimeoutSeconds`, which may be longer.
  static let patience = Span.seconds(20)
  /// For the goodbye.
  private static let farewell = Span.seconds(1)

  let settings: SettingsInForce

  /// `connection` as `homeward status --json` has it. Nil: there is nothing to connect to, messages are posted.
  func look() throws -> StatusRecord.Connection? {
    guard !settings.isHTTP else { return nil }
    let loop = try EventLoop()
    let worker = try Worker(loop: loop, name: "probe")
    let broker = Broker(loop: loop, worker: worker) { _ in }
    var payloadEncryption = PayloadEncryption()
    payloadEncryption.configure(settings.configuration.messages.encryptionKey)
    let will = settings.encoder.will(at: ServerConnection.plausible(SystemClock.rawWall()))
    var wanted = BrokerSettings(settings.connecting, topics: settings.encoder.topics, will: will).asTrial()
    wanted.blockedReason = payloadEncryption.blockedReason
    broker.configure(wanted)
    Self.run(loop, for: Self.patience) { Self.isAnswered(broker.status) }
    let answer = StatusRecord.Connection(
      broker.status, settings, isEncrypted: payloadEncryption.isOn, at: loop.now.instant)
    // The broker has read the goodbye: it publishes no will.
    broker.shutDown(within: Self.farewell)
    return answer
  }

  private static func run(_ loop: EventLoop, for span: Span, until isDone: () -> Bool) {
    let end = loop.now.instant + span
    while !isDone(), loop.now.instant < end { loop.runOnce(within: .milliseconds(50)) }
  }

  private static func isAnswered(_ status: UplinkStatus) -> Bool {
    guard status.connectedSince == nil else {
      return !status.mqtt.notSubscribed.contains { $0.word == "unanswered" }
    }
    guard status.mqtt.isRoundOver else { return false }
    return status.nextAttempt != nil || (status.cause != nil && status.colour != .amber)
  }
}
