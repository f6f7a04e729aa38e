/// An address to post to. Its path may be as secret as a password (that of a webhook is one): people are
/// only ever shown `origin`.
public struct HTTPAddress: Hashable, Sendable {
  public static let limit = 2000

  /// The whole of it, as it was written.
  public var text: String
  public var isEncrypted: Bool
  /// Without the brackets of an IPv6 address.
  public var host: String
  public var port: Int?
  /// `user:password@` stands before the host.
  public var hasCredentials: Bool

  /// Nil: it is none of `http://…` and `https://…` with a host in it.
  public init?(_ text: String) {
    let isPlain = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    guard isPlain, text.utf8.count <= Self.limit, let colon = text.firstIndex(of: ":"),
      text[colon...].hasPrefix("://")
    else { return nil }
    switch text[..<colon].lowercased() {
    case "http": isEncrypted = false
    case "https": isEncrypted = true
    default: return nil
    }
    let rest = text[colon...].dropFirst(3)
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let at = authority.lastIndex(of: "@")
    let place = at.map { authority[authority.index(after: $0)...] } ?? authority
    guard let (host, port) = Self.split(place) else { return nil }
    self.text = text
    self.host = host
    self.port = port
    hasCredentials = at != nil
  }

  /// What people may see: `https://host` or `https://host:port`.
  public var origin: String {
    let host = host.contains(":") ? "[\(host)]" : host
    return (isEncrypted ? "https://" : "http://") + host + (port.map { ":\($0)" } ?? "")
  }

  private static func split(_ place: Substring) -> (host: String, port: Int?)? {
    var host = place
    var rest: Substring = ""
    if place.first == "[" {
      guard let end = place.firstIndex(of: "]") else { return nil }
      host = place[place.index(after: place.startIndex)..<end]
      rest = place[place.index(after: end)...]
    } else if let colon = place.firstIndex(of: ":") {
      host = place[..<colon]
      rest = place[colon...]
    }
    guard !host.isEmpty, host.allSatisfy(isOfAHost) else { return nil }
    guard rest.first == ":", rest.count > 1 else { return rest.isEmpty ? (String(host), nil) : nil }
    guard let port = DecimalText.whole(String(rest.dropFirst())), (1...65_535).contains(port) else {
      return nil
    }
    return (String(host), port)
  }

  private static func isOfAHost(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || ".-_:%".contains(character)
  }
}

/// Headers as the key `httpHeaders` has them: `name:value`, and between two of them the two characters `\n`.
public struct HTTPHeaders: Hashable, Sendable {
  public struct Header: Hashable, Sendable {
    public var name: String
    public var value: String
  }

  public var all: [Header] = []

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
