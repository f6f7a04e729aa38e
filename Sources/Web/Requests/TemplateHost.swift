/// The one foreign host that a page may load pictures from: that of the owner's map template.
public enum TemplateHost {
  /// As a source of a content security policy: `https://*.tile.example.org`; nil: the template names no host that could
  /// stand there.
  public static func source(of template: String) -> String? {
    guard template.utf8.count <= 2000 else { return nil }
    for scheme in ["https://", "http://"] where template.lowercased().hasPrefix(scheme) {
      let rest = template.dropFirst(scheme.utf8.count)
      let authority = rest.prefix { !"/?#".contains($0) }.lowercased()
      // Leaflet puts a, b or c there: it is the first label, or a part of it.
      let labels = authority.split(separator: ".", omittingEmptySubsequences: false)
      guard let first = labels.first else { return nil }
      let host =
        first.contains("{") ? (["*"] + labels.dropFirst()).joined(separator: ".") : authority
      let plain = host.hasPrefix("*.") ? host.dropFirst(2) : host[...]
      // A star for all names of a country would be one for everybody.
      guard isHost(plain), !host.hasPrefix("*") || plain.contains(".") else { return nil }
      return scheme + host
    }
    return nil
  }

  private static func isHost(_ text: Substring) -> Bool {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count <= 2, let name = parts.first, !name.isEmpty else { return false }
    if parts.count == 2, UInt16(parts[1]) == nil { return false }
    return name.utf8.allSatisfy {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".")
        || $0 == UInt8(ascii: "-")
    } && !name.hasPrefix(".") && !name.hasSuffix(".")
  }
}
