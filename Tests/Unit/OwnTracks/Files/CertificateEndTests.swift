import Model
import Testing

@testable import OwnTracks

// behaviour: Fleets
/// The one date of a certificate that counts, of certificates that openssl has made.
struct CertificateEndTests {
  /// Ends in 2036, as `YYMMDDHHMMSSZ`.
  private static let short = """
    -----BEGIN CERTIFICATE-----
    MIIBbDCCAROgAwIBAgIUUSgB2YYATYDDBgLBqXMxhhK6DDgwCgYIKoZIzj0EAwIw
    DDEKMAgGA1UEAwwBYTAeFw0yNjExMjkxNzAwMzNaFw0zNjExMjYxNzAwMzNaMAwx
    CjAIBgNVBAMMAWEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARN52/2/mPH1Dxw
    rqDhqrkf3FM85pRrkXuqlUl+WnFL3KW/oUNgMMsfu5tyXXNO0E+bDS/xqK4/xW4H
    P8nMlKdwo1MwUTAdBgNVHQ4EFgQUPNo4QeTBl/N7Eperw2zGdD2VWVIwHwYDVR0j
    BBgwFoAUPNo4QeTBl/N7Eperw2zGdD2VWVIwDwYDVR0TAQH/BAUwAwEB/zAKBggq
    hkjOPQQDAgNHADBEAiAzwsWoiV2dgHJQJzAS0LFLquFjEAYqjjjx+fUI82FIWAIg
    AmJICFWyXaVrTvCBvIsyl5lt4210WQFXvST+bsF5kpM=
    -----END CERTIFICATE-----
    """
  /// Ends in 2081, as `YYYYMMDDHHMMSSZ`.
  private static let long = """
    -----BEGIN CERTIFICATE-----
    MIIBbjCCARWgAwIBAgIUG35YETx3OEyT3G4Ygpk7/jM8xRswCgYIKoZIzj0EAwIw
    DDEKMAgGA1UEAwwBYjAgFw0yNjExMjkxNzAwMzNaGA8yMDgxMDkwMTE3MDAzM1ow
    DDEKMAgGA1UEAwwBYjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABIQIYh25FlAR
    K5X/78EX4VeuKzIxyIQZMtvbsJGCaQ2OkEzBVAaNaJzZ5+kV0VGBv/70qzhQP6PO
    Dr9Cv6MhxZ6jUzBRMB0GA1UdDgQWBBSM0D53+tZstaeLPK8xBzerv6tLlzAfBgNV
    HSMEGDAWgBSM0D53+tZstaeLPK8xBzerv6tLlzAPBgNVHRMBAf8EBTADAQH/MAoG
    CCqGSM49BAMCA0cAMEQCIHz8g6kwEDYlEPzpEDlNQ0OpkG5sF/FXgXiyCcA7qKTr
    AiAeVgahRLi00+JwJvjPt2gM/5Kykag7poWiUYmB6CzgZQ==
    -----END CERTIFICATE-----
    """

  private func end(_ text: String) -> Int? { CertificateEnd.read(pem: Array(text.utf8)) }

  @Test func bothFormsOfTheDateAreRead() {
    #expect(end(Self.short) == 2_111_331_633)
    #expect(end(Self.long) == 3_523_971_633)
  }

  @Test func theFirstOfSeveralIsTheBoards() {
    #expect(end(Self.long + "\n" + Self.short + "\n") == 3_523_971_633)
    let windows = ("words before\n" + Self.short).split(separator: "\n").joined(separator: "\r\n") + "\r\n"
    #expect(end(windows) == 2_111_331_633)
  }

  @Test func otherFilesHaveNoEnd() {
    #expect(end("") == nil && end("-----BEGIN CERTIFICATE-----\n") == nil)
    #expect(end("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n") == nil)
    #expect(end(Self.short.replacing("CERTIFICATE", with: "PRIVATE KEY")) == nil)
  }

  /// Every cut, and every byte changed: a date or none, and never an end of the program.
  @Test func damageIsNoDateOrAnother() throws {
    let lines = Self.short.split(separator: "\n").dropFirst().dropLast()
    let whole = try #require(Base64.bytes(of: lines.joined()))
    #expect(CertificateEnd.read(der: whole) == 2_111_331_633)
    for length in 0..<whole.count { #expect(CertificateEnd.read(der: Array(whole.prefix(length))) == nil) }
    for index in whole.indices {
      for value in [0, 0x7F, 0x80, 0x84, 0xFF] as [UInt8] {
        var bytes = whole
        bytes[index] = value
        let end = CertificateEnd.read(der: bytes)
        #expect(end.map { (-62_135_596_800...253_402_300_800).contains($0) } ?? true)
      }
    }
  }

  /// Elements without a length of their own are no DER; one byte of length is enough up to 127.
  @Test func lengthsAreReadAsDERHasThem() {
    func content(_ head: [UInt8], _ count: Int) -> Int? {
      var elements = DERElements((head + [UInt8](repeating: 7, count: count))[...])
      return elements.take()?.content.count
    }
    #expect(content([0x30, 0x7F], 127) == 127 && content([0x30, 0x7F], 126) == nil)
    #expect(content([0x30, 0x80], 128) == nil)
    #expect(content([0x30, 0x81, 0x80], 128) == 128 && content([0x30, 0x82, 1, 0], 256) == 256)
    #expect(content([0x30, 0x84, 0, 0, 0, 3], 5) == 3 && content([0x30, 0x85, 0, 0, 0, 0, 3], 5) == nil)
  }

  @Test func aLineOfAnUpdateIsReadWholeOrNotAtAll() {
    func read(_ text: String) -> UpdateOutcome? { UpdateOutcome(line: Array(text.utf8)) }
    let good = UpdateOutcome(.good, version: "1:0.2.0~rc1-1", time: 1_790_000_000)
    #expect(read("good 1:0.2.0~rc1-1 1790000000\n") == good)
    #expect(read("back 2.0-1 5")?.result == .back && read("failed 2.0-1 5")?.result == .failed)
    let wrongLines = [
      "", "good", "good 1.0", "fine 1.0 5", "good 1.0 x", "good  1.0 5", "good 1.0\u{7} 5", "good 1.0 -5",
    ]
    for wrong in wrongLines {
      #expect(read(wrong) == nil, "\(wrong)")
    }
  }
}
