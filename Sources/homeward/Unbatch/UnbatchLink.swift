import CClient
import Glibc
import Model

/// A connection of `homeward unbatch` to the broker. What is heard stands in properties until it is read.
final class UnbatchLink {
  /// A message that has come.
  struct Received {
    var topic: String
    var payload: [UInt8]
    var isRetained: Bool
  }

  private let client: OpaquePointer
  private let place: BrokerPlace
  private let keepalive: Int
  /// For the journal.
  let name: String
  private(set) var isConnected = false
  private var hasConnected = false
  var received: [Received] = []
  /// Numbers of messages that the broker has acknowledged.
  var acknowledged: [Int32] = []
  /// The last fault; nil: none since it was read.
  var trouble: String?
  /// The filter to subscribe to with each connection; nil: none.
  private let filter: String?

  /// Why the library cannot be used; nil: it can.
  static func load() -> String? { cclient_load().map { String(cString: $0) } }

  /// `isHeld`: nothing is written, not even an acknowledgement, until `write` is called.
  init(_ configuration: Configuration, name: String, filter: String?, isHeld: Bool) throws {
    self.name = name
    self.filter = filter
    place = configuration.broker.places[0]
    keepalive = configuration.broker.keepalive
    let ears = cclient_ears(
      connected: { context, code, _ in UnbatchLink.of(context).connected(code) },
      disconnected: { context, code in UnbatchLink.of(context).disconnected(code) },
      published: { context, number in UnbatchLink.of(context).acknowledged.append(number) },
      subscribed: { context, granted in UnbatchLink.of(context).subscribed(granted) },
      received: { context, topic, payload, count, isRetained in
        UnbatchLink.of(context).received.append(
          Received(
            topic: topic.map { String(cString: $0) } ?? "",
            payload: Array(UnsafeBufferPointer(start: payload, count: count)), isRetained: isRetained))
      })
    let context = UnsafeMutablePointer<Unmanaged<UnbatchLink>>.allocate(capacity: 1)
    guard let client = cclient_new(name, filter == nil, isHeld, ears, context) else {
      throw Failure(.failed, "\(name): no memory")
    }
    self.client = client
    context.initialize(to: Unmanaged.passUnretained(self))
    try configure(configuration)
  }

  // Both live until the program ends.
  private static func of(_ context: UnsafeMutableRawPointer?) -> UnbatchLink {
    context!.assumingMemoryBound(to: Unmanaged<UnbatchLink>.self).pointee.takeUnretainedValue()
  }

  private func configure(_ configuration: Configuration) throws {
    let (login, tls) = (configuration.login, configuration.tls)
    var code: Int32 = 0
    if login.auth, !configuration.identity.username.isEmpty {
      code = cclient_user(client, configuration.identity.username, login.usePassword ? login.password : nil)
    }
    if code == 0, tls.isOn {
      let (authority, certificate, key) = (tls.caFile, tls.clientCertificate, tls.clientKey)
      for path in [authority, certificate, key] where !path.isEmpty && access(path, R_OK) != 0 {
        throw Failure(.configuration, "\(path): cannot be read: \(lastError())")
      }
      code = cclient_tls(
        client, authority.isEmpty ? nil : authority, certificate.isEmpty ? nil : certificate,
        key.isEmpty ? nil : key, !tls.allowsInvalidCertificates)
    }
    guard code == 0 else { throw Failure(.configuration, "\(name): \(String(cString: cclient_text(code)))") }
  }

  // MARK: What is heard

  private func connected(_ code: Int32) {
    guard code == 0 else {
      trouble = "\(place): the broker turns the connection down: \(String(cString: cclient_refusal(code)))"
      return
    }
    isConnected = true
    guard let filter else { return }
    let code = cclient_subscribe(client, filter)
    if code != 0 { trouble = "\(filter): \(String(cString: cclient_text(code)))" }
  }

  private func disconnected(_ code: Int32) {
    isConnected = false
    if code != 0, trouble == nil { trouble = "\(place): \(String(cString: cclient_text(code)))" }
  }

  private func subscribed(_ granted: Int32) {
    if granted >= 128 { trouble = "\(filter ?? ""): the broker does not let this user subscribe" }
  }

  // MARK: What is asked for

  /// Begins a connection; false: it could not be begun.
  func connect() -> Bool {
    isConnected = false
    let code =
      hasConnected
      ? cclient_reconnect(client)
      : cclient_connect(client, place.host, Int32(place.port), Int32(max(5, keepalive)))
    hasConnected = hasConnected || code == 0
    if code != 0 { trouble = "\(place): \(code == 14 ? lastError() : String(cString: cclient_text(code)))" }
    return code == 0
  }

  /// The number under which it is acknowledged; nil: not taken.
  func publish(_ payload: [UInt8], on topic: String, isRetained: Bool) -> Int32? {
    var number: Int32 = 0
    let code = cclient_publish(client, &number, topic, payload, payload.count, isRetained)
    guard code == 0 else {
      trouble = "\(topic): \(String(cString: cclient_text(code)))"
      return nil
    }
    return number
  }

  /// Below 0: there is none.
  var socket: Int32 { cclient_socket(client) }
  var wantsWrite: Bool { cclient_wants_write(client) }

  func read() { _ = cclient_read(client) }
  func write() { _ = cclient_write(client) }
  func look() { _ = cclient_look(client) }

  func disconnect() {
    _ = cclient_disconnect(client)
    write()
  }
}
