import Glibc
import OwnTracks

/// One question to the daemon and its answer: a line of JSON each way over the control socket.
struct DaemonConnection {
  var path: String
  /// Seconds. A daemon that does not answer within this time is stuck; its loop never blocks for 50 ms.
  var timeout = 10

  /// A full `region list` of 10,000 regions is about 2 MB.
  private static let largestAnswer = 64 << 20

  /// The answer, whatever it says. Throws with status 69 without an answer.
  func answer(to words: [String]) throws -> JSON {
    let descriptor = try connected()
    defer { close(descriptor) }
    var question = JSON.array(words.map(JSON.string)).serialised()
    question.append(UInt8(ascii: "\n"))
    try send(question, on: descriptor)
    let line = try receiveLine(on: descriptor)
    do {
      return try JSON.parse(line, limit: Self.largestAnswer)
    } catch {
      throw Failure(.failed, "\(path): the daemon's answer is no JSON: \(error)")
    }
  }

  /// The answer of a daemon that did what it was told; what it refused is thrown with status 1.
  func ask(_ words: [String]) throws -> JSON {
    let answer = try answer(to: words)
    let outcome = OutcomeRecord(answer: answer) ?? OutcomeRecord()
    guard outcome.isDone == true else {
      throw Failure(.failed, Self.refusal(outcome, own: Homeward.configuration.version))
    }
    return answer
  }

  /// The same, read. A daemon that says nothing of it: nothing is known.
  func ask<Record: AnswerRecord>(_ words: [String], for kind: Record.Type) throws -> Record {
    Record(answer: try ask(words)) ?? Record()
  }

  /// How everything is.
  func status() throws -> StatusRecord { Self.status(in: try ask(["status"])) }

  /// Of an answer to `status` or `queue`. If the daemon does not report it, nothing is known.
  static func status(in answer: JSON) -> StatusRecord {
    StatusReply(answer: answer)?.status.flatMap { StatusRecord(answer: $0) } ?? StatusRecord()
  }

  /// Why the daemon did not do it. One that does not understand says which version it is: after an update the old one may
  /// still run.
  static func refusal(_ outcome: OutcomeRecord, own: String) -> String {
    let text = outcome.error?.plainLine ?? "the daemon refused and did not say why"
    guard let version = outcome.version?.plainLine,
      version != own || outcome.protocolNumber != Request.protocolNumber
    else { return text }
    return "\(text) (the daemon is version \(version), this is \(own); to start the installed one:"
      + " sudo systemctl restart homeward)"
  }

  private func connected() throws -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw Failure(.usage, "--socket \(path): longer than the 107 bytes that a socket's path may have")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw Failure(.failed, "no socket: \(lastError())") }
    var limit = timeval(tv_sec: timeout, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard status == 0 else {
      let reason = errno
      close(descriptor)
      var failure = Failure(.unreachable, Self.explanation(path, reason))
      failure.isForbidden = reason == EACCES || reason == EPERM
      failure.isAbsent = reason == ENOENT || reason == ECONNREFUSED
      throw failure
    }
    return descriptor
  }

  private func send(_ bytes: [UInt8], on descriptor: Int32) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Failure(.unreachable, "\(path): the daemon hung up: \(lastError())") }
      sent += count
    }
  }

  private func receiveLine(on descriptor: Int32) throws -> [UInt8] {
    var line: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while line.count <= Self.largestAnswer {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let isSilence = count < 0 && errno == EAGAIN
        let reason =
          count == 0
          ? "it closed the connection" : isSilence ? "nothing came within \(timeout) s" : lastError()
        var failure = Failure(.unreachable, "\(path): the daemon did not answer: \(reason)")
        failure.isSilence = isSilence
        throw failure
      }
      if let end = buffer[..<count].firstIndex(of: UInt8(ascii: "\n")) {
        return line + buffer[..<end]
      }
      line += buffer[..<count]
    }
    throw Failure(.failed, "\(path): the daemon's answer is longer than \(Self.largestAnswer) bytes")
  }

  /// The most frequent errors, each with its remedy.
  private static func explanation(_ path: String, _ reason: Int32) -> String {
    switch reason {
    case ENOENT, ECONNREFUSED:
      "\(path): the daemon is not running; start it with: sudo systemctl start homeward"
    case EACCES, EPERM:
      "\(path): not allowed; use sudo, or join the group once: sudo usermod -aG homeward $USER"
    default: "\(path): the daemon cannot be reached: \(String(cString: strerror(reason)))"
    }
  }
}
