import Glibc
import Loop

/// The socket that visitors connect to: systemd's, or one of our own.
public enum Listener {
  /// Why there is none; the text is for people.
  public struct Refusal: Error, CustomStringConvertible {
    public var description: String
  }

  /// Handed over by systemd (`LISTEN_FDS` for this very process); nil: there is none.
  static func handedOver() -> Int32? {
    func number(_ name: String) -> Int? { getenv(name).flatMap { Int(String(cString: $0)) } }
    guard number("LISTEN_PID") == Int(getpid()), let count = number("LISTEN_FDS"), count >= 1 else {
      return nil
    }
    let descriptor: Int32 = 3
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    return descriptor
  }

  /// `address`: `127.0.0.1:8080` or `[::1]:8080`; an empty host is every address.
  static func open(_ address: String) throws(Refusal) -> Int32 {
    guard let colon = address.lastIndex(of: ":"), let port = UInt16(address[address.index(after: colon)...])
    else { throw Refusal(description: "--listen \(address): expected ADDRESS:PORT") }
    var host = String(address[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    var hints = addrinfo()
    hints.ai_flags = AI_PASSIVE | AI_NUMERICHOST
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host.isEmpty ? nil : host, "\(port)", &hints, &found) == 0, let first = found else {
      throw Refusal(description: "--listen \(address): \(host) is no numeric address")
    }
    defer { freeaddrinfo(found) }
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(first.pointee.ai_family, type, 0)
    var isReused: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<Int32>.size))
    guard descriptor >= 0, bind(descriptor, first.pointee.ai_addr, first.pointee.ai_addrlen) == 0,
      listen(descriptor, 128) == 0
    else {
      throw Refusal(description: "--listen \(address): \(String(cString: strerror(errno)))")
    }
    return descriptor
  }
}
