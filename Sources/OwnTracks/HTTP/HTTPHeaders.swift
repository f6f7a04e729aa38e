/// Headers as the key `httpHeaders` has them: `name:value`, and between two of them the two characters `\n`.
public struct HTTPHeaders: Hashable, Sendable {
  /// One line of the head.
  public struct Header: Hashable, Sendable {
    /// A token of RFC 9110, as it was written.
    public var name: String
    /// Without blanks at its ends, and without what would end the line.
    public var value: String
  }

  /// In the order in which they are sent.
  public var all: [Header] = []

  /// None.
  public init() {}

  /// Nil: a line without a colon or without a name, or one with what ends a line of HTTP.
  public init?(_ text: String) {
    guard text.unicodeScalars.allSatisfy({ $0.escaped == nil }) else { return nil }
    for line in Self.lines(text) where line.contains(where: { $0 != " " }) {
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let name = Self.trimmed(line[..<colon])
      guard !name.isEmpty, name.utf8.allSatisfy(Self.isOfAName) else { return nil }
      all.append(Header(name: name, value: Self.trimmed(line[line.index(after: colon)...])))
    }
  }

  /// Replaces a header of that name, whatever the size of its letters, or adds one.
  public mutating func set(_ name: String, _ value: String) {
    all.removeAll { $0.name.lowercased() == name.lowercased() }
    all.append(Header(name: name, value: value))
  }

  /// Of the last one with that name, whatever the size of its letters; nil: there is none.
  public func value(_ name: String) -> String? {
    all.last { $0.name.lowercased() == name.lowercased() }?.value
  }

  private static func lines(_ text: String) -> [Substring] {
    var lines: [Substring] = []
    var start = text.startIndex
    var index = start
    while let mark = text[index...].firstIndex(of: "\\") {
      index = text.index(after: mark)
      guard index < text.endIndex, text[index] == "n" else { continue }
      lines.append(text[start..<mark])
      index = text.index(after: index)
      start = index
    }
    return lines + [text[start...]]
  }

  private static func trimmed(_ text: Substring) -> String {
    let head = text.drop { $0 == " " }
    return String(head.reversed().drop { $0 == " " }.reversed())
  }

  /// The token of RFC 9110.
  private static func isOfAName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
