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
}
