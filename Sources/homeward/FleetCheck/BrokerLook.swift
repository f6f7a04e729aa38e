import CClient
import Glibc
import Model
import OwnTracks
import Timebase

/// Looks at a live broker as one of its boards would, without disturbing it: its connections have names of their own, what
/// they publish is empty, which nobody records and nothing retains, and they leave no session.
struct BrokerLook {
  private let folder: FleetFolder
  private let boards: [FleetBoard]
  /// Those whose settings say MQTT.
  private let kept: [FleetFolder.Kept]
  private let one: FleetFolder.Kept
  private let place: BrokerPlace

  private(set) var found = FleetFindings()
  private(set) var grant: BrokerGrant?
  private var isNamed = true

  /// Seconds. A week is more than any broker should forget in.
  private static let asked: UInt32 = 7 * 86_400
  /// Seconds: for what one board has said to come to another.
  private static let hearing = 1.0

  /// `board`: the folder of the one to look as; nil: the first.
  init(_ folder: FleetFolder, _ broker: String, board: String?) throws {
    self.folder = folder
    kept = folder.kept.filter { $0.board.configuration.transport == .mqtt }
    boards = kept.map(\.board)
    guard let first = kept.first else {
      throw Failure(.usage, "\(folder.path): no board with mode 0 (MQTT), expected one to look as")
    }
    if let board {
      guard let named = kept.first(where: { $0.folder == board }) else {
        throw Failure(.usage, "--board: no \(board) in \(folder.path), expected the folder of one with MQTT")
      }
      one = named
    } else {
      one = first
    }
    guard let place = BrokerPlace(broker[...], port: one.board.configuration.broker.port), place.port != 0
    else {
      throw Failure(.usage, "--broker: \(broker), expected HOST or HOST:PORT")
    }
    self.place = place
    if let why = cclient_load() { throw Failure(.failed, "libmosquitto1 is needed: \(String(cString: why))") }
  }

  mutating func run() throws {
    if let why = cprobe_reach(place.host, Int32(place.port), 8) {
      return found.blame(
        "\(place): cannot be reached (\(String(cString: why))): look at the address, the broker's listener and the "
          + "firewall")
    }
    guard try looksGenuine() else { return }
    guard greets() else { return }
    learnName()
    guard let grant else { return }
    found.add(GrantFindings.found(grant, boards))
    found.add(FittingSettings.found(grant.kind, boards))
    lookForOpenDoors()
    guard grant.maximumQoS > 0 else {
      return found.skip("rights, because the broker takes no QoS 1 and so says nothing of them")
    }
    lookAtOwnTopics()
    lookAtRetained()
    lookAtOthers()
  }

  private func identity(_ kept: FleetFolder.Kept) -> BoardIdentity {
    var identity = BoardIdentity(kept.board, in: "\(folder.path)/\(kept.folder)")
    identity.isNamed = isNamed
    return identity
  }

  private func open(
    _ identity: BoardIdentity, _ wishes: BoardConnection.Wishes = .init()
  ) -> (BoardConnection, BoardConnection.Answer) {
    BoardConnection.open(identity, place, wishes)
  }

  // MARK: The way in

  /// TLS as boards see it. False: it makes no sense to go on.
  private mutating func looksGenuine() throws -> Bool {
    let identity = identity(one)
    for file in [identity.authority, identity.certificate, identity.key] {
      guard let file, access(file, R_OK) != 0 else { continue }
      throw Failure(
        .usage, "\(file): cannot be read: \(lastError()), expected a file of the board \(one.folder)")
    }
    guard identity.hasTLS, identity.isVerified else {
      found.warn(
        "\(one.folder): \(identity.hasTLS ? "allowinvalidcerts is true" : "tls is false"), and anybody on the way can read and "
          + "pretend to be the broker: use TLS with the fleet's authority")
      return true
    }
    var names: [String] = []
    for name in boards.flatMap({ $0.configuration.broker.places.map(\.host) }) where !names.contains(name) {
      names.append(name)
    }
    isNamed = names.contains(place.host)
    // Those that boards have in common are few.
    for name in names.prefix(3) {
      let certificate = try ServerCertificate.read(place, name: name, as: identity)
      let authority = identity.authority ?? "the system's"
      let now = SystemClock.rawWall().seconds
      switch certificate.trust(&found, place, name: name, authority: authority, now) {
      case .full: break
      case .withoutName: isNamed = false
      case .none: return false
      }
    }
    return true
  }

