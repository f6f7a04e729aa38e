import Glibc
import Timebase

/// A request to switch off and on an adapter whose rfkill switch this process may not touch: a file with the adapter's
/// name, beside the control socket, for which systemd (board/homeward-radio.path) starts a program that may. It
/// removes the file when it is done.
struct AdapterResetRequest: Sendable {
  /// A small board takes a second or so to start a program.
  static let timeout = Span.seconds(5)
  private static let pause: useconds_t = 20_000

  let path: String

  /// Without a directory no request is made.
  init?(directory: String) {
    if directory.isEmpty { return nil }
    path = directory + "/radio"
  }

  /// Waits until it is done, so it runs on a worker. Why it was not; nil: it was.
  func run(for adapter: String, within timeout: Span = Self.timeout) -> String? {
    // Renamed when it is whole: it is read as soon as it is there.
    let draft = path + ".new"
    // A pipe in its place has no reader, and is not waited for.
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    let descriptor = open(draft, flags, 0o600)
    guard descriptor >= 0 else { return "\(draft): \(String(cString: strerror(errno)))" }
    let text = Array("\(adapter)\n".utf8)
    let isWritten = write(descriptor, text, text.count) == text.count
    close(descriptor)
    guard isWritten, rename(draft, path) == 0 else { return "\(path): \(String(cString: strerror(errno)))" }
    let end = SystemClock.instant() + timeout
    while SystemClock.instant() < end {
      usleep(Self.pause)
      if access(path, F_OK) != 0 { return nil }
    }
    unlink(path)
    return "no program acts on \(path) (is homeward-radio.path running?)"
  }
}
