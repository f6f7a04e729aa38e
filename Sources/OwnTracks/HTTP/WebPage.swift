/// Distinguishes a page for people from the answer of an endpoint. The login page of a network (a captive portal) comes
/// with the status 200 for any post, and the post has not been delivered.
public enum WebPage {
  /// `kind`: the header Content-Type; empty: there was none. `body` may be the beginning of a longer one.
  ///
  /// The body decides: PHP, Flask and Node-RED call everything text/html that they are not told about, an "OK" and a body
  /// without a byte as well.
  public static func isOne(kind: String, body: [UInt8]) -> Bool {
    let text = trimmed(body)
    guard text.first == UInt8(ascii: "<") else { return false }
    return isPage(kind) || beginsLikeOne(text)
  }

  private static func isPage(_ kind: String) -> Bool {
    let name = kind.prefix { $0 != ";" && $0 != " " }.lowercased()
    return name == "text/html" || name == "application/xhtml+xml"
  }

  /// The tags that browsers take for the beginning of a page, with those that portals begin with.
  private static let tags = [
    "!doctype html", "!--", "html", "head", "body", "script", "meta", "title", "style", "link", "iframe",
    "h1", "div", "font", "table", "center", "form", "br", "p", "a", "b",
  ]
  /// Bytes: an XHTML page says so behind a line or two of XML.
  private static let depth = 512

  private static func beginsLikeOne(_ text: ArraySlice<UInt8>) -> Bool {
    let words = String(decoding: text.prefix(depth), as: UTF8.self).lowercased()
    if words.hasPrefix("<?xml") {
      return words.split(separator: "<").contains { $0.hasPrefix("html") || $0.hasPrefix("!doctype html") }
    }
    return tags.contains { tag in
      guard words.dropFirst().hasPrefix(tag) else { return false }
      // `<p>` is one, `<position>` is not.
      guard let next = words.dropFirst(tag.count + 1).first else { return true }
      return tag.hasPrefix("!") || next == ">" || next == "/" || next.isWhitespace
    }
  }

  /// Without blanks in front, nor the mark that some editors leave there.
  private static func trimmed(_ body: [UInt8]) -> ArraySlice<UInt8> {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    return (body.starts(with: mark) ? body.dropFirst(mark.count) : body[...])
      .drop { [9, 10, 12, 13, 32].contains($0) }
  }
}
