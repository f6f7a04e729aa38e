import Core
import Model
import OwnTracks
import Timebase

/// Messages from the server, as they are read.
extension ServerConnection {
  /// Somebody else's place there, or one that cannot be read, says nothing.
  func placeRetained(_ payload: [UInt8]) {
    let topic = settings.encoder.topics.base
    let plain: [UInt8]
    switch payloadEncryption.open(payload, from: topic) {
    case .plain(let bytes), .opened(let bytes): plain = bytes
    case .refused: return
    }
    guard let place = try? JSON.parse(plain, values: 1000), place["_type"]?.text == "location",
      let time = place["tst"]?.int
    else { return }
    host.post(.keptPlace(.place(time: time)))
  }

  func received(_ payload: [UInt8], from topic: String, isRetained: Bool) {
    switch payloadEncryption.open(payload, from: topic) {
    case .plain(let payload):
      inbound.take(payload, from: topic, isRetained: isRetained, isEncrypted: false)
    case .opened(let payload):
      inbound.take(payload, from: topic, isRetained: isRetained, isEncrypted: true)
    case .refused(let warning): if let warning { log.say(.warning, warning, of: .others) }
    }
  }

  /// The body of an answer over HTTP. An unreadable one is no error: what was posted is delivered.
  func answered(_ body: [UInt8]) {
    let commands = settings.encoder.topics.topic(.command)
    let (messages, warnings) = payloadEncryption.contents(of: body)
    for warning in warnings { log.say(.warning, warning, of: .others) }
    let topics = HTTPBody.topics(of: messages.map(\.message), commands: commands)
    for ((message, wasEncrypted), topic) in zip(messages, topics) {
      inbound.take(message.serialised(), from: topic, isRetained: false, isEncrypted: wasEncrypted)
    }
  }
}
