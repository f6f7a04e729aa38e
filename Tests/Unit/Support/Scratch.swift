import Glibc
import Loop
import Testing
import Timebase

/// A directory that removes itself and what the test put into it.
package final class Scratch {
  package let path: String

  package init() {
    var template = Array("/tmp/homeward-test-XXXXXX".utf8CString)
    precondition(mkdtemp(&template) != nil)
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit { remove(path) }

  /// Writes a file and the directories above it.
  package func put(_ text: String, at name: String) {
    var directory = path
    for part in name.split(separator: "/").dropLast() {
      directory += "/\(part)"
      mkdir(directory, 0o755)
    }
    guard let file = fopen("\(path)/\(name)", "w") else { return }
    fputs(text, file)
    fclose(file)
  }

  package func link(_ name: String, to target: String) {
    symlink(target, "\(path)/\(name)")
  }

  private func remove(_ path: String) {
    if unlink(path) == 0 { return }
    guard let directory = opendir(path) else { return }
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { remove("\(path)/\(name)") }
    }
    closedir(directory)
    rmdir(path)
  }
}

/// A pair of sockets or pipe ends that close themselves.
package final class Ends {
  package let near: Int32
  package let far: Int32

  package init(datagram: Bool = false) {
    var ends: [Int32] = [0, 0]
    let kind = Int32((datagram ? SOCK_DGRAM : SOCK_STREAM).rawValue)
    precondition(socketpair(AF_UNIX, kind, 0, &ends) == 0)
    (near, far) = (ends[0], ends[1])
  }

  deinit {
    close(near)
    close(far)
  }

  /// What is there now, as text.
  package func read() -> String {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(far, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
  }
}

extension EventLoop {
  /// Turns until `isDone`, for a generous time at most.
  package func turn(until isDone: () -> Bool) {
    let limit = SystemClock.read().instant + .seconds(generous)
    while !isDone(), SystemClock.read().instant < limit { runOnce(within: .milliseconds(50)) }
    if !isDone() { Issue.record("it did not happen within \(Int(generous)) s") }
  }

  /// Whether there is, in the end, a time so long in which the loop wakes so often at most, sleeping as the daemon
  /// does. What spins never comes to that; what somebody else on this machine causes is over at some time.
  package func comesToRest(for span: Span, wakeUps most: Int) -> Bool {
    let limit = SystemClock.read().instant + .seconds(generous)
    repeat {
      let before = wakeUps
      let end = SystemClock.read().instant + span
      while case let left = end - SystemClock.read().instant, left > .zero { runOnce(within: left) }
      if wakeUps - before <= most { return true }
    } while SystemClock.read().instant < limit
    return false
  }

  /// Turns for so long, whatever happens: for tests of what must not happen.
  package func turn(for span: Span) {
    let limit = SystemClock.read().instant + span
    while case let left = limit - SystemClock.read().instant, left > .zero { runOnce(within: left) }
    // On a busy machine the time may be over before the first turn.
    runOnce(within: .zero)
  }
}
