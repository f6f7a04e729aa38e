import CSodium
import OwnTracks
import Timebase

/// Keys that only their holder knows: stored here as hashes. libsodium hashes and compares them.
public enum Secret {
  /// The library is missing or unusable.
  public struct Missing: Error, Hashable, Sendable, CustomStringConvertible {
    /// The loader's message.
    public var why: String

    public var description: String {
      "the page needs libsodium, which cannot be loaded (\(why)); fix it with: apt install libsodium23"
    }
  }

  /// Bytes of a session's key: 128 bits.
  public static let keyBytes = 16

  /// Call before anything is hashed or compared, so that the user at the terminal learns what is missing.
  public static func load() throws(Missing) {
    if let why = csodium_load() { throw Missing(why: String(cString: why).plainLine) }
  }

  /// A new key as lower-case hexadecimal digits, from the kernel's random numbers.
  public static func key() -> String {
    var chance = SystemRandomNumberGenerator()
    return hexadecimal((0..<keyBytes).map { _ in UInt8.random(in: .min ... .max, using: &chance) })
  }

  /// SHA-256, 32 bytes.
  public static func digest(_ bytes: [UInt8]) -> [UInt8] {
    releaseAssert(csodium_load() == nil, "libsodium cannot be loaded: Secret.load() says why")
    var digest = [UInt8](repeating: 0, count: Int(csodium_digest))
    csodium_sha256(&digest, bytes, bytes.count)
    return digest
  }

  /// HMAC with SHA-512, 64 bytes. `key`: of any length.
  public static func hmac(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    releaseAssert(csodium_load() == nil, "libsodium cannot be loaded: Secret.load() says why")
    var mac = [UInt8](repeating: 0, count: Int(csodium_long_mac))
    releaseAssert(csodium_hmac_sha512(&mac, bytes, bytes.count, key, key.count), "no memory for 512 bytes")
    return mac
  }

  /// SHA-256 of the text, as 64 lower-case hexadecimal digits.
  public static func hash(of text: String) -> String { hexadecimal(digest(Array(text.utf8))) }

  /// Compares the whole texts, in a time that does not reveal where they differ; only the lengths are not secret.
  public static func isSame(_ one: String, _ other: String) -> Bool {
    releaseAssert(csodium_load() == nil, "libsodium cannot be loaded: Secret.load() says why")
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    return one.count == other.count && csodium_same(one, other, one.count)
  }

  /// Two lower-case digits a byte.
  public static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
