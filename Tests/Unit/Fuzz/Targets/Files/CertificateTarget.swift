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
    if let outcome = UpdateOutcome(line: bytes) {
      let line = "\(outcome.result.rawValue) \(outcome.version) \(outcome.time)"
      claim(UpdateOutcome(line: Array(line.utf8)) == outcome, "\(line) is read otherwise")
    }
  }
}
