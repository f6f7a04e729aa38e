/// A value of DER, the form that certificates and keys have inside.
struct DERValue {
  static let integer: UInt8 = 0x02
  static let bits: UInt8 = 0x03
  static let bytes: UInt8 = 0x04
  static let name: UInt8 = 0x06
  static let sequence: UInt8 = 0x30
  static let set: UInt8 = 0x31

  var tag: UInt8
  var content: ArraySlice<UInt8>
  /// With tag and length.
  var whole: ArraySlice<UInt8>

  /// Those that follow each other; nil: they are none.
  static func all(_ bytes: ArraySlice<UInt8>) -> [DERValue]? {
    var rest = bytes
    var values: [DERValue] = []
    while !rest.isEmpty {
      guard let value = first(of: rest) else { return nil }
      values.append(value)
      rest = rest[value.whole.endIndex...]
    }
    return values
  }

  /// Those inside of a sequence or a set.
  var parts: [DERValue]? { tag & 0x20 != 0 ? Self.all(content) : nil }

  /// Nil: it is no sequence.
  var sequence: [DERValue]? { tag == Self.sequence ? parts : nil }

  private static func first(of bytes: ArraySlice<UInt8>) -> DERValue? {
    guard bytes.count >= 2 else { return nil }
    let tag = bytes[bytes.startIndex]
    // Tags of several bytes occur in neither certificates nor keys.
    guard tag & 0x1F != 0x1F else { return nil }
    var start = bytes.startIndex + 2
    var count = Int(bytes[bytes.startIndex + 1])
    if count >= 0x80 {
      let digits = count - 0x80
      guard (1...3).contains(digits), bytes.endIndex - start >= digits else { return nil }
      count = bytes[start..<start + digits].reduce(0) { $0 << 8 | Int($1) }
      start += digits
    }
    guard bytes.endIndex - start >= count else { return nil }
    return DERValue(
      tag: tag, content: bytes[start..<start + count], whole: bytes[bytes.startIndex..<start + count])
  }

  /// A sequence or another of these.
  static func made(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    var length: [UInt8] = []
    if content.count < 0x80 {
      length = [UInt8(content.count)]
    } else {
      var rest = content.count
      while rest > 0 {
        length.insert(UInt8(rest & 0xFF), at: 0)
        rest >>= 8
      }
      length.insert(0x80 | UInt8(length.count), at: 0)
    }
    return [tag] + length + content
  }
}
