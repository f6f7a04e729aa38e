import CMicroHTTPD
import Glibc
import Timebase

/// One connection, and how long it has been owing us a whole request.
final class Visitor {
  private let socket: Int32
  /// Since when a request is awaited; nil: one is being answered.
  fileprivate(set) var owingSince: Instant?

  init(socket: Int32, now: Instant) {
    self.socket = socket
    owingSince = now
    var room = Limits.sendBuffer
    setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &room, socklen_t(MemoryLayout<Int32>.size))
  }

  func isServed() { owingSince = nil }

  func isDone(at now: Instant) { owingSince = now }

  /// The library finds the end of it, and closes.
  func dismiss() {
    owingSince = nil
    shutdown(socket, Int32(SHUT_RDWR))
  }
}

/// Who has come in.
struct Visitors {
  private var all: [ObjectIdentifier: Visitor] = [:]

  mutating func add(_ visitor: Visitor) { all[ObjectIdentifier(visitor)] = visitor }

  mutating func remove(_ visitor: Visitor) { all[ObjectIdentifier(visitor)] = nil }

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
