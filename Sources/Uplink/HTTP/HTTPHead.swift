/// Parses the head of an answer line by line, and keeps the headers that are used.
struct HTTPHead {
  /// Bytes of a header's line; a longer one is ignored.
  static let limit = 200

  private(set) var kind = ""
  private(set) var retryAfter = ""
  private(set) var date = ""
  /// Target of a redirection, up to `limit`: its host is near the beginning.
  private(set) var location = ""
  /// The empty line at its end has been received.
  private(set) var isWhole = false
  /// Bytes, those of provisional answers included.
  private(set) var count = 0

  mutating func take(_ line: UnsafeRawBufferPointer) {
    let sofar = count + line.count
    defer { count = sofar }
    if line.starts(with: "HTTP/".utf8) {
      // A provisional answer (100, 103) has a head of its own, and another follows.
      self = HTTPHead()
      return
    }
    // After a chunked body there may be more lines; they do not belong to the head.
    guard !isWhole else { return }
    let text = line.reversed().drop { $0 == 13 || $0 == 10 }.reversed()
    isWhole = text.isEmpty
    guard let colon = text.prefix(Self.limit).firstIndex(of: UInt8(ascii: ":")) else { return }
    let name = String(decoding: text[..<colon], as: UTF8.self).lowercased()
    guard text.count <= Self.limit || name == "location" else { return }
    let value = text.prefix(Self.limit)[colon...].dropFirst().drop { $0 == 32 || $0 == 9 }
    let words = String(decoding: value.reversed().drop { $0 == 32 || $0 == 9 }.reversed(), as: UTF8.self)
    switch name {
    case "content-type": kind = words
    case "retry-after": retryAfter = words
    case "date": date = words
    case "location": location = words
    default: break
    }
  }
}
