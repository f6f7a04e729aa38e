import Glibc
import OwnTracks

/// Reads the configuration file: its permissions matter as much as its contents.
public enum ConfigurationSource {
  /// One line that names the file, what is wrong and what fixes it.
  public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    public var description: String
  }

  /// Reads, checks and decodes; refuses the whole file for a single wrong key, so that nothing is ever half-applied.
  /// Credentials from the service manager count for keys that the file leaves out.
  public static func read(
    _ path: String, overrides: [(String, String)],
    credentials: [(String, String)] = ServiceCredentials.found()
  ) throws(Refusal) -> ConfigurationFile.Decoded {
    let (bytes, facts) = try load(path)
    let decoded = ConfigurationFile.decode(
      bytes, overrides: overrides, credentials: credentials, written: facts.st_mtim.tv_sec)
    if let problem = decoded.problems.first {
      let more = decoded.problems.count - 1
      let rest = more > 0 ? " (and \(more) more; all of them: homeward config check \(path))" : ""
      throw Refusal(description: "\(path): \(problem)\(rest)")
    }
    if decoded.holdsSecret, facts.st_mode & 0o007 != 0 {
      throw Refusal(
        description: "\(path): holds a password and is open to every user; fix it with: chmod o-rwx \(path)")
    }
    return decoded
  }

  /// Files that it names and that are not there, a line each. The tracker starts all the same: what happens meanwhile is
  /// kept, and a server that needs them is not reached.
  public static func missingFiles(_ decoded: ConfigurationFile.Decoded) -> [String] {
    decoded.missingFiles { access($0, F_OK) == 0 || errno != ENOENT }.map(\.description)
  }

  private static func load(_ path: String) throws(Refusal) -> (bytes: [UInt8], facts: stat) {
    // A pipe is refused below, and not waited for.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw unreadable(path) }
    defer { close(descriptor) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else { throw unreadable(path) }
    guard facts.st_mode & S_IFMT == S_IFREG else {
      throw Refusal(description: "\(path): is no file; give the configuration with --config FILE")
    }
    guard facts.st_size <= ConfigurationFile.limit else {
      throw Refusal(
        description: "\(path): has \(facts.st_size) bytes, expected \(ConfigurationFile.limit) at most")
    }
    var bytes = [UInt8](repeating: 0, count: Int(facts.st_size))
    var filled = 0
    while filled < bytes.count {
      let count = bytes.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress! + filled, $0.count - filled)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      filled += count
    }
    return (Array(bytes.prefix(filled)), facts)
  }

  private static func unreadable(_ path: String) -> Refusal {
    let code = errno
    let remedy =
      code == ENOENT
      ? "begin one with: homeward setup; or give another with --config FILE"
      : "let the user who runs homewardd read it"
    return Refusal(description: "\(path): cannot be read: \(String(cString: strerror(code))); \(remedy)")
  }
}
