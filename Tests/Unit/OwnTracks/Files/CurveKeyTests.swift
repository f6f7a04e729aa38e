import TestSupport
import Testing

@testable import OwnTracks

// behaviour: Fleets
/// The public half of a private key, which certificate and key have in common.
struct CurveKeyTests {
  private static let key = Array(SampleCertificates.keyOfFleet.utf8)

  private static func half(_ base64: String, label: String = "PRIVATE KEY") -> [UInt8]? {
    CurveKey.publicHalf(pem: Array("-----BEGIN \(label)-----\n\(base64)\n-----END \(label)-----\n".utf8))
  }

  @Test func aPrivateKeyGivesThePublicOneOfItsCertificate() throws {
    let half = try #require(CurveKey.publicHalf(pem: Self.key))
    #expect(Base64.text(of: half) == SampleCertificates.publicKeyOfFleet && CurveKey.isPoint(half))
    #expect(BoardCertificate(pem: Array(SampleCertificates.ofFleet.utf8))?.holder.key == half)
  }

  /// 133 bytes make a point of P-521, and the sequence around it says so in two bytes of length.
  @Test func aLargerCurveIsRead() throws {
    let half = try #require(Self.half(Self.large))
    #expect(half.count == 158 && half.starts(with: [0x30, 0x81, 0x9B, 0x30, 0x10]) && CurveKey.isPoint(half))
  }

  @Test func keysOfOtherKindsAreNone() {
    let lines = SampleCertificates.keyOfFleet.split(separator: "\n").dropFirst().dropLast().joined()
    #expect(Self.half(lines) != nil)
    #expect(Self.half(lines, label: "EC PRIVATE KEY") == nil)
    #expect(Self.half("MAUwAwIBAA==") == nil)
    // Ed25519, which has no public half in it.
    #expect(Self.half("MC4CAQAwBQYDK2VwBCIEIHB7Fz4v3Q2qkhJ0q0x0f1m5o0b0m5o0b0m5o0b0m5o0") == nil)
    #expect(CurveKey.publicHalf(pem: []) == nil && !CurveKey.isPoint([]))
    // A compressed point, and RSA.
    var half = Base64.bytes(of: SampleCertificates.publicKeyOfFleet) ?? []
    half[26] = 2
    #expect(!CurveKey.isPoint(half))
    half[26] = 4
    #expect(CurveKey.isPoint(half))
    half[6] = 0x2B
    #expect(!CurveKey.isPoint(half))
  }

  /// Every cut, and every byte changed: a key or none, and never an end of the program.
  @Test func damageIsNoKeyOrAnother() {
    for count in stride(from: 0, to: Self.key.count - 28, by: 1) {
      #expect(CurveKey.publicHalf(pem: Array(Self.key[..<count])) == nil)
    }
    for index in stride(from: 28, to: Self.key.count - 26, by: 1) {
      for letter in [UInt8(ascii: "A"), UInt8(ascii: "/")] {
        var changed = Self.key
        changed[index] = letter
        #expect(CurveKey.publicHalf(pem: changed).map(CurveKey.isPoint) ?? true)
      }
    }
  }

  private static let large = """
    MIHuAgEAMBAGByqGSM49AgEGBSuBBAAjBIHWMIHTAgEBBEIBPpWF1LV67Am0Qvt1
    EoNfmsgQOVO6KaPIuiijF6t6tPDGYhn2Xmq0EdMaxRCsiaNUwcpTEIHO+tlo6ASY
    p7AiOcShgYkDgYYABADJnkDsXEIrQuMNK9CbpdysiqU728qwsQz6ygMz96sCX3RU
    wfhf9p4/o0CpqVoOgLOrJYZUZdSL/a0TUCuWAZ227ABAWRMYHaV4TklqFMp4kb3g
    mp+0eN6Oh8qPSNAtyucdrzxNSgxMhIfv1i/S5TNs0yo0Yk0PNhUVQZSjGVJJKWsR
    Yw==
    """
}
