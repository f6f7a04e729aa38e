import Timebase

/// The common part of a certificate and a request for one: for whom, and of which key.
public struct CertificateHolder: Hashable, Sendable {
  /// A part of the name: what it is, as numbers with dots, and its text.
  public struct Attribute: Hashable, Sendable {
    /// `2.5.4.3` is the common name.
    public var kind: String
    /// Nothing that ends a line is in it.
    public var text: String
  }

  /// In the order of the certificate.
  public var name: [Attribute]
  /// The public key with its algorithm, DER.
  public var key: [UInt8]

  /// The user, where a broker takes the name of the certificate for it.
  public var commonName: String? { name.first { $0.kind == "2.5.4.3" }?.text }

  /// The name as the program `openssl` takes it, `/2.5.4.3=truck-0001`.
  public var subject: String {
    name.reduce(into: "") { subject, attribute in
      subject += "/" + attribute.kind + "="
      for letter in attribute.text {
        if letter == "\\" || letter == "/" || letter == "+" { subject.append("\\") }
        subject.append(letter)
      }
    }
  }

  /// Nil: the name has a form that is not read.
  fileprivate init?(_ name: DERElements, key: [UInt8]) {
    var (attributes, rest): ([Attribute], DERElements) = ([], name)
    while !rest.isEmpty {
      // Of several attributes in one place there is no order to keep.
      guard var place = rest.enter(.set), var attribute = place.enter(.sequence), place.isEmpty,
        let kind = attribute.enter(.object).flatMap({ Self.numbers($0.content) }),
        let value = attribute.take(), Self.texts.contains(value.tag),
        let text = String(validating: value.content, as: UTF8.self),
        text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
      else { return nil }
      attributes.append(Attribute(kind: kind, text: text))
    }
    (self.name, self.key) = (attributes, key)
  }

  /// UTF8String, PrintableString, IA5String.
  private static let texts: Set<UInt8> = [0x0C, 0x13, 0x16]

  private static func numbers(_ bytes: [UInt8]) -> String? {
    guard let first = bytes.first, bytes.count <= 32 else { return nil }
    var numbers = [Int(min(first / 40, 2)), Int(first) - 40 * Int(min(first / 40, 2))]
    var number = 0
    for byte in bytes.dropFirst() {
      guard number < 1 << 32 else { return nil }
      number = number << 7 | Int(byte & 0x7F)
      guard byte < 0x80 else { continue }
      numbers.append(number)
      number = 0
    }
    return numbers.map(String.init).joined(separator: ".")
  }
}

/// A request for a certificate (PKCS#10), of which nothing but its holder is read.
public enum CertificateRequest {
  /// Of the first one in a PEM file; nil: it is none.
  public static func read(pem bytes: [UInt8]) -> CertificateHolder? {
    guard let der = PEM.first("CERTIFICATE REQUEST", in: bytes) else { return nil }
    var file = DERElements(der[...])
    guard var request = file.enter(.sequence), var body = request.enter(.sequence),
      body.enter(.integer) != nil, let name = body.enter(.sequence), let key = body.whole(.sequence)
    else { return nil }
    return CertificateHolder(name, key: key)
  }
}

/// A certificate of a board, as far as the board looks at it.
public struct BoardCertificate: Hashable, Sendable {
  /// Whom it is for.
  public var holder: CertificateHolder
  /// Unix seconds.
  public var begin: Int
  /// Unix seconds.
  public var end: Int
  /// All of it.
  public var der: [UInt8]

  /// The first one in a PEM file; nil: it is none, or has a form that is not read.
  public init?(pem bytes: [UInt8]) {
    guard let der = PEM.first("CERTIFICATE", in: bytes) else { return nil }
    var file = DERElements(der[...])
    guard var certificate = file.enter(.sequence), var body = certificate.enter(.sequence) else { return nil }
    _ = body.enter(.version)
    guard body.enter(.integer) != nil, body.enter(.sequence) != nil, body.enter(.sequence) != nil,
      var validity = body.enter(.sequence), let begin = validity.take(), let end = validity.take(),
      let begins = CertificateEnd.time(begin.content, tag: begin.tag),
      let ends = CertificateEnd.time(end.content, tag: end.tag),
      let name = body.enter(.sequence), let key = body.whole(.sequence),
      let holder = CertificateHolder(name, key: key)
    else { return nil }
    (self.holder, self.begin, self.end, self.der) = (holder, begins, ends, der)
  }

  /// Tells it from others: FNV-1a, in hexadecimal digits.
  public var mark: String {
    let sum = der.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    let digits = String(sum, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// `2036-11-26T17:00:33Z`.
  public var lastDay: String { Self.text(end) }

  /// How far the clocks of those who sign may be ahead of ours, seconds.
  private static let clockError = 300

  /// Why a board does not take it in place of its present one, in a line; nil: it does. `request`: its own, that
  /// waits for an answer.
  public func refusal(inPlaceOf present: BoardCertificate, request: CertificateHolder, now: Int) -> String? {
    if holder.key != request.key {
      return "certificate: is for another key, expected that of this board's last request"
    }
    if holder.commonName != present.holder.commonName {
      let (new, old) = (holder.commonName ?? "nobody", present.holder.commonName ?? "nobody")
      return "certificate: is for \(new), expected \(old)".plainLine
    }
    if begin > now + Self.clockError {
      return "certificate: is good from \(Self.text(begin)) on, expected one that is good now"
    }
    if end <= now { return "certificate: has ended \(lastDay), expected one that is good now" }
    if end <= present.end {
      return "certificate: ends \(lastDay), expected a later end than the present one's, \(present.lastDay)"
    }
    return nil
  }

  private static func text(_ seconds: Int) -> String { ISO8601.text(WallTime(seconds: Double(seconds))) }
}