  /// The first connection asks for a session that lasts, and ends it.
  private mutating func greets() -> Bool {
    let settings = boards.map(\.configuration.broker)
    let keepalive = settings.map { max($0.keepalive, $0.keepaliveParked) }.max() ?? 0
    let expiry = settings.contains { !$0.cleanSession } ? Self.asked : 0
    // Less is no number for the library.
    let wishes = BoardConnection.Wishes(keepalive: max(5, keepalive), expiry: expiry)
    let (connection, answer) = open(identity(one), wishes)
    switch answer {
    case .reason(0):
      grant = connection.grant
      return true
    case .reason(let code): found.blame("\(place): \(Self.refusal(code, one))")
    case .silence:
      found.blame(
        "\(place): takes the connection and does not greet: look for an alarm of memory or disk, and whether the node "
          + "hangs")
    case .ended(let code) where code >= 128: found.blame("\(place): \(Self.refusal(code, one))")
    case .ended:
      let why = connection.faults.last.map { " (\($0))" } ?? ""
      found.blame(
        "\(place): ends the connection before its greeting\(why): look whether it trusts the authority of "
          + "\(one.folder)/\(FleetBoard.certificateFile), speaks MQTT 5 there, and has an alarm; its log says which"
      )
    }
    return false
  }

  private static func refusal(_ code: Int32, _ one: FleetFolder.Kept) -> String {
    let words = BoardConnection.Answer.reason(code).words
    switch code {
    // 1: of a broker that knows MQTT 3 alone.
    case 0x84, 1:
      return
        "does not speak MQTT 5 (\(words)), with which it says what it refuses: take a broker that does, or set "
        + "mqttProtocolLevel 4 and do without"
    case 0x86, 0x87, 4, 5:
      return "does not let \(one.folder) in (\(words)): give it the users of \(FleetFolder.passwords) or "
        + "\(FleetFolder.definitions); for certificates, use_identity_as_username or ssl_cert_login"
    case 0x9B, 0x9A: return "refuses a will or message (\(words)): set pubQos 1, pubRetain false"
    default: return "refuses the connection (\(words)): its log says why"
    }
  }

  /// mosquitto tells its name where rights let it be read; RabbitMQ would end the connection over the question.
  private mutating func learnName() {
    guard grant?.kind != .rabbit else { return }
    let (connection, answer) = open(identity(one))
    guard answer == .reason(0), connection.subscribe("$SYS/broker/version").isGranted else { return }
    connection.listen(Self.hearing) { !connection.received.isEmpty }
    if let first = connection.received.first { grant?.version = String(first.payload.plainLine.prefix(60)) }
  }

  /// A way in without any proof.
  private mutating func lookForOpenDoors() {
    if open(identity(one).anonymous).1 == .reason(0) {
      found.blame(
        "\(place): lets in who shows neither certificate nor password: set allow_anonymous false (mosquitto), "
          + "anonymous_login_user = none (RabbitMQ)")
    }
  }

  // MARK: Rights

  private mutating func lookAtOwnTopics() {
    let topics = one.board.topics
    let (connection, answer) = open(identity(one))
    guard answer == .reason(0) else { return found.skip("the board's own topics: \(answer.words)") }
    let topic = topics.topic(.dump)
    let published = connection.publish(topic)
    if published == .reason(0x10) {
      found.warn(
        "nobody has subscribed to \(topic), as the broker says: look for the consumer and what it is bound to. Neither this "
          + "nor its absence proves much: the answer is the same for what is retained, and another topic may be heard"
      )
    } else if !published.isGranted {
      found.blame(
        "\(one.folder) may not publish on \(topic) (\(published.words)): give it the rights of "
          + "\(FleetFolder.rights) or \(FleetFolder.definitions)")
    }
    guard one.board.configuration.broker.sub else { return }
    let command = topics.topic(.command)
    let (ear, opened) = open(identity(one))
    guard opened == .reason(0) else { return found.skip("\(command): \(opened.words)") }
    let subscribed = ear.subscribe(command)
    let remedy = "give it the rights of \(FleetFolder.rights) or \(FleetFolder.definitions)"
    guard subscribed.isGranted else {
      return found.blame("\(one.folder) may not subscribe to \(command) (\(subscribed.words)): \(remedy)")
    }
    guard ear.publish(command).isGranted else {
      return found.skip("whether commands arrive on \(command), because the board may not publish there")
    }
    ear.listen(2 * Self.hearing) { ear.received.contains { $0.topic == command } }
    if !ear.received.contains(where: { $0.topic == command }) {
      found.blame("\(one.folder) does not hear what is published on \(command): \(remedy)")
    }
  }

