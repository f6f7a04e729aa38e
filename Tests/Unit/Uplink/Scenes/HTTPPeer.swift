import Glibc
import Loop
import TestSupport

/// As much of an HTTP server as a test needs, on the test's own loop: it keeps what is posted to it, and
/// answers what it is told to.
final class HTTPPeer {
  enum Answer {
    case bytes([UInt8])
    /// Bytes, and the connection ends behind them.
    case last([UInt8])
    /// As `last`, and the end is a reset.
    case reset([UInt8])
    /// It keeps the post and says nothing.
    case silence

    /// A whole answer; `headers` with their line ends.
    static func status(_ status: Int, _ headers: String = "", body: String = "") -> Answer {
      let length = status == 204 ? "" : "Content-Length: \(body.utf8.count)\r\n"
      return .bytes(Array("HTTP/1.1 \(status) So\r\n\(length)\(headers)\r\n\(body)".utf8))
    }
  }

  struct Post: Equatable {
    /// Counts the connections from 1 on.
    var connection: Int
    /// The lines of its head.
    var head: [String]
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
  }

  /// For the next posts, one each; after that all get `usual`.
  var next: [Answer] = []
  var usual = Answer.status(204)
  private(set) var posts: [Post] = []
  private(set) var connections = 0
  /// Connections that the other side has ended.
  private(set) var ended = 0

  private struct Link {
    var number: Int
    var watch: Watch
    var input: [UInt8] = []
  }

  private let loop: EventLoop
  private let listener: SilentPeer
  private var listening: Watch?
  private var links: [Int32: Link] = [:]

  init(_ loop: EventLoop, port: Int) throws {
    self.loop = loop
    listener = try SilentPeer(port: port)
    listening = loop.watch(listener.descriptor, for: .read) { [weak self] _ in self?.accept() }
  }

  deinit {
    listening?.cancel()
    for descriptor in links.keys { hangUp(descriptor) }
  }

  var bodies: [String] { posts.map(\.text) }

  private func accept() {
    let descriptor = Glibc.accept(listener.descriptor, nil, nil)
    guard descriptor >= 0 else { return }
    connections += 1
    let watch = loop.watch(descriptor, for: .read) { [weak self] _ in self?.read(descriptor) }
    links[descriptor] = Link(number: connections, watch: watch)
  }

  private func hangUp(_ descriptor: Int32) {
    links.removeValue(forKey: descriptor)?.watch.cancel()
    close(descriptor)
  }

  private func read(_ descriptor: Int32) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    guard count > 0 else {
      ended += 1
      return hangUp(descriptor)
    }
    links[descriptor]?.input += buffer[..<count]
    while let link = links[descriptor], let post = Self.post(link) {
      links[descriptor]?.input.removeFirst(post.size)
      posts.append(post.post)
      answer(next.isEmpty ? usual : next.removeFirst(), on: descriptor)
    }
  }

  /// Nil: it has not come as a whole.
  private static func post(_ link: Link) -> (post: Post, size: Int)? {
    let end = Array("\r\n\r\n".utf8)
    guard let start = link.input.indices.first(where: { link.input[$0...].starts(with: end) }) else {
      return nil
    }
    let lines = String(decoding: link.input[..<start], as: UTF8.self).split(separator: "\r\n").map(
      String.init)
    let length = lines.first { $0.hasPrefix("Content-Length: ") }.flatMap { Int($0.dropFirst(16)) } ?? 0
    let size = start + end.count + length
    guard link.input.count >= size else { return nil }
    let body = Array(link.input[(start + end.count)..<size])
    return (Post(connection: link.number, head: lines, body: body), size)
  }

  private func answer(_ answer: Answer, on descriptor: Int32) {
    switch answer {
    case .silence: break
    case .bytes(let bytes): say(bytes, on: descriptor)
    case .last(let bytes):
      say(bytes, on: descriptor)
      hangUp(descriptor)
    case .reset(let bytes):
      say(bytes, on: descriptor)
      var hard = linger(l_onoff: 1, l_linger: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &hard, socklen_t(MemoryLayout<linger>.size))
      hangUp(descriptor)
    }
  }

  /// The loopback takes some megabytes at once: no test says more.
  private func say(_ bytes: [UInt8], on descriptor: Int32) {
    _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }
}
