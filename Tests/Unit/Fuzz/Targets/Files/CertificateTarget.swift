import Model
import OwnTracks

/// Files that the board did not write: a certificate, and the line that an update leaves.
enum CertificateTarget {
  @Sendable static func feed(_ input: UnsafeRawBufferPointer) {
    let bytes = Array(input)
    if let end = CertificateEnd.read(pem: bytes) {
      claim((-62_135_596_800...253_402_300_800).contains(end), "\(end) is in no year of four digits")
    }
    let text = "-----BEGIN CERTIFICATE-----\n" + Base64.text(of: bytes) + "\n-----END CERTIFICATE-----\n"
    _ = CertificateEnd.read(pem: Array(text.utf8))
    for text in [Array(text.utf8), bytes] {
      guard let certificate = BoardCertificate(pem: text) else { continue }
      claim(certificate.end == CertificateEnd.read(pem: text), "it ends at two times")
      claim(!certificate.holder.subject.utf8.contains { $0 < 0x20 }, "a name ends a line")
    }
    _ = CertificateRequest.read(pem: Array(text.replacing("CERTIFICATE", with: "CERTIFICATE REQUEST").utf8))
    let key = "-----BEGIN PRIVATE KEY-----\n" + Base64.text(of: bytes) + "\n-----END PRIVATE KEY-----\n"
    if let half = CurveKey.publicHalf(pem: Array(key.utf8)) {
      claim(CurveKey.isPoint(half), "a key's public half is none")
    }
    if let outcome = UpdateOutcome(line: bytes) {
      let line = "\(outcome.result.rawValue) \(outcome.version) \(outcome.time)"
      claim(UpdateOutcome(line: Array(line.utf8)) == outcome, "\(line) is read otherwise")
    }
  }
}
