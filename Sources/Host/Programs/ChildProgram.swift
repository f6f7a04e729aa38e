import CLinux
import Glibc
import Loop
import Timebase

/// Runs an external program and never waits for it: one that does not end in time is killed with everything it has
/// started. It has our rights, no more: those of the service's sandbox.
final class ChildProgram {
  enum Outcome: Hashable, Sendable {
    case said([UInt8])
    /// In plain words.
    case failed(String)
    case hung(String)
  }

  enum Event {
    case ended(Outcome)
    /// The killed program has been reaped: the next may start.
    case freed
  }

  static let look = Span.milliseconds(50)
  /// Bytes of its output; a longer output is not a valid answer.
  static let limit = 4096

  /// The program is running, or has ended and is not reaped yet.
  private(set) var isBusy = false

  private let loop: EventLoop
  private var words: [String]
  private let timeout: Span
  private let post: (Event) -> Void
  private var child: pid_t = 0
  private var output: Int32 = -1
  private var watch: Watch?
  private var timer: Timer?
  private var bytes: [UInt8] = []
  private var deadline = Instant.zero
  private var isReported = false

  init(
    loop: EventLoop, words: [String], timeout: Span = .seconds(10), post: @escaping (Event) -> Void
  ) {
    self.loop = loop
    self.words = words
    self.timeout = timeout
    self.post = post
    timer = loop.makeTimer { [unowned self] in timerFired() }
  }

  deinit { close() }

  func close() {
    timer?.cancel()
    isReported = true
    closeOutput()
    if isBusy {
      Glibc.kill(-child, SIGKILL)
      Self.dying.append(child)
    }
    isBusy = false
    Self.bury()
  }

  /// Killed with their owner; they take a moment to die, which must not be waited for. The loop's thread only.
  nonisolated(unsafe) private static var dying: [pid_t] = []

  private static func bury() {
    var end: Int32 = 0
    dying.removeAll { clinux_has_ended($0, &end) }
  }

  /// Why a program cannot be run, in plain words; nil: it can.
  static func blockedReason(_ path: String) -> String? {
    guard access(path, X_OK) != 0 else { return nil }
    return "\(path): cannot be started: \(String(cString: strerror(errno)))\(hint(for: path))"
  }

  /// People find their programs there, and wonder.
  static func hint(for path: String) -> String {
    guard ["/home/", "/root/", "/tmp/"].contains(where: { path.hasPrefix($0) }) else { return "" }
    return " (the service sees nothing of yours below /home, /root and /tmp: put it below /usr/local or /etc)"
  }

  /// `end` as the kernel's side gives it: a status, or 256 and a signal's number.
  private static func words(_ end: Int32, _ path: String) -> String {
    end < 256
      ? "\(path): ends with status \(end); to see why: sudo -u homeward \(path)"
      : "\(path): ended by signal \(end - 256)"
  }

  /// Does nothing if the last one is still busy.
  func start(_ words: [String]? = nil, input: [UInt8] = []) {
    guard !isBusy else { return }
    Self.bury()
    self.words = words ?? self.words
    start(feeding: input)
  }

  private func start(feeding input: [UInt8]) {
    bytes = []
    isReported = false
    var texts: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for text in texts { free(text) } }
    let failure = clinux_spawn(&child, &output, &texts, input, input.count)
    guard failure == 0 else {
      let why = String(cString: strerror(failure)) + Self.hint(for: words[0])
      return post(.ended(.failed("\(words[0]): cannot be started: \(why)")))
    }
    isBusy = true
    deadline = loop.now.instant + timeout
    timer?.set(at: deadline)
    watch = loop.watch(output, for: .read) { [unowned self] _ in read() }
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 1024)
    while true {
      let count = Glibc.read(output, &buffer, buffer.count)
      if count < 0 { return errno == EAGAIN || errno == EINTR ? () : ended() }
      if count == 0 { return ended() }
      bytes += buffer.prefix(count)
      guard bytes.count <= Self.limit else {
        return kill(.failed("\(words[0]): says more than \(Self.limit) bytes"))
      }
    }
  }

  /// Its output is: it follows in a moment, as a rule.
  private func ended() {
    closeOutput()
    timerFired()
  }

  private func timerFired() {
    var end: Int32 = 0
    if output < 0, clinux_has_ended(child, &end) {
      isBusy = false
      timer?.set(at: nil)
      if isReported { return post(.freed) }
      return report(end == 0 ? .said(bytes) : .failed(Self.words(end, words[0])))
    }
    guard isReported || loop.now.instant < deadline else {
      return kill(.hung("\(words[0]): not done within \(Int(timeout.seconds)) s, and killed"))
    }
    timer?.set(at: loop.now.instant + Self.look)
  }

  private func kill(_ outcome: Outcome) {
    Glibc.kill(-child, SIGKILL)
    closeOutput()
    report(outcome)
    timer?.set(at: loop.now.instant + Self.look)
  }

  private func closeOutput() {
    watch?.cancel()
    watch = nil
    if output >= 0 { Glibc.close(output) }
    output = -1
  }

  private func report(_ outcome: Outcome) {
    guard !isReported else { return }
    isReported = true
    post(.ended(outcome))
  }
}
