/// The links by which the apps hand on a configuration: `owntracks:///config?inline=…`, base64 of a file.
public enum ConfigurationLink {
  /// Why a link holds no configuration, and what to do instead.
  public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    public var description: String
  }

  /// Whether a text is meant as one.
  public static func isOne(_ text: some StringProtocol) -> Bool { text.lowercased().hasPrefix(scheme) }

  /// The file in it.
  public static func file(in link: String) throws(Refusal) -> [UInt8] {
    let parts = link.dropFirst(scheme.count).split(
      separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let path = parts[0].drop { $0 == "/" }.prefix { $0 != "/" }.lowercased()
    let query = parts.count == 2 ? query(parts[1]) : []
    func value(_ name: String) -> String? { query.first { $0.name == name }?.value }
    if path == "beacon" { throw Refusal(description: beaconAdvice(value)) }
    if path == "config", let text = value("inline") {
      guard let bytes = Base64.bytes(of: text) else {
        throw Refusal(description: "owntracks:///config: what is inline is no base64")
      }
      return bytes
    }
    if path == "config", value("url") != nil {
      throw Refusal(
        description:
          "owntracks:///config: it names a file on the web; download that, then: homeward config import FILE"
      )
    }
    throw Refusal(description: "this link holds no configuration; expected owntracks:///config?inline=...")
  }

  private static let scheme = "owntracks:"

  private static func beaconAdvice(_ value: (String) -> String?) -> String {
    func word(_ name: String) -> String {
      value(name).map { text in
        " --\(name) " + text.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
      } ?? ""
    }
    let name = (value("name") ?? "NAME").filter { $0 != "'" }
    let uuid = value("uuid") == nil ? " --uuid UUID" : word("uuid")
    return "this link is a beacon, not a configuration; make its region: homeward region add "
      + "'\(ConfigurationFile.brief(name))'\(uuid)\(word("major"))\(word("minor"))".plainLine
  }

  private static func query(_ text: Substring) -> [(name: String, value: String)] {
    text.split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (decoded(parts[0]), parts.count == 2 ? decoded(parts[1]) : "")
    }
  }

  /// `%3D` is `=`. Anything but such a pair of digits stays.
  private static func decoded(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      if byte == UInt8(ascii: "%"), digits.utf8.count == 2, let value = UInt8(digits, radix: 16) {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