  /// The last place for a latecomer, by its topic and by a filter.
  private mutating func lookAtRetained() {
    guard let grant, grant.retains else { return }
    let base = one.board.topics.base
    func retained(_ filter: String) -> Bool? {
      let (connection, answer) = open(identity(one))
      guard answer == .reason(0), connection.subscribe(filter).isGranted else { return nil }
      let isFound = { connection.received.contains { $0.isRetained && $0.topic == base } }
      connection.listen(Self.hearing, until: isFound)
      return isFound()
    }
    guard let exact = retained(base) else {
      return found.skip("what the broker retains, because \(one.folder) may not read \(base)")
    }
    guard exact else {
      return found.skip(
        "what the broker retains, because \(one.folder) is given nothing on \(base): it may not read there, or nothing "
          + "is retained")
    }
    if retained(Self.anyBoard(base)) == false {
      found.warn(
        "who subscribes to \(Self.anyBoard(base)) is not given what the broker retains, and \(base) alone is: maps and "
          + "Home Assistant have to start from a database")
    }
  }

  /// A filter for all boards: the first level, and any others.
  static func anyBoard(_ base: String) -> String {
    let levels = base.split(separator: "/", omittingEmptySubsequences: false)
    let kept = base.utf8.first == UInt8(ascii: "/") ? 2 : 1
    return levels.enumerated().map { $0.offset < kept ? String($0.element) : "+" }.joined(separator: "/")
  }

  private mutating func lookAtOthers() {
    let others = kept.filter { $0.board.user != one.board.user }
    guard let other = others.first else {
      return found.skip("rights between boards, because there is but one user")
    }
    for suffix in [Topics.Suffix.dump, .command] {
      let topic = other.board.topics.topic(suffix)
      mayPublish(topic, identity(one), "\(one.folder) may publish on \(topic), which is another board's")
    }
    // A certificate is good for one name, whatever is claimed beside it.
    if identity(one).certificate != nil {
      var claiming = identity(one)
      claiming.user = other.board.user
      claiming.password = nil
      let topic = other.board.topics.topic(.dump)
      mayPublish(
        topic, claiming,
        "\(one.folder) may publish on \(topic) when it says that it is \(other.board.user), with the certificate of "
          + "\(one.board.user): let the certificate decide (use_identity_as_username, ssl_cert_login)")
    }
    let base = other.board.topics.base
    for filter in [base, base + "/#", Self.anyBoard(base), "#"] where !mayHear(filter, other) { break }
  }

  private mutating func mayPublish(_ topic: String, _ identity: BoardIdentity, _ words: String) {
    let (connection, answer) = open(identity)
    guard answer == .reason(0) else {
      if identity.user == self.identity(one).user { found.skip("\(topic): \(answer.words)") }
      return
    }
    let published = connection.publish(topic)
    if published.isGranted {
      found.blame(words.contains(": ") ? words : words + ": \(Self.narrow)")
    } else if published.isSilence {
      found.skip("whether \(topic) may be published on: the broker gave no answer")
    }
  }

  private static var narrow: String {
    "give it the rights of \(FleetFolder.rights) or \(FleetFolder.definitions) alone"
  }

  /// Whether something of the other board arrives, which speaks meanwhile. False: there is no need to look further.
  private mutating func mayHear(_ filter: String, _ other: FleetFolder.Kept) -> Bool {
    let (ear, answer) = open(identity(one))
    guard answer == .reason(0) else {
      found.skip("\(filter): \(answer.words)")
      return false
    }
    let rights = BrokerRight.all(of: one.board.configuration).filter { $0.access != .write }.map(\.filter)
    guard !rights.contains(filter), ear.subscribe(filter).isGranted else { return true }
    if grant?.kind == .rabbit {
      found.blame("\(one.folder) may subscribe to \(filter), where other boards are: \(Self.narrow)")
      return true
    }
    let own = one.board.topics.base
    let isHeard = {
      ear.received.first { message in
        message.topic != own && !message.topic.hasPrefix(own + "/")
          && !rights.contains { TopicPattern.mqtt($0, matches: message.topic) }
      }
    }
    let (mouth, opened) = open(identity(other))
    if opened == .reason(0) {
      for suffix in [Topics.Suffix.dump, .command] where isHeard() == nil {
        _ = mouth.publish(other.board.topics.topic(suffix))
      }
    } else {
      found.skip("whether \(one.folder) hears \(other.folder), which is not let in: \(opened.words)")
    }
    ear.listen(Self.hearing) { isHeard() != nil }
    if let heard = isHeard() {
      found.blame(
        "\(one.folder) hears what is published on \(heard.topic), which is not its own, by \(filter): \(Self.narrow)"
      )
    }
    return opened == .reason(0)
  }
}
