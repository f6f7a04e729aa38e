import Timebase

/// The orders that put a receiver of u-blox to sleep while nobody looks (`receiverSleep`), and wake it: UBX frames, which
/// gpsd passes on as they are (`hexdata` of `?DEVICE`, gpsd_json(5)). A gpsd with `-b` takes the command, and passes on
/// nothing.
enum ReceiverSleep {
  /// Orders to the receiver.
  enum Order: Hashable {
    /// Nil: until something comes in on its line.
    case asleep(for: Span?)
    case awake

    /// As the receiver's line has it.
    var frame: [UInt8] {
      switch self {
      case .asleep(let span):
        let milliseconds = span.map { UInt32(clamping: Int($0.seconds * 1000)) } ?? 0
        return ReceiverSleep.frame(
          powerRequest, [0, 0, 0, 0] + bytes(milliseconds) + bytes(backup) + bytes(byLine))
      case .awake: return ReceiverSleep.frame(versionRequest, [])
      }
    }
  }

  /// gpsd's name of the driver that knows such frames.
  private static let driver = "u-blox"
  /// UBX-RXM-PMREQ in its form of 16 bytes, of the generations 8 to 10; older ones ignore it.
  private static let powerRequest: [UInt8] = [0x02, 0x41]
  /// UBX-MON-VER without content asks for the version: any byte on its line wakes a receiver that sleeps.
  private static let versionRequest: [UInt8] = [0x0A, 0x04]
  /// Flag `backup`: nothing runs but its clock; the orbits are kept.
  private static let backup: UInt32 = 2
  /// Flag `uartrx` of what wakes it, beside its own timer.
  private static let byLine: UInt32 = 8

  /// The command that has gpsd tell this to the receiver that is used. Empty: that one does not understand it, or gpsd has
  /// not said what it is.
  static func command(_ order: Order, to receivers: GPSDReceivers) -> String {
    guard let number = receivers.chosen ?? receivers.known.indices.first,
      receivers.known[number].driver == driver
    else { return "" }
    let path = GPSD.escaped(receivers.known[number].path)
    return #"?DEVICE={"path":""# + path + #"","hexdata":""# + hexadecimal(order.frame) + "\"};\n"
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }

  /// Two bytes of mark, class and kind, length, content, and Fletcher's sum over all but the mark.
  private static func frame(_ kind: [UInt8], _ content: [UInt8]) -> [UInt8] {
    let body = kind + [UInt8(content.count & 0xFF), UInt8(content.count >> 8)] + content
    var (first, second): (UInt8, UInt8) = (0, 0)
    for byte in body {
      first &+= byte
      second &+= first
    }
    return [0xB5, 0x62] + body + [first, second]
  }

  private static func bytes(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
