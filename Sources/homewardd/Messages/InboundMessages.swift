import Core
import Model
import OwnTracks
import Storage

/// Messages from others, once they are readable: commands go to the tracker, news to the friends, notices to the
/// owner's program.
final class InboundMessages {
  /// Counters of what was received.
  private(set) var traffic = Traffic()
  private let settings: SettingsInForce
  private let host: TrackerHost
  private let friends: FriendBook
  private let extensions: OwnerExtensions
  private let log: ServiceLog

  init(
    settings: SettingsInForce, host: TrackerHost, friends: FriendBook, extensions: OwnerExtensions,
    log: ServiceLog
  ) {
    self.settings = settings
    self.host = host
    self.friends = friends
    self.extensions = extensions
    self.log = log
  }

  /// `payload` as it was before it was encrypted, where it was.
  func take(_ payload: [UInt8], from topic: String, isRetained: Bool, isEncrypted: Bool) {
    var refusal: CommandRefusal?
    let configuration = settings.configuration
    let incoming = Incoming.read(
      topic: topic, payload: payload, isRetained: isRetained, isEncrypted: isEncrypted,
      topics: settings.encoder.topics, configuration: configuration
    ) { action in
      refusal = CommandGate.refusal(
        of: action, isRetained: isRetained, isEncrypted: isEncrypted, configuration)
      return refusal == nil
    }
    traffic.count()
    switch incoming {
    case .command(let command, let problems):
      for problem in problems { log.say(.warning, problem, of: .others) }
      host.post(.commanded(command))
    case .barred(let action, let id):
      if let refusal { host.post(.commandBarred(action: action, id: id, refusal)) }
    case .friend(let topic, let news):
      if case .location = news, topic != settings.encoder.topics.base { traffic.countFriend() }
      friends.note(news, of: topic)
    case .birth: host.post(.discoveryDoubted(isBirth: true))
    case .notice(let text):
      log.say(.info, text, of: .others)
      extensions.noticed(payload)
    case .malformed(let text): noteMalformed(text)
    case .malformedCommand(let action, let id, let reason, let line):
      noteMalformed(line)
      host.post(.commandMalformed(action: action, id: id, reason))
    case .nothing: break
    }
  }

  /// How many places of others have come since the last time.
  func lookedAtFriends() -> Int { traffic.lookedAtFriends() }

  private func noteMalformed(_ text: String) {
    traffic.countMalformed(text)
    log.say(.warning, "message from the broker is malformed: \(text)", of: .malformed)
  }
}
