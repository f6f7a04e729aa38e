import Glibc
import Synchronization

/// Ports of the loopback for tests' own servers. Tests of one suite, suites of one program, programs of several clones
/// run beside each other: a number that is written into a test is sooner or later another's as well.
package enum FreePort {
  /// Below those that the kernel gives to connections going out.
  private static let range = 20_000..<32_000

  private static let taken = Mutex<Set<Int>>([])

  /// One that nobody listens on, and that no other test of this program will: some want to be refused for minutes.
  package static func take() -> Int {
    while true {
      let port = Int.random(in: range)
      if isFree(port), taken.withLock({ $0.insert(port).inserted }) { return port }
    }
  }

  private static func isFree(_ port: Int) -> Bool {
    let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(probe) }
    // Without SO_REUSEADDR, so that what still lingers there counts too.
    var address = sockaddr_in.loopback(port)
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(probe, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    } == 0
  }
}
