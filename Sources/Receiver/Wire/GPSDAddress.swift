import Glibc

/// One address where gpsd may listen, in the form that connect(2) takes.
struct GPSDAddress: Hashable, Sendable {
  let family: Int32
  /// A sockaddr of that family.
  let bytes: [UInt8]

  /// A numeric host or "localhost", without a look-up; nil: a name that has to be looked up.
  static func direct(host: String, port: Int) -> [GPSDAddress]? {
    let numbers = host.isEmpty || host == "localhost" ? ["127.0.0.1", "::1"] : [host]
    let found = numbers.flatMap { (try? ask($0, port, AI_NUMERICHOST | AI_NUMERICSERV).get()) ?? [] }
    return found.isEmpty ? nil : found
  }

  /// Asks the name service, which may take many seconds: only for a Worker.
  static func lookUp(host: String, port: Int) -> Result<[GPSDAddress], GPSDFailure> {
    ask(host, port, AI_NUMERICSERV)
  }

  /// On this board: a refused connection is known at once and costs no second wake-up.
  var isLoopback: Bool {
    family == AF_INET
      ? bytes[4] == 127 : bytes[8..<23].allSatisfy { $0 == 0 } && bytes[23] == 1
  }

  private static func ask(_ host: String, _ port: Int, _ flags: Int32) -> Result<[GPSDAddress], GPSDFailure> {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = flags
    var list: UnsafeMutablePointer<addrinfo>?
    let answer = getaddrinfo(host, String(port), &hints, &list)
    guard answer == 0 else {
      return .failure(
        GPSDFailure("the name \(host) was not found (\(String(cString: gai_strerror(answer))))"))
    }
    defer { freeaddrinfo(list) }
    var found: [GPSDAddress] = []
    var next = list
    while let entry = next?.pointee, found.count < limit {
      next = entry.ai_next
      guard let address = entry.ai_addr, entry.ai_family == AF_INET || entry.ai_family == AF_INET6 else {
        continue
      }
      let raw = UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen))
      found.append(GPSDAddress(family: entry.ai_family, bytes: Array(raw)))
    }
    return .success(found)
  }

  /// More are not tried: a name with that many addresses is not a board's gpsd.
  private static let limit = 4
}

/// Why gpsd could not be reached, in words.
struct GPSDFailure: Error, Hashable, Sendable {
  let cause: String

  init(_ cause: String) {
    self.cause = cause
  }
}
