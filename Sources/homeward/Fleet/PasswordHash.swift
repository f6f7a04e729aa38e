import OwnTracks

/// Passwords as brokers keep them.
enum PasswordHash {
  /// mosquitto's own number.
  private static let rounds = 101

  /// As in a `password_file` of mosquitto: PBKDF2 with SHA-512. `salt`: 12 bytes.
  static func mosquitto(_ password: String, salt: [UInt8]) -> String {
    let hash = derived(Array(password.utf8), salt: salt)
    return "$7$\(rounds)$\(Base64.text(of: salt))$\(Base64.text(of: hash))"
  }

  /// As in the definitions of RabbitMQ, `rabbit_password_hashing_sha256`. `salt`: 4 bytes.
  static func rabbit(_ password: String, salt: [UInt8]) -> String {
    Base64.text(of: salt + SHA2<UInt32>.sum(of: salt + Array(password.utf8)))
  }

  static func salt(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: .min ... .max) } }

  /// Letters and digits that are not taken for each other, some 140 bits of them.
  static func newPassword() -> String {
    let letters = Array("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789")
    return String((0..<24).map { _ in letters[Int.random(in: letters.indices)] })
  }

  /// PBKDF2 with HMAC-SHA-512, of as many bytes as one sum has.
  private static func derived(_ password: [UInt8], salt: [UInt8]) -> [UInt8] {
    let size = SHA2<UInt64>.blockBytes
    var key = password.count > size ? SHA2<UInt64>.sum(of: password) : password
    key += [UInt8](repeating: 0, count: size - key.count)
    var (inner, outer) = (SHA2<UInt64>(), SHA2<UInt64>())
    inner.mix(key.map { $0 ^ 0x36 }[...])
    outer.mix(key.map { $0 ^ 0x5C }[...])
    func authenticated(_ text: [UInt8]) -> [UInt8] {
      var (first, second) = (inner, outer)
      first.finish(text, after: size)
      second.finish(first.bytes, after: size)
      return second.bytes
    }
    var link = authenticated(salt + [0, 0, 0, 1])
    var result = link
    for _ in 1..<rounds {
      link = authenticated(link)
      for index in result.indices { result[index] ^= link[index] }
    }
    return result
  }
}
