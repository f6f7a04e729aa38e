import Glibc

/// The bytes of one connection as the network counts them: with the headers of TCP and IP, and all that was sent again.
///
/// It holds the socket by a descriptor of its own, and so can be read once more when the library has closed it.
final class WireMeter {
  /// Bytes of an IP header without options, version 4 and 6.
  private static let (ip4, ip6) = (20, 40)
  /// Bytes of a TCP header, and of the time stamps that nearly every connection has in it.
  private static let (tcp, stamps) = (20, 12)
  /// Segments that follow the last count: an end, the other host's, and the answer to that.
  private static let farewell = 3

  private let descriptor: Int32

  /// Nil: there is no such socket.
  init?(_ socket: Int32) {
    guard socket >= 0 else { return nil }
    descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0 else { return nil }
  }

  deinit { close(descriptor) }

  /// Up to now.
  var bytes: Int { Self.bytes(descriptor) ?? 0 }

  /// Of the whole connection, which ends now.
  var bytesAtEnd: Int { Self.bytes(descriptor, and: Self.farewell) ?? 0 }

  /// Of a socket that is about to be closed.
  static func bytesAtEnd(of socket: Int32) -> Int { bytes(socket, and: farewell) ?? 0 }

  /// Up to now; nil: the kernel does not say. `further`: segments that will follow, where the other host has ever
  /// answered.
  static func bytes(_ socket: Int32, and further: Int = 0) -> Int? {
    withUnsafeTemporaryAllocation(byteCount: Field.size, alignment: 8) { info in
      var size = socklen_t(Field.size)
      guard getsockopt(socket, Int32(IPPROTO_TCP), TCP_INFO, info.baseAddress, &size) == 0,
        size >= Field.size
      else { return nil }
      func half(_ offset: Int) -> Int { Int(info.load(fromByteOffset: offset, as: UInt32.self)) }
      func whole(_ offset: Int) -> Int { Int(clamping: info.load(fromByteOffset: offset, as: UInt64.self)) }
      let hasStamps = info.load(fromByteOffset: Field.options, as: UInt8.self) & 1 != 0
      let header = (isIPv6(socket) ? ip6 : ip4) + tcp + (hasStamps ? stamps : 0)
      let segments = half(Field.segmentsOut) + half(Field.segmentsIn)
      let isHeard = half(Field.segmentsIn) > 0
      return whole(Field.bytesSent) + whole(Field.bytesReceived) + (segments + (isHeard ? further : 0))
        * header
    }
  }

  private static func isIPv6(_ socket: Int32) -> Bool {
    var domain: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_INET6
  }

  /// Offsets in the kernel's `struct tcp_info`: the C library's own has not all of it. Linux 4.19.
  private enum Field {
    static let (options, bytesReceived, segmentsOut, segmentsIn, bytesSent) = (5, 128, 136, 140, 200)
    static let size = 208
  }
}
