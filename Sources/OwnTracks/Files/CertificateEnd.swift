/// When a certificate ends. Of all that is in it (X.509, DER) nothing else is read.
public enum CertificateEnd {
  /// Unix seconds, of the first certificate in a PEM file, which is the board's own; nil: it is none.
  public static func read(pem bytes: [UInt8]) -> Int? {
    PEM.first("CERTIFICATE", in: bytes).flatMap { read(der: $0) }
  }

  static func read(der bytes: [UInt8]) -> Int? {
    var file = DERElements(bytes[...])
    guard var certificate = file.enter(.sequence), var body = certificate.enter(.sequence) else { return nil }
    // The version is left out where it is 1. Then come the number, the algorithm and who has signed.
    _ = body.enter(.version)
    guard body.enter(.integer) != nil, body.enter(.sequence) != nil, body.enter(.sequence) != nil,
      var validity = body.enter(.sequence), validity.take() != nil, let end = validity.take()
    else { return nil }
    return time(end.content, tag: end.tag)
  }

  /// Unix seconds; `YYMMDDHHMMSSZ` or `YYYYMMDDHHMMSSZ`, nothing else (RFC 5280, 4.1.2.5).
  static func time(_ text: ArraySlice<UInt8>, tag: UInt8) -> Int? {
    let digits = text.dropLast().map { Int($0) - Int(UInt8(ascii: "0")) }
    guard text.last == UInt8(ascii: "Z"), digits.allSatisfy((0...9).contains) else { return nil }
    let yearDigits = digits.count - 10
    switch (tag, yearDigits) {
    case (0x17, 2), (0x18, 4): break
    case _: return nil
    }
    var year = digits.prefix(yearDigits).reduce(0) { $0 * 10 + $1 }
    if yearDigits == 2 { year += year < 50 ? 2000 : 1900 }
    let parts = stride(from: yearDigits, to: digits.count, by: 2).map { digits[$0] * 10 + digits[$0 + 1] }
    guard let midnight = UTC.midnight(year: year, month: parts[0], day: parts[1]), parts[2] < 24,
      parts[3] < 60, parts[4] < 61
    else { return nil }
    return midnight + parts[2] * 3600 + parts[3] * 60 + parts[4]
  }
}

/// The elements of a DER sequence, one after the other.
struct DERElements {
  enum Tag: UInt8 {
    case integer = 0x02
    case bits = 0x03
    case bytes = 0x04
    case object = 0x06
    case sequence = 0x30
    case set = 0x31
    /// Of a certificate; of a private key, its curve.
    case version = 0xA0
    /// Of a private key.
    case publicHalf = 0xA1
  }

  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// The next element, if it is one of these; otherwise nothing is taken.
  mutating func enter(_ tag: Tag) -> DERElements? {
    guard rest.first == tag.rawValue, let element = take() else { return nil }
    return DERElements(element.content)
  }

  var isEmpty: Bool { rest.isEmpty }
  var content: [UInt8] { Array(rest) }

  /// The next element with its head, if it is one of these; otherwise nothing is taken.
  mutating func whole(_ tag: Tag) -> [UInt8]? {
    let before = rest
    guard enter(tag) != nil else { return nil }
    return Array(before.prefix(before.count - rest.count))
  }

  /// Nil: there is none, or it is longer than what it is in.
  mutating func take() -> (tag: UInt8, content: ArraySlice<UInt8>)? {
    var after = rest
    guard let tag = after.popFirst(), let first = after.popFirst() else { return nil }
    var length = Int(first)
    if first >= 0x80 {
      // Four bytes of length are more than any file that is read.
      let count = Int(first & 0x7F)
      guard (1...4).contains(count), after.count >= count else { return nil }
      length = after.prefix(count).reduce(0) { $0 << 8 | Int($1) }
      after = after.dropFirst(count)
    }
    guard after.count >= length else { return nil }
    rest = after.dropFirst(length)
    return (tag, after.prefix(length))
  }
}
