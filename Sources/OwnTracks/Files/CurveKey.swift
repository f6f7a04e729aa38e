/// Keys on a curve, as openssl makes them: where certificate and key belong together, they have one public half. A key
/// of another kind is none to this reader.
public enum CurveKey {
  /// OID 1.2.840.10045.2.1.
  private static let kind: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]

  /// The public half of the first private key in a PEM file (PKCS#8), as `CertificateHolder.key` has it; nil: there is
  /// none, or it is of another kind.
  public static func publicHalf(pem bytes: [UInt8]) -> [UInt8]? {
    guard let der = PEM.first("PRIVATE KEY", in: bytes) else { return nil }
    var file = DERElements(der[...])
    guard var outer = file.enter(.sequence), file.isEmpty, outer.enter(.integer) != nil,
      let algorithm = outer.whole(.sequence), var inner = outer.enter(.bytes),
      var key = inner.enter(.sequence), key.enter(.integer) != nil, key.enter(.bytes) != nil
    else { return nil }
    // The curve once more, where openssl has been told to write it.
    _ = key.enter(.version)
    guard let point = key.enter(.publicHalf)?.content else { return nil }
    let half = sequence(algorithm + point)
    return isPoint(half) ? half : nil
  }

  /// Whether it is the public half of such a key, written with both numbers of its point.
  public static func isPoint(_ key: [UInt8]) -> Bool {
    var file = DERElements(key[...])
    guard var parts = file.enter(.sequence), file.isEmpty, var algorithm = parts.enter(.sequence),
      algorithm.enter(.object)?.content == kind, let point = parts.enter(.bits), parts.isEmpty
    else { return false }
    return point.content.starts(with: [0, 4])
  }

  private static func sequence(_ content: [UInt8]) -> [UInt8] {
    var length: [UInt8] = []
    var rest = content.count
    while rest > 0 {
      length.insert(UInt8(rest & 0xFF), at: 0)
      rest >>= 8
    }
    if content.count >= 0x80 { length.insert(0x80 | UInt8(length.count), at: 0) }
    return [DERElements.Tag.sequence.rawValue] + length + content
  }
}
