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
    // The usual case copies neither the message nor the keys.
    if !isHTTP, !sealing.isOn {
      broker?.send(message)
      return
    }
    guard let sealed = sealing.sealed(forUplink(message)) else {
      return post(.sendFailed(message.sequence))
    }
    isHTTP ? poster?.send(sealed) : broker?.send(sealed)
  }

  func received(topic: String, payload: [UInt8], isRetained: Bool) {
    switch sealing.open(payload, from: topic) {
    case .plain(let payload): take(payload, from: topic, isRetained: isRetained, isEncrypted: false)
    case .opened(let payload): take(payload, from: topic, isRetained: isRetained, isEncrypted: true)
    case .refused(let complaint): if let complaint { say(.warning, complaint, of: .others) }
    }
  }

  /// The body of an answer over HTTP. One that nobody can read is no mistake: what was posted is delivered.
  func answered(_ body: [UInt8]) {
    // Nothing of it may be obeyed and nothing kept: then it is not worth decoding.
    guard configuration.cmd || friends != nil else { return }
    let commands = encoder.topics.topic(.command)
    let (messages, complaints) = sealing.contents(of: body)
    for complaint in complaints { say(.warning, complaint, of: .others) }
    for (message, wasEncrypted) in messages {
      let topic = HTTPBody.topic(of: message, commands: commands)
      take(message.serialised(), from: topic, isRetained: false, isEncrypted: wasEncrypted)
    }
  }
}
