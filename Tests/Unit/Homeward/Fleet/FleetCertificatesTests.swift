import Testing

@testable import homeward

/// What openssl says of a certificate.
struct FleetCertificatesTests {
  @Test func aCertificatesTextIsRead() {
    let text = """
      subject=
          CN=jane doe
      notAfter=2036-11-26 13:08:20Z
      -----BEGIN PUBLIC KEY-----
      MFkw
      -----END PUBLIC KEY-----

      """
    let read = FleetCertificates.Certificate(text)
    #expect(read.name == "jane doe" && read.end == "2036-11-26 13:08:20Z")
    #expect(read.key == "MFkw")
    #expect(FleetCertificates.Certificate("Could not read certificate").end == nil)
  }
}
