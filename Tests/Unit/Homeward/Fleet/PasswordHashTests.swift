import OwnTracks
import Testing

@testable import homeward

/// Passwords as brokers keep them; the expected values are those of Python's hashlib.
struct PasswordHashTests {
  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  @Test func sumsAreThoseOfSHA2() {
    #expect(
      Self.hex(SHA2<UInt32>.sum(of: Array("abc".utf8)))
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    let long =
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
      + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
    #expect(Self.hex(SHA2<UInt64>.sum(of: Array("abc".utf8))) == long)
  }

  /// One byte fewer than fills two blocks with the length.
  @Test func sumsOfSeveralBlocks() {
    let short = Self.hex(SHA2<UInt32>.sum(of: Array(repeating: UInt8(ascii: "a"), count: 119)))
    #expect(short == "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb")
    let long = Self.hex(SHA2<UInt64>.sum(of: Array(repeating: UInt8(ascii: "a"), count: 239)))
    let expected =
      "52c853cb8d907f3d4d6b889beb027985d7c273486d75f8baf26f80d24e90c74c"
      + "6c3de3e22131582380a7d14d43f2941a31385439cd6ddc469f628015e50bf286"
    #expect(long == expected)
  }

  @Test func mosquittosHash() {
    let salt = [UInt8](0..<12)
    let head = "$7$101$AAECAwQFBgcICQoL$"
    let short = "Xr99N9ym9ys8TWxis5ajETJq6EVYzmc6nb8t3pUYnPBbCAbICS4xejTltonXWCtJNBvA+By+TXUqU6qCblO00w=="
    #expect(PasswordHash.mosquitto("secret", salt: salt) == head + short)
    // More than a block, which is hashed first.
    let long = "k8Plv+rrB6xXxMX/zBvZxpaRhurG8BrOV129UVWAOmBVzuN0/z1/e23gS0a50jKDIUHo3tPjlwjlAWbpxOW70A=="
    #expect(PasswordHash.mosquitto(String(repeating: "x", count: 200), salt: salt) == head + long)
  }

  @Test func rabbitsHash() {
    #expect(
      PasswordHash.rabbit("secret", salt: [1, 2, 3, 4]) == "AQIDBDB9kM21iEUzN1lZ+6VReCsdNqS0sERdAQTcY6Xs3PMz")
  }

  @Test func newPasswordsDiffer() {
    let made = Set((0..<100).map { _ in PasswordHash.newPassword() })
    #expect(made.count == 100)
    #expect(
      made.allSatisfy { $0.utf8.count == 24 && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } })
  }
}
