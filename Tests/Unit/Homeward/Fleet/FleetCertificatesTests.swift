import TestSupport
import Testing

@testable import homeward

/// Certificates of a fleet, as openssl describes them and as they are read without it.
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

  @Test func aCertificateIsReadAsOpensslDescribesIt() {
    let read = FleetCertificates.Certificate(pem: Array(SampleCertificates.ofFleet.utf8))
    #expect(read?.end == "2036-11-26 20:38:27Z" && read?.name == "jäne")
    #expect(read?.key == SampleCertificates.publicKeyOfFleet)
    #expect(FleetCertificates.Certificate(pem: Array(SampleCertificates.keyOfFleet.utf8)) == nil)
  }

  @Test func aPrintedKeyIsOneLine() {
    let key = SampleCertificates.publicKeyOfFleet
    let printed =
      "-----BEGIN PUBLIC KEY-----\n\(key.prefix(64))\n\(key.dropFirst(64))\n-----END PUBLIC KEY-----\n"
    #expect(FleetCertificates.Certificate.printedKey(printed) == key)
    #expect(FleetCertificates.Certificate.printedKey("Could not read key") == "")
  }
}
