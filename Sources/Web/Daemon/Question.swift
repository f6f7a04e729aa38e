import CLinux
import Glibc
import Loop
import Timebase

/// One question at the daemon's control socket: a line there, a line back, without waiting for it.
final class Question {
  enum Outcome {
    case answer([UInt8])
    /// The daemon is not there, or does not answer in time.
    case silence
    /// More than `Limits.answerBytes`.
    case tooLong
  }

  private let loop: EventLoop
  private let then: (Outcome) -> Void
  private let descriptor: Int32
  private var watch: Watch?
  private var timer: Timer?
  private var rest: ArraySlice<UInt8>
  private var answer: [UInt8] = []
  private var isOver = false

  /// Nil: the daemon cannot be connected to. `then` is called once, later.
  init?(loop: EventLoop, path: String, line: [UInt8], within span: Span, then: @escaping (Outcome) -> Void) {
    self.loop = loop
    self.then = then
    rest = line[...]
    descriptor = clinux_unix_stream()
    guard descriptor >= 0 else { return nil }
    // The line goes at once: the daemon, woken by the connection, finds it there and sleeps no second time.
    guard clinux_unix_connect(descriptor, path) == 0, send() else {
      close(descriptor)
      return nil
    }
    watch = loop.watch(descriptor, for: rest.isEmpty ? .read : .write) { [unowned self] ready in
      isReady(ready)
    }
    timer = loop.makeTimer { [unowned self] in finish(.silence) }
    timer?.set(at: loop.now.instant + span)
  }

  private func isReady(_ ready: Interest) {
    if !rest.isEmpty { write() } else if ready.contains(.read) { read() }
  }

  private func write() {
    guard send() else { return finish(.silence) }
    if rest.isEmpty { watch?.change(to: .read) }
  }

  /// As much as there is room for; false: the daemon has closed the connection.
  private func send() -> Bool {
    let count = rest.withUnsafeBytes { clinux_send(descriptor, $0.baseAddress, $0.count) }
    if count < 0, errno == EAGAIN || errno == EINTR { return true }
    rest = rest.dropFirst(max(0, count))
    return count > 0
  }

  private func read() {
    let room = 65_536
    let start = answer.count
    answer.append(contentsOf: repeatElement(0, count: room))
    let count = answer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress! + start, room) }
    let failure = errno
    answer.removeLast(room - max(0, count))
    if count < 0, failure == EAGAIN || failure == EINTR { return }
    // A line without its end may be half an answer.
    guard count > 0 else { return finish(.silence) }
    if let end = answer[start...].firstIndex(of: UInt8(ascii: "\n")) {
      finish(.answer(Array(answer[..<end])))
    } else if answer.count > Limits.answerBytes {
      finish(.tooLong)
    }
  }

  private func finish(_ outcome: Outcome) {
    guard !isOver else { return }
    isOver = true
    timer?.cancel()
    watch?.cancel()
    close(descriptor)
    then(outcome)
  }
}
