import Model

/// Where the pieces of a map come from: `https://host/{z}/{x}/{y}.png`.
enum TileAddress {
  /// Whether a phone can load a map from there. Its host may not vary with a piece: the page names it to the browser
  /// as the one that it may call. Nor may a password be in it: everybody who looks at the page gets it.
  static func isOne(_ text: String) -> Bool {
    guard let address = HTTPAddress(text), !address.hasCredentials, text.utf8.allSatisfy({ !isOdd($0) })
    else {
      return false
    }
    // In a host they would be no address.
    var found: [Substring] = []
    var rest = text[...]
    while let start = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
      guard rest[start] == "{", let end = rest[start...].firstIndex(of: "}") else { return false }
      found.append(rest[rest.index(after: start)..<end])
      rest = rest[rest.index(after: end)...]
    }
    return found.sorted() == ["x", "y", "z"]
  }

  /// Characters that would end the address where it is written into a header or a page.
  private static func isOdd(_ byte: UInt8) -> Bool {
    [
      UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: ";"),
      UInt8(ascii: ","), UInt8(ascii: "\\"), UInt8(ascii: "`"),
    ].contains(byte)
  }
}
