/// The standard alphabet with padding.
public enum Base64 {
  static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
      true
    case _: false
    }
  }

  /// Without line breaks.
  public static func text(of bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
      for index in 0..<4 {
        text.append(
          index <= group.count ? alphabet[Int(bits >> UInt32(18 - 6 * index) & 63)] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Also of the alphabet for addresses (`-` and `_`), with padding or without, lines ended or not; nil: it is none.
  public static func bytes(of text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (bits, count) = (UInt32(0), 0)
    for digit in text.utf8.reversed().drop(while: { $0 == UInt8(ascii: "=") || $0 <= 32 }).reversed() {
      // A form's blank was a plus.
      let plain: UInt8? =
        switch digit {
        case UInt8(ascii: "-"), UInt8(ascii: " "): UInt8(ascii: "+")
        case UInt8(ascii: "_"): UInt8(ascii: "/")
        case 10, 13: nil
        default: digit
        }
      guard let plain else { continue }
      guard let value = alphabet.firstIndex(of: plain) else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
    }
    // A single digit that is left over says nothing.
    return count == 6 ? nil : bytes
  }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
}
