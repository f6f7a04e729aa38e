import Model

/// A line of the control protocol: read once, here, and its type names who answers it. On the socket it is a JSON array
/// of words, those of the command line; `homeward` and the page's server send it, the daemon and a replay read it.
///
/// A new request is a line of `init(words:over:)`, a case of the type that says who answers it, and its answer. The
/// protocol gets a new number only if daemons that know the words would do something else with them.
public enum Request: Hashable, Sendable {
  /// Decided by the tracker.
  case tracker(ControlRequest)
  /// Read from the store; the tracker first has everything written that belongs to the answer.
  case store(StoreRequest)
  /// Read from the friends' files, or changed in them.
  case friends(FriendRequest)
  /// Answered by the daemon itself.
  case daemon(DaemonRequest)

  /// The number of this protocol. A client that needs a later one begins with the word `protocol=N`; without it, 1 is
  /// meant, which every daemon speaks.
  public static let protocolNumber = 1

  /// The first words that there are, in the order in which they are listed for people.
  static let commands = [
    "publish", "sos", "card", "mode", "tag", "status", "queue", "why", "region", "beacons", "history",
    "friends", "friend", "settings", "park", "withdraw", "record", "reload", "connect", "disconnect",
    "reconnect", "wipe",
  ]

  /// Throws the error in the words, in one line. `--json` may stand anywhere: how the answer is printed is the asker's
  /// affair. `configuration` is the one in force: changed settings are checked against it, and it determines how
  /// all-digit beacon numbers are read (`beaconNumberBase`).
  public init(words: [String], over configuration: Configuration = Configuration()) throws(ControlError) {
    let words = try Self.withoutProtocol(words.filter { $0 != "--json" })
    guard let command = words.first else {
      throw ControlError("no command; expected one of \(Self.commands.joined(separator: ", "))")
    }
    let rest = words.dropFirst()
    switch command {
    case "publish": self = .tracker(try .publish(rest))
    case "sos": self = .tracker(try .sos(rest))
    case "card": self = .tracker(try .card(rest))
    case "mode": self = .tracker(try .mode(rest))
    case "tag": self = .tracker(try .tag(rest))
    case "status": self = .tracker(try rest.standingFor(.status, "status"))
    case "park": self = .tracker(try rest.standingFor(.park, "park"))
    case "withdraw": self = .tracker(try rest.standingFor(.withdraw, "withdraw"))
    case "queue": self = try Self.queue(rest)
    case "region": self = .tracker(try RegionWords.parse(rest, configuration.beacons.numberBase))
    case "settings": self = try SettingsWords.parse(rest, over: configuration)
    case "history": self = try HistoryWords.parse(rest)
    case "friends": self = .friends(try .list(rest))
    case "friend": self = .friends(try .one(rest))
    default: self = .daemon(try DaemonRequest(command, rest))
    }
  }

  private static func queue(_ words: ArraySlice<String>) throws(ControlError) -> Request {
    let rest = words.dropFirst()
    switch words.first {
    case "clear": return .tracker(try rest.standingFor(.queueClear, "queue clear"))
    case "resend": return .store(try rest.standingFor(.refused, "queue resend"))
    default: return .tracker(try words.standingFor(.queue, "queue [clear|resend]"))
    }
  }

  /// Those of a line of the socket: a JSON array of texts.
  public static func words(_ line: [UInt8]) throws(ControlError) -> [String] {
    guard let json = try? JSON.parse(line), let words = json.elements?.compactMap(\.text),
      words.count == json.elements?.count
    else { throw ControlError("the request is no JSON array of strings") }
    return words
  }

  /// A daemon must not guess at what a later protocol means by the words that it knows.
  private static func withoutProtocol(_ words: [String]) throws(ControlError) -> [String] {
    let mark = "protocol="
    guard let first = words.first, first.hasPrefix(mark) else { return words }
    guard let number = Int(first.dropFirst(mark.count)), number >= 1 else {
      throw ControlError("\"\(first)\" is no protocol; expected \(mark)\(protocolNumber)")
    }
    guard number <= protocolNumber else {
      throw ControlError("the question is in protocol \(number); this daemon speaks \(protocolNumber)")
    }
    return Array(words.dropFirst())
  }
}
