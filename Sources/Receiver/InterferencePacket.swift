import Model

/// The packets in which a receiver of u-blox tells of interference. What has another form than its maker gives it, or has
/// been damaged on the way, is none.
enum InterferencePacket {
  case jamming(Interference.Level)
  case spoofing(Interference.Level)

  /// UBX-NAV-STATUS, of every receiver that is in use.
  static let status: [UInt8] = [0x01, 0x03]
  /// UBX-MON-RF, of the generations 9 and 10: a block for each of its inputs.
  static let radio: [UInt8] = [0x0A, 0x38]
  /// UBX-MON-HW, of the generations before those.
  static let hardware: [UInt8] = [0x0A, 0x09]

  /// The questions for them; a receiver passes over what it does not know.
  static let questions = UBX.frame(status, []) + UBX.frame(radio, []) + UBX.frame(hardware, [])

  /// A line in which gpsd repeats a packet in hexadecimal. Nil: not one of these, or not sound.
  init?(_ line: UnsafeRawBufferPointer) {
    switch UBX.kind(line) {
    case Self.status:
      guard let content = UBX.content(line), content.count == 16 else { return nil }
      self = .spoofing(Self.level(content[7] >> 3))
    case Self.radio:
      guard let content = UBX.content(line), content.count >= 4 else { return nil }
      let (head, block) = (4, 24)
      let count = Int(content[1])
      guard count > 0, content.count == head + count * block else { return nil }
      // One input that is disturbed is enough.
      let levels = (0..<count).map { Self.level(content[head + $0 * block + 1]) }
      self = .jamming(levels.max() ?? .unknown)
    case Self.hardware:
      // 60 bytes, and 68 before the seventh generation: the same up to here.
      guard let content = UBX.content(line), content.count == 60 || content.count == 68 else { return nil }
      self = .jamming(Self.level(content[22] >> 2))
    default: return nil
    }
  }

  /// Of the two lowest bits: 0 is switched off, or not known.
  private static func level(_ bits: UInt8) -> Interference.Level {
    switch bits & 3 {
    case 1: .none
    case 2: .warning
    case 3: .critical
    default: .unknown
    }
  }
}
