import CPacketGate
import Glibc
import Testing

/// What is taken in of what a broker sends, byte by byte.
struct PacketGateTests {
  private final class Gate {
    var gate = packet_gate()

    init(limit: UInt32 = 1000, unreleased: UInt32 = 10_000) {
      gate.packet_limit = limit
      gate.unreleased_limit = unreleased
    }

    func takes(_ bytes: [UInt8]) -> Bool { packet_gate_follow(&gate, bytes, bytes.count) }
  }

  private func publish(_ count: Int, qos: UInt8 = 0) -> [UInt8] {
    let kind: UInt8 = 0x30 | qos << 1
    return [kind] + length(count) + [UInt8](repeating: 0x30, count: count)
  }

  private func length(_ count: Int) -> [UInt8] {
    var (bytes, left): ([UInt8], Int) = ([], count)
    repeat {
      bytes.append(UInt8(left & 127) | (left > 127 ? 128 : 0))
      left >>= 7
    } while left > 0
    return bytes
  }

  @Test func validPacketsPassInAnyFragmentation() {
    let answers: (ping: [UInt8], granted: [UInt8]) = ([0xD0, 0], [0x90, 3, 0, 1, 1])
    let stream = publish(1000) + answers.ping + publish(0) + answers.granted + publish(999, qos: 1)
    for piece in [1, 2, 3, 7, 100, stream.count] {
      let gate = Gate()
      for start in stride(from: 0, to: stream.count, by: piece) {
        #expect(gate.takes(Array(stream[start..<min(stream.count, start + piece)])))
      }
      #expect(gate.gate.verdict == PACKET_GATE_OPEN && gate.gate.left == 0)
    }
  }

  // behaviour: Subscribing and receiving
  @Test func onePacketTooLongIsRefusedAtItsHeader() {
    let gate = Gate()
    #expect(gate.takes(publish(1000)))
    let header = publish(1001).prefix(3)
    #expect(gate.takes(Array(header.prefix(2))))
    #expect(!gate.takes([header[2]]))
    #expect(gate.gate.verdict == PACKET_GATE_OVERSIZED && gate.gate.refused_length == 1001)
    // And nothing goes through after it.
    #expect(!gate.takes([0xD0]))
  }

  @Test func theLongestLengthThatThereIsIsRefused() {
    let gate = Gate(limit: 327_680)
    #expect(!gate.takes([0x30, 0xFF, 0xFF, 0xFF, 0x7F]))
    #expect(gate.gate.refused_length == 268_435_455)
  }

  @Test func aPacketWithoutATypeEndsIt() {
    let gate = Gate()
    #expect(!gate.takes([0x00, 0]))
    #expect(gate.gate.verdict == PACKET_GATE_MALFORMED)
  }

  /// What the library is given of these bytes, asking for so many each time; -1: the gate is closed.
  private func reading(
    _ sent: [UInt8], _ counts: [Int]
  ) throws -> (taken: [UInt8], results: [Int], gate: packet_gate) {
    var pair: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
    defer { for descriptor in pair { close(descriptor) } }
    try #require(write(pair[1], sent, sent.count) == sent.count)
    let gate = UnsafeMutablePointer<packet_gate>.allocate(capacity: 1)
    gate.initialize(to: packet_gate())
    defer { gate.deallocate() }
    (gate.pointee.packet_limit, gate.pointee.descriptor) = (1000, pair[0])
    packet_gate_enter(gate, 1000)
    defer { packet_gate_leave() }
    var (taken, results): ([UInt8], [Int]) = ([], [])
    var piece = [UInt8](repeating: 0, count: 1000)
    for count in counts {
      let got = read(pair[0], &piece, count)
      taken += piece.prefix(max(0, got))
      results.append(got)
    }
    return (taken, results, gate.pointee)
  }

  /// An acknowledgement costs one call of the kernel, though the library asks for its bytes in three.
  @Test func smallPacketsAreReadAtOnceAndGivenInPieces() throws {
    let sent: [UInt8] = [0x40, 2, 0, 1, 0xD0, 0] + publish(200)
    let (taken, results, gate) = try reading(sent, [1, 1, 2])
    #expect(taken == [0x40, 2, 0, 1] && results == [1, 1, 2])
    #expect(gate.ahead_count == 60 && gate.allowance == 1000 - 64)
    let whole = try reading(sent, [1, 1, 2, 1, 1000, 1000])
    #expect(whole.taken == sent && whole.gate.ahead_count == 0 && whole.gate.verdict == PACKET_GATE_OPEN)
  }

