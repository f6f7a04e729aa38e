import OwnTracks
import Testing

@testable import homeward

/// Passwords as brokers keep them; the expected values are those of Python's hashlib.
struct PasswordHashTests {
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
