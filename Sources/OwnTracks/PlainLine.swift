extension String {
  /// The text with nothing in it that ends a line or moves a terminal's cursor: `\n`, `\u{1b}`. What people
  /// are told quotes files, receivers and brokers, and those may hold anything.
  public var plainLine: String {
    guard unicodeScalars.contains(where: { $0.escaped != nil }) else { return self }
    return unicodeScalars.reduce(into: "") { $0 += $1.escaped ?? String($1) }
  }
}

extension Unicode.Scalar {
  /// How a line shows it where it must not stand as it is.
  public var escaped: String? {
    switch value {
    case 0x0A: "\\n"
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: "\\u{\(String(value, radix: 16))}"
    default: nil
    }
  }
}
