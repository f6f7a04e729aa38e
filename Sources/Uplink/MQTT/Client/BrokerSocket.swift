import Glibc

/// Options and queries on the library's socket, behind the library's back.
enum BrokerSocket {
  /// Bytes unacknowledged by the other host for this long: the connection is dead. Keepalive alone would take up to two
  /// minutes.
  static let userTimeoutMilliseconds: Int32 = 20_000

  static func setOptions(_ descriptor: Int32) {
    set(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, userTimeoutMilliseconds)
    set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  private static func set(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Makes `close` discard unsent bytes instead of sending them later.
  static func dropUnsent(_ descriptor: Int32) {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
  }

  /// The pending error of the socket; 0: none. Reading clears it.
  static func takeError(_ descriptor: Int32) -> Int32 {
    var error: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno
  }

  static func isIPv6(_ descriptor: Int32) -> Bool {
    var domain: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_INET6
  }

  /// Whether the host is an IPv4 address, not a name.
  static func isIPv4(_ host: String) -> Bool {
    var address = in_addr()
    return inet_pton(AF_INET, host, &address) == 1
  }

  /// Whether nothing listens at this address, tested with a TCP connection of our own that is closed at once. On the
  /// worker: it may take up to `probeSeconds`.
  static func isRefused(_ address: String, port: Int) -> Bool {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(address, String(port), &hints, &found) == 0, let first = found?.pointee else {
      return false
    }
    defer { freeaddrinfo(found) }
    let probe = Glibc.socket(first.ai_family, first.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard probe >= 0 else { return false }
    defer { close(probe) }
    var limit = timeval(tv_sec: probeSeconds, tv_usec: 0)
    setsockopt(probe, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    return Glibc.connect(probe, first.ai_addr, first.ai_addrlen) != 0 && errno == ECONNREFUSED
  }

  private static let probeSeconds = 5

  static func isConnected(_ descriptor: Int32) -> Bool { address(descriptor, getpeername) != nil }

  /// Whether there is neither a connection nor one being made.
  static func hasEnded(_ descriptor: Int32) -> Bool {
    var question = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&question, 1, 0) > 0 && question.revents & Int16(POLLHUP) != 0
  }

  /// The bytes received so far, 512 at most, without consuming them.
  static func firstBytes(_ descriptor: Int32) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 512)
    let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_PEEK | MSG_DONTWAIT))
    return Array(buffer.prefix(max(0, count)))
  }

  enum Peek {
    case bytes, nothing, end
    case failed(Int32)
  }

  /// Looks without consuming: some versions of the library see neither end nor error during the handshake and would be
  /// called endlessly.
  static func peek(_ descriptor: Int32) -> Peek {
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    if count > 0 { return .bytes }
    if count == 0 { return .end }
    return errno == EAGAIN || errno == EINTR ? .nothing : .failed(errno)
  }

  enum Route { case same, other, none }

  /// Whether a new connection to the same peer would leave from the same address.
  static func route(_ descriptor: Int32) -> Route {
    guard var peer = address(descriptor, getpeername), let own = address(descriptor, getsockname) else {
      return .none
    }
    let probe = Glibc.socket(
      Int32(peer.ss_family), Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard probe >= 0 else { return .same }
    defer { close(probe) }
    let size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let code = withUnsafePointer(to: &peer) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(probe, $0, size) }
    }
    guard code == 0, let now = address(probe, getsockname) else { return .none }
    return host(now) == host(own) ? .same : .other
  }

  private static func address(
    _ descriptor: Int32,
    _ ask: (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32
  ) -> sockaddr_storage? {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let code = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask(descriptor, $0, &size) }
    }
    return code == 0 ? storage : nil
  }

  /// The bytes of the address without the port.
  static func host(_ storage: sockaddr_storage) -> [UInt8] {
    withUnsafeBytes(of: storage) { bytes in
      Int32(storage.ss_family) == AF_INET6 ? Array(bytes[8..<24]) : Array(bytes[4..<8])
    }
  }
}
