import OwnTracks
import Timebase

/// The word that makes a phone a known one. It is made at the board, lies hashed in a file until it is used, and is worth
/// nothing after ten minutes or five wrong tries.
public struct OneTimeCode: Hashable, Sendable {
  /// How long it can be used.
  public static let lifetime = Span.seconds(600)
  /// A wake-up knows the time at which it began: a code that is made while it goes on is younger than that.
  private static let slack = Span.seconds(5)
  /// Wrong tries after which it is worth nothing. Eight characters of 32 are 2^40 codes.
  public static let tries = 5
  /// In the folder that the command line and the server share.
  public static let fileName = "code"
  /// Bytes of the file.
  public static let fileLimit = 1024

  /// Without letters that are taken for digits, or for another.
  private static let alphabet = Array("23456789ABCDEFGHJKLMNPQRSTUVWXYZ".utf8)
  private static let length = 8

  /// SHA-256 of what is to be typed, without its hyphen.
  public var hash: String
  /// On the clock that a restart of the board sets to nothing.
  public var made: Instant
  /// What the session may do that it is exchanged for.
  public var permission: Permission
  /// Wrong ones so far.
  public var failures: Int

  /// A new one with its words: `ABCD-EFGH`. They are shown once and kept nowhere.
  public static func make(for permission: Permission, at now: Instant) -> (words: String, code: OneTimeCode) {
    var chance = SystemRandomNumberGenerator()
    let letters = (0..<length).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &chance)] }
    return make(letters, for: permission, at: now)
  }

  /// Of words that somebody has chosen, and can read again where `make` shows them to nobody; nil: they are no code.
  public static func make(of words: String, for permission: Permission, at now: Instant) -> OneTimeCode? {
    let letters = words.uppercased().utf8.filter { $0 != UInt8(ascii: "-") }
    guard letters.count == length, letters.allSatisfy(alphabet.contains) else { return nil }
    return make(Array(letters), for: permission, at: now).code
  }

  private static func make(_ letters: [UInt8], for permission: Permission, at now: Instant)
    -> (words: String, code: OneTimeCode)
  {
    let text = String(decoding: letters, as: UTF8.self)
    let words = text.prefix(length / 2) + "-" + text.suffix(length / 2)
    return (
      String(words),
      OneTimeCode(hash: Secret.hash(of: text), made: now, permission: permission, failures: 0)
    )
  }

  /// Whether anybody may still try.
  public func isGood(at now: Instant) -> Bool {
    let age = now - made
    return failures < Self.tries && age > .zero - Self.slack && age < Self.lifetime
  }

  /// Of the whole code, as somebody has typed it: small letters, blanks and hyphens do not matter.
  public func isOpened(by typed: String) -> Bool {
    // Longer than any code with whatever people put in between: not even hashed.
    guard typed.utf8.count <= 64 else { return false }
    let letters = typed.uppercased().utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") }
    return Secret.isSame(Secret.hash(of: String(decoding: letters, as: UTF8.self)), hash)
  }

  // MARK: The file

  /// Nil: it is none.
  public init?(file: [UInt8]) {
    guard file.count <= Self.fileLimit, let json = try? JSON.parse(file), let hash = json["code"]?.text,
      let made = json["made"]?.int, let permission = json["may"]?.text.flatMap(Permission.init(rawValue:)),
      let failures = json["failures"]?.int, failures >= 0
    else { return nil }
    self.init(
      hash: hash, made: Instant(nanoseconds: Int64(made)), permission: permission, failures: failures)
  }

  /// As the file has it.
  init(hash: String, made: Instant, permission: Permission, failures: Int) {
    self.hash = hash
    self.made = made
    self.permission = permission
    self.failures = failures
  }

  /// One line of JSON.
  public var file: [UInt8] {
    let json: JSON = [
      "code": .string(hash), "made": .integer(made.nanoseconds), "may": .string(permission.rawValue),
      "failures": .integer(Int64(failures)),
    ]
    return json.serialised() + [UInt8(ascii: "\n")]
  }
}
