/// An address to post to. Its path may be as secret as a password (that of a webhook is one): people are
/// only ever shown `origin`.
public struct HTTPAddress: Hashable, Sendable {
  /// Bytes; a longer one is refused.
  public static let limit = 2000

  /// The whole of it, as it was written.
  public var text: String
  /// `https`.
  public var isEncrypted: Bool
  /// Without the brackets of an IPv6 address.
  public var host: String
  /// 1...65535 as written; nil: the scheme's own.
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

  /// The part that people may see: `https://host` or `https://host:port`.
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
    let digits = rest.dropFirst()
    guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let port = Int(digits),
      (1...65_535).contains(port)
    else { return nil }
    return (String(host), port)
  }

  private static func isOfAHost(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || ".-_:%".contains(character)
  }
}