  @Test func readAheadIsCheckedAndClearedByReset() throws {
    // An acknowledgement, and a packet that is too long.
    var (_, results, gate) = try reading([0x40, 2, 0, 1, 0x30, 0xFF, 0x7F, 1, 2, 3], [4, 1, 1, 1, 1])
    #expect(results == [4, 1, 1, -1, -1] && gate.verdict == PACKET_GATE_OVERSIZED)
    packet_gate_reset(&gate)
    #expect(gate.ahead_count == 0)
  }

  @Test func unreleasedMessagesHaveALimit() {
    let gate = Gate(unreleased: 10_000)
    var count = 0
    while gate.takes(publish(500, qos: 2)), count < 100 { count += 1 }
    // 500 and 256 for the library's own.
    #expect(count == 13)
    #expect(gate.gate.verdict == PACKET_GATE_UNRELEASED)
  }

  @Test func releasedMessagesCountNoMore() {
    let gate = Gate(unreleased: 10_000)
    for _ in 0..<1000 {
      #expect(gate.takes(publish(500, qos: 2)))
      #expect(gate.takes([0x62, 2, 0, 1]))
    }
    #expect(gate.gate.verdict == PACKET_GATE_OPEN)
  }

  @Test func answersAreOwedForQoS1QoS2AndPUBREL() {
    let gate = Gate()
    let rest: [UInt8] = [0x62, 2, 0, 1, 0xD0, 0]
    #expect(gate.takes(publish(5) + publish(5, qos: 1) + publish(5, qos: 2) + rest))
    #expect(gate.gate.answers_owed == 3)
  }

  @Test func anotherConnectionBeginsWithAHeader() {
    let gate = Gate()
    #expect(gate.takes(Array(publish(900).prefix(100))))
    packet_gate_reset(&gate.gate)
    #expect(gate.takes(publish(1000)))
    #expect(!gate.takes(publish(1001)))
  }

  private func closes(at bytes: [UInt8], piece: Int = 1) -> Bool {
    let gate = Gate()
    gate.gate.has_properties = true
    for start in stride(from: 0, to: bytes.count, by: piece)
    where !gate.takes(Array(bytes[start..<min(bytes.count, start + piece)])) {
      return gate.gate.verdict == PACKET_GATE_MALFORMED
    }
    return false
  }

  /// Bodies up to their properties, and what comes after.
  private static let bodies: [(type: UInt8, before: [UInt8], after: [UInt8])] = [
    (0x20, [0, 0], []), (0x30, [0, 1, 0x78], [0x7F, 0x7F]), (0x30, [0, 0], [0x7F]),
    (0x32, [0, 2, 0x78, 0x79, 0, 9], [0x7F]), (0x40, [0, 1, 0], []), (0x50, [0, 1, 0], []),
    (0x62, [0, 1, 0], []), (0x70, [0, 1, 0], []), (0x90, [0, 1], [1, 0x7F]), (0xB0, [0, 1], [0]),
    (0xE0, [0x8B], []), (0xF0, [0x18], []),
  ]

  private func packet(_ body: (type: UInt8, before: [UInt8], after: [UInt8]), _ properties: [UInt8])
    -> [UInt8]
  {
    let content: [UInt8] = body.before + length(properties.count) + properties + body.after
    return [body.type] + length(content.count) + content
  }

