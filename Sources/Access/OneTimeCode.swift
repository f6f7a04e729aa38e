import OwnTracks
import Timebase

/// The code that gives a phone a session. It is made at the board, stored as a hash in a file until it is used, and
/// invalid after ten minutes or five wrong tries.
public struct OneTimeCode: Hashable, Sendable {
  /// How long it can be used.
  public static let lifetime = Span.seconds(600)
  /// A wake-up uses the time at which it began: a code made during the wake-up may be newer than that.
  private static let slack = Span.seconds(5)
  /// Wrong tries after which it is invalid. Eight characters of 32 are 2^40 codes.
  public static let tries = 5
  /// In the folder that the command line and the server share.
  public static let fileName = "code"
  /// Bytes of the file.
  public static let fileLimit = 1024

  /// Without letters that are mistaken for digits or for other letters.
  private static let alphabet = Array("23456789ABCDEFGHJKLMNPQRSTUVWXYZ".utf8)
  private static let length = 8

  /// SHA-256 of the code to be typed, without its hyphen.
  public var hash: String
  /// On the clock that restarts at zero with the board.
  public var made: Instant
  /// The permission of the session that the code is exchanged for.
  public var permission: Permission
  /// Wrong codes so far.
  public var failures: Int

  /// A new code with its words: `ABCD-EFGH`. The words are shown once and stored nowhere.
  public static func make(for permission: Permission, at now: Instant) -> (words: String, code: OneTimeCode) {
    var chance = SystemRandomNumberGenerator()
    let letters = (0..<length).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &chance)] }
    return make(letters, for: permission, at: now)
  }

  /// A code of words that a person has chosen, and so knows; nil: they do not have the form of a code.
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

  /// Whether the code may still be tried.
  public func isGood(at now: Instant) -> Bool {
    let age = now - made
    return failures < Self.tries && age > .zero - Self.slack && age < Self.lifetime
  }

  /// Compares the whole code as typed: lower case, blanks and hyphens do not matter.
  public func isOpened(by typed: String) -> Bool {
    // Longer than any code with the separators that people add: not even hashed.
    guard typed.utf8.count <= 64 else { return false }
    let letters = typed.uppercased().utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") }
    return Secret.isSame(Secret.hash(of: String(decoding: letters, as: UTF8.self)), hash)
  }

  // MARK: The file

  /// Nil: the file holds no code.
  public init?(file: [UInt8]) {
    guard file.count <= Self.fileLimit, let json = try? JSON.parse(file), let hash = json["code"]?.text,
      let made = json["made"]?.int, let permission = json["may"]?.text.flatMap(Permission.init(rawValue:)),
      let failures = json["failures"]?.int, failures >= 0
    else { return nil }
    self.init(
      hash: hash, made: Instant(nanoseconds: Int64(made)), permission: permission, failures: failures)
  }

  /// As stored in the file.
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
