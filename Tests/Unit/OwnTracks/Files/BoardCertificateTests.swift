import Testing

@testable import OwnTracks

// behaviour: Renewed certificates
/// Certificates and a request that openssl has made, and which one may take the place of which.
struct BoardCertificateTests {
  private static let request = """
    -----BEGIN CERTIFICATE REQUEST-----
    MIHdMIGDAgEAMCExETAPBgNVBAoMCE15IC8gT3JnMQwwCgYDVQQDDAN1dGUwWTAT
    BgcqhkjOPQIBBggqhkjOPQMBBwNCAAQ7oUqy89LLD6rPORWtxPIbxUdROQ0Kp5MW
    T7wkBBHotgUTVslbBMlOwjHb57vWqao97RNbIOLGyNPRVE3S0urFoAAwCgYIKoZI
    zj0EAwIDSQAwRgIhAPzZtmRTVNmiRh5vdKPstKQGdZvB4deY8lilxV5jp3aPAiEA
    kBQf/CfOqoF+5Fq1lAm2PqEXr2T10p6xXSLWS4UL9fk=
    -----END CERTIFICATE REQUEST-----
    """
  /// The answer to it.
  private static let new = """
    -----BEGIN CERTIFICATE-----
    MIIBcTCCARegAwIBAgICRxEwCgYIKoZIzj0EAwIwDTELMAkGA1UEAwwCY2EwHhcN
    MjYxMTI5MjA0ODIzWhcNMzYxMTI2MjA0ODIzWjAhMREwDwYDVQQKDAhNeSAvIE9y
    ZzEMMAoGA1UEAwwDdXRlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEO6FKsvPS
    yw+qzzkVrcTyG8VHUTkNCqeTFk+8JAQR6LYFE1bJWwTJTsIx2+e71qmqPe0TWyDi
    xsjT0VRN0tLqxaNTMFEwHQYDVR0OBBYEFO8nlKIFv0VQ6denjYnillz49ztSMB8G
    A1UdIwQYMBaAFDGu4SIAUN6Vhe5dPYTOfKbImicnMA8GA1UdEwEB/wQFMAMBAf8w
    CgYIKoZIzj0EAwIDSAAwRQIhAKZk1wj7th2qE8/xjWHNV6qG2CKNz1vXug2JPxRP
    JJ+oAiBhoTF7H/AwIZ2FgqF5/MGo5XtCURjWLeJj2Wxn3+t+VA==
    -----END CERTIFICATE-----
    """
  private static let present = """
    -----BEGIN CERTIFICATE-----
    MIIBgzCCASmgAwIBAgIUQU3ngL74I+Td9OSh83z1P9pTyBswCgYIKoZIzj0EAwIw
    DTELMAkGA1UEAwwCY2EwHhcNMjYxMTI5MjA0ODIzWhcNMjcwOTI1MjA0ODIzWjAh
    MREwDwYDVQQKDAhNeSAvIE9yZzEMMAoGA1UEAwwDdXRlMFkwEwYHKoZIzj0CAQYI
    KoZIzj0DAQcDQgAETGcGNE9CSpxJj8MNZORj8/uoVe061PO3EDdu9U5gv3Lc7+Zz
    iFuMnqZ1bEb7G8rGWGO3FFTQdXzrzZZEB4JGXKNTMFEwHQYDVR0OBBYEFNYvyXG6
    HFO8/9F6T212q8Zx1BReMB8GA1UdIwQYMBaAFDGu4SIAUN6Vhe5dPYTOfKbImicn
    MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIhAKE9XpE4lXw4xBCM
    VI0zcS60EJiam41B7uZCyHxeYsi4AiAHTonfZXI+LU1rMXYqP9NdB/Zs5kyL0mEg
    J5OITJUJjQ==
    -----END CERTIFICATE-----
    """
  /// 2026-11-29 20:48:23.
  private static let made = 1_795_985_303

  private static func read(_ text: String) throws -> BoardCertificate {
    try #require(BoardCertificate(pem: Array(text.utf8)))
  }

  private static func refusal(
    at now: Int = made, _ change: (inout BoardCertificate, inout BoardCertificate) -> Void = { _, _ in }
  ) throws -> String? {
    var (new, present) = (try read(new), try read(present))
    change(&new, &present)
    let request = try #require(CertificateRequest.read(pem: Array(request.utf8)))
    return new.refusal(inPlaceOf: present, request: request, now: now)
  }

  @Test func namesTimesAndKeysAreRead() throws {
    let (new, present) = (try Self.read(Self.new), try Self.read(Self.present))
    #expect(new.begin == Self.made && new.end == 2_111_345_303 && present.end == 1_821_905_303)
    #expect(new.holder.commonName == "ute" && new.lastDay == "2036-11-26T20:48:23Z")
    #expect(new.holder.subject == #"/2.5.4.10=My \/ Org/2.5.4.3=ute"#)
    let request = CertificateRequest.read(pem: Array(Self.request.utf8))
    #expect(request == new.holder && present.holder.name == new.holder.name && present.holder != new.holder)
    #expect(new.mark.utf8.count == 16 && new.mark != present.mark)
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
    for text in ["", Self.request, Self.new.replacing("CERTIFICATE", with: "X")] {
      #expect(BoardCertificate(pem: Array(text.utf8)) == nil)
    }
    #expect(CertificateRequest.read(pem: Array(Self.new.utf8)) == nil)
  }
}
