import Glibc

/// A port of 127.0.0.1 that was free a moment ago.
final class Listening {
  let descriptor: Int32
  let port: UInt16

  init() throws {
    let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = Self.address(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(made, $0, length) == 0 && listen(made, 1) == 0
          && getsockname(made, $0, &length) == 0
      }
    }
    descriptor = made
    port = UInt16(bigEndian: address.sin_port)
    guard isListening else { throw Failure(.failed, "no free port on 127.0.0.1: \(lastError())") }
  }

  deinit { close(descriptor) }

  /// -1: no listener.
  static func connect(to port: UInt16) -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = address(port)
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result != 0 else { return descriptor }
    close(descriptor)
    return -1
  }

  private static func address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return address
  }
}
