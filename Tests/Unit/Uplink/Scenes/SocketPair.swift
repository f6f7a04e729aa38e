import Glibc
import TestSupport
import Testing

@testable import Uplink

/// Both ends of a TCP connection over the loopback. `source`: the last byte of our own address.
final class SocketPair {
  private(set) var own: Int32
  private(set) var other: Int32
  private let listener: SilentPeer

  init(from source: UInt8 = 1) throws {
    let port = FreePort.take()
    listener = try SilentPeer(port: port)
    own = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in.loopback(0)
    address.sin_addr.s_addr = UInt32(bigEndian: 0x7F00_0000 | UInt32(source))
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = own
    func reach(_ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Bool {
      withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(descriptor, $0, size) }
      } == 0
    }
    guard reach({ bind($0, $1, $2) }) else { throw SceneError.failed("bind") }
    address = sockaddr_in.loopback(port)
    guard reach({ connect($0, $1, $2) }) else { throw SceneError.failed("connect") }
    other = accept(listener.descriptor, nil, nil)
  }

  deinit {
    if own >= 0 { close(own) }
    if other >= 0 { close(other) }
  }

  func say(_ count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    send(other, bytes, count, Int32(MSG_NOSIGNAL))
    arrives(Int16(POLLIN))
  }

  /// Our own end, as the library closes it.
  func closeOwn() {
    close(own)
    own = -1
  }

  func hangUp(isReset: Bool = false) {
    if isReset { BrokerSocket.dropUnsent(other) }
    close(other)
    other = -1
    arrives(Int16(POLLIN))
  }

  private func arrives(_ what: Int16) {
    var polled = pollfd(fd: own, events: what, revents: 0)
    #expect(poll(&polled, 1, 60_000) == 1)
  }
}

/// Whether this host has the loopback of IPv6.
let hasIPv6: Bool = listenOnIPv6().map { close($0.descriptor) == 0 } ?? false

/// A listener on `::1`, which the caller closes, and its port; nil: this host has no such address.
func listenOnIPv6() -> (descriptor: Int32, port: Int)? {
  let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
  var address = sockaddr_in6()
  (address.sin6_family, address.sin6_addr) = (sa_family_t(AF_INET6), in6addr_loopback)
  var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
  let code = withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, size) | listen(descriptor, 4) | getsockname(descriptor, $0, &size)
    }
  }
  guard code == 0 else {
    close(descriptor)
    return nil
  }
  return (descriptor, Int(UInt16(bigEndian: address.sin6_port)))
}
