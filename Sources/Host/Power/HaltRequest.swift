import Glibc

/// Asks root's side to switch the board off.
public enum HaltRequest {
  /// Withdraws a request that has not been taken up yet.
  public static func withdraw(_ path: String) { unlink(path) }

  /// Writes the reason, and what else there is to ask for, a line each, atomically. Returns why it could not be written, or nil.
  public static func write(_ text: String, to path: String) -> String? {
    let draft = path + ".new"
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    let descriptor = open(draft, flags, 0o600)
    guard descriptor >= 0 else { return String(cString: strerror(errno)) }
    let line = Array((text + "\n").utf8)
    let count = Glibc.write(descriptor, line, line.count)
    close(descriptor)
    guard count == line.count, rename(draft, path) == 0 else { return String(cString: strerror(errno)) }
    return nil
  }
}
