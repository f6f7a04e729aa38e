import CClient
import Glibc

/// SIGTERM and SIGINT as something to wait for.
final class EndSignals {
  let descriptor: Int32
  private(set) var hasEnded = false

  init() throws {
    descriptor = cclient_signals()
    guard descriptor >= 0 else { throw Failure(.failed, "signals: \(lastError())") }
  }

  /// Whether one has come.
  func read() { if cclient_signal_came(descriptor) { hasEnded = true } }

  /// Or less, if one comes.
  func sleep(seconds: Int) {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    poll(&polled, 1, Int32(seconds * 1000))
    read()
  }
}
