import Core
import Model
import OwnTracks
import Storage

/// Messages that the server refuses for good, and their way back into the queue.
extension ServerConnection {
  /// A dead letter. The message is encrypted again, as it was when it was sent.
  func keep(_ message: Message, because reason: String) {
    let refusal = "\(serverName) refuses message \(message.sequence) for good: \(reason)"
    let line = DeadLetter.line(
      topic: message.topic, payload: asPublished(message)?.payload, reason: reason, time: host.wall)
    deadLetters.keep(line) { [host, log, path = deadLettersPath] keeping in
      let words =
        switch keeping {
        case .kept: "it is kept in \(path)"
        case .delayed(let why): "it cannot be kept in \(path) yet: \(why)"
        case .givenUp(let why): "it cannot be kept in \(path): \(why)"
        }
      log.say(.error, "\(refusal); \(words)", of: .others)
      if case .delayed = keeping { return }
      host.post(.letterKept(message.sequence))
    }
  }

  /// Another store is in use, and its messages have other numbers.
  func disownLetters() { deadLetters.disown() }

  /// Dead letters are sent again: decrypted with the present key, and encrypted again when they are sent.
  func takeRefused(first: UInt64, then: @escaping (DeadLetters.Taking) -> Void) {
    let encryption = payloadEncryption.encryption
    deadLetters.take(
      as: first,
      reading: { line in
        do {
          return .success(try DeadLetter.message(line, opening: encryption))
        } catch {
          return .failure(ResendFile.LineFault("\(error)"))
        }
      }, then: then)
  }

  /// They are in the store.
  func forgetRefused(first: UInt64) { deadLetters.forget(first) }

  /// Before anything is written to a store that has just been opened.
  func settleRefused(_ snapshot: Snapshot) { deadLetters.settle(lastSequence: snapshot.lastSequence) }
}
