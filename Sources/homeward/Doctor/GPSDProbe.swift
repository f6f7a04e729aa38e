import Glibc
import OwnTracks

/// Says hello to gpsd as its own clients do: it introduces itself, and tells its receivers when asked.
struct GPSDProbe {
  enum Outcome {
    case reached(release: String, devices: [String])
    case failed(String)
  }

  var host: String
  var port: Int

  /// Seconds.
  private static let timeout = 3

  func look() -> Outcome {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    let failure = getaddrinfo(host, String(port), &hints, &found)
    guard failure == 0 else { return .failed(String(cString: gai_strerror(failure))) }
    defer { freeaddrinfo(found) }
    var reason = "no address"
    var next = found
    while let address = next?.pointee {
      next = address.ai_next
      let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
      guard descriptor >= 0 else { continue }
      defer { close(descriptor) }
      // Linux lets the sending limit bound the connecting too.
      var limit = timeval(tv_sec: Self.timeout, tv_usec: 0)
      for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
        setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
      }
      guard connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 else {
        reason = lastError()
        continue
      }
      return talk(descriptor)
    }
    return .failed(reason)
  }

  private func talk(_ descriptor: Int32) -> Outcome {
    let question = Array("?DEVICES;\n".utf8)
    guard send(descriptor, question, question.count, Int32(MSG_NOSIGNAL)) == question.count else {
      return .failed("it hung up")
    }
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 8192)
    while received.count < 65_536 {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      received += buffer[..<count]
      let reports = received.split(separator: UInt8(ascii: "\n")).compactMap { try? JSON.parse(Array($0)) }
      guard let devices = reports.first(where: { $0["class"] == "DEVICES" }) else { continue }
      let version = reports.first { $0["class"] == "VERSION" }
      let paths = devices["devices"]?.elements?.compactMap { $0["path"]?.text } ?? []
      return .reached(release: version?["release"]?.text ?? "unknown", devices: paths)
    }
    return .failed("something listens there, but it is not gpsd or does not answer")
  }
}
