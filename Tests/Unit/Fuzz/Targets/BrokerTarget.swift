import Core
import Model
import OwnTracks
import Timebase

@testable import homewardd

/// What the broker delivers: a line with the topic, then the payload. One that nobody could read is named
/// in one line; a command is obeyed, and whatever it brings out has to be good JSON and good settings.
enum BrokerTarget {
  private static let configuration: Configuration = {
    var configuration = Configuration()
    configuration.identity.username = "u"
    configuration.identity.deviceId = "d"
    configuration.broker.host = "broker"
    configuration.commands.isOn = true
    configuration.commands.remoteConfiguration = true
    configuration.friends.isOn = true
    return configuration
  }()

  @Sendable static func feed(_ input: UnsafeRawBufferPointer) {
    let newline = input.firstIndex(of: UInt8(ascii: "\n")) ?? input.endIndex
    let topic = String(decoding: input[..<newline], as: UTF8.self)
    let payload = Array(input[newline...].dropFirst())
    let encoder = Encoder(configuration, hostName: "")
    var traffic = Traffic()
    let incoming = Incoming.read(
      topic: topic, payload: payload, isRetained: false, topics: encoder.topics, configuration: configuration)
    switch incoming {
    case .malformed(let text):
      Claim.isPlain(text, "broker")
      traffic.countMalformed(text)
      claim(traffic.malformed == 1 && traffic.lastMalformed == text, "not counted as malformed")
    case .command(let command, let problems):
      for problem in problems { Claim.isPlain(problem, "broker") }
      obey(command, encoder)
    case .friend(_, .location(let location)): readsBack(location)
    case .notice(let text): Claim.isPlain(text, "notice")
    case .friend, .barred, .malformedCommand, .birth, .nothing: break
    }
  }

  /// A place is kept as a text: what went in comes out.
  private static func readsBack(_ location: FriendLocation) {
    Claim.isFinite([location.time.seconds, location.accuracy, location.altitude], "friend")
    let again = FriendLocation(stored: String(decoding: location.json.serialised(), as: UTF8.self))
    claim(again != nil, "not to be read again: \(location)")
    claim(
      again?.coordinate == location.coordinate && again?.tid == location.tid, "another friend: \(location)")
  }

  private static func obey(_ command: ReceivedCommand, _ encoder: Encoder) {
    var tracker = Tracker(configuration: configuration, snapshot: Snapshot(), encoder: encoder)
    let now = Moment(instant: .zero + .seconds(1000), wall: WallTime(seconds: 1_800_000_000))
    for effect in tracker.handle(.commanded(command), at: now) {
      switch effect {
      case .published(_, let message):
        claim((try? JSON.parse(message.payload, limit: 1 << 24)) != nil, "no JSON: \(message)")
      case .adopt(let settings): isSound(settings)
      case .withheld(let reason): Claim.isPlain(reason.sentence, "why")
      case _: break
      }
    }
  }

  /// What a file could not say, a command may not either.
  private static func isSound(_ settings: Configuration) {
    let file = ConfigurationFile.encode(settings, redacting: false)
    let again = ConfigurationFile.decode(file)
    claim(again.problems.isEmpty, "a command set what no file may: \(again.problems)")
    claim(again.configuration == settings, "settings do not read back")
  }
}
