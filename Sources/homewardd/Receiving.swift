import Adapters
import Model
import OwnTracks

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
    case .plain(let payload): take(payload, from: topic, isRetained: isRetained, isEncrypted: false)
    case .opened(let payload): take(payload, from: topic, isRetained: isRetained, isEncrypted: true)
    case .refused(let complaint): if let complaint { say(.warning, complaint) }
    }
  }
}
