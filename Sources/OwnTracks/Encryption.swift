import CSodium
import Timebase

/// Payload encryption as all programs of the family do it: libsodium's secret box (XSalsa20 and Poly1305)
/// under one shared secret, in `{"_type":"encrypted","data":BASE64}`. libsodium is loaded by the first one
/// that is made.
public struct Encryption: Sendable {
  /// The library is not there, or not usable.
  public struct Missing: Error, Hashable, Sendable, CustomStringConvertible {
    /// The loader's own words.
    public var why: String

    public var description: String {
      "encryptionKey is set and needs libsodium, which cannot be loaded (\(why)); fix it with: "
        + "apt install libsodium23. Until then messages wait, nothing is sent in clear"
    }
  }

  /// Why an encrypted message cannot be opened.
  public enum Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// `data` is missing, or no text.
    case noData
    /// The text in `data` is not of that alphabet.
    case noBase64
    /// Less than nonce and authenticator take, 40 bytes.
    case tooShort
    /// Another key, or bytes that were changed on the way.
    case forged

    public var description: String {
      switch self {
      case .noData: "no data; expected a text of base64"
      case .noBase64: "data is no base64"
      case .tooShort: "data is too short, expected 40 bytes at least"
      case .forged: "it does not open: another encryptionKey, or damaged"
      }
    }
  }

  /// Bytes of UTF-8 that a secret may have.
  public static let secretLimit = Int(csodium_key)

  private let key: [UInt8]

  /// `secret` is cut to 32 bytes, and filled up with zero bytes.
  public init(secret: String) throws(Missing) {
    if let why = csodium_load() { throw Missing(why: String(cString: why).plainLine) }
    let bytes = secret.utf8.prefix(Self.secretLimit)
    key = Array(bytes) + Array(repeating: 0, count: Self.secretLimit - bytes.count)
  }

  /// The envelope with the payload in it, as bytes of JSON. No two are alike.
  public func sealed(_ plain: [UInt8]) -> [UInt8] {
    var nonce = [UInt8](repeating: 0, count: Int(csodium_nonce))
    csodium_random(&nonce, nonce.count)
    return sealed(plain, nonce: nonce)
  }

  func sealed(_ plain: [UInt8], nonce: [UInt8]) -> [UInt8] {
    var text = [CChar](repeating: 0, count: csodium_room(plain.count))
    let isSealed = csodium_seal(&text, text.count, plain, plain.count, nonce, key)
    releaseAssert(isSealed, "no memory to encrypt \(plain.count) bytes")
    var writer = JSONWriter(capacity: text.count + 40)
    writer.beginObject()
    writer.member("_type", Self.type)
    writer.key("data")
    writer.literal("\"")
    for character in text where character != 0 { writer.bytes.append(UInt8(bitPattern: character)) }
    writer.literal("\"")
    writer.endObject()
    return writer.bytes
  }

  /// `_type` of an envelope.
  public static let type = "encrypted"

  /// The plain content of an envelope.
  public func opened(_ envelope: JSON) throws(Refusal) -> [UInt8] {
    guard let data = envelope["data"]?.text else { throw .noData }
    let text = Array(data.utf8).map { CChar(bitPattern: $0) }
    var plain = [UInt8](repeating: 0, count: text.count + 1)
    var found = 0
    switch csodium_open(&plain, &found, text, text.count, key) {
    case csodium_good: return Array(plain.prefix(found))
    case csodium_no_base64: throw .noBase64
    case csodium_too_short: throw .tooShort
    default: throw .forged
    }
  }
}
