import OwnTracks

/// Certificates and keys as `fleet make` has openssl write them, read without a program for each: a thousand boards have
/// two thousand. Whatever is of another kind is nil, and openssl's business.
enum PEMFile {
  /// OID 1.2.840.10045.2.1: a key on a curve.
  private static let curveKey: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
  /// OID 2.5.4.3.
  private static let commonName: [UInt8] = [0x55, 0x04, 0x03]
  /// UTF-8, letters of a small set, and ASCII.
  private static let texts: Set<UInt8> = [0x0C, 0x13, 0x16]
  private static let shortTime: UInt8 = 0x17
  private static let longTime: UInt8 = 0x18

  /// The first one in a file.
  static func certificate(_ file: [UInt8]) -> FleetCertificates.Certificate? {
    guard let content = content(of: file, "CERTIFICATE"), let outer = DERValue.all(content[...]),
      outer.count == 1, var parts = outer[0].sequence?.first?.sequence
    else { return nil }
    // The version, where it is not the first.
    if parts.first?.tag == 0xA0 { parts.removeFirst() }
    guard parts.count >= 6, let times = parts[3].sequence, times.count == 2, let end = time(times[1]),
      let name = name(parts[4]), let key = parts[5].sequence, key.count == 2, isKnown(key[0], key[1])
    else { return nil }
    var certificate = FleetCertificates.Certificate("")
    (certificate.end, certificate.name) = (end, name)
    certificate.key = Base64.text(of: Array(parts[5].whole))
    return certificate
  }

  /// The public half of a private key, as `Certificate.key` has it.
  static func publicKey(_ file: [UInt8]) -> String? {
    guard let content = content(of: file, "PRIVATE KEY"), let outer = DERValue.all(content[...]),
      outer.count == 1, let parts = outer[0].sequence, parts.count >= 3, parts[2].tag == DERValue.bytes,
      let inner = DERValue.all(parts[2].content), inner.count == 1, let fields = inner[0].sequence,
      let point = fields.first(where: { $0.tag == 0xA1 })?.parts?.first, isKnown(parts[1], point)
    else { return nil }
    return Base64.text(of: DERValue.made(DERValue.sequence, Array(parts[1].whole + point.whole)))
  }

  /// The lines of a public key that openssl has printed, in the same form.
  static func publicKey(printed text: String) -> String {
    let lines = text.split(separator: "\n").map { String($0).trimmed }
    guard let first = lines.firstIndex(where: { $0.hasPrefix("-----BEGIN") }),
      let last = lines[first...].firstIndex(where: { $0.hasPrefix("-----END") })
    else { return "" }
    return lines[(first + 1)..<last].joined()
  }

  /// A point on a curve, written with both of its numbers.
  private static func isKnown(_ kind: DERValue, _ point: DERValue) -> Bool {
    let bytes = point.content
    return kind.sequence?.first?.content.elementsEqual(curveKey) == true && point.tag == DERValue.bits
      && bytes.first == 0 && bytes.dropFirst().first == 4
  }

  /// Nil: there is none, or in another alphabet. The first, as openssl's own first line has it.
  private static func name(_ subject: DERValue) -> String? {
    guard let sets = subject.sequence else { return nil }
    for set in sets {
      for pair in set.parts ?? [] {
        guard let words = pair.sequence, words.count == 2 else { return nil }
        guard words[0].content.elementsEqual(commonName) else { continue }
        return texts.contains(words[1].tag) ? String(validating: words[1].content, as: UTF8.self) : nil
      }
    }
    return nil
  }

  /// As openssl prints it, `2036-11-26 13:08:20Z`.
  private static func time(_ value: DERValue) -> String? {
    var digits = value.content
    guard digits.last == UInt8(ascii: "Z") else { return nil }
    digits.removeLast()
    guard digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
    var text = String(decoding: digits, as: UTF8.self)
    switch (value.tag, text.count) {
    // Of the last century from 50 on.
    case (shortTime, 12): text = (text >= "5" ? "19" : "20") + text
    case (longTime, 14): break
    default: return nil
    }
    let parts = [(0, 4), (4, 2), (6, 2), (8, 2), (10, 2), (12, 2)].map { text.dropFirst($0.0).prefix($0.1) }
    return parts[0...2].joined(separator: "-") + " " + parts[3...5].joined(separator: ":") + "Z"
  }

  private static func content(of file: [UInt8], _ label: String) -> [UInt8]? {
    let text = String(decoding: file, as: UTF8.self)
    guard let begin = text.firstRange(of: "-----BEGIN \(label)-----\n"),
      let end = text[begin.upperBound...].firstRange(of: "-----END \(label)-----")
    else { return nil }
    return Base64.bytes(of: String(text[begin.upperBound..<end.lowerBound]))
  }
}
