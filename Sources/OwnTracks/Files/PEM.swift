/// Blocks of base64 between lines that say what they are (RFC 7468).
public enum PEM {
  /// The first block of this name; nil: there is none.
  public static func first(_ name: String, in bytes: [UInt8]) -> [UInt8]? {
    let (begin, end) = (Array("-----BEGIN \(name)-----".utf8), Array("-----END \(name)-----".utf8))
    let lines = bytes.split(separator: UInt8(ascii: "\n")).drop { !$0.starts(with: begin) }.dropFirst()
    guard let last = lines.firstIndex(where: { $0.starts(with: end) }) else { return nil }
    return Base64.bytes(of: String(decoding: lines[..<last].joined(), as: UTF8.self))
  }
}
