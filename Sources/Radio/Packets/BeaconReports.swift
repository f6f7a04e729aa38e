/// The advertisements of one HCI event as a raw socket delivers it (packet type, event code, length,
/// parameters), one after the other. A truncated report, or anything but an advertising report, ends it.
struct BeaconReports {
  /// Packet type, event code, length, kind of report, number of reports.
  static let headerSize = 5

  private let packet: UnsafeRawBufferPointer
  private let isExtended: Bool
  private var left: Int
  private var offset = BeaconReports.headerSize

  init(_ packet: UnsafeRawBufferPointer) {
    self.packet = packet
    guard packet.count > Self.headerSize, packet[0] == HCI.eventPacket, packet[1] == HCI.metaEvent,
      packet[3] == HCI.legacyReport || packet[3] == HCI.extendedReport
    else {
      isExtended = false
      left = 0
      return
    }
    isExtended = packet[3] == HCI.extendedReport
    left = Int(packet[4])
  }

  mutating func next() -> Advertisement? {
    guard left > 0 else { return nil }
    left -= 1
    let found = isExtended ? extended() : legacy()
    if found == nil { left = 0 }
    return found
  }

  /// Event type, address type, address, length, data, strength.
  private mutating func legacy() -> Advertisement? {
    guard offset + 9 <= packet.count else { return nil }
    let size = Int(packet[offset + 8])
    let end = offset + 9 + size
    guard end < packet.count else { return nil }
    let address = packet.address(at: offset + 2)
    let data = packet.slice(offset + 9, size)
    offset = end + 1
    return Advertisement(address: address, rssi: packet[end], data: data)
  }

  /// Event type (2), address type, address, two PHYs, set, power, strength, interval (2), the address that
  /// it is directed at (7), length, data.
  private mutating func extended() -> Advertisement? {
    guard offset + 24 <= packet.count else { return nil }
    let size = Int(packet[offset + 23])
    let start = offset + 24
    guard start + size <= packet.count else { return nil }
    let address = packet.address(at: offset + 3)
    let rssi = packet[offset + 13]
    offset = start + size
    return Advertisement(address: address, rssi: rssi, data: packet.slice(start, size))
  }
}
