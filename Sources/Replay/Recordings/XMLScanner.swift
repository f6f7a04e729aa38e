/// The tags and texts of an XML file, one after the other: as much XML as a GPX track needs. Entities
/// stay as they are, and names lose their prefix.
struct XMLScanner {
  enum Piece {
    case open(name: String, attributes: [String: String])
    case close(name: String)
    case text(String)
  }

  struct Fault: Error {
    var text: String
  }

  private let bytes: [UInt8]
  private var place = 0
  /// What `<point/>` still owes.
  private var owed: String?
  /// Of the piece that came last, counted from 1.
  private(set) var line = 1

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Nil at the end of the file.
  mutating func next() throws(Fault) -> Piece? {
    if let name = owed {
      owed = nil
      return .close(name: name)
    }
    while place < bytes.count {
      if bytes[place] != UInt8(ascii: "<") {
        return .text(take(until: bytes[place...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count))
      } else if starts("<!--") {
        _ = try take(through: "-->")
      } else if starts("<![CDATA[") {
        return .text(String(try take(through: "]]>").dropFirst(9).dropLast(3)))
      } else if starts("<?") {
        _ = try take(through: "?>")
      } else if starts("<!") {
        _ = try take(through: ">")
      } else {
        return try tag()
      }
    }
    return nil
  }

  private mutating func tag() throws(Fault) -> Piece {
    var inner = try tagText().dropFirst().dropLast()
    if inner.first == "/" {
      return .close(name: Self.localName(inner.dropFirst().prefix { !$0.isWhitespace }))
    }
    let isEmpty = inner.last == "/"
    if isEmpty { inner = inner.dropLast() }
    let name = Self.localName(inner.prefix { !$0.isWhitespace })
    guard !name.isEmpty else { throw Fault(text: "a tag without a name") }
    if isEmpty { owed = name }
    return .open(name: name, attributes: try Self.attributes(inner.drop { !$0.isWhitespace }))
  }

  /// A `>` within quotes is no end.
  private mutating func tagText() throws(Fault) -> Substring {
    var quote: UInt8?
    for index in place..<bytes.count {
      let byte = bytes[index]
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: ">") {
        return take(until: index + 1)[...]
      }
    }
    throw Fault(text: "a tag that does not end")
  }

  private static func attributes(_ text: Substring) throws(Fault) -> [String: String] {
    var found: [String: String] = [:]
    var rest = text.drop { $0.isWhitespace }
    while !rest.isEmpty {
      guard let equals = rest.firstIndex(of: "=") else { throw Fault(text: "an attribute without a value") }
      let name = rest[..<equals].filter { !$0.isWhitespace }
      let value = rest[rest.index(after: equals)...].drop { $0.isWhitespace }
      guard let quote = value.first, quote == "\"" || quote == "'",
        let end = value.dropFirst().firstIndex(of: quote)
      else { throw Fault(text: "\(name): a value without quotes") }
      found[String(name)] = String(value[value.index(after: value.startIndex)..<end])
      rest = value[value.index(after: end)...].drop { $0.isWhitespace }
    }
    return found
  }

  private static func localName(_ name: Substring) -> String {
    String(name.split(separator: ":").last ?? "")
  }

  private func starts(_ mark: String) -> Bool { bytes[place...].starts(with: mark.utf8) }

  private mutating func take(until end: Int) -> String {
    let piece = bytes[place..<end]
    line += piece.count { $0 == UInt8(ascii: "\n") }
    place = end
    return String(decoding: piece, as: UTF8.self)
  }

  private mutating func take(through mark: String) throws(Fault) -> String {
    let wanted = Array(mark.utf8)
    for index in place..<bytes.count where bytes[index...].starts(with: wanted) {
      return take(until: index + wanted.count)
    }
    throw Fault(text: "\(mark) is missing")
  }
}