  /// What MQTT 5 does not define has no length that anybody could know.
  @Test func aPropertyThatIsNoneEndsItInEveryPacket() {
    for body in Self.bodies {
      for unknown: UInt8 in [0, 0x04, 0x7F, 0x81] {
        let bad = packet(body, [0x26, 0, 1, 0x61, 0, 0, 0x0B, 0x81, 0x01, unknown, 0])
        for piece in [1, 3, bad.count] { #expect(closes(at: bad, piece: piece), "\(body.type) \(unknown)") }
      }
    }
  }

  @Test func allPropertiesThatThereAreGoThrough() {
    let ones: [UInt8] = [0x01, 0x17, 0x19, 0x24, 0x25, 0x28, 0x29, 0x2A].flatMap { [$0, 0x7F] }
    let twos: [UInt8] = [0x13, 0x21, 0x22, 0x23].flatMap { [$0, 0x7F, 0x7F] }
    let fours: [UInt8] = [0x02, 0x11, 0x18, 0x27].flatMap { [$0, 0x7F, 0x7F, 0x7F, 0x7F] }
    let names: [UInt8] = [0x03, 0x08, 0x09, 0x12, 0x15, 0x16, 0x1A, 0x1C, 0x1F]
    let texts: [UInt8] = names.flatMap { [$0, 0, 2, 0x7F, 0x7F, $0, 0, 0] }
    let rest: [UInt8] = [0x0B, 0xFF, 0x7F, 0x26, 0, 1, 0x7F, 0, 2, 0x7F, 0x7F, 0x26, 0, 0, 0, 0]
    for body in Self.bodies {
      let good = packet(body, ones + twos + fours + texts + rest)
      let pieces: [[UInt8]] = [
        good, packet(body, []), [0xD0, 0], [body.type], length(body.before.count), body.before,
      ]
      let stream = Array(pieces.joined())
      for piece in [1, 7, stream.count] { #expect(!closes(at: stream + good, piece: piece), "\(body.type)") }
    }
  }

  private func crowd(_ count: Int, type: UInt8 = 0x30) -> [UInt8] {
    let properties = [UInt8](repeating: 0, count: count).flatMap { _ in [0x01, 0x00] as [UInt8] }
    return packet((type, type & 6 == 0 ? [0, 0] : [0, 0, 0, 9], []), properties)
  }

  /// The library makes some hundred bytes of each.
  @Test func aPacketHas256PropertiesAndNoMore() {
    let gate = Gate()
    gate.gate.has_properties = true
    for _ in 0..<3 { #expect(gate.takes(crowd(256))) }
    #expect(!gate.takes(crowd(257)))
    #expect(gate.gate.verdict == PACKET_GATE_CROWDED)
  }

  @Test func propertiesCountTowardsUnreleasedLimit() {
    let gate = Gate(unreleased: 10_000)
    gate.gate.has_properties = true
    // 45 and 256 for the message, 128 for each of its properties.
    let message = crowd(20, type: 0x34)
    #expect(message.count == 2 + 45)
    for _ in 0..<3 { #expect(gate.takes(message)) }
    #expect(!gate.takes(message))
    #expect(gate.gate.verdict == PACKET_GATE_UNRELEASED)
    // What is not held until it is released counts for nothing.
    packet_gate_reset(&gate.gate)
    for _ in 0..<100 { #expect(gate.takes(crowd(20, type: 0x32))) }
  }

  @Test func withoutPropertiesNothingIsLookedFor() {
    let gate = Gate()
    #expect(gate.takes([0x20, 4, 0, 0, 1, 0x7F]))
  }

  // MARK: The library's own wake-up

  /// How many bytes of those arrive.
  private func arriving(_ bytes: [UInt8]) -> (told: Int, arrived: Int) {
    var pair: [Int32] = [-1, -1]
    socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair)
    defer { for end in pair { close(end) } }
    let told = write(pair[0], bytes, bytes.count)
    var room = [UInt8](repeating: 0, count: 100)
    return (told, max(0, recv(pair[1], &room, room.count, Int32(MSG_DONTWAIT))))
  }

  @Test func singleZeroWakeUpIsSuppressedOnRequest() {
    #expect(arriving([0]) == (1, 1))
    packet_gate_hush(true)
    #expect(arriving([0]) == (1, 0))
    #expect(arriving([1]) == (1, 1) && arriving([0, 0]) == (2, 2))
    packet_gate_hush(false)
    #expect(arriving([0]) == (1, 1))
    let gate = Gate()
    packet_gate_enter(&gate.gate, 0)
    #expect(arriving([0]) == (1, 0) && arriving([1]) == (1, 1))
    packet_gate_leave()
    #expect(arriving([0]) == (1, 1))
  }
}
