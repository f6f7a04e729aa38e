import Glibc
import OwnTracks
import Timebase

/// Says hello to gpsd as its own clients do: it introduces itself, and tells its receivers when asked.
struct GPSDProbe {
  enum Outcome {
    case reached(Found)
    case failed(String)
  }

  /// gpsd's release and its receivers.
  struct Found {
    var release: String
    var devices: [String]
    /// Of a position report: 0 or 1 without a fix. Nil: none came, or none was waited for.
    var mode: Int?
  }

  var host: String
  var port: Int
  /// Empty: any of its receivers.
  var device = ""

  /// Seconds for each answer.
  private static let timeout = 3
  /// gpsd tries speeds and drivers when it opens a receiver.
  private static let openingTime = Span.seconds(8)

  /// `isListening`: also waits for a report.
  func look(isListening: Bool) -> Outcome {
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
      return talk(descriptor, isListening)
    }
    return .failed(reason)
  }

  private func talk(_ descriptor: Int32, _ isListening: Bool) -> Outcome {
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
      var found = Found(release: version?["release"]?.text ?? "unknown", devices: paths)
      if isListening, !paths.isEmpty { found.mode = listen(descriptor) }
      return .reached(found)
    }
    return .failed("something listens there, but it is not gpsd or does not answer")
  }

  /// The best mode of the reports until one has a fix; nil: silence.
  private func listen(_ descriptor: Int32) -> Int? {
    let question = Array("?WATCH={\"enable\":true,\"json\":true};\n".utf8)
    guard send(descriptor, question, question.count, Int32(MSG_NOSIGNAL)) == question.count else {
      return nil
    }
    let end = SystemClock.read().instant + Self.openingTime
    var pending: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 8192)
    var best: Int?
    while SystemClock.read().instant < end, pending.count < 65_536 {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EAGAIN || errno == EINTR { continue }
      guard count > 0 else { break }
      pending += buffer[..<count]
      while let newline = pending.firstIndex(of: UInt8(ascii: "\n")) {
        if let mode = mode(of: pending[..<newline]) { best = max(best ?? 0, mode) }
        pending.removeFirst(newline + 1)
      }
      if let best, best >= 2 { break }
    }
    return best
  }

  private func mode(of line: ArraySlice<UInt8>) -> Int? {
    guard let report = try? JSON.parse(Array(line)), report["class"] == "TPV",
      device.isEmpty || report["device"]?.text == device
    else { return nil }
    return report["mode"]?.int
  }
}
