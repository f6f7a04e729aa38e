import Glibc
import Loop
import Model
import TestSupport
import Testing
import Timebase

@testable import Receiver

/// A loop with our side of gpsd on it, and what that side said.
final class GPSDScene {
  let loop: EventLoop
  let worker: Worker
  private(set) var gpsd: GPSD!
  private(set) var readings: [Reading] = []
  private(set) var interference: [Interference] = []
  /// "reached", "lost: ..." and "warning: ...", in their order.
  private(set) var words: [String] = []
  private(set) var firstReading: Instant?

  init(_ settings: GPSD.Settings) throws {
    loop = try EventLoop()
    worker = try Worker(loop: loop, name: "names")
    gpsd = GPSD(loop: loop, worker: worker, settings: settings) { [unowned self] in note($0) }
  }

  deinit {
    gpsd.close()
    worker.finish()
  }

  private func note(_ event: PositionSourceEvent) {
    switch event {
    case .reading(let reading):
      readings.append(reading)
      if reading.mode >= 2, firstReading == nil { firstReading = loop.now.instant }
    case .interference(let found): interference.append(found)
    case .reached: words.append("reached")
    case .lost(_, let cause): words.append("lost: \(cause)")
    case .warning(let text): words.append("warning: \(text)")
    case .info(let text): words.append("info: \(text)")
    }
  }

  func forgetReadings() {
    readings = []
    firstReading = nil
  }

  /// Runs the loop until the condition holds, in the end; false: it never did.
  func runs(until isMet: () -> Bool) -> Bool { run(within: .seconds(generous), until: isMet) }

  /// Runs the loop until the condition holds; false: it did not within that time.
  func run(within span: Span, until isMet: () -> Bool) -> Bool {
    let end = SystemClock.read().instant + span
    while !isMet() {
      let left = end - SystemClock.read().instant
      guard left > .zero else { return false }
      loop.runOnce(within: min(left, .milliseconds(20)))
    }
    return true
  }
}

/// Whatever a test wants gpsd to be: a listener that says what it is told to say.
final class GPSDPeer {
  let port: Int
  private var listener: Int32
  private var callers: [Int32] = []
  private var connection: Int32 = -1
  private var heard: [UInt8] = []

  static let greeting =
    #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"# + "\r\n"

  /// `port`: one that was free a moment ago.
  init(port: Int = 0) {
    (listener, self.port) = Self.listening(port)
  }

  /// A port where nobody listens.
  static func freePort() -> Int {
    let (descriptor, port) = listening()
    Glibc.close(descriptor)
    return port
  }

  private static var address: sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  private static func listening(_ port: Int = 0) -> (Int32, Int) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
    var address = Self.address
    address.sin_port = UInt16(port).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        _ = bind(descriptor, generic, size)
        _ = getsockname(descriptor, generic, &size)
      }
    }
    listen(descriptor, 4)
    return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
  }

  deinit {
    hangUp()
    stop()
  }

  /// Takes no further connection, and refuses none: who calls now waits.
  func fill() {
    var address = Self.address
    address.sin_port = UInt16(port).bigEndian
    for _ in 0..<8 {
      let caller = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
      withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          _ = connect(caller, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      callers.append(caller)
    }
  }

  /// From here on calls are refused.
  func stop() {
    for caller in callers { Glibc.close(caller) }
    callers = []
    if listener >= 0 { Glibc.close(listener) }
    listener = -1
  }

  /// Takes the next connection, if one waits; the one before it is closed.
  func accept() -> Bool {
    let next = Glibc.accept(listener, nil, nil)
    guard next >= 0 else { return false }
    _ = fcntl(next, F_SETFL, O_NONBLOCK)
    hangUp()
    connection = next
    heard = []
    return true
  }

  func say(_ text: String) { say(Array(text.utf8)) }

  /// Without waiting: false when the other side's buffers are full.
  @discardableResult
  func say(_ bytes: [UInt8]) -> Bool {
    send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }

  /// Everything that was said on this connection.
  var commands: String {
    var space = [UInt8](repeating: 0, count: 4096)
    while case let count = recv(connection, &space, space.count, 0), count > 0 { heard += space[..<count] }
    return String(decoding: heard, as: UTF8.self)
  }

  func hangUp() {
    if connection >= 0 { Glibc.close(connection) }
    connection = -1
  }
}
