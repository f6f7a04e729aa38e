/// The content of the kernel's replies, behind their status.
enum ManagementReply {
  /// Of the reply to `readCommands`.
  static func lists(_ command: BluetoothManagement.Command, in bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count >= 4 else { return false }
    let count = min(Int(bytes.word16(at: 0)), (bytes.count - 4) / 2)
    return (0..<count).contains { bytes.word16(at: 4 + 2 * $0) == command.rawValue }
  }

  /// Of the reply to `readExtendedIndexList`: configured adapters, by index; the others cannot be used.
  static func adapters(_ bytes: UnsafeRawBufferPointer) -> [AdapterChoice.Candidate] {
    guard bytes.count >= 2 else { return [] }
    let count = min(Int(bytes.word16(at: 0)), (bytes.count - 2) / 4)
    return (0..<count).compactMap { slot in
      let start = 2 + 4 * slot
      return bytes[start + 2] == 0 ? .init(index: bytes.word16(at: start), bus: bytes[start + 3]) : nil
    }.sorted { $0.index < $1.index }
  }

  /// Of the reply to `readInformation`: address, version, manufacturer (2), supported (4) and current (4)
  /// settings, and names. Nil: it is cut short.
  static func adapter(_ candidate: AdapterChoice.Candidate, _ bytes: UnsafeRawBufferPointer) -> Adapter? {
    guard bytes.count >= 17 else { return nil }
    return Adapter(
      index: candidate.index, address: bytes.address(at: 0), bus: candidate.bus,
      supported: .init(rawValue: bytes.word32(at: 9)), current: .init(rawValue: bytes.word32(at: 13)))
  }
}
