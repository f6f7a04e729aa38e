import Access

/// The one cookie of the page.
public enum Cookie {
  static let name = "homeward"
  /// Bytes of the header: a browser sends what other servers of this host have set, too.
  static let limit = 4096

  /// The key in the header Cookie: 32 lower-case hexadecimal digits; nil: there is none. Of several the first counts.
  public static func key(in header: String?) -> String? {
    guard let header, header.utf8.count <= limit else { return nil }
    for pair in header.split(separator: ";") {
      let pair = pair.drop { $0 == " " }
      guard pair.hasPrefix(name + "=") else { continue }
      let value = pair.dropFirst(name.utf8.count + 1)
      return isKey(value) ? String(value) : nil
    }
    return nil
  }

  /// For the header Set-Cookie. No script reads it, and no other site's page sends it.
  static func setting(_ key: String) -> String {
    "\(name)=\(key); Path=/; Max-Age=\(Sessions.lifetime); HttpOnly; SameSite=Strict"
  }

  private static func isKey(_ text: Substring) -> Bool {
    text.utf8.count == 2 * Secret.keyBytes
      && text.utf8.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
  }
}
