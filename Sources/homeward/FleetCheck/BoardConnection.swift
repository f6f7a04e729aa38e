import CClient
import Glibc
import Model
import Timebase

/// How a board shows itself to the broker, with the files of the fleet's folder.
struct BoardIdentity {
  var clientID: String
  var user: String?
  var password: String?
  var hasTLS: Bool
  /// Nil: the system's authorities.
  var authority: String?
  var certificate: String?
  var key: String?
  var isVerified: Bool
  /// The broker's certificate has to be for the host that is connected to.
  var isNamed = true

  init(_ board: FleetBoard, in folder: String) {
    let (login, tls) = (board.configuration.login, board.configuration.tls)
    func local(_ path: String) -> String? {
      let prefix = FleetBoard.folderOnBoard + "/"
      guard !path.isEmpty else { return nil }
      return path.hasPrefix(prefix) ? folder + "/" + path.dropFirst(prefix.count) : path
    }
    clientID = board.topics.clientId
    user = login.auth && !board.user.isEmpty ? board.user : nil
    password = board.logsInByPassword ? board.password : nil
    hasTLS = tls.isOn
    authority = local(tls.caFile)
    (certificate, key) = (local(tls.clientCertificate), local(tls.clientKey))
    isVerified = !tls.allowsInvalidCertificates
  }

  /// The same without anything that proves who it is.
  var anonymous: BoardIdentity {
    var other = self
    (other.user, other.password, other.certificate, other.key) = (nil, nil, nil, nil)
    return other
  }
}

/// A connection that looks, under a client id of its own.
final class BoardConnection {
  enum Answer: Equatable {
    /// Below 128: granted.
    case reason(Int32)
    /// The connection ended instead; from 128 on by the broker's own reason.
    case ended(Int32)
    case silence

    var isGranted: Bool { if case .reason(let code) = self { code < 128 } else { false } }
    var isSilence: Bool { self == .silence }

    var words: String {
      switch self {
      case .reason(let code), .ended(let code):
        code >= 128
          ? "\(String(cString: cprobe_text(code))), reason code 0x\(String(code, radix: 16))"
          : "the connection ended"
      case .silence: "no answer"
      }
    }
  }

  private static let patience = 8.0
  /// The library's number for a connection that has ended.
  private static let lost: Int32 = 7
  /// No two of one program have the same.
  private nonisolated(unsafe) static var count = 0

  /// State that the library changes, to the very end.
  private final class Heard {
    var grant: BrokerGrant?
    var faults: [String] = []
    var received: [Received] = []
    var greeting: Int32?
    var end: Int32?
    var acknowledgements: [Int32] = []
    var grants: [Int32] = []
  }

  struct Received {
    var topic: String
    /// Its beginning.
    var payload: String
    var isRetained: Bool
  }

  private let heard = Heard()
  private var client: OpaquePointer?

  var grant: BrokerGrant? { heard.grant }
  /// Lines of the library about a fault.
  var faults: [String] { heard.faults }
  var received: [Received] { heard.received }

  deinit { close() }

  /// Seconds, between pings and of a session.
  struct Wishes {
    var keepalive = 60
    var expiry: UInt32 = 0
  }

  /// The answer to the greeting.
  static func open(
    _ identity: BoardIdentity, _ place: BrokerPlace, _ wishes: Wishes = Wishes()
  ) -> (BoardConnection, Answer) {
    let connection = BoardConnection()
    return (connection, connection.open(identity, place, wishes))
  }

