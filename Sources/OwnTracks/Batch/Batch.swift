import Model
import Timebase

/// Several messages of one topic as one, many times smaller than they are by themselves, and the same byte for byte when
/// it is taken apart again.
///
///     version, 1 byte │ sum of the messages, 2 bytes │ the messages, as bits
///
/// docs/batch.md has the format. Nothing of it depends on the machine.
public enum Batch {
  /// The first byte.
  public static let version: UInt8 = 1
  /// Most messages of a batch.
  static let most = BatchLimits.most
  /// Bytes of each.
  static let longest = BatchLimits.longest
  private static let head = 3

  /// Messages of one topic, at most `most` of them, none longer than `longest`.
  public static func packed(_ payloads: [[UInt8]], isRetained: Bool) -> [UInt8] {
    releaseAssert(payloads.count <= most && payloads.allSatisfy { $0.count <= longest }, "more than a batch")
    let sum = sum(of: payloads, isRetained)
    var model = BatchModel(coder: BitWriter(after: [version, UInt8(sum >> 8), UInt8(sum & 255)]))
    // A writer throws nothing: only what is read can be damaged.
    _ = try? model.code(payloads, isRetained: isRetained)
    return model.coder.finished()
  }

  /// The messages, in the order in which they were packed.
  public static func unpacked(_ bytes: [UInt8]) throws(BatchError) -> (payloads: [[UInt8]], isRetained: Bool)
  {
    guard bytes.first == version else { throw .version(bytes.first) }
    guard bytes.count >= head else { throw .damaged }
    var model = BatchModel(coder: BitReader(bytes, from: head))
    let (payloads, isRetained) = try model.code([], isRetained: false)
    guard sum(of: payloads, isRetained) == UInt16(bytes[1]) << 8 | UInt16(bytes[2]) else { throw .damaged }
    return (payloads, isRetained)
  }

  /// CRC-16 with the polynomial of CCITT, begun with ones: of a byte that is 1 where they are retained, and of the
  /// messages, a zero byte after each.
  private static func sum(of payloads: [[UInt8]], _ isRetained: Bool) -> UInt16 {
    var sum: UInt16 = 0xFFFF
    func take(_ byte: UInt8) {
      sum ^= UInt16(byte) << 8
      for _ in 0..<8 { sum = sum & 0x8000 == 0 ? sum << 1 : sum << 1 ^ 0x1021 }
    }
    take(isRetained ? 1 : 0)
    for payload in payloads {
      payload.forEach(take)
      take(0)
    }
    return sum
  }
}
