import Glibc
import Loop
import Timebase

/// Keeps a connection open for a moment after DISCONNECT, and discards the bytes that still arrive.
///
/// The library closes as soon as it has written. With bytes of the broker unread that is a reset: the
/// broker then fails at writing its next acknowledgement or echo, and gives the connection up before it
/// has read what we sent and our DISCONNECT. It published the will of a board that had said it goes offline.
///
/// The broker has to close when it has read DISCONNECT (MQTT 3.14.4). Our half is not closed before: a
/// relay in between may take half an end for the whole.
final class BrokerLinger {
  /// For a broker that has gone out of reach.
  static let timeout = Span.seconds(2)

  private let descriptor: Int32
  private var watch: Watch?
  private var timer: Timer?

  /// To be made before the library closes `socket`. Nil: there is no connection to hold.
  init?(_ socket: Int32) {
    guard socket >= 0 else { return nil }
    descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0 else { return nil }
  }

  deinit { close(descriptor) }

  /// On the loop, which keeps it until the other host has closed as well, or the time is over: its creator may be
  /// released at once.
  func finish(on loop: EventLoop) {
    watch = loop.watch(descriptor, for: .read) { _ in
      if !self.isOpen() { self.end() }
    }
    timer = loop.makeTimer { self.end() }
    timer?.set(at: loop.now.instant + Self.timeout)
  }

  private func end() {
    watch?.cancel()
    timer?.cancel()
    (watch, timer) = (nil, nil)
  }

  /// Without a loop, at the end of the program.
  func finish(until deadline: Instant) {
    while isOpen() {
      let left = deadline - SystemClock.read().instant
      guard left > .zero else { return }
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&polled, 1, Int32(max(1, left.seconds * 1000))) > 0 else { return }
    }
  }

  /// False: the other host has closed as well.
  private func isOpen() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count > 0 { continue }
      return count < 0 && (errno == EAGAIN || errno == EINTR)
    }
  }
}
