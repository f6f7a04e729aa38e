import Adapters
import Model
import OwnTracks

/// A message from outside, opened where it was encrypted.
struct Incoming: Hashable {
  var topic: String
  var payload: [UInt8]
  var isRetained: Bool
  /// Whoever sent it knows our `encryptionKey`.
  var wasEncrypted: Bool
}

/// Every message to the outside and every one from there passes here.
extension Daemon {
  /// Takes the key that the configuration names.
  func seal() {
    sealing.configure(configuration.encryptionKey)
    if let obstacle = sealing.obstacle { say(.error, obstacle) }
  }

  /// It is encrypted only now: a new key is good for all that waits.
  func send(_ message: Message) {
    guard let sealed = sealing.sealed(message) else { return post(.sendFailed(message.sequence)) }
    broker?.send(sealed)
  }

  func received(topic: String, payload: [UInt8], isRetained: Bool) {
    switch sealing.open(payload, from: topic) {
    case .plain(let payload):
      take(Incoming(topic: topic, payload: payload, isRetained: isRetained, wasEncrypted: false))
    case .opened(let payload):
      take(Incoming(topic: topic, payload: payload, isRetained: isRetained, wasEncrypted: true))
    case .refused(let complaint): if let complaint { say(.warning, complaint) }
    }
  }

  private func take(_ message: Incoming) {
    let complaint = traffic.note(
      topic: message.topic, payload: message.payload, isRetained: message.isRetained)
    if let complaint { say(.warning, complaint) }
  }
}
