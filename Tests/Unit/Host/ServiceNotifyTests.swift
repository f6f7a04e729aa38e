import Glibc
import TestSupport
import Testing
import Timebase

@testable import Host

@Suite struct ServiceNotifyTests {
  let scratch = Scratch()

  /// A socket as systemd holds one.
  func listen(_ address: String) -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(address.utf8)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
    if address.hasPrefix("@") { withUnsafeMutableBytes(of: &name.sun_path) { $0[0] = 0 } }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    let result = withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    #expect(result == 0)
    return descriptor
  }

  func received(_ descriptor: Int32) -> String? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
  }

  func notify(_ variables: [String: String]) -> ServiceNotify {
    ServiceNotify(environment: { variables[$0] })
  }

  @Test func eachOccasionIsOneDatagram() {
    let path = "\(scratch.path)/notify"
    let systemd = listen(path)
    let notify = notify(["NOTIFY_SOCKET": path])
    notify.ready()
    notify.watchdog()
    notify.stopping()
    #expect(received(systemd) == "READY=1")
    #expect(received(systemd) == "WATCHDOG=1")
    #expect(received(systemd) == "STOPPING=1")
    #expect(received(systemd) == nil)
    close(systemd)
  }

  @Test func anAbstractNameIsReached() {
    let name = "@homeward-test-\(getpid())"
    let systemd = listen(name)
    notify(["NOTIFY_SOCKET": name]).ready()
    #expect(received(systemd) == "READY=1")
    close(systemd)
  }

  @Test func reloadNotificationHasItsStartTime() {
    let path = "\(scratch.path)/notify"
    let systemd = listen(path)
    let before = SystemClock.monotonicMicroseconds()
    notify(["NOTIFY_SOCKET": path]).reloading()
    let parts = received(systemd)?.split(separator: "\n").map(String.init) ?? []
    #expect(parts.first == "RELOADING=1")
    let time = parts.last.flatMap { Int64($0.dropFirst("MONOTONIC_USEC=".count)) } ?? 0
    #expect(time >= before && time <= SystemClock.monotonicMicroseconds())
    close(systemd)
  }

  @Test func aStatusStaysOneLine() {
    let path = "\(scratch.path)/notify"
    let systemd = listen(path)
    notify(["NOTIFY_SOCKET": path]).status("connected\nMAINPID=1")
    #expect(received(systemd) == "STATUS=connected\\nMAINPID=1")
    close(systemd)
  }

  @Test func withoutSystemdNothingHappens() {
    for variables in [[:], ["NOTIFY_SOCKET": "vsock:2:1"]] {
      #expect(!notify(variables).isHeard)
      notify(variables).ready()
    }
    let nobody = notify(["NOTIFY_SOCKET": "\(scratch.path)/nobody"])
    nobody.ready()
    #expect(nobody.isHeard && access("\(scratch.path)/nobody", F_OK) != 0)
  }

  @Test func theWatchdogsIntervalIsThere() {
    #expect(notify(["WATCHDOG_USEC": "30000000"]).watchdogInterval == .seconds(30))
    #expect(
      notify(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "\(getpid())"]).watchdogInterval == .seconds(30))
  }

  // behaviour: Life and memory
  @Test func anotherProgramsWatchdogIsNotOurs() {
    #expect(notify(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"]).watchdogInterval == nil)
  }

  @Test(arguments: ["", "0", "-1", "x", "99999999999999999999"])
  func nonsenseIsNoWatchdog(_ text: String) {
    #expect(notify(["WATCHDOG_USEC": text]).watchdogInterval == nil)
  }
}
