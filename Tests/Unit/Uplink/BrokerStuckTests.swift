import Glibc
import Loop
import Model
import TestSupport
import Testing
import Timebase

@testable import Uplink

/// What takes long because it is about waiting.
@Suite struct BrokerStuckTests {
  @Test func aBrokerThatSwallowsMessagesIsLeft() throws {
    let scene = try BrokerScene()
    let peer = try ScriptedPeer(scene.loop, port: scene.port)
    peer.publishReason = nil
    scene.start()
    #expect(scene.runs { scene.isConnected && peer.subscribed == 2 })
    scene.broker.send(scene.message(1))
    #expect(scene.runs { peer.subscribed == 3 })
    #expect(scene.broker.status.colour == .amber)
    #expect(scene.broker.status.cause?.word == "notAcknowledging")
    #expect(scene.broker.status.text.contains("connected, but the broker does not acknowledge (30 s)"))
    peer.publishReason = 0
    #expect(scene.runs { scene.acknowledged == [1] })
    // Sent again by the library, not by us.
    #expect(scene.failed.isEmpty)
    #expect(peer.published == 2)
    #expect(peer.connections == 2)
  }

  @Test func aBlockedWayOfAMinuteDoublesNothing() throws {
    let scene = try BrokerScene()
    let broker = try scene.startMosquitto()
    #expect(scene.isListening())
    scene.start()
    #expect(scene.runs { scene.isConnected })
    #expect(scene.runs { scene.isSubscribed })
    broker.signal(SIGSTOP)
    scene.broker.send(scene.message(1))
    #expect(!scene.runs(58) { !scene.isConnected })
    #expect(scene.broker.status.colour == .amber)
    broker.signal(SIGCONT)
    #expect(scene.runs { scene.acknowledged == [1] })
    #expect(scene.runs { scene.broker.status.colour == .green })
    #expect(scene.broker.status.counters.connections == 1)
  }

  /// The name server is a socket that nobody reads; only the worker's thread sees the file that names
  /// it, because only root may give a thread its own view of the file system.
  @Test(.enabled(if: geteuid() == 0 && !isInChroot)) func aSilentNameServerBlocksNothing() throws {
    let scene = try BrokerScene()
    let path = try scene.write("resolv.conf", "nameserver 127.21.1.72\n")
    let server = try silentNameServer()
    defer { close(server) }
    var isPrepared: Bool?
    scene.worker.perform {
      Self.leaveMountNamespace() == 0 && mount("none", "/", nil, UInt(MS_REC) | UInt(MS_PRIVATE), nil) == 0
        && mount(path, "/etc/resolv.conf", nil, UInt(MS_BIND), nil) == 0
    } then: {
      isPrepared = $0
    }
    #expect(scene.runs { isPrepared != nil })
    try #require(isPrepared == true)
    scene.configuration.broker.host = "broker.blackhole.example"
    // Turns of the loop while the worker was waiting for the answer.
    var turns = 0
    scene.loop.afterHandlers = { if scene.worker.pending > 0 { turns += 1 } }
    scene.start()
    #expect(scene.runs { scene.broker.status.cause?.word == "nameServerSilent" })
    #expect(scene.broker.status.colour == .amber)
    #expect(scene.lost.isEmpty)
    #expect(scene.runs { !scene.lost.isEmpty })
    #expect(scene.lost.first?.word == "nameServerSilent")
    // A turn every 20 ms for ten seconds and more; where the loop itself waited there would be none.
    #expect(turns >= 10)
  }

  /// There the root directory is no mount, and its mounts cannot be kept to one thread.
  private static var isInChroot: Bool {
    var own = stat()
    var first = stat()
    guard stat("/", &own) == 0, stat("/proc/1/root/", &first) == 0 else { return true }
    return own.st_ino != first.st_ino || own.st_dev != first.st_dev
  }

  /// `unshare(CLONE_NEWNS)` for the calling thread; Swift does not see its declaration.
  private static func leaveMountNamespace() -> Int32 {
    guard let function = dlsym(nil, "unshare") else { return -1 }
    let unshare = unsafeBitCast(function, to: (@convention(c) (Int32) -> Int32).self)
    return unshare(0x0002_0000)
  }

  private func silentNameServer() throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_in.loopback(53)
    address.sin_addr.s_addr = UInt32(0x7F15_0148).bigEndian
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else { throw SceneError.failed("bind 127.21.1.72:53") }
    return descriptor
  }
}
