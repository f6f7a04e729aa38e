/// A broker, as an element of `host` names it.
public struct BrokerPlace: Hashable, Sendable, CustomStringConvertible {
  /// Name or address, without the brackets of an IPv6 address; empty: none.
  public let host: String
  /// 0: offline.
  public let port: Int

  /// As it is.
  public init(host: String, port: Int) { (self.host, self.port) = (host, port) }

  /// `name`, `name:port`, an address, `[address]` or `[address]:port`. Nil: it is none of them. `port`: where none is
  /// written.
  public init?(_ element: Substring, port: Int) {
    var name = element
    var rest: Substring = ""
    if element.first == "[" {
      guard let end = element.firstIndex(of: "]") else { return nil }
      name = element[element.index(after: element.startIndex)..<end]
      rest = element[element.index(after: end)...]
    } else if let colon = element.firstIndex(of: ":"), element.lastIndex(of: ":") == colon {
      name = element[..<colon]
      rest = element[colon...]
    }
    guard !name.isEmpty, !name.contains(where: { "/[]@".contains($0) }) else { return nil }
    host = String(name)
    if rest.isEmpty {
      self.port = port
      return
    }
    let digits = rest.dropFirst()
    guard rest.first == ":", digits.utf8.allSatisfy({ (48...57).contains($0) }), let own = Int(digits),
      (1...65_535).contains(own)
    else { return nil }
    // Offline is all of them.
    self.port = port == 0 ? 0 : own
  }

  /// `host:port`.
  public var description: String { "\(host):\(port)" }

  /// The elements of a list as they are written, commas or blanks between them; one is empty where nothing stands
  /// beside a comma.
  public static func elements(_ list: String) -> [Substring] {
    let parts = list.split(separator: ",", omittingEmptySubsequences: false)
    return parts.flatMap { part in
      let words = part.split(whereSeparator: \.isWhitespace)
      return words.isEmpty ? [part.prefix(0)] : words
    }
  }

  /// In the order in which they are tried. Never empty: without any, one without a host.
  public static func list(_ text: String, port: Int) -> [BrokerPlace] {
    let places = elements(text).filter { !$0.isEmpty }.map {
      BrokerPlace($0, port: port) ?? BrokerPlace(host: String($0), port: port)
    }
    return places.isEmpty ? [BrokerPlace(host: "", port: port)] : places
  }
}

extension Configuration.Broker {
  /// Those that `host` names.
  public var places: [BrokerPlace] { BrokerPlace.list(host, port: port) }
}
