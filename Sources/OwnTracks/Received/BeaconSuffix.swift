import Model

/// How all-digit numbers in a beacon's text are read.
extension BeaconNumberBase {
  /// Nil unless the text is a number of 0...65535. Empty is 0: any number.
  public func number(_ text: some StringProtocol) -> UInt16? {
    guard !text.isEmpty else { return 0 }
    let isMarked = text.lowercased().hasPrefix("0x")
    let digits = isMarked ? String(text.dropFirst(2)) : String(text)
    guard digits.utf8.first != UInt8(ascii: "+"), digits.utf8.first != UInt8(ascii: "-") else { return nil }
    let isHexadecimal =
      switch self {
      case .auto: isMarked || digits.utf8.contains { !(48...57).contains($0) }
      case .hex: true
      case .dec: isMarked
      }
    return UInt16(digits, radix: isHexadecimal ? 16 : 10)
  }
}

/// `Name:UUID[:major[:minor]]` taken apart. A colon belongs to the name unless a UUID follows it.
struct BeaconSuffix: Hashable {
  var name: String
  var uuid: String?
  var major: UInt16?
  var minor: UInt16?

  enum Refusal: Error {
    case number(String)
    case tooManyParts
  }

  /// Numbers that are `known` from elsewhere are not even read: the text may mean them in another base.
  init(
    _ text: String, base: BeaconNumberBase, known: (major: Bool, minor: Bool) = (false, false)
  ) throws(Refusal) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard let index = parts.indices.dropFirst().first(where: { Self.isUUID(parts[$0]) }) else {
      name = text
      return
    }
    name = parts[..<index].joined(separator: ":")
    uuid = String(parts[index])
    let numbers = parts[(index + 1)...]
    guard numbers.count <= 2 else { throw .tooManyParts }
    for (index, part) in numbers.enumerated() where !(index == 0 ? known.major : known.minor) {
      guard let number = base.number(part) else { throw .number(String(part)) }
      if index == 0 { major = number } else { minor = number }
    }
  }

  private static func isUUID(_ text: Substring) -> Bool { BeaconIdentity(uuid: String(text)) != nil }
}
