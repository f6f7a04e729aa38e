import TestSupport
import Testing

@testable import OwnTracks

// behaviour: Renewed certificates
/// Certificates and a request that openssl has made, and which one may take the place of which.
struct BoardCertificateTests {
  /// 2026-11-29 20:48:23.
  private static let made = 1_795_985_303

  private static func read(_ text: String) throws -> BoardCertificate {
    try #require(BoardCertificate(pem: Array(text.utf8)))
  }

  private static func refusal(
    at now: Int = made, _ change: (inout BoardCertificate, inout BoardCertificate) -> Void = { _, _ in }
  ) throws -> String? {
    var (new, present) = (try read(SampleCertificates.renewed), try read(SampleCertificates.present))
    change(&new, &present)
    let request = try #require(CertificateRequest.read(pem: Array(SampleCertificates.request.utf8)))
    return new.refusal(inPlaceOf: present, request: request, now: now)
  }

  @Test func namesTimesAndKeysAreRead() throws {
    let (new, present) = (
      try Self.read(SampleCertificates.renewed), try Self.read(SampleCertificates.present)
    )
    #expect(new.begin == Self.made && new.end == 2_111_345_303 && present.end == 1_821_905_303)
    #expect(new.holder.commonName == "ute" && new.lastDay == "2036-11-26T20:48:23Z")
    #expect(new.holder.subject == #"/2.5.4.10=My \/ Org/2.5.4.3=ute"#)
    let request = CertificateRequest.read(pem: Array(SampleCertificates.request.utf8))
    #expect(request == new.holder && present.holder.name == new.holder.name && present.holder != new.holder)
    #expect(new.mark.utf8.count == 16 && new.mark != present.mark)
  }

  /// Kinds whose numbers take several bytes, in a request of an Ed25519 key.
  @Test func aLongNameIsRead() throws {
    let holder = try #require(CertificateRequest.read(pem: Array(SampleCertificates.requestOfDomain.utf8)))
    #expect(
      holder.subject == "/0.9.2342.19200300.100.1.25=org/0.9.2342.19200300.100.1.25=example"
        + "/1.2.840.113549.1.9.1=fleet@example.org/2.5.4.3=ute")
    #expect(holder.commonName == "ute")
  }

  @Test func theAnswerToTheRequestIsTaken() throws {
    #expect(try Self.refusal() == nil)
    #expect(try Self.refusal(at: Self.made - 300) == nil)
  }

  @Test func anotherKeyOrNameIsRefused() throws {
    #expect(
      try Self.refusal { new, present in new.holder.key = present.holder.key }
        == "certificate: is for another key, expected that of this board's last request")
    #expect(
      try Self.refusal { new, _ in new.holder.name[1].text = "eve\n" }
        == "certificate: is for eve\\n, expected ute")
    #expect(
      try Self.refusal { new, _ in new.holder.name = [] } == "certificate: is for nobody, expected ute")
    // The rest of the name is the authority's business.
    #expect(try Self.refusal { new, _ in new.holder.name.removeFirst() } == nil)
  }

  @Test func aTimeThatIsOverOrToComeIsRefused() throws {
    #expect(
      try Self.refusal(at: Self.made - 301)
        == "certificate: is good from 2026-11-29T20:48:23Z on, expected one that is good now")
    #expect(
      try Self.refusal(at: 2_111_345_303)
        == "certificate: has ended 2036-11-26T20:48:23Z, expected one that is good now")
  }

  @Test func anEarlierEndIsRefused() throws {
    let words =
      "certificate: ends 2036-11-26T20:48:23Z, expected a later end than the present one's, 2036-11-26T20:48:23Z"
    #expect(try Self.refusal { new, present in present.end = new.end } == words)
    #expect(try Self.refusal { new, present in present.end = new.end - 1 } == nil)
  }

  @Test func otherFilesAreNone() {
    for text in [
      "", SampleCertificates.request, SampleCertificates.renewed.replacing("CERTIFICATE", with: "X"),
    ] {
      #expect(BoardCertificate(pem: Array(text.utf8)) == nil)
    }
    #expect(CertificateRequest.read(pem: Array(SampleCertificates.renewed.utf8)) == nil)
  }
}
