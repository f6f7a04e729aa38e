import Glibc
import OwnTracks

/// Secrets that systemd hands over (`LoadCredential=`, `SetCredentialEncrypted=`) in a folder that only the service sees.
public enum ServiceCredentials {
  /// Keys whose value is the credential's text.
  static let texts = ["password", "encryptionKey", "httpHeaders", "url"]
  /// Keys that name a file: the credential itself is that file.
  static let files = ["tlsCaFile", "tlsClientCert", "tlsClientKey"]
  /// Bytes; a longer file is not one of ours.
  static let limit = 64 << 10

  /// Values for keys that the settings leave out, from the credentials that were handed over. `environment` looks up
  /// CREDENTIALS_DIRECTORY.
  public static func found(
    environment: (String) -> String? = { name in getenv(name).map { String(cString: $0) } }
  ) -> [(String, String)] {
    guard let folder = environment("CREDENTIALS_DIRECTORY"), folder.hasPrefix("/") else { return [] }
    return texts.compactMap { name in text("\(folder)/\(name)").map { (name, $0) } }
      + files.compactMap { name in isFile("\(folder)/\(name)") ? (name, "\(folder)/\(name)") : nil }
  }

  private static func isFile(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG && facts.st_size > 0
  }

  /// Without the final newline that an editor leaves; nil: there is no file, it is empty, or too long.
  private static func text(_ path: String) -> String? {
    guard isFile(path) else { return nil }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: limit + 1)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0, count <= limit else { return nil }
    var rest = bytes.prefix(count)
    while let last = rest.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { rest.removeLast() }
    return rest.isEmpty ? nil : String(decoding: rest, as: UTF8.self)
  }
}
