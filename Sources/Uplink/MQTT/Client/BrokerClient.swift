import CMosquitto
import CPacketGate
import Glibc
import Model

/// One libmosquitto object. It keeps unacknowledged messages through all connections of one session and resends them
/// itself, so it lives until settings change. Its callbacks only note events; `Broker` reads them when the library's
/// call has returned.
///
/// Never on two threads: while `open` runs on the worker nothing else may call this class.
package final class BrokerClient {
  enum Happening {
    case greeting(Greeting)
    /// libmosquitto's code from 0 on, or an MQTT 5 reason code; and errno at that moment.
    case ended(code: Int32, systemError: Int32)
    case published(number: Int32, reason: Int32)
    case subscribed(number: Int32, granted: [Int32])
    case unsubscribed(number: Int32)
    case received(topic: String, payload: [UInt8], isRetained: Bool)
    /// A message on a topic where one of ours is looked for; `digest` as in `RoundTrip`.
    case cameBack(topic: String, digest: UInt64)
    /// A command of `CommandEcho` has arrived.
    case echoed(UInt64)
    /// Our place as the broker retains it, while we look for it.
    case retainedPlace([UInt8])
    case malformed
    case oversized
  }

  /// Bytes of QoS 2 messages that may wait for their release: the library holds them meanwhile.
  static let unreleasedLimit = 1 << 20
  /// Bytes that one call may read: a burst from the broker is read in several turns, with other work in between.
  static let allowance = 65_536
  /// Answers that may be pending to a broker that does not read them; beyond that we stop reading.
  static let answersLimit = 500

  let settings: BrokerSettings
  /// From the settings; also true for an object that only clears a session.
  let isSessionClean: Bool
  let handle: OpaquePointer
  var happenings: [Happening] = []
  private var spare: [Happening] = []
  var notes = BrokerDiagnosis.Notes()
  /// The files that the TLS context was made from, as they were then.
  var files: [BrokerFile]?
  var inFlight = BrokerInFlight()
  /// The broker has answered to CONNECT on the present connection.
  var isGreeted = false
  /// The present connection was reset, as far as that was seen.
  var isReset = false
  /// The first bytes of the greeting, if not hidden by TLS.
  var firstBytes: [UInt8] = []
  /// TLS stood once on the present connection. The library forgets it with a connection that it closes.
  private(set) var isHandshakeOver = false
  /// Messages received on the topic of our own locations, which the usual subscription covers. Only counted, not read:
  /// one comes with every fix.
  private(set) var echoes = 0
  private let ownTopic: ContiguousArray<CChar>
  /// Nil: no subscription to it.
  private let commandTopic: ContiguousArray<CChar>?
  /// See `RoundTrip.sought`. Empty, as nearly always, it costs nothing.
  var sought: [String: Bool] = [:]
  /// See `PlaceLook`.
  var isPlaceSought = false
  /// Counts the bytes of the present connection; nil: there is none.
  var meter: WireMeter?
  private let gate = UnsafeMutablePointer<packet_gate>.allocate(capacity: 1)
  /// Called before the library sends anything of its own on a new connection.
  var greeted: ((Greeting) -> Void)?

  /// Nil if the library has no memory or rejects a setting.
  init?(_ settings: BrokerSettings, isSessionClean: Bool) {
    _ = Self.library
    guard let handle = mosquitto_new(settings.clientID, isSessionClean, nil) else { return nil }
    self.settings = settings
    self.handle = handle
    ownTopic = settings.will.topic.utf8CString
    commandTopic = settings.commandTopic?.utf8CString
    self.isSessionClean = isSessionClean
    gate.initialize(to: packet_gate())
    gate.pointee.has_properties = settings.protocolLevel == 5
    gate.pointee.packet_limit = UInt32(PacketLimits.packet)
    gate.pointee.unreleased_limit = UInt32(Self.unreleasedLimit)
    mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
    setCallbacks()
    guard setOptions() else { return nil }
  }

  deinit {
    mosquitto_destroy(handle)
    gate.deallocate()
  }

  /// Writes to a connection that the other side has closed must be errors, not end the program; the library ignores
  /// SIGPIPE itself in some versions and not in others.
  private static let library: Void = {
    signal(SIGPIPE, SIG_IGN)
    mosquitto_lib_init()
  }()

  /// Whether a topic is that of our own locations, compared without creating a String.
  func isEcho(_ topic: UnsafePointer<CChar>) -> Bool {
    guard Self.isSame(ownTopic, topic) else { return false }
    echoes &+= 1
    return true
  }

  /// Whether commands come on this topic.
  func isForCommands(_ topic: UnsafePointer<CChar>) -> Bool {
    commandTopic.map { Self.isSame($0, topic) } ?? false
  }

  private static func isSame(_ own: ContiguousArray<CChar>, _ topic: UnsafePointer<CChar>) -> Bool {
    own.withUnsafeBufferPointer { own in own.baseAddress.map { strcmp($0, topic) == 0 } ?? false }
  }

  // MARK: Questions

  /// -1: no connection.
  var socket: Int32 { mosquitto_socket(handle) }

  /// Called often, and the library call needs a function look-up: made only if the answer can be yes.
  var isInHandshake: Bool {
    settings.tls != nil && !isGreeted && isTLSUnfinished
  }

  private var isTLSUnfinished: Bool { homeward_tls_is_in_handshake(mosquitto_ssl_get(handle)) != 0 }

  /// Whether to wait for the socket to become writable. `mosquitto_want_write` alone would spin during the handshake:
  /// CONNECT waits in the library's queue while TLS waits for the other side.
  var wantsWrite: Bool {
    if isInHandshake { return homeward_tls_wants_write(mosquitto_ssl_get(handle)) != 0 }
    return mosquitto_want_write(handle)
  }

  /// Something is unacknowledged, and what has been read since the last look was our own message at most.
  var isMoreExpected: Bool { happenings.isEmpty && !inFlight.isEmpty && socket >= 0 }

  // MARK: Calls

  /// Why a received packet was rejected as more than we hold, or malformed; nil: none was.
  var overrun: BrokerCause? {
    switch gate.pointee.verdict {
    case PACKET_GATE_OVERSIZED: .oversized(bytes: Int(gate.pointee.refused_length))
    case PACKET_GATE_UNRELEASED: .unreleased
    case PACKET_GATE_CROWDED: .crowded
    case PACKET_GATE_MALFORMED: .reason(code: 0x81, text: "malformed packet")
    default: nil
    }
  }

  /// The broker sends but does not read our answers: nothing more is read before it does.
  var isReadingPaused: Bool { gate.pointee.answers_owed > Self.answersLimit }

  /// Up to 2.0.12 only reading drives the handshake, later both do.
  func advanceHandshake() -> Int32 {
    var code = mosquitto_loop_write(handle, 1)
    noteHandshake()
    if code == 0, socket >= 0 {
      code = read()
      noteHandshake()
    }
    return code
  }

  /// Another connection is made.
  func beginAnew() {
    (isGreeted, isReset, isHandshakeOver, firstBytes) = (false, false, false, [])
    packet_gate_reset(gate)
  }

  private func noteHandshake() { isHandshakeOver = isHandshakeOver || socket >= 0 && !isTLSUnfinished }

  func read() -> Int32 {
    gate.pointee.descriptor = socket
    gate.pointee.ssl = settings.tls == nil ? nil : mosquitto_ssl_get(handle)
    packet_gate_enter(gate, UInt32(Self.allowance))
    defer { packet_gate_leave() }
    var code = mosquitto_loop_read(handle, 1)
    // There is no wake-up for bytes that were read ahead. Each turn takes a byte at least.
    for _ in 0..<PACKET_GATE_AHEAD where code == 0 && gate.pointee.ahead_count > 0 && socket >= 0 {
      code = mosquitto_loop_read(handle, 1)
    }
    if !mosquitto_want_write(handle) { gate.pointee.answers_owed = 0 }
    return code
  }

  func write() -> Int32 {
    let code = mosquitto_loop_write(handle, 1)
    if !mosquitto_want_write(handle) { gate.pointee.answers_owed = 0 }
    return code
  }

  /// Lets the library ping if a ping is due.
  func keepAlive() -> (code: Int32, isPinged: Bool) {
    let before = packet_gate_written()
    let code = hushed { mosquitto_loop_misc(handle) }
    return (code, packet_gate_written() != before)
  }

  /// Sends DISCONNECT: the broker then publishes no will. Closed when `socket` is -1.
  func disconnect() { _ = hushed { mosquitto_disconnect(handle) } }

  /// A call in which the library may send a packet, without the byte that would wake a thread of its own; `read` has
  /// none either.
  func hushed(_ call: () -> Int32) -> Int32 {
    packet_gate_hush(true)
    defer { packet_gate_hush(false) }
    return call()
  }

  /// Ends the connection without DISCONNECT, and discards bytes that the kernel has not sent yet.
  func cut() {
    let descriptor = socket
    guard descriptor >= 0 else { return }
    BrokerSocket.dropUnsent(descriptor)
    shutdown(descriptor, Int32(SHUT_RDWR))
    // Received packets come before the end. If the library misses the end even so, the next attempt closes.
    for _ in 0..<16 where socket >= 0 { _ = read() }
  }

  /// Events since the last call. `reuse` gives the list's storage back for the next call: otherwise one more list would
  /// be made and freed with each fix.
  func takeHappenings() -> [Happening] {
    var taken: [Happening] = []
    swap(&taken, &happenings)
    swap(&happenings, &spare)
    return taken
  }

  func reuse(_ taken: consuming [Happening]) {
    taken.removeAll(keepingCapacity: true)
    spare = taken
  }

  /// `number` is 0 if the library refused at once.
  func publish(_ message: Message, qos: Int, alias: Int?, isTopicNeeded: Bool) -> (code: Int32, number: Int32)
  {
    var properties: OpaquePointer?
    if let alias {
      mosquitto_property_add_int16(&properties, Int32(MQTT_PROP_TOPIC_ALIAS.rawValue), UInt16(alias))
    }
    defer { mosquitto_property_free_all(&properties) }
    var number: Int32 = 0
    // Passed as it is, a String would be copied for each call.
    let code = (isTopicNeeded ? message.topic : "").withCString { topic in
      message.payload.withUnsafeBytes { payload in
        hushed {
          mosquitto_publish_v5(
            handle, &number, topic, Int32(payload.count), payload.baseAddress, Int32(qos), message.isRetained,
            properties)
        }
      }
    }
    return (code, number)
  }

  /// The number of the request; nil: it could not be made.
  func subscribe(_ filters: [String], qos: Int, isRepeated: Bool = false) -> Int32? {
    var number: Int32 = 0
    // Own messages need not come back, but for `CommandEcho`, and a repeated subscription need not bring retained ones.
    let isEchoed = settings.commandTopic.map { filters == [$0] } ?? false
    let options =
      (isEchoed ? 0 : MQTT_SUB_OPT_NO_LOCAL.rawValue)
      | (isRepeated ? MQTT_SUB_OPT_SEND_RETAIN_NEVER.rawValue : 0)
    var texts = filters.map { strdup($0) }
    defer { for text in texts { free(text) } }
    let code = hushed {
      mosquitto_subscribe_multiple(
        handle, &number, Int32(texts.count), &texts, Int32(qos), Int32(options), nil)
    }
    return code == 0 ? number : nil
  }

  func unsubscribe(_ filter: String) -> Int32? {
    var number: Int32 = 0
    return hushed { mosquitto_unsubscribe(handle, &number, filter) } == 0 ? number : nil
  }
}

extension BrokerClient.Greeting {
  /// One without limits but the number of messages.
  package init(code: Int, isSessionPresent: Bool, receiveMaximum: Int?) {
    self.init()
    (self.code, self.isSessionPresent) = (code, isSessionPresent)
    self.receiveMaximum = receiveMaximum
  }
}
