import Glibc
import TestSupport
import Testing
import Timebase

@testable import Uplink

// behaviour: Data volume
/// Bytes of a connection as the network counts them.
@Suite struct WireMeterTests {
  /// IP and TCP headers of a segment over the loopback.
  private static let header = 52

  @Test func bytesAreThoseOfThePayloadAndOfEachSegmentsHeaders() throws {
    let pair = try SocketPair()
    let meter = try #require(WireMeter(pair.own))
    // SYN, its answer and the answer to that.
    let before = meter.bytes
    #expect(before == 3 * Self.header)
    pair.say(1000)
    var buffer = [UInt8](repeating: 0, count: 2000)
    #expect(recv(pair.own, &buffer, buffer.count, 0) == 1000)
    let more = meter.bytes - before
    #expect(more >= 1000 + Self.header && more <= 1000 + 4 * Self.header)
  }

  @Test func aSocketThatIsClosedCanStillBeRead() throws {
    let pair = try SocketPair()
    let meter = try #require(WireMeter(pair.own))
    let before = meter.bytes
    pair.closeOwn()
    #expect(meter.bytes == before && meter.bytesAtEnd == before + 3 * Self.header)
    #expect(WireMeter(-1) == nil)
  }

  @Test func anUnconnectedSocketCostsNothing() {
    #expect(WireMeter.bytes(-1) == nil && WireMeter.bytesAtEnd(of: -1) == 0)
    let alone = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(alone) }
    #expect(WireMeter.bytesAtEnd(of: alone) == 0)
  }

  @Test func connectionsAddUpOverReconnections() throws {
    let scene = try BrokerScene()
    #expect(scene.broker.carried == 0)
    try scene.startMosquitto()
    #expect(scene.isListening())
    scene.start()
    #expect(scene.runs { scene.isConnected })
    for sequence in UInt64(1)...50 { scene.broker.send(scene.message(sequence)) }
    #expect(scene.runs { scene.acknowledged.count == 50 })
    let first = scene.broker.carried
    // Each message and each answer of four bytes, in a segment of its own or not.
    #expect(first > 50 * 20)
    scene.broker.disconnect()
    scene.broker.connect()
    #expect(scene.runs { scene.broker.status.counters.connections == 2 && scene.isSubscribed })
    #expect(scene.broker.carried > first + 10 * Self.header)
    let second = scene.broker.carried
    scene.broker.retire()
    #expect(scene.broker.carried >= second + 3 * Self.header, "its end is counted")
    #expect(scene.broker.client == nil)
  }

  @Test func postsAddUpWhenTheirConnectionIsClosed() throws {
    let scene = try HTTPScene()
    let peer = try HTTPPeer(scene.loop, port: scene.port)
    #expect(scene.start() && scene.poster.carried == 0)
    scene.send(1)
    #expect(scene.runs { peer.bodies.count == 1 && scene.poster.status.counters.acknowledged == 1 })
    let open = scene.poster.carried
    #expect(open > 6 * Self.header)
    scene.poster.retire()
    #expect(scene.poster.carried >= open + 3 * Self.header)
  }
}
