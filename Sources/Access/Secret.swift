/// Keys that only their holder knows: here they are kept as hashes.
public enum Secret {
  /// Bytes of a session's key: 128 bits.
  public static let keyBytes = 16

  /// As lower-case hexadecimal digits, from the kernel's source of chance.
  public static func key() -> String {
    var chance = SystemRandomNumberGenerator()
    return hexadecimal((0..<keyBytes).map { _ in UInt8.random(in: .min ... .max, using: &chance) })
  }

  /// SHA-256 of the text, as 64 lower-case hexadecimal digits.
  public static func hash(of text: String) -> String { hexadecimal(SHA256.digest(Array(text.utf8))) }

  /// Of the whole, in a time that does not tell where they differ; only the lengths are no secret.
  public static func isSame(_ one: String, _ other: String) -> Bool {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    guard one.count == other.count else { return false }
    var difference: UInt8 = 0
    for index in one.indices { difference |= one[index] ^ other[index] }
    return difference == 0
  }

  /// Two lower-case digits a byte.
  public static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
