import Testing

@testable import homeward

/// Certificates and keys that are read without openssl.
struct PEMFileTests {
  private static func lines(_ label: String, _ base64: String) -> [UInt8] {
    Array("-----BEGIN \(label)-----\n\(base64)\n-----END \(label)-----\n".utf8)
  }

  // As `fleet make` has openssl make them: for jäne, until 27 November 2036.
  private static let certificate = """
    MIIBlDCCATugAwIBAgIURLwOi+OyBIQ9uWKTplC9CVt3a3IwCgYIKoZIzj0EAwIw
    IDEOMAwGA1UEAwwFasOkbmUxDjAMBgNVBAoMBWZsZWV0MB4XDTI2MTEyOTIwMzgy
    N1oXDTM2MTEyNjIwMzgyN1owIDEOMAwGA1UEAwwFasOkbmUxDjAMBgNVBAoMBWZs
    ZWV0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE6bdW4b9JaPLufc9jnqzdcOkV
    VjamAlau7oZGY0S1hfAG5+DbMjtNalAhNRvZGbkHp+RXH3GqGAf0cd+dObnkz6NT
    MFEwHQYDVR0OBBYEFC3AkqtoRI4tZPUWYbKJRbpe2mvQMB8GA1UdIwQYMBaAFC3A
    kqtoRI4tZPUWYbKJRbpe2mvQMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwID
    RwAwRAIgZNuj6IowE/u59yYaPG7wuI3ECkFjgkxmVq/P5HcaiFwCIE7A1aOshJLd
    plr+bUvcGoZS48xVRkmrxCaloien4HgK
    """
  private static let key = """
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg+ySP/qKfeSTneV0L
    ScgEWdjtT0J4Ff+/xjfB4sKQYCGhRANCAATpt1bhv0lo8u59z2OerN1w6RVWNqYC
    Vq7uhkZjRLWF8Abn4NsyO01qUCE1G9kZuQen5FcfcaoYB/Rx3505ueTP
    """
  private static let publicKey =
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE6bdW4b9JaPLufc9jnqzdcOkVVjam"
    + "Alau7oZGY0S1hfAG5+DbMjtNalAhNRvZGbkHp+RXH3GqGAf0cd+dObnkzw=="

  @Test func aCertificateSaysItsEndItsNameAndItsKey() {
    let read = PEMFile.certificate(Self.lines("CERTIFICATE", Self.certificate))
    #expect(read?.end == "2036-11-26 20:38:27Z" && read?.name == "jäne")
    #expect(read?.key == Self.publicKey)
  }

  @Test func aPrivateKeyGivesItsPublicHalf() {
    #expect(PEMFile.publicKey(Self.lines("PRIVATE KEY", Self.key)) == Self.publicKey)
  }

  @Test func aPrintedKeyIsTheSame() {
    let printed =
      "-----BEGIN PUBLIC KEY-----\n\(Self.publicKey.prefix(64))\n\(Self.publicKey.dropFirst(64))\n"
    #expect(PEMFile.publicKey(printed: printed + "-----END PUBLIC KEY-----\n") == Self.publicKey)
    #expect(PEMFile.publicKey(printed: "Could not read key") == "")
  }

  @Test func otherKindsAreLeftToOpenssl() {
    #expect(PEMFile.publicKey(Self.lines("EC PRIVATE KEY", Self.key)) == nil)
    #expect(PEMFile.publicKey(Self.lines("PRIVATE KEY", "MAUwAwIBAA==")) == nil)
    #expect(PEMFile.certificate(Self.lines("PRIVATE KEY", Self.certificate)) == nil)
    #expect(PEMFile.certificate([]) == nil)
    // An Ed25519 key has no public half in it.
    let other = "MC4CAQAwBQYDK2VwBCIEIHB7Fz4v3Q2qkhJ0q0x0f1m5o0b0m5o0b0m5o0b0m5o0"
    #expect(PEMFile.publicKey(Self.lines("PRIVATE KEY", other)) == nil)
  }

  @Test func aDamagedFileIsNone() {
    let whole = Self.lines("CERTIFICATE", Self.certificate)
    let key = Self.lines("PRIVATE KEY", Self.key)
    for count in stride(from: 0, to: whole.count - 30, by: 3) {
      #expect(PEMFile.certificate(Array(whole[..<count])) == nil)
    }
    // Whatever a byte is changed to, it is read or not, and nothing more.
    for index in stride(from: 28, to: key.count - 28, by: 1) {
      var changed = key
      changed[index] = UInt8(ascii: "A")
      let read = PEMFile.publicKey(changed)
      #expect(read == nil || read?.isEmpty == false)
    }
  }

  @Test func lengthsOfSeveralBytesAreReadAndWritten() {
    for count in [0, 127, 128, 255, 256, 70_000] {
      let made = DERValue.made(DERValue.bytes, [UInt8](repeating: 7, count: count))
      let read = DERValue.all(made[...])
      #expect(read?.count == 1 && read?[0].content.count == count && read?[0].whole.count == made.count)
      #expect(DERValue.all(made.dropLast()) == nil || count == 0)
    }
    let endless: [UInt8] = [0x30, 0x80, 0, 0]
    #expect(DERValue.all(endless[...]) == nil)
    let huge: [UInt8] = [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]
    #expect(DERValue.all(huge[...]) == nil)
  }
}
