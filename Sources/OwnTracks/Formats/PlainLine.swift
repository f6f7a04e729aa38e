extension String {
  /// The text with nothing in it that ends a line, moves a terminal's cursor or turns the direction of what follows:
  /// `\n`, `\u{1b}`. Texts for people quote files, receivers and brokers, and those may hold anything.
  public var plainLine: String { plain { $0.escaped } }

  /// As `plainLine`, of several lines: what ends one of them is ours.
  public var plainText: String { plain { $0 == "\n" ? nil : $0.escaped } }

  /// JSON for a terminal: the same value, with `\u200e` where `plainLine` would not leave the character as it is.
  public var plainJSON: String { plain { $0 == "\n" ? nil : $0.escapedInJSON } }

  private func plain(_ escaped: (Unicode.Scalar) -> String?) -> String {
    // The usual case needs no look at characters.
    guard utf8.contains(where: { $0 < 0x20 || $0 >= 0x7F }) else { return self }
    var text = ""
    text.reserveCapacity(utf8.count)
    for scalar in unicodeScalars {
      if let escaped = escaped(scalar) { text += escaped } else { text.unicodeScalars.append(scalar) }
    }
    return text
  }
}

extension Unicode.Scalar {
  /// How a line shows it where it must not stand as it is.
  public var escaped: String? {
    if value == 0x0A { return "\\n" }
    return isPlain ? nil : "\\u{\(String(value, radix: 16))}"
  }

  fileprivate var escapedInJSON: String? {
    guard !isPlain else { return nil }
    let digits = String(value, radix: 16)
    return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  private var isPlain: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0: false
    // Separators of lines and paragraphs.
    case 0x2028, 0x2029: false
    // Direction controls: a text may look like another one behind them.
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: false
    default: true
    }
  }
}
