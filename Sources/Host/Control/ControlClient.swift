import CLinux
import Glibc
import Loop
import Timebase

/// One connection to the control socket.
///
///     reading ──line──▶ waiting ──answer──▶ writing ──▶ ended
///        └── too slow, too long, hung up ──────┴─────────▲
final class ControlClient {
  private enum State {
    case reading([UInt8])
    case waiting
    case writing([UInt8], sent: Int)
    case ended
  }

  /// Bytes per wake-up, so that a client that sends much does not keep the loop from the others.
  private static let chunk = 65_536
  private static let tooLong = Array(#"{"error":"the request is longer than 1 MiB"}"#.utf8)

  private let loop: EventLoop
  private let descriptor: Int32
  private let timeout: Span
  private let line: ([UInt8]) -> Void
  private let ended: () -> Void
  private var state = State.reading([])
  private var watch: Watch?
  private var timer: Timer?

  init(
    loop: EventLoop, _ descriptor: Int32, timeout: Span, line: @escaping ([UInt8]) -> Void,
    ended: @escaping () -> Void
  ) {
    self.loop = loop
    self.descriptor = descriptor
    self.timeout = timeout
    self.line = line
    self.ended = ended
    watch = loop.watch(descriptor, for: .read) { [unowned self] _ in isReady() }
    timer = loop.makeTimer { [unowned self] in finish() }
    timer?.set(at: loop.now.instant + timeout)
  }

  deinit { end() }

  func answer(_ bytes: [UInt8]) {
    guard case .waiting = state else { return }
    state = .writing(bytes, sent: 0)
    timer?.set(at: loop.now.instant + timeout)
    // Not written here: the answer may be given from within our own `line` call.
    watch?.change(to: .write)
  }

  /// Closes without calling `ended`.
  func end() {
    if case .ended = state { return }
    state = .ended
    timer?.cancel()
    watch?.cancel()
    close(descriptor)
  }

  private func finish() {
    end()
    ended()
  }

  private func isReady() {
    switch state {
    case .reading(let buffer): read(after: buffer)
    case .writing(let bytes, let sent): write(bytes, from: sent)
    case .waiting, .ended: break
    }
  }

  private func read(after buffer: [UInt8]) {
    var buffer = buffer
    // Two owners would make every append a copy of all that came before.
    state = .reading([])
    let start = buffer.count
    buffer.append(contentsOf: repeatElement(0, count: Self.chunk))
    let count = buffer.withUnsafeMutableBytes { bytes in
      Glibc.read(descriptor, bytes.baseAddress?.advanced(by: start), Self.chunk)
    }
    let failure = errno
    buffer.removeLast(Self.chunk - max(0, count))
    if count < 0 && (failure == EAGAIN || failure == EINTR) {
      state = .reading(buffer)
    } else if count <= 0 {
      // A line without its end may be half a command: it is not obeyed.
      finish()
    } else if let end = buffer[start...].firstIndex(of: UInt8(ascii: "\n")), end <= ControlSocket.lineLimit {
      wait(for: Array(buffer[..<end]))
    } else if buffer.count > ControlSocket.lineLimit {
      state = .waiting
      answer(Self.tooLong + [UInt8(ascii: "\n")])
    } else {
      state = .reading(buffer)
    }
  }

  private func wait(for request: [UInt8]) {
    state = .waiting
    timer?.set(at: loop.now.instant + ControlSocket.answerTimeout)
    watch?.change(to: [])
    line(request)
  }

  private func write(_ bytes: [UInt8], from start: Int) {
    let count = bytes.withUnsafeBytes { bytes in
      clinux_send(descriptor, bytes.baseAddress?.advanced(by: start), bytes.count - start)
    }
    if count < 0 && (errno == EAGAIN || errno == EINTR) { return }
    guard count >= 0, start + count < bytes.count else { return finish() }
    state = .writing(bytes, sent: start + count)
  }
}
