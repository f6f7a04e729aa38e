/// Packets as they come from the air and from the kernel.
enum BeaconPackets {
  static let uuid: [UInt8] = [
    0xE2, 0xC5, 0x6D, 0xB5, 0xDF, 0xFB, 0x48, 0xD2, 0xB0, 0x60, 0xD0, 0xF5, 0xA7, 0x10, 0x96, 0xE0,
  ]
  static let flags: [UInt8] = [2, 1, 6]

  /// An iBeacon's structure: 1/7, -59 dBm at 1 m, unless told.
  static func frame(major: UInt16 = 1, minor: UInt16 = 7, power: Int8 = -59) -> [UInt8] {
    [0x1A, 0xFF, 0x4C, 0x00, 0x02, 0x15] + uuid
      + [UInt8(major >> 8), UInt8(major & 255), UInt8(minor >> 8), UInt8(minor & 255)]
      + [UInt8(bitPattern: power)]
  }

  static var beacon: [UInt8] { flags + frame() }

  // Malformed and odd advertisements that brought other people's scanners down, as their owners quote them.

  /// A wall box whose manufacturer's data are one byte (Android-DFU-Library 524).
  static let wallBox = hex("0201060E094556422D50323232323839373202FF00020A03030302A0")
  /// A flower pot with the same fault (uribeacon 132).
  static let flowerPot = hex(
    "02010611061BC5D5A50200BAAFE211A88400FAE13902FF001209466C6F77657220706F776572203031414505120A006400020A00"
  )
  /// Ear phones, padded with zeros (flutter_reactive_ble 521).
  static let earPhones = hex("0409545753" + "02FF00") + [UInt8](repeating: 0, count: 54)
  /// A tag whose last structure claims more than there is (noble 381).
  static let tag = hex("02010603" + "03AAF1" + "1402" + "20322D862127" + "00BCFED5FF383A5921890100" + "00")
  /// A television, extended to 57 bytes (ble.net 62).
  static let television = hex(
    "02011A1BFF75004204010" + "14F5C497D954BA95E497D174BA82CF4" + "0000000000020A091B085B5456"
      + "5D2053616D73756E6720352053657269657320283439" + "29")
  /// A true iBeacon, padded to 62 bytes, at which a parser reached for the byte before the first
  /// (android-beacon-library 470).
  static let padded =
    hex("02011A1AFF4C0002152F52AA80F5E549E0A4735432E9F5BADB0000A966C5") + [UInt8](repeating: 0, count: 32)

  static let harmful = [wallBox, flowerPot, earPhones, tag, television]

  static func hex(_ text: String) -> [UInt8] {
    let digits = text.utf8.map { UInt8($0 < 58 ? $0 - 48 : ($0 | 32) - 87) }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  // Reports

  static let address: [UInt8] = [0x06, 0x05, 0x04, 0x03, 0x02, 0xC1]
  static let addressNumber: UInt64 = 0xC102_0304_0506

  static func event(_ subevent: UInt8, _ reports: [[UInt8]]) -> [UInt8] {
    let parameters = [subevent, UInt8(reports.count)] + reports.flatMap { $0 }
    return [4, 0x3E, UInt8(min(255, parameters.count))] + parameters
  }

  static func legacyReport(_ data: [UInt8], rssi: Int8 = -60) -> [UInt8] {
    [3, 1] + address + [UInt8(data.count)] + data + [UInt8(bitPattern: rssi)]
  }

  static func extendedReport(_ data: [UInt8], rssi: Int8 = -60) -> [UInt8] {
    [0x10, 0, 1] + address + [1, 0, 0xFF, 127, UInt8(bitPattern: rssi), 0, 0, 0, 0, 0, 0, 0, 0, 0]
      + [UInt8(data.count)] + data
  }

  static func legacy(_ data: [UInt8], rssi: Int8 = -60) -> [UInt8] {
    event(0x02, [legacyReport(data, rssi: rssi)])
  }

  static func extended(_ data: [UInt8], rssi: Int8 = -60) -> [UInt8] {
    event(0x0D, [extendedReport(data, rssi: rssi)])
  }

  static func found(_ data: [UInt8], rssi: Int8 = -60) -> [UInt8] {
    address + [2, UInt8(bitPattern: rssi), 0, 0, 0, 0, UInt8(data.count & 255), UInt8(data.count >> 8)] + data
  }

  static func management(_ code: UInt16, _ parameters: [UInt8], index: UInt16 = 0) -> [UInt8] {
    [
      UInt8(code & 255), UInt8(code >> 8), UInt8(index & 255), UInt8(index >> 8),
      UInt8(parameters.count & 255), UInt8(parameters.count >> 8),
    ] + parameters
  }

  static func monitored(_ data: [UInt8], rssi: Int8 = -60) -> [UInt8] {
    management(0x2F, [0, 0] + found(data, rssi: rssi))
  }

  static func discovered(_ data: [UInt8], rssi: Int8 = -60) -> [UInt8] {
    management(0x12, found(data, rssi: rssi))
  }
}
