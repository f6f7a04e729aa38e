import Glibc
import Loop
import Timebase

@testable import Host

/// A client of the control socket that sends what it likes: the first byte says in pieces of what size. One
/// line at most is handed up, whole, and is answered; half a line is nobody's.
enum SocketTarget {
  @Sendable static func feed(_ input: UnsafeRawBufferPointer) {
    guard let size = input.first, let loop = try? EventLoop() else { return }
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return claim(false, "no pair of sockets") }
    defer { close(ends[1]) }
    var lines: [[UInt8]] = []
    var hasEnded = false
    let client = ControlClient(
      loop: loop, ends[0], timeout: .seconds(10), line: { lines.append($0) }, ended: { hasEnded = true })
    let bytes = Array(input.dropFirst())
    for start in stride(from: 0, to: bytes.count, by: Int(size) + 1) where lines.isEmpty {
      let piece = Array(bytes[start..<min(bytes.count, start + Int(size) + 1)])
      send(ends[1], piece, piece.count, Int32(MSG_NOSIGNAL))
      loop.runOnce(within: .zero)
    }
    shutdown(ends[1], Int32(SHUT_WR))
    loop.runOnce(within: .zero)
    let line = bytes.firstIndex(of: UInt8(ascii: "\n")).map { Array(bytes[..<$0]) }
    claim(lines == (line.map { [$0] } ?? []), "\(lines) was handed up of \(bytes)")
    if line == nil {
      claim(hasEnded, "half a line is waited for behind its end")
    } else {
      isAnswered(client, loop, ends[1])
    }
    client.end()
  }

  private static func isAnswered(_ client: ControlClient, _ loop: EventLoop, _ peer: Int32) {
    let answer = Array("{\"ok\":true}\n".utf8)
    client.answer(answer)
    loop.runOnce(within: .zero)
    var got = [UInt8](repeating: 0, count: 64)
    let count = recv(peer, &got, got.count, 0)
    claim(got.prefix(max(0, count)).elementsEqual(answer), "the answer does not arrive")
  }
}
