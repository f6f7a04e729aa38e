import Model
import OwnTracks

/// Encryption of what goes out and of what comes in, as `encryptionKey` says.
struct PayloadEncryption {
  /// The result for a message from outside.
  enum Opening: Hashable {
    /// It was not encrypted, or there is no key to open it with.
    case plain([UInt8])
    case opened([UInt8])
    /// Dropped. The words are for the journal; nil: this topic has had its line before.
    case refused(String?)
  }

  /// Topics whose unreadable messages were told of; more than these are only counted.
  static let reportedLimit = 100

  private(set) var unopened = 0
  /// Topic and reason of the last one.
  private(set) var lastUnopened: String?
  private var state = State.off
  private var secret = ""
  private var reported: Set<String> = []

  private enum State {
    case off
    case on(Encryption)
    case missing(Encryption.Missing)
  }

  /// Why nothing may be sent, though there is a key; nil: it may.
  var blockedReason: String? {
    guard case .missing(let missing) = state else { return nil }
    return missing.description
  }

  var isOn: Bool { !secret.isEmpty }

  /// Nil: nothing can be opened.
  var encryption: Encryption? {
    guard case .on(let encryption) = state else { return nil }
    return encryption
  }

  /// From the next message on; an empty secret: no encryption.
  mutating func configure(_ secret: String) {
    if secret != self.secret { reported = [] }
    self.secret = secret
    guard isOn else {
      state = .off
      return
    }
    do {
      state = .on(try Encryption(secret: secret))
    } catch {
      state = .missing(error)
    }
  }

  /// The message as it leaves; nil: it must not, in clear. An empty payload says that something is to be
  /// forgotten, and only means so as it is.
  func sealed(_ message: Message) -> Message? {
    guard !message.payload.isEmpty else { return message }
    switch state {
    case .off: return message
    case .missing: return nil
    case .on(let encryption):
      var sealed = message
      sealed.payload = encryption.sealed(message.payload)
      return sealed
    }
  }

  mutating func open(_ payload: [UInt8], from topic: String) -> Opening {
    guard case .on(let encryption) = state, let envelope = try? JSON.parse(payload),
      envelope["_type"]?.text == Encryption.type
    else { return .plain(payload) }
    do {
      return .opened(try encryption.opened(envelope))
    } catch {
      return .refused(warning(topic, error))
    }
  }

  /// The messages in an answer over HTTP, whether it was encrypted as a whole or each for itself.
  mutating func contents(
    of body: [UInt8]
  ) -> (messages: [(message: JSON, wasEncrypted: Bool)], warnings: [String]) {
    var messages: [(JSON, Bool)] = []
    var warnings: [String] = []
    for message in HTTPBody.answer(body) ?? [] {
      guard message["_type"]?.text == Encryption.type else {
        messages.append((message, false))
        continue
      }
      switch open(message.serialised(), from: HTTPBody.friends) {
      // This board has no key.
      case .plain: break
      case .opened(let plain): messages += (HTTPBody.answer(plain) ?? []).map { ($0, true) }
      case .refused(let warning): warnings += warning.map { [$0] } ?? []
      }
    }
    return (messages, warnings)
  }

  private mutating func warning(_ topic: String, _ refusal: Encryption.Refusal) -> String? {
    unopened += 1
    let text = "\(topic): \(refusal)".plainLine
    lastUnopened = text
    guard reported.count < Self.reportedLimit, reported.insert(topic).inserted else { return nil }
    return "encrypted message dropped: \(text)"
  }
}
