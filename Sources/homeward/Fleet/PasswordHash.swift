import Access
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
    Base64.text(of: salt + Secret.digest(salt + Array(password.utf8)))
  }

  static func salt(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: .min ... .max) } }

  /// Letters and digits that are not taken for each other, some 140 bits of them.
  static func newPassword() -> String {
    let letters = Array("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789")
    return String((0..<24).map { _ in letters[Int.random(in: letters.indices)] })
  }

  /// PBKDF2 with HMAC-SHA-512, of as many bytes as one HMAC has.
  private static func derived(_ password: [UInt8], salt: [UInt8]) -> [UInt8] {
    var link = Secret.hmac(salt + [0, 0, 0, 1], key: password)
    var result = link
    for _ in 1..<rounds {
      link = Secret.hmac(link, key: password)
      for index in result.indices { result[index] ^= link[index] }
    }
    return result
  }
}
