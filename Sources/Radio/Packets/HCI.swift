import CBlueZ

/// The commands, events and answers of a Bluetooth controller that are needed here. The numbers are those of
/// <bluetooth/hci.h>, and of the Bluetooth Core specification (volume 4, part E) where it has none.
enum HCI {
  // Packets: their first byte says what follows.
  static let eventPacket = UInt8(cbluez_event_packet.rawValue)

  // Events.
  static let commandComplete = UInt8(cbluez_command_complete.rawValue)
  static let commandStatus = UInt8(cbluez_command_status.rawValue)
  static let metaEvent = UInt8(cbluez_meta_event.rawValue)
  /// Events of Low Energy, within `metaEvent`.
  static let legacyReport = UInt8(cbluez_legacy_report.rawValue)
  static let extendedReport = UInt8(cbluez_extended_report.rawValue)

  // Commands by opcode.
  static let readLocalVersion = UInt16(cbluez_read_local_version.rawValue)
  static let readLocalCommands = UInt16(cbluez_read_local_commands.rawValue)
  static let setScanParameters = UInt16(cbluez_set_scan_parameters.rawValue)
  static let setScanEnable = UInt16(cbluez_set_scan_enable.rawValue)
  static let setExtendedScanParameters = UInt16(cbluez_set_extended_scan_parameters.rawValue)
  static let setExtendedScanEnable = UInt16(cbluez_set_extended_scan_enable.rawValue)

  // Answers.
  static let success: UInt8 = 0
  static let unknownCommand = UInt8(cbluez_unknown_command.rawValue)
  static let disallowed = UInt8(cbluez_command_disallowed.rawValue)

  /// The adapter will not do it, now or later.
  static func isRefusal(_ status: UInt8) -> Bool { status == unknownCommand || status == disallowed }

  static func text(_ status: UInt8) -> String { "HCI status 0x\(String(status, radix: 16))" }

  /// Whether the answer to `readLocalCommands` lists scanning in the way of Bluetooth 5: octet 37, bits 5
  /// (parameters) and 6 (enable).
  static func listsExtendedScan(_ commands: UnsafeRawBufferPointer) -> Bool {
    commands.count > 37 && commands[37] & 0x60 == 0x60
  }

  /// Of a scan parameter: 0.625 ms.
  private static let scanInterval = 160

  /// Passive: no scan requests are sent. The window is the duty's share of the interval.
  static func scanParameters(isExtended: Bool, duty: Int) -> [UInt8] {
    let window = min(scanInterval, max(4, scanInterval * duty / 100))
    let times = [scanInterval, window].flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    return isExtended ? [0, 0, 1, 0] + times : [0] + times + [0, 0]
  }

  /// Every repetition is wanted: only they tell that a beacon is still there.
  static func scanOn(isExtended: Bool) -> [UInt8] { isExtended ? [1, 0, 0, 0, 0, 0] : [1, 0] }
  static func scanOff(isExtended: Bool) -> [UInt8] { isExtended ? [0, 0, 0, 0, 0, 0] : [0, 0] }
}
