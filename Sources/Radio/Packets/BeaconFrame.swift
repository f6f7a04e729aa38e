import Model

/// Finds iBeacon frames in what is advertised: structures of length, type and value, of which an iBeacon's
/// has the type 0xFF, Apple's number 4C 00, and 02 15 before the beacon's own 21 bytes.
///
/// Any device nearby may send anything, so every length is checked against the bytes at hand. Nothing here allocates
/// memory: in a crowd it runs for thousands of strangers a second.
enum BeaconFrame {
  /// From the company's number to the power.
  static let length = 25
  private static let manufacturer: UInt8 = 0xFF
  private static let opening: UInt32 = 0x4C00_0215

  struct Found: Hashable {
    var beacon: BeaconNumber
    var power: Int8
  }

  /// The first iBeacon frame of an advertisement's data. A structure that is longer than the rest ends
  /// the search, and so does one of length 0: padding follows.
  static func find(in data: UnsafeRawBufferPointer) -> Found? {
    var start = 0
    while start + 1 < data.count {
      let size = Int(data[start])
      guard size > 0, start + 1 + size <= data.count else { return nil }
      // More may follow in the same structure; some beacons append their battery.
      if size > length, data[start + 1] == manufacturer, data.number32(at: start + 2) == opening {
        return frame(UnsafeRawBufferPointer(rebasing: data[(start + 2)..<(start + 2 + length)]))
      }
      start += 1 + size
    }
    return nil
  }

  /// Whether it is built as advertisements are, and says anything: a radio that is ill reports empty ones.
  static func isReadable(_ data: UnsafeRawBufferPointer) -> Bool {
    data.count >= 2 && data[0] > 0 && Int(data[0]) < data.count
  }

  private static func frame(_ bytes: UnsafeRawBufferPointer) -> Found {
    let uuid = BeaconUUID(
      high: UInt64(bytes.number32(at: 4)) << 32 | UInt64(bytes.number32(at: 8)),
      low: UInt64(bytes.number32(at: 12)) << 32 | UInt64(bytes.number32(at: 16)))
    return Found(
      beacon: BeaconNumber(uuid: uuid, major: bytes.number16(at: 20), minor: bytes.number16(at: 22)),
      power: Int8(bitPattern: bytes[24]))
  }
}

/// One advertisement as a controller or the kernel reports it.
struct Advertisement {
  /// 48 bits, the first byte as written highest.
  var address: UInt64
  /// Nil where the radio did not say.
  var rssi: Int8?
  /// Points into the packet: gone with it.
  var data: UnsafeRawBufferPointer

  init(address: UInt64, rssi: UInt8, data: UnsafeRawBufferPointer) {
    self.address = address
    let strength = Int8(bitPattern: rssi)
    // 127 is "not available"; no radio hears anything at 0 dBm or above, so 0 says as little.
    self.rssi = strength < 0 ? strength : nil
    self.data = data
  }

  var sighting: Sighting? {
    guard let found = BeaconFrame.find(in: data) else { return nil }
    return Sighting(beacon: found.beacon, power: found.power, rssi: rssi, address: address)
  }
}

extension UnsafeRawBufferPointer {
  // Highest byte first, as beacons count.
  func number16(at offset: Int) -> UInt16 { UInt16(self[offset]) << 8 | UInt16(self[offset + 1]) }
  func number32(at offset: Int) -> UInt32 {
    UInt32(number16(at: offset)) << 16 | UInt32(number16(at: offset + 2))
  }

  // Lowest byte first, as Bluetooth counts.
  func word16(at offset: Int) -> UInt16 { UInt16(self[offset]) | UInt16(self[offset + 1]) << 8 }
  func word32(at offset: Int) -> UInt32 {
    UInt32(word16(at: offset)) | UInt32(word16(at: offset + 2)) << 16
  }

  func address(at offset: Int) -> UInt64 {
    UInt64(word32(at: offset)) | UInt64(word16(at: offset + 4)) << 32
  }

  func slice(_ start: Int, _ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: self[start..<(start + count)])
  }
}
