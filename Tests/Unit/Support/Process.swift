import Glibc

package enum SceneError: Error {
  case noFile(String)
  case failed(String)
}

/// A child process, ended by its id.
package final class Process {
  package let id: pid_t
  private var isWaitedFor = false

  package init(_ words: [String], output: String) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    // The threads that run tests block signals, and children would inherit that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var child: pid_t = 0
    guard posix_spawnp(&child, words[0], &actions, &attributes, &arguments, environ) == 0 else {
      throw SceneError.failed(words[0])
    }
    id = child
  }

  package func signal(_ number: Int32) { Glibc.kill(id, number) }

  package func kill() {
    guard !isWaitedFor else { return }
    // A stopped process takes no other signal.
    signal(SIGCONT)
    signal(SIGTERM)
    var status: Int32 = 0
    for _ in 0..<100 where waitpid(id, &status, WNOHANG) == 0 { usleep(20_000) }
    // mosquitto_sub may wait without end for a broker that has gone. No harm if it has ended.
    if waitpid(id, &status, WNOHANG) == 0 {
      signal(SIGKILL)
      waitpid(id, &status, 0)
    }
    isWaitedFor = true
  }

  @discardableResult
  package func wait() -> Int32 {
    var status: Int32 = 0
    waitpid(id, &status, 0)
    isWaitedFor = true
    return status
  }
}

extension sockaddr_in {
  package static func loopback(_ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}

/// A listening socket that takes connections and says nothing.
package final class SilentPeer {
  package let descriptor: Int32

  package init(port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in.loopback(port)
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0, listen(descriptor, 8) == 0 else { throw SceneError.failed("listen \(port)") }
  }

  deinit { close(descriptor) }
}
