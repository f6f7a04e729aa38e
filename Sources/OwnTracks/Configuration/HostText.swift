import Model

/// Mistakes in `host` and `gpsdHost`: parts that a name or an address does not have.
enum HostText {
  /// The correction, in words; nil: it may be a name or an address. `port`: the key that has the port.
  static func advice(_ host: String, port: String = "port") -> String? {
    if let bare = withoutQuotes(host) {
      return "the bare name \"\(ConfigurationFile.brief(bare))\", without quotes of its own"
    }
    if let end = host.utf8Range(of: "://") {
      guard port == "port" else { return bare(String(host[end.upperBound...]), usual: nil, port) }
      let scheme = host[..<end.lowerBound].lowercased()
      let words = bare(String(host[end.upperBound...]), usual: usualPort(scheme), port)
      switch scheme {
      case "ws", "wss": return words + "; websockets are not supported, give the broker's port for MQTT"
      case "mqtts", "ssl", "tls": return words + ", and tls true"
      case "mqtt", "tcp": return words + ", and tls false"
      default: return words
      }
    }
    if host.contains(where: \.isWhitespace) { return "the bare name, without blanks" }
    let colons = host.utf8.count { $0 == UInt8(ascii: ":") }
    guard colons == 1 || host.contains(where: { "/[]@".contains($0) }) else { return nil }
    return bare(host, usual: nil, port)
  }

  /// The same for `host`, which may name several brokers, each with a port.
  static func advice(ofBrokers list: String) -> String? {
    if list.isEmpty { return nil }
    let elements = BrokerPlace.elements(list)
    for (index, element) in elements.enumerated() {
      guard let advice = advice(ofBroker: element) else { continue }
      if elements.count == 1 { return advice }
      // User and password may stand in it.
      let shown = element.contains("@") ? "" : " (\"\(ConfigurationFile.brief(String(element)))\")"
      return "as element \(index + 1)\(element.isEmpty ? "" : shown) \(advice)"
    }
    return nil
  }

  private static func advice(ofBroker element: Substring) -> String? {
    if element.isEmpty { return "a name or an address; nothing stands there" }
    if BrokerPlace(element, port: 0) != nil, withoutQuotes(String(element)) == nil { return nil }
    let end = element.first == "[" ? element.firstIndex(of: "]") : nil
    let rest = element[(end ?? element.startIndex)...]
    let isOfPort =
      rest.contains(":") && !rest.contains { "/@".contains($0) } && withoutQuotes(String(element)) == nil
    return isOfPort ? "a port from 1 to 65535 after the colon" : advice(String(element))
  }

  /// Nil: it has none. Web pages set curved ones, which are pasted along with the name.
  private static func withoutQuotes(_ host: String) -> String? {
    let bare = host.filter { !"\"'`“”„‟‘’‚«»".contains($0) }
    return bare == host ? nil : bare
  }

  private static func usualPort(_ scheme: String) -> String? {
    switch scheme {
    case "mqtt", "tcp": "1883"
    case "mqtts", "ssl", "tls": "8883"
    default: nil
    }
  }

  /// `the bare name "x", with 1883 as port`. What stands before an `@` may be a password.
  private static func bare(_ text: String, usual: String?, _ key: String) -> String {
    var rest = text.prefix { $0 != "/" }
    if let at = rest.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
    var (name, port) = (String(rest), usual)
    if rest.first == "[", let end = rest.firstIndex(of: "]") {
      name = String(rest[rest.index(after: rest.startIndex)..<end])
      let tail = rest[rest.index(after: end)...]
      if tail.first == ":" { port = String(tail.dropFirst()) }
    } else if let colon = rest.lastIndex(of: ":"), rest.firstIndex(of: ":") == colon {
      name = String(rest[..<colon])
      port = String(rest[rest.index(after: colon)...])
    }
    let shown = ConfigurationFile.brief(name.isEmpty ? "broker.example" : name)
    guard let port, let number = DecimalText.whole(port) else { return "the bare name \"\(shown)\"" }
    return "the bare name \"\(shown)\", with \(number) as \(key)"
  }
}

extension String {
  fileprivate func utf8Range(of part: String) -> Range<String.Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(part) { return start..<index(start, offsetBy: part.count) }
      start = index(after: start)
    }
    return nil
  }
}
