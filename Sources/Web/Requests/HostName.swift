/// The header Host. By DNS rebinding, an attacker who points a name of his own at this board's address has a phone on
/// the board's WiFi ask under that name; so only names that no one else can own are answered.
public enum HostName {
  /// Bytes of a name with its port.
  static let limit = 260

  /// `names`: those of the board itself, in lower case; they count with `.local` behind them as well.
  public static func isOurs(_ header: String, names: [String]) -> Bool {
    guard let host = host(of: header) else { return false }
    if host.hasPrefix("[") { return isIPv6(host.dropFirst().dropLast()) }
    let name = host.hasSuffix(".") ? String(host.dropLast()) : host
    return isIPv4(name) || name == "localhost" || name.hasSuffix(".local") && name.utf8.count > 6
      || names.contains(name)
  }

  /// Without the port, in lower case; nil: it is none.
  static func host(of header: String) -> String? {
    guard !header.isEmpty, header.utf8.count <= limit, header.utf8.allSatisfy(isPossible) else { return nil }
    let text = header.lowercased()
    let end: String.Index
    if text.hasPrefix("[") {
      guard let bracket = text.firstIndex(of: "]") else { return nil }
      end = text.index(after: bracket)
    } else {
      end = text.firstIndex(of: ":") ?? text.endIndex
    }
    let (host, port) = (text[..<end], text[end...])
    guard !host.isEmpty, port.isEmpty || isPort(port.dropFirst()), port.isEmpty || port.first == ":" else {
      return nil
    }
    return String(host)
  }

  private static func isPossible(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: ":"),
      UInt8(ascii: "["), UInt8(ascii: "]"):
      true
    case _: false
    }
  }

  private static func isPort(_ text: Substring) -> Bool {
    guard !text.isEmpty, text.utf8.count <= 5, text.utf8.allSatisfy(isDigit) else { return false }
    return UInt16(text) != nil
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isIPv4(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4
      && parts.allSatisfy {
        !$0.isEmpty && $0.utf8.count <= 3 && $0.utf8.allSatisfy(isDigit) && UInt8($0) != nil
      }
  }

  /// No more than that it can be none but an address: a name has no colon.
  private static func isIPv6(_ text: Substring) -> Bool {
    text.utf8.count >= 2 && text.contains(":")
      && text.utf8.allSatisfy {
        isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) || $0 == UInt8(ascii: ":")
          || $0 == UInt8(ascii: ".")
      }
  }

  /// Whether a change comes from a page of ours: Origin names the very host that was asked. Behind a proxy with a
  /// certificate it says https.
  public static func isOwn(origin: String?, host: String) -> Bool {
    guard let origin else { return false }
    return origin == "http://" + host || origin == "https://" + host
  }
}
