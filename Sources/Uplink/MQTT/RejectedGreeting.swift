/// Reads a greeting that the library has rejected without giving a reason.
enum RejectedGreeting {
  private static let greeting: UInt8 = 0x20
  private static let assignedClientID: UInt8 = 0x12

  /// Whether these are the first bytes of a CONNACK of MQTT 5 with an Assigned Client Identifier.
  static func namesClientID(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    guard rest.popFirst() == greeting, number(&rest) != nil, rest.count >= 2 else { return false }
    rest.removeFirst(2)
    guard let length = number(&rest) else { return false }
    rest = rest.prefix(length)
    while let property = rest.popFirst() {
      if property == assignedClientID { return true }
      guard let size = size(of: property, rest), size <= rest.count else { return false }
      rest.removeFirst(size)
    }
    return false
  }

  /// Whether these are the first bytes of a web server's answer.
  static func isHTTP(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "HTTP/".utf8) }

  /// A variable byte integer. Nil: there is none.
  private static func number(_ rest: inout ArraySlice<UInt8>) -> Int? {
    var value = 0
    for shift in stride(from: 0, to: 28, by: 7) {
      guard let byte = rest.popFirst() else { return nil }
      value |= Int(byte & 127) << shift
      if byte < 128 { return value }
    }
    return nil
  }

  /// Bytes of a property's value (MQTT 5, 2.2.2.2). Nil: a greeting has no such property.
  private static func size(of property: UInt8, _ rest: ArraySlice<UInt8>) -> Int? {
    switch property {
    case 0x24, 0x25, 0x28, 0x29, 0x2A: return 1
    case 0x13, 0x21, 0x22: return 2
    case 0x11, 0x27: return 4
    case 0x15, 0x16, 0x1A, 0x1C, 0x1F: return text(rest)
    case 0x26:
      guard let name = text(rest), let value = text(rest.dropFirst(name)) else { return nil }
      return name + value
    default: return nil
    }
  }

  private static func text(_ rest: ArraySlice<UInt8>) -> Int? {
    guard rest.count >= 2 else { return nil }
    return 2 + Int(rest[rest.startIndex]) * 256 + Int(rest[rest.startIndex + 1])
  }
}
