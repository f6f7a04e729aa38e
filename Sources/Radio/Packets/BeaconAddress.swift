/// A Bluetooth address as people write it.
enum BeaconAddress {
  static func text(_ address: UInt64) -> String {
    (0..<6).map { index in
      let byte = UInt8(truncatingIfNeeded: address >> UInt64(40 - 8 * index))
      return (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }.joined(separator: ":")
  }

  /// Nil when it is not six pairs of hexadecimal digits with colons between.
  static func number(_ text: String) -> UInt64? {
    let pairs = text.split(separator: ":", omittingEmptySubsequences: false)
    guard pairs.count == 6 else { return nil }
    var number: UInt64 = 0
    for pair in pairs {
      guard pair.utf8.count == 2, pair.allSatisfy(\.isHexDigit), let byte = UInt8(pair, radix: 16) else {
        return nil
      }
      number = number << 8 | UInt64(byte)
    }
    return number
  }
}
