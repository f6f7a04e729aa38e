import CMicroHTTPD
import Glibc
import Timebase

/// One connection, and how long it has been owing us a whole request.
final class Visitor {
  private let socket: Int32
  /// Since when a request is awaited; nil: one is being answered.
  fileprivate(set) var owingSince: Instant?
  fileprivate let address: Address?
  /// Sent away; the library has not closed yet.
  fileprivate var isDismissed = false

  init(socket: Int32, now: Instant) {
    self.socket = socket
    address = Address(ofPeer: socket)
    owingSince = now
    var room = Limits.sendBuffer
    setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &room, socklen_t(MemoryLayout<Int32>.size))
  }

  func isServed() { owingSince = nil }

  func isDone(at now: Instant) { owingSince = now }

  /// Gone in the middle of a request. The library (0.9.75) keeps the place for the rest, which cannot come.
  fileprivate var hasHungUp: Bool {
    var byte: UInt8 = 0
    return owingSince != nil && recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0
  }

  /// The library finds the end of it, and closes.
  func dismiss() {
    isDismissed = true
    owingSince = nil
    shutdown(socket, Int32(SHUT_RDWR))
  }
}

/// Address of a client, as far as it tells clients apart: in IPv6 the network, because one client has all of it.
struct Address: Hashable {
  private var bytes: [UInt8]
  let isLoopback: Bool

  /// Nil: neither IPv4 nor IPv6.
  init?(ofPeer socket: Int32) {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let code = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(socket, $0, &size) }
    }
    guard code == 0 else { return nil }
    switch Int32(storage.ss_family) {
    case AF_INET: self = Address(version4: withUnsafeBytes(of: storage) { Array($0[4..<8]) })
    case AF_INET6: self = Address(version6: withUnsafeBytes(of: storage) { Array($0[8..<24]) })
    default: return nil
    }
  }

  init(version4 bytes: [UInt8]) {
    self.bytes = bytes
    isLoopback = bytes.first == 127
  }

  init(version6 bytes: [UInt8]) {
    // An IPv4 peer of a dual-stack socket.
    let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 255 && bytes[11] == 255
    let own = isMapped ? bytes.suffix(4) : bytes.prefix(8)
    self.bytes = Array(own)
    isLoopback =
      isMapped ? own.first == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
  }
}

/// The clients that are connected.
struct Visitors {
  private var all: [ObjectIdentifier: Visitor] = [:]

  mutating func add(_ visitor: Visitor) { all[ObjectIdentifier(visitor)] = visitor }

  mutating func remove(_ visitor: Visitor) { all[ObjectIdentifier(visitor)] = nil }

  /// Whether its address has not all that one may have; who has hung up makes room. `isBehindProxy`: this board's own
  /// stands for many.
  func hasRoom(for visitor: Visitor, isBehindProxy: Bool) -> Bool {
    guard let address = visitor.address, !(address.isLoopback && isBehindProxy) else { return true }
    let present = all.values.filter { $0.address == address && !$0.isDismissed }
    guard present.count >= Limits.connectionsOfOne else { return true }
    let gone = present.filter(\.hasHungUp)
    for visitor in gone { visitor.dismiss() }
    return present.count - gone.count < Limits.connectionsOfOne
  }

  /// When the first of them has been owing for too long; nil: nobody owes anything.
  var deadline: Instant? { all.values.compactMap(\.owingSince).min().map { $0 + Limits.request } }

  /// Somebody's answer is under way.
  var isServing: Bool { all.values.contains { $0.owingSince == nil } }

  /// Sends away who has not said in time what he wants, be it byte by byte.
  func dismissSlow(at now: Instant) {
    for visitor in all.values {
      if let since = visitor.owingSince, now - since >= Limits.request { visitor.dismiss() }
    }
  }
}
