import CPacketGate
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
    [0x30 | qos << 1] + length(count) + [UInt8](repeating: 0x30, count: count)
  }

  private func length(_ count: Int) -> [UInt8] {
    var (bytes, left): ([UInt8], Int) = ([], count)
    repeat {
      bytes.append(UInt8(left & 127) | (left > 127 ? 128 : 0))
      left >>= 7
    } while left > 0
    return bytes
  }

  @Test func whatFitsGoesThroughInWhateverPieces() {
    let stream = publish(1000) + [0xD0, 0] + publish(0) + [0x90, 3, 0, 1, 1] + publish(999, qos: 1)
    for piece in [1, 2, 3, 7, 100, stream.count] {
      let gate = Gate()
      for start in stride(from: 0, to: stream.count, by: piece) {
        #expect(gate.takes(Array(stream[start..<min(stream.count, start + piece)])))
      }
      #expect(gate.gate.verdict == PACKET_GATE_OPEN && gate.gate.left == 0)
    }
  }

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

  /// The library would take the next byte for another type, and lengths for what they are not.
  @Test func aPacketWithoutATypeEndsIt() {
    let gate = Gate()
    #expect(!gate.takes([0x00, 0x90, 0x80, 0x80, 0x01]))
    #expect(gate.gate.verdict == PACKET_GATE_MALFORMED)
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

  @Test func onlyWhatIsAnsweredIsOwed() {
    let gate = Gate()
    #expect(gate.takes(publish(5) + publish(5, qos: 1) + publish(5, qos: 2) + [0x62, 2, 0, 1, 0xD0, 0]))
    #expect(gate.gate.answers_owed == 3)
  }

  @Test func anotherConnectionBeginsWithAHeader() {
    let gate = Gate()
    #expect(gate.takes(Array(publish(900).prefix(100))))
    packet_gate_reset(&gate.gate)
    #expect(gate.takes(publish(1000)))
    #expect(!gate.takes(publish(1001)))
  }
}
