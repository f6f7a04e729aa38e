import Glibc
import OwnTracks

/// Whole files, with errors that name the file. Each has a limit: a device never ends, a pipe may never begin, and a
/// file that was taken by mistake may be larger than the board's memory.
enum FileText {
  /// Bytes of a recording: a day at 10 Hz is some 200 MB of NMEA.
  static let recordingLimit = 512 << 20

  /// `-` is standard input, whatever that is. `limit`: bytes. `followsLinks`: of the last part of the path.
  static func read(_ path: String, atMost limit: Int, followsLinks: Bool = true) throws -> [UInt8] {
    if path == "-" { return try readAll(STDIN_FILENO, "standard input", limit) }
    // Without waiting for a writer where it is a pipe.
    let descriptor = open(
      path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (followsLinks ? 0 : O_NOFOLLOW))
    guard descriptor >= 0 else {
      throw Failure(
        .usage, "\(path): \(errno == ENOENT ? "there is no such file" : "cannot be read: \(lastError())")")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw Failure(.usage, "\(path): cannot be read: \(lastError())")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw Failure(.usage, "\(path): \(word(status.st_mode)), expected a file")
    }
    guard status.st_size <= limit else { throw tooLarge(path, limit, "\(status.st_size) bytes") }
    return try readAll(descriptor, path, limit)
  }

  /// Unix seconds; nil where there is no such file, and for standard input.
  static func lastChange(of path: String) -> Int? {
    var status = stat()
    guard path != "-", stat(path, &status) == 0 else { return nil }
    return status.st_mtim.tv_sec
  }

  private static func word(_ mode: mode_t) -> String {
    switch mode & S_IFMT {
    case S_IFDIR: "a folder"
    case S_IFIFO: "a pipe"
    case S_IFSOCK: "a socket"
    default: "a device"
    }
  }

  private static func readAll(_ descriptor: Int32, _ name: String, _ limit: Int) throws -> [UInt8] {
    guard let bytes = Descriptor.readAll(descriptor, atMost: limit) else {
      throw Failure(.usage, "\(name): cannot be read: \(lastError())")
    }
    guard bytes.count <= limit else { throw tooLarge(name, limit, "more") }
    return bytes
  }

  private static func tooLarge(_ name: String, _ limit: Int, _ size: String) -> Failure {
    Failure(.usage, "\(name): \(size), expected at most \(limit) bytes")
  }
}
