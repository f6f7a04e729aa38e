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

  // MARK: Malformed and odd ones

  /// Every beginning of an advertisement of one that ends before the beacon does.
  static let cut: [[UInt8]] = (0..<beacon.count).map { Array(beacon.prefix($0)) }
  /// A whole one, padded with zeros as extended advertisements are.
  static let padded: [UInt8] = beacon + [UInt8](repeating: 0, count: 32)

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
