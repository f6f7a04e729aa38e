import Model

@testable import Radio

/// Bytes from the air, in each of the forms in which they arrive. The first byte says which. What the
/// parser finds must be what a slow and simple reader finds.
enum AdvertTarget {
  @Sendable static func feed(_ input: UnsafeRawBufferPointer) {
    guard let form = input.first else { return }
    // Where it lies, in libFuzzer's memory of exactly this size: a read beyond it is seen.
    let bytes = UnsafeRawBufferPointer(rebasing: input[1...])
    switch form & 3 {
    case 0: data(bytes)
    case 1: management(bytes)
    case 2: reports(bytes)
    default:
      management(bytes)
      reports(bytes)
      data(bytes)
    }
  }

  private static func data(_ bytes: UnsafeRawBufferPointer) {
    let found = BeaconFrame.find(in: bytes)
    claim(found == expected(Array(bytes)), "another frame than the simple reader's")
    _ = BeaconFrame.isReadable(bytes)
  }

  private static func management(_ bytes: UnsafeRawBufferPointer) {
    guard let advertisement = BluetoothManagement.advertisement(bytes) else { return }
    check(advertisement)
  }

  private static func reports(_ bytes: UnsafeRawBufferPointer) {
    var reports = BeaconReports(bytes)
    var count = 0
    while let report = reports.next() {
      check(report)
      count += 1
    }
    claim(count <= 255, "more reports than an event can count")
  }

  private static func check(_ advertisement: Advertisement) {
    claim(advertisement.address < 1 << 48, "an address of more than 48 bits")
    claim(advertisement.rssi.map { $0 < 0 } ?? true, "a strength of 0 or more")
    let sighting = advertisement.sighting
    claim(
      sighting?.beacon == expected(Array(advertisement.data))?.beacon,
      "another beacon than the simple reader's")
  }

  private static func expected(_ data: [UInt8]) -> BeaconFrame.Found? {
    var rest = data[...]
    while let size = rest.first, size > 0, rest.count > Int(size) {
      let structure = Array(rest.dropFirst().prefix(Int(size)))
      if structure.count >= 26, structure.starts(with: [0xFF, 0x4C, 0x00, 0x02, 0x15]) {
        func number(_ range: Range<Int>) -> UInt64 { structure[range].reduce(0) { $0 << 8 | UInt64($1) } }
        return .init(
          beacon: BeaconNumber(
            uuid: BeaconUUID(high: number(5..<13), low: number(13..<21)), major: UInt16(number(21..<23)),
            minor: UInt16(number(23..<25))),
          power: Int8(bitPattern: structure[25]))
      }
      rest = rest.dropFirst(1 + Int(size))
    }
    return nil
  }
}
