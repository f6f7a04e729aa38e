import Model

/// The meaning of a message that the broker delivers.
public enum Incoming: Sendable {
  /// Read and checked; whether it is obeyed is for the tracker. `problems`: a line for each thing passed
  /// over.
  case command(ReceivedCommand, problems: [String])
  /// `mayAsk` said no. `action` and `id` as far as they were read.
  case barred(action: String?, id: CommandID?)
  /// `topic`: the friend's base topic.
  case friend(topic: String, FriendNews)
  /// Home Assistant has started.
  case birth
  /// Something of a friend that people may like to read.
  case notice(String)
  /// Unreadable: one line that names the topic and the error.
  case malformed(String)
  /// A command that makes no sense: the reason alone, and `line` as of `malformed`. `id`: its sender waits to hear so.
  case malformedCommand(action: String?, id: CommandID?, reason: String, line: String)
  /// Nothing that a tracker has to do with: our own echo, others' beacons, steps, wills.
  case nothing

  /// Bytes. Commands are a few hundred, a thousand regions 200 kB: the broker's client lets no more in.
  public static let limit = 256 << 10
  /// Bytes of what friends tell: a card with its face is the longest.
  public static let friendLimit = 48 << 10
  /// JSON values in one message: a thousand regions have 15,000. Each costs many times its bytes.
  public static let valueLimit = 20_000
  /// Bytes up to which a command that is refused is read all the same, for its action and for its sender's answer.
  private static let cheap = 16 << 10

  /// `mayAsk` is asked of every command before it is decoded: with nil first, then with its action.
  public static func read(
    topic: String, payload: [UInt8], isRetained: Bool, isEncrypted: Bool = false, topics: Topics,
    configuration: Configuration, mayAsk: (_ action: String?) -> Bool = { _ in true }
  ) -> Incoming {
    // Friends of an HTTP server have one topic each, however deep ours is.
    let isOverHTTP = configuration.transport == .http
    let overHTTP = topic == topics.base ? nil : topic
    let friend = isOverHTTP ? overHTTP : topics.friend(of: topic)
    let isCommand = topic == topics.topic(.command)
    if topic == Topics.birth {
      // One that is retained is of long ago.
      let isBirth = configuration.dashboard.discovery && !isRetained && payload.elementsEqual("online".utf8)
      return isBirth ? .birth : .nothing
    }
    let isFriends = !isCommand && topic != topics.topic(.listento)
    if isFriends, !configuration.keepsFriends { return .nothing }
    // An empty payload clears a retained message; it is no mistake.
    guard !payload.isEmpty else { return friend == topic ? .friend(topic: topic, .gone) : .nothing }
    if topic == topics.topic(.listento) {
      return listened(payload, isRetained: isRetained, isEncrypted: isEncrypted, configuration)
    }
    if isCommand, !mayAsk(nil) { return barred(payload.count <= cheap ? try? JSON.parse(payload) : nil) }
    let json: JSON
    do {
      let isCut = isFriends && payload.count > friendLimit
      let payload = isCut ? FriendMessage.withoutFace(payload) : payload
      json = try JSON.parse(payload, limit: isFriends ? friendLimit : limit, values: valueLimit)
    } catch {
      let line = "\(topic): \(error)".plainLine
      guard isCommand else { return .malformed(line) }
      return .malformedCommand(action: nil, id: nil, reason: "\(error)".plainLine, line: line)
    }
    guard let type = json["_type"]?.text else {
      let reason = "no _type; expected a JSON object with one"
      return isCommand ? malformed(json, topic, reason) : .malformed("\(topic): \(reason)".plainLine)
    }
    if isCommand {
      if let action = json["action"]?.text, !mayAsk(action) { return barred(json) }
      return ordered(
        json, type, payload, isRetained: isRetained, isEncrypted: isEncrypted, topic, configuration)
    }
    // Of our own messages only the card is news: another program may have made it.
    let isOwnCard = type == "card" && topic == (isOverHTTP ? topics.base : topics.topic(.info))
    guard let whose = friend ?? (isOwnCard ? topics.base : nil) else { return .nothing }
    switch FriendMessage.read(json, type: type) {
    case .news(let news): return .friend(topic: whose, news)
    case .notice(let text): return .notice(text)
    case .refused(let reason): return .malformed("\(topic): \(reason)".plainLine)
    case .nothing: return .nothing
    }
  }

  private static func barred(_ json: JSON?) -> Incoming {
    .barred(action: json.flatMap(action), id: json.flatMap { CommandMessage.id(of: $0) })
  }

  /// Of at most 40 bytes: people read it in a line.
  private static func action(of json: JSON) -> String? {
    json["action"]?.text.flatMap { $0.utf8.count <= 40 ? $0 : nil }
  }

  private static func malformed(_ json: JSON, _ topic: String, _ reason: String) -> Incoming {
    let line = "\(topic): \(reason)".plainLine
    let id = CommandMessage.id(of: json)
    return .malformedCommand(action: action(of: json), id: id, reason: reason.plainLine, line: line)
  }

  private static func ordered(
    _ json: JSON, _ type: String, _ payload: [UInt8], isRetained: Bool, isEncrypted: Bool, _ topic: String,
    _ configuration: Configuration
  ) -> Incoming {
    guard type == "cmd" else {
      return malformed(json, topic, "_type is \(ConfigurationFile.brief(type)), expected cmd")
    }
    do {
      var decoded = try CommandMessage.decode(json, configuration: configuration)
      decoded.command.isRetained = isRetained
      decoded.command.isEncrypted = isEncrypted
      decoded.command.topic = configuration.transport == .http ? nil : topic
      decoded.command.digest = digest(of: payload)
      return .command(decoded.command, problems: decoded.problems.lines.map { "\(topic): \($0)".plainLine })
    } catch {
      return malformed(json, topic, "\(error)")
    }
  }

  /// The old way to ask for a location: the bare word.
  private static func listened(
    _ payload: [UInt8], isRetained: Bool, isEncrypted: Bool, _ configuration: Configuration
  ) -> Incoming {
    let blanks: Set<UInt8> = [9, 10, 13, 32]
    var word = payload[...]
    while let last = word.last, blanks.contains(last) { word.removeLast() }
    while let first = word.first, blanks.contains(first) { word.removeFirst() }
    guard configuration.commands.legacyListento, word.elementsEqual("publish".utf8) else { return .nothing }
    var command = ReceivedCommand(.reportLocation)
    command.isLegacy = true
    command.isRetained = isRetained
    command.isEncrypted = isEncrypted
    return .command(command, problems: [])
  }

  /// FNV-1a: tells messages apart; what keeps strangers out is the encryption.
  private static func digest(of bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}

extension Topics {
  /// The base topic of the sender who publishes on `topic`, cut to as many levels as ours has; nil: it is ourselves,
  /// or no sender.
  public func friend(of topic: String) -> String? {
    let depth = base.utf8.count { $0 == UInt8(ascii: "/") } + 1
    let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
    guard levels.count >= depth else { return nil }
    let whose = levels.prefix(depth).joined(separator: "/")
    return whose == base ? nil : whose
  }
}
