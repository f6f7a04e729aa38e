import Timebase

/// The orders that put a receiver of u-blox to sleep while nobody looks (`receiverSleep`), and wake it.
enum ReceiverSleep {
  /// The state that the receiver is to take.
  enum Order: Hashable {
    /// Nil: until something comes in on its line.
    case asleep(for: Span?)
    case awake

    /// As the receiver's line has it.
    var frame: [UInt8] {
      switch self {
      case .asleep(let span):
        let milliseconds = span.map { UInt32(clamping: Int($0.seconds * 1000)) } ?? 0
        return UBX.frame(powerRequest, [0, 0, 0, 0] + bytes(milliseconds) + bytes(backup) + bytes(byLine))
      case .awake: return UBX.frame(versionRequest, [])
      }
    }
  }

  /// UBX-RXM-PMREQ in its form of 16 bytes, of the generations 8 to 10; older ones ignore it.
  private static let powerRequest: [UInt8] = [0x02, 0x41]
  /// UBX-MON-VER without content asks for the version: any byte on its line wakes a receiver that sleeps.
  private static let versionRequest: [UInt8] = [0x0A, 0x04]
  /// Flag `backup`: nothing runs but its clock; the orbits are kept.
  private static let backup: UInt32 = 2
  /// Flag `uartrx` of what wakes it, beside its own timer.
  private static let byLine: UInt32 = 8

  /// The command that has gpsd tell this to the receiver that is used, as `UBX.command` has it.
  static func command(_ order: Order, to receivers: GPSDReceivers) -> String {
    UBX.command(order.frame, to: receivers)
  }

  private static func bytes(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
