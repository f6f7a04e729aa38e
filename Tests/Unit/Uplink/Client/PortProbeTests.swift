import Glibc
import Loop
import TestSupport
import Testing
import Timebase

@testable import Uplink

/// A port that has closed a connection without a word, asked in the other language.
@Suite struct PortProbeTests {
  /// What became of one look: what was found, what the port was asked and told after its answer.
  private struct Look {
    var kind: PortProbe?
    var question: [UInt8] = []
    var after: [UInt8] = []
    /// It was closed at the end.
    var isOver = false
  }

  private func look(_ answer: [UInt8], triedTLS: Bool) throws -> Look {
    let loop = try EventLoop()
    let worker = try Worker(loop: loop, name: "port")
    let port = FreePort.take()
    let listener = try SilentPeer(port: port)
    let descriptor = listener.descriptor
    var look: Look?
    worker.perform {
      let peer = accept(descriptor, nil, nil)
      defer { close(peer) }
      var limit = timeval(tv_sec: 60, tv_usec: 0)
      setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
      var buffer = [UInt8](repeating: 0, count: 1000)
      var count = recv(peer, &buffer, buffer.count, 0)
      var look = Look(question: Array(buffer.prefix(max(0, count))))
      // As a host does that has nothing to say.
      if answer.isEmpty { shutdown(peer, Int32(SHUT_WR)) }
      send(peer, answer, answer.count, Int32(MSG_NOSIGNAL))
      repeat {
        count = recv(peer, &buffer, buffer.count, 0)
        look.after += buffer.prefix(max(0, count))
      } while count > 0
      // With bytes unread at its end this is a reset.
      look.isOver = count == 0 || errno == ECONNRESET
      return look
    } then: {
      look = $0
    }
    let kind = PortProbe.look("127.0.0.1", port: port, triedTLS: triedTLS)
    while look == nil { loop.runOnce(within: nil) }
    worker.finish()
    look?.kind = kind
    withExtendedLifetime(listener) {}
    return try #require(look)
  }

  @Test func whereTLSWasTriedItGreetsAsAClientOfMQTTDoesAndSaysGoodbye() throws {
    let look = try look([0x20, 2, 0, 5], triedTLS: true)
    #expect(look.kind == .plain && look.isOver)
    // CONNECT, "MQTT" level 4, clean session, 10 s, the client id; DISCONNECT.
    let connect: [UInt8] =
      [0x10, 26, 0, 4, 0x4D, 0x51, 0x54, 0x54, 4, 2, 0, 10, 0, 14] + Array("homeward-probe".utf8)
    #expect(look.question == connect && look.after == [0xE0, 0])
  }

  @Test func invalidCONNACKIsNotRecognised() throws {
    for answer: [UInt8] in [[0x20, 3, 0, 5], [0x21, 2, 0, 5], [0x15, 3, 1], [0x20], []] {
      let look = try look(answer, triedTLS: true)
      #expect(look.kind == nil && look.isOver, "\(answer)")
    }
  }

  @Test func whereNoTLSWasTriedItBeginsAHandshake() throws {
    let look = try look([0x16, 3, 3, 0, 50], triedTLS: false)
    #expect(look.kind == .tls && look.isOver && look.after.isEmpty)
    let hello = look.question
    #expect(hello.prefix(11) == [0x16, 3, 1, 0, 47, 1, 0, 0, 43, 3, 3])
    #expect(hello.dropFirst(11).prefix(32).allSatisfy { $0 == 0x5A } && hello.count == 52)
    // No session; two suites (ECDHE-RSA with AES-GCM, RSA with AES-CBC); no compression.
    #expect(hello.suffix(9) == [0, 0, 4, 0xC0, 0x2F, 0, 0x2F, 1, 0])
  }

  @Test func anAlertIsAnAnswerTooAndNothingElseIs() throws {
    for (answer, kind): ([UInt8], PortProbe?) in [
      ([0x15, 3, 3, 0, 2, 2, 40], .tls), ([0x16, 3], .tls), ([0x14, 3, 3], nil), ([0x17, 3, 3], nil),
      ([0x16, 2, 0], nil), ([0x15, 4, 0], nil), ([0x20, 2, 0, 0], nil), ([0x16], nil), ([], nil),
    ] {
      #expect(try look(answer, triedTLS: false).kind == kind, "\(answer)")
    }
  }

  @Test func unreachablePortHasNoKind() {
    #expect(PortProbe.look("127.0.0.1", port: FreePort.take(), triedTLS: true) == nil)
    #expect(PortProbe.look("no such host", port: 1883, triedTLS: false) == nil)
  }

  @Test func aSilentPortIsLeftAfterThreeSeconds() throws {
    let port = FreePort.take()
    let listener = try SilentPeer(port: port)
    let begun = SystemClock.read().instant
    #expect(PortProbe.look("127.0.0.1", port: port, triedTLS: true) == nil)
    let took = SystemClock.read().instant - begun
    #expect(took > .seconds(2.9))
    withExtendedLifetime(listener) {}
  }

  @Test func probeRecognisesMosquittoWithoutTLS() throws {
    let scene = try BrokerScene()
    try scene.startMosquitto()
    #expect(scene.isListening())
    #expect(PortProbe.look("127.0.0.1", port: scene.port, triedTLS: true) == .plain)
    // It closes what is no MQTT.
    #expect(PortProbe.look("127.0.0.1", port: scene.port, triedTLS: false) == nil)
    #expect(
      scene.runs { scene.contents("mosquitto.log").contains("Received DISCONNECT from homeward-probe") })
  }
}