  private func open(_ identity: BoardIdentity, _ place: BrokerPlace, _ wishes: Wishes) -> Answer {
    let ears = cprobe_ears(
      greeted: { context, greeting in BoardConnection.greeted(greeting!.pointee, of: context) },
      ended: { context, code in BoardConnection.of(context).end = code },
      acknowledged: { context, reason in BoardConnection.of(context).acknowledgements.append(reason) },
      subscribed: { context, reason in BoardConnection.of(context).grants.append(reason) },
      received: { context, topic, payload, isRetained in
        BoardConnection.take(topic, payload, isRetained, of: context)
      },
      said: { context, text in
        if let text { BoardConnection.of(context).faults.append(String(cString: text)) }
      })
    Self.count += 1
    // A board's rights at RabbitMQ include names that begin with its own.
    let name = "\(identity.clientID)-check-\(getpid())-\(Self.count)"
    client = cprobe_new(name, ears, Unmanaged.passUnretained(heard).toOpaque())
    guard let client else { return .ended(Self.lost) }
    var code: Int32 = 0
    if let user = identity.user { code = cprobe_user(client, user, identity.password) }
    if code == 0, identity.hasTLS {
      code = cprobe_tls(
        client, identity.authority, identity.certificate, identity.key, identity.isVerified,
        identity.isVerified && identity.isNamed)
    }
    if code == 0 {
      code = cprobe_connect(client, place.host, Int32(place.port), Int32(wishes.keepalive), wishes.expiry)
    }
    guard code == 0 else { return .ended(code) }
    return answer { heard.greeting }
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> Heard {
    Unmanaged<Heard>.fromOpaque(context!).takeUnretainedValue()
  }

  private static func greeted(_ words: cprobe_greeting, of context: UnsafeMutableRawPointer?) {
    let heard = of(context)
    heard.greeting = words.reason
    guard words.reason == 0 else { return }
    var grant = BrokerGrant()
    grant.maximumQoS = Int(words.maximum_qos)
    grant.retains = words.is_retaining
    grant.hasSharedSubscriptions = words.has_shared_subscriptions
    grant.sessionExpiry = words.session_expiry < 0 ? nil : Int(words.session_expiry)
    grant.maximumPacket = words.maximum_packet == 0 ? nil : Int(words.maximum_packet)
    grant.aliases = Int(words.alias_maximum)
    grant.receiveMaximum = Int(words.receive_maximum)
    grant.keepalive = words.keepalive < 0 ? nil : Int(words.keepalive)
    heard.grant = grant
  }

  private static func take(
    _ topic: UnsafePointer<CChar>?, _ payload: UnsafePointer<CChar>?, _ isRetained: Bool,
    of context: UnsafeMutableRawPointer?
  ) {
    let heard = of(context)
    // A fleet that is heard by mistake says much.
    guard heard.received.count < 100, let topic else { return }
    let text = payload.map { String(cString: $0) } ?? ""
    heard.received.append(Received(topic: String(cString: topic), payload: text, isRetained: isRetained))
  }

  func subscribe(_ filter: String) -> Answer {
    guard let client, heard.end == nil else { return .ended(heard.end ?? Self.lost) }
    let code = cprobe_subscribe(client, filter)
    return code == 0 ? answer { heard.grants.popLast() } : .ended(code)
  }

  /// An empty message of QoS 1.
  func publish(_ topic: String) -> Answer {
    guard let client, heard.end == nil else { return .ended(heard.end ?? Self.lost) }
    let code = cprobe_publish(client, topic)
    return code == 0 ? answer { heard.acknowledgements.popLast() } : .ended(code)
  }

  /// For as long as that, or until the condition holds.
  func listen(_ seconds: Double, until isHeard: () -> Bool = { false }) {
    let start = SystemClock.read().instant
    while heard.end == nil, !isHeard() {
      let left = seconds - (SystemClock.read().instant - start).seconds
      guard left > 0, let client else { return }
      let wanted = Int16(POLLIN | (cprobe_wants_write(client) ? POLLOUT : 0))
      var polled = pollfd(fd: cprobe_socket(client), events: wanted, revents: 0)
      guard polled.fd >= 0 else { return }
      guard poll(&polled, 1, Int32(min(left, 1) * 1000) + 1) > 0 else { continue }
      if polled.revents & Int16(POLLOUT) != 0 { _ = cprobe_write(client) }
      if polled.revents & ~Int16(POLLOUT) != 0 { _ = cprobe_read(client) }
    }
  }

  private func answer(_ take: () -> Int32?) -> Answer {
    var found = take()
    listen(Self.patience) {
      if found == nil { found = take() }
      return found != nil
    }
    // Its end may have come with it.
    if let found = found ?? take() { return .reason(found) }
    return heard.end.map { .ended($0) } ?? .silence
  }

  func close() {
    guard let client else { return }
    if heard.end == nil { _ = cprobe_disconnect(client) }
    cprobe_free(client)
    self.client = nil
  }
}
