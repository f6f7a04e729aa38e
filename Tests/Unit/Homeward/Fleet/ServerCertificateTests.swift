import Model
import Testing

@testable import homeward

/// What openssl's client prints of a broker.
struct ServerCertificateTests {
  private static let place = BrokerPlace(host: "b.example", port: 8883)

  private static func trust(
    _ code: String, end: String? = "2036-11-26 13:08:20Z", isSilent: Bool = false
  ) -> (ServerCertificate.Trust, FleetFindings) {
    var certificate = ServerCertificate(
      "depth=0 CN = b\nverify error\n    Verify return code: \(code)\n---\n")
    certificate.end = end
    certificate.isSilent = isSilent
    var found = FleetFindings()
    let trust = certificate.trust(&found, place, name: "b.example", authority: "ca.pem", 1_795_900_000)
    return (trust, found)
  }

  @Test func aCertificateOfTheAuthorityIsGood() {
    let (trust, found) = Self.trust("0 (ok)")
    #expect(trust == .full && found == FleetFindings())
  }

  @Test func anotherNameLeavesTheRestToLookAt() {
    for code in ["62 (hostname mismatch)", "64 (IP address mismatch)"] {
      let (trust, found) = Self.trust(code)
      #expect(trust == .withoutName && found.faults.count == 1)
      #expect(found.faults.first?.contains("is not for b.example, as boards call it") == true)
    }
  }

  @Test func anotherAuthorityAndAnEndedCertificateAreMistakes() {
    let (other, found) = Self.trust("19 (self-signed certificate in certificate chain)")
    #expect(
      other == .none && found.faults.first?.contains("(self-signed certificate in certificate chain)") == true
    )
    let (ended, late) = Self.trust("10 (certificate has expired)", end: "2026-11-20 13:08:20Z")
    #expect(ended == .none && late.warnings == [])
    #expect(late.faults.first?.contains("has ended on 2026-11-20") == true)
  }

  @Test func anEndWithinAMonthIsAWarning() {
    // The time of the test is 28 November 2026.
    let (near, found) = Self.trust("0 (ok)", end: "2026-12-20 13:08:20Z")
    #expect(near == .full && found.faults == [] && found.warnings.count == 1)
    let (_, none) = Self.trust("0 (ok)", end: "2027-01-20 13:08:20Z")
    #expect(none == FleetFindings())
  }

  @Test func noCertificateIsNoTLSOrAServerThatHangs() {
    let (_, plain) = Self.trust("0 (ok)", end: nil)
    #expect(plain.faults.first?.contains("does not answer in TLS") == true)
    let (_, silent) = Self.trust("0 (ok)", end: nil, isSilent: true)
    #expect(silent.faults.first?.contains("says nothing") == true)
  }

  /// Boards take one of RSA, or one that names the broker nowhere but among its other names.
  @Test func theEndOfAnyKindOfCertificateIsRead() {
    let found = ServerCertificate("CONNECTED(00000003)\n\(Self.other)\n    Verify return code: 0 (ok)\n---\n")
    #expect(found.end == "2036-11-27 00:47:41Z")
  }

  private static let other = """
    -----BEGIN CERTIFICATE-----
    MIIB8jCCAVugAwIBAgIUd1DDLVa454xzajeRJ9HkqwVy9IAwDQYJKoZIhvcNAQEL
    BQAwADAeFw0yNjExMzAwMDQ3NDFaFw0zNjExMjcwMDQ3NDFaMAAwgZ8wDQYJKoZI
    hvcNAQEBBQADgY0AMIGJAoGBAK0yruEK5g9LOLbJXqMV7n6AXMqWceYCp4pg5GrA
    p3qYGw+a7z5hF/Gjwtn3YomC+ONzLgq8H6iZ8TjypHfIYqFHSneqH8Tmw1lQnrGk
    /Oy5J47DPQd+SQHQPiUsBLhnauwM2qCpCzSg0DhcUClLX6nc2OEMEjOPVmXm9e0+
    +y9/AgMBAAGjaTBnMB0GA1UdDgQWBBRvaOo4rTh0Zjh1jsnhy40ZnoXeTzAfBgNV
    HSMEGDAWgBRvaOo4rTh0Zjh1jsnhy40ZnoXeTzAPBgNVHRMBAf8EBTADAQH/MBQG
    A1UdEQQNMAuCCWIuZXhhbXBsZTANBgkqhkiG9w0BAQsFAAOBgQBq0Z+kjL4+W3Js
    Vb/Bm+MH6aJCGxx7j+85mI4aciaPvF/g3hkuG3y4UUDu919lgASeRRoP59rKtEgh
    VkR/xgY7AnE7wUbzJsURyZOfdnKOplZTXaVbviiPcjT4241tCOKYB0PopWbRU3xd
    w1Jl55+qDLwguEf7wJsDFLQd85sp1g==
    -----END CERTIFICATE-----
    """
}
