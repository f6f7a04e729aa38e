import CMosquitto
import CPacketGate
import Glibc
import Model
import Timebase

/// How a client object is made and connected.
extension BrokerClient {
  /// Result of `open`.
  enum Opening: Sendable {
    /// The TCP connection is being made.
    case begun
    case failed(BrokerCause)
    /// The TLS files are no longer those that this object has read: a new object is needed.
    case filesChanged
  }

  /// Sets options that cannot block. False: the library rejected one.
  func setOptions() -> Bool {
    // 0 is 65535: the outbox limits the messages in flight, the library must hold none back.
    guard mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, Int32(settings.protocolLevel)) == 0,
      mosquitto_int_option(handle, MOSQ_OPT_SEND_MAXIMUM, 0) == 0,
      mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1) == 0,
      mosquitto_username_pw_set(handle, settings.username, settings.password) == 0
    else { return false }
    guard setWill(settings.will) else { return false }
    if settings.protocolLevel == 5 { setConnectProperties() }
    return true
  }

  /// Applies from the next connection on. False: the library rejected it. A will of QoS 2 gains nothing over one of QoS
  /// 1, and brokers that have no QoS 2 refuse the connection over it.
  @discardableResult
  func setWill(_ will: Message) -> Bool {
    let code = will.payload.withUnsafeBytes {
      mosquitto_will_set(
        handle, will.topic, Int32($0.count), $0.baseAddress, Int32(min(will.qos, 1)), will.isRetained)
    }
    return code == 0
  }

  /// Only the blocking connect takes MQTT 5 properties. It keeps them before it looks at the host, and
  /// they stay for the non-blocking one; a missing host ends it before it does anything else.
  private func setConnectProperties() {
    var properties: OpaquePointer?
    // A session that is kept never ends by itself, and one that is not ends with its connection: "clean" means only
    // that it begins anew. No aliases are requested, because no topic we receive repeats often.
    mosquitto_property_add_int32(
      &properties, Int32(MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue), isSessionClean ? 0 : .max)
    mosquitto_property_add_int32(
      &properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), UInt32(PacketLimits.packet))
    mosquitto_connect_bind_v5(handle, nil, 0, 0, nil, properties)
    mosquitto_property_free_all(&properties)
  }

  /// On the worker: name resolution may take half a minute, and files may be on a slow medium.
  /// `isIPv4Forced`: a first attempt over IPv6 failed. Addresses that fail at once are followed by the next.
  func open(isIPv4Forced: Bool, _ addresses: inout BrokerAddresses) -> Opening {
    notes = BrokerDiagnosis.Notes()
    beginAnew()
    listenToLog()
    if let tls = settings.tls, let ending = setTLS(tls) { return ending }
    let started = SystemClock.read().instant
    let (found, code) = BrokerAddresses.look(settings.host)
    guard code == 0 else {
      let seconds = Int((SystemClock.read().instant - started).seconds)
      return .failed(BrokerDiagnosis.resolver(code, host: settings.host, seconds: seconds))
    }
    var opening = Opening.failed(.nameNotFound(host: settings.host))
    for address in addresses.candidates(found, isIPv4Forced: isIPv4Forced) {
      addresses.trying(address, of: found)
      opening = open(address)
      guard case .failed(let cause) = opening, cause.isOfRoute else { break }
    }
    return opening
  }

  /// The library is given the name, which certificates are checked against, and finds this address under it.
  private func open(_ address: String) -> Opening {
    let code = hushed {
      settings.host.withCString { host in
        address.withCString { address in
          packet_gate_name(host, address)
          defer { packet_gate_name(nil, nil) }
          errno = 0
          return mosquitto_connect_bind_async(
            handle, host, Int32(settings.port), Int32(settings.keepalive), nil)
        }
      }
    }
    let systemError = errno
    if code == 0 {
      // The first TLS bytes may have met the end of the connection already, and consumed the socket's error.
      guard settings.tls != nil, BrokerSocket.hasEnded(socket) else { return .begun }
      let error = BrokerSocket.takeError(socket)
      let isKnown = error != 0 && error != ECONNRESET
      return .failed(isKnown ? BrokerDiagnosis.system(error) : ended(address))
    }
    // TLS reports nothing: later versions end like this whether TCP or the first TLS bytes were refused, and have
    // already closed the socket that could show it.
    if code == Int32(MOSQ_ERR_TLS.rawValue), BrokerDiagnosis.tls(notes, settings: settings) == nil {
      return .failed(ended(address))
    }
    return .failed(cause(code, systemError))
  }

  private func ended(_ address: String) -> BrokerCause {
    BrokerSocket.isRefused(address, port: settings.port) ? .refused : .closedInHandshake
  }

  private func cause(_ code: Int32, _ systemError: Int32) -> BrokerCause {
    if let cause = BrokerDiagnosis.tls(notes, settings: settings) { return cause }
    switch code {
    case Int32(MOSQ_ERR_EAI.rawValue):
      return BrokerDiagnosis.resolver(systemError, host: settings.host, seconds: 0)
    case Int32(MOSQ_ERR_INVAL.rawValue): return .settingRefused("host \(settings.host): not usable")
    default: return BrokerDiagnosis.system(systemError)
    }
  }

  /// The next connection of this object offers the session of this one.
  func keepTLSSession() {
    if settings.tls != nil { tls_session_keep(mosquitto_ssl_get(handle)) }
  }

  private func setTLS(_ tls: BrokerSettings.TLS) -> Opening? {
    var seen: [BrokerFile] = []
    for path in [tls.caFile, tls.certificate, tls.key] where !path.isEmpty {
      guard let file = BrokerFile(path: path) else {
        return .failed(.fileUnreadable(path: path, why: BrokerDiagnosis.errorText(errno)))
      }
      seen.append(file)
    }
    // The library adds newly read files to the old context and forgets nothing.
    if let files { return files == seen ? nil : .filesChanged }
    let own = tls.caFile.isEmpty
    // The empty passphrase: there is no terminal to ask for one.
    let code = mosquitto_tls_set(
      handle, own ? nil : tls.caFile, own ? "/etc/ssl/certs" : nil,
      tls.certificate.isEmpty ? nil : tls.certificate,
      tls.key.isEmpty ? nil : tls.key
    ) { _, _, _, _ in 0 }
    guard code == 0 else { return .failed(.fileUnreadable(path: tls.caFile, why: "refused")) }
    // 1: SSL_VERIFY_PEER, 0: SSL_VERIFY_NONE. No version named: 1.2 and everything newer.
    mosquitto_tls_opts_set(handle, tls.isVerified ? 1 : 0, nil, nil)
    mosquitto_tls_insecure_set(handle, !tls.isVerified)
    files = seen
    return nil
  }
}

extension BrokerCause {
  /// A connection over TCP has failed at once, as it may over one address and not over another.
  fileprivate var isOfRoute: Bool {
    switch self {
    case .refused, .unreachable, .systemError: true
    default: false
    }
  }
}

/// A file as it was: another one of the same name is another file.
struct BrokerFile: Hashable, Sendable {
  private var device: UInt
  private var inode: UInt
  private var size: Int
  private var seconds: Int
  private var nanoseconds: Int

  /// Why it cannot be read; nil: it can.
  static func unreadableReason(_ path: String) -> String? {
    BrokerFile(path: path) == nil ? BrokerDiagnosis.errorText(errno) : nil
  }

  /// Nil when it cannot be read; errno says why.
  init?(path: String) {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var about = stat()
    guard fstat(descriptor, &about) == 0 else { return nil }
    device = UInt(about.st_dev)
    inode = UInt(about.st_ino)
    size = Int(about.st_size)
    seconds = Int(about.st_mtim.tv_sec)
    nanoseconds = Int(about.st_mtim.tv_nsec)
  }
}
