import Glibc

/// A non-blocking TCP connection to gpsd.
struct GPSDSocket {
  enum Opening {
    case connected(GPSDSocket)
    /// Ask `outcome` once the socket is writable.
    case underway(GPSDSocket)
    case failed(GPSDFailure)
  }

  enum Input {
    case bytes(Int)
    case nothing
    case ended(GPSDFailure)
  }

  let descriptor: Int32

  static func open(_ address: GPSDAddress) -> Opening {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.family, kind, 0)
    guard descriptor >= 0 else { return .failed(GPSDFailure("no socket for gpsd: \(words(errno))")) }
    let opened = GPSDSocket(descriptor: descriptor)
    let answer = address.bytes.withUnsafeBytes { raw in
      // The array holds a whole sockaddr of the address's family.
      connect(descriptor, raw.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count))
    }
    if answer == 0 { return .connected(opened) }
    guard errno == EINPROGRESS else {
      let failure = refusal(errno)
      opened.close()
      return .failed(failure)
    }
    guard opened.isSettled else { return .underway(opened) }
    guard let failure = opened.outcome else { return .connected(opened) }
    opened.close()
    return .failed(failure)
  }

  /// On the same board the answer is there already: one look at it spares a wake-up.
  private var isSettled: Bool {
    var question = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&question, 1, 0) == 1
  }

  /// How a connection that was underway ended; nil: it stands.
  var outcome: GPSDFailure? {
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else {
      return Self.refusal(errno)
    }
    return code == 0 ? nil : Self.refusal(code)
  }

  func receive(into space: UnsafeMutableRawPointer, atMost count: Int) -> Input {
    let received = recv(descriptor, space, count, 0)
    if received > 0 { return .bytes(received) }
    if received == 0 { return .ended(GPSDFailure("gpsd closed the connection")) }
    if errno == EAGAIN || errno == EINTR { return .nothing }
    return .ended(GPSDFailure("the connection to gpsd broke: \(Self.words(errno))"))
  }

  /// False when not all of it fits at once: commands are short and rare, so then gpsd is stuck.
  func send(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) == $0.count }
  }

  /// Cancel the watch on it first. Once: the number is another thread's file soon after.
  func close() {
    let isOpen = Glibc.close(descriptor) == 0 || errno != EBADF
    assert(isOpen, "a socket that is closed twice")
  }

  private static func refusal(_ code: Int32) -> GPSDFailure {
    GPSDFailure(
      code == ECONNREFUSED ? "nothing listens there: is gpsd running?" : "connecting failed: \(words(code))")
  }

  private static func words(_ code: Int32) -> String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }
}
